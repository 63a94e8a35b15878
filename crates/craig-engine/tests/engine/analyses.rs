//! Analyses that nobody waits for any more.

use craig_engine::Cancellation;

use crate::workshop::Workshop;

#[test]
fn a_cancelled_analysis_ends_and_leaves_nothing_half_done() {
    let workshop =
        Workshop::with_files(&[("a.js", "import b from './b';\n"), ("b.js", "export default 1;\n")]);
    let project = workshop.engine.projects().unwrap()[0].name.clone();
    let cancelled = Cancellation::default();
    cancelled.cancel();
    let engine = &workshop.engine;
    let errors = [
        engine.quality(&project, &cancelled).unwrap_err().to_string(),
        engine.dependencies(&project, &cancelled).unwrap_err().to_string(),
    ];
    assert_eq!(errors, ["the analysis was cancelled"; 2]);
    let edges = engine.dependencies(&project, &Cancellation::default()).unwrap().edges;
    assert_eq!(edges.len(), 1);
}
