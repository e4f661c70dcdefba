//! `cd`, `pushd`, `popd`, `dirs`: where the shell is.

use crate::expand::Field;
use crate::meaning::ShellChange;

use super::letters;

/// `cd`.
pub fn cd(fields: &[Field]) -> ShellChange {
    let read = letters::read(fields, "");
    let target = read.operands(fields).first().copied();
    let previous = target
        .and_then(|at| fields.get(at))
        .is_some_and(|field| field.value.as_deref() == Some("-"));
    ShellChange::Cd {
        target,
        physical: read.has('P'),
        previous,
    }
}

/// `pushd`.
pub fn pushd(fields: &[Field]) -> Option<ShellChange> {
    let mut rotate = false;
    for (at, field) in fields.iter().enumerate().skip(1) {
        match field.value.as_deref() {
            Some("--") => {}
            Some("-n") => rotate = true,
            Some(text) if turns(text) => {
                return Some(ShellChange::Pushd {
                    target: None,
                    rotate: true,
                });
            }
            _ => {
                return Some(ShellChange::Pushd {
                    target: Some(at),
                    rotate,
                });
            }
        }
    }
    Some(ShellChange::Pushd {
        target: None,
        rotate,
    })
}

/// `popd`; with words it takes others than the topmost.
pub fn popd(fields: &[Field]) -> Option<ShellChange> {
    let plain = fields
        .iter()
        .skip(1)
        .all(|field| field.value.as_deref() == Some("--"));
    Some(if plain {
        ShellChange::Popd
    } else {
        ShellChange::Pushd {
            target: None,
            rotate: true,
        }
    })
}

/// `dirs -c` forgets the stack; all else only shows it.
pub fn dirs(fields: &[Field]) -> Option<ShellChange> {
    let clears = fields.iter().skip(1).any(|field| {
        field.value.as_deref().is_none_or(|text| {
            text.starts_with('-') && !text.starts_with("--") && text.contains('c')
        })
    });
    clears.then_some(ShellChange::Pushd {
        target: None,
        rotate: true,
    })
}

/// `+N`, `-N`.
fn turns(text: &str) -> bool {
    text.strip_prefix(['+', '-']).is_some_and(|digits| {
        !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())
    })
}
