//! How long a decision takes, every guest in a fresh store.

#![allow(missing_docs, clippy::expect_used, clippy::print_stdout)]

mod common;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};

fn decisions(criterion: &mut Criterion) {
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    let folder = tempfile::tempdir().expect("a folder");
    let warm = runtime.block_on(common::warm_session(folder.path()));
    let (host, session) = warm.expect("a warm host");
    let mut group = criterion.benchmark_group("decision");
    for (name, script) in common::scripts() {
        let before = host.guests().instances();
        let mut decisions = 0_u64;
        group.throughput(Throughput::Bytes(script.len() as u64));
        group.bench_function(name, |bencher| {
            bencher.iter(|| {
                decisions += 1;
                let decision = runtime.block_on(session.explain(&script, None));
                decision.expect("a decision")
            });
        });
        let instances = host.guests().instances() - before;
        println!("{name}: {instances} instances for {decisions} decisions");
    }
    group.finish();
}

criterion_group!(benches, decisions);
criterion_main!(benches);
