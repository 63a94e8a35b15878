//! Times an ingestion and warm queries: `speed DIRECTORY DB THREADS`.
use craig_engine::*;
use std::time::Instant;
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;
#[expect(clippy::print_stdout, clippy::unwrap_used, reason = "a measuring tool")]
fn main() {
    let args: Vec<String> = std::env::args().collect();
    let mut engine =
        Engine::open(&Config { database: args[2].clone().into(), threads: args[3].parse().unwrap() })
            .unwrap();
    let request = IngestRequest {
        directory: args[1].clone().into(),
        name: None,
        options: SourceOptions::default(),
        waiting: Waiting::Wait,
    };
    let started = Instant::now();
    let mut indexing = None;
    let report = engine
        .ingest(&request, &mut |p| {
            if p.phase == Phase::Indexing {
                indexing = Some(started.elapsed())
            }
        })
        .unwrap();
    println!(
        "ingest {:?} (store {:?}) {:?} chunks {} MB {:.1} failed {}",
        started.elapsed(),
        indexing,
        report.files,
        report.chunks,
        report.bytes as f64 / 1e6,
        report.failed.len()
    );
    let started = Instant::now();
    let r = engine.ingest_delta(&report.reference, Waiting::Wait, &mut |_| ()).unwrap();
    println!("no-op delta {:?} {:?}", started.elapsed(), r.files);
    let queries = [
        "how is the session expired",
        "consumer group rebalance protocol",
        "ReplicaManager",
        "parse configuration file",
        "where are metrics recorded",
        "retry with exponential backoff",
        "compress record batch",
        "authentication handler",
    ];
    let mut times = Vec::new();
    for _ in 0..50 {
        for q in queries {
            let t = Instant::now();
            let a = engine.search(&report.reference, q, &SearchRequest::default()).unwrap();
            times.push(t.elapsed());
            std::hint::black_box(a);
        }
    }
    times.sort();
    println!(
        "query p50 {:?} p90 {:?} p99 {:?}",
        times[times.len() / 2],
        times[times.len() * 9 / 10],
        times[times.len() * 99 / 100]
    );
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    println!("{}", status.lines().filter(|l| l.starts_with("VmHWM")).collect::<String>());
}
