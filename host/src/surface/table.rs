//! Lists as people read them.

use std::fmt::Write;
use std::path::Path;

use super::cli::health;
use super::explain::scope;
use super::script::visible;
use crate::approvals::Grant;
use crate::gate::to_contract;
use crate::guest::{Checked, Listed, WorldKind};

/// Rows under headings, each column as wide as its widest cell.
fn rows(headings: &[&str], rows: &[Vec<String>]) -> String {
    let mut widths: Vec<usize> = headings.iter().map(|heading| heading.len()).collect();
    for row in rows {
        for (width, cell) in widths.iter_mut().zip(row) {
            *width = (*width).max(cell.chars().count());
        }
    }
    let line = |cells: &[&str]| {
        let padded = cells.iter().zip(&widths);
        let padded: Vec<String> = padded
            .map(|(cell, &width)| format!("{cell:<width$}"))
            .collect();
        padded.join("  ").trim_end().to_owned()
    };
    let mut lines = vec![line(headings)];
    lines.extend(rows.iter().map(|row| {
        let cells: Vec<&str> = row.iter().map(String::as_str).collect();
        line(&cells)
    }));
    lines.join("\n")
}

fn imports(imports: &[String]) -> String {
    if imports.is_empty() {
        "nothing".into()
    } else {
        visible(&imports.join(", "))
    }
}

pub(crate) fn plugins(guests: &[Listed]) -> String {
    let row = |guest: &Listed| {
        vec![
            visible(&guest.label.name),
            visible(&guest.label.version),
            guest.label.digest.chars().take(19).collect(),
            visible(&guest.source),
            guest.world.to_owned(),
            imports(&guest.imports),
            visible(&health(&guest.health)),
        ]
    };
    let headings = [
        "NAME", "VERSION", "DIGEST", "SOURCE", "WORLD", "IMPORTS", "HEALTH",
    ];
    rows(&headings, &guests.iter().map(row).collect::<Vec<_>>())
}

pub(crate) fn approvals(grants: &[Grant]) -> String {
    if grants.is_empty() {
        return "no lasting approvals".into();
    }
    let row = |grant: &Grant| {
        vec![
            grant.id.clone(),
            scope(&to_contract(&grant.scope)),
            visible(&grant.guest.name),
            grant.given.clone(),
            visible(&grant.root.display().to_string()),
        ]
    };
    let headings = ["ID", "COVERS", "GUEST", "GIVEN", "WORKSPACE"];
    rows(&headings, &grants.iter().map(row).collect::<Vec<_>>())
}

pub(crate) fn checked(file: &Path, checked: &Checked) -> String {
    let file = visible(&file.display().to_string());
    let mut text = match checked.world {
        Some(world) if checked.problems.is_empty() => {
            format!("{file} fits: it is a {}\n", WorldKind::name(world))
        }
        _ => format!("{file} does not fit\n"),
    };
    for problem in &checked.problems {
        // Writing to a string does not fail, here and below.
        let _ = writeln!(text, "- {}", visible(problem));
    }
    let _ = writeln!(text, "imports {}", imports(&checked.imports));
    let _ = write!(text, "{} bytes, {}", checked.bytes, checked.digest);
    text
}
