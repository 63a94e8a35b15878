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

#[test]
fn reports_are_kept_until_the_project_changes() {
    let workshop =
        Workshop::with_files(&[("a.js", "import b from './b';\n"), ("b.js", "export default 1;\n")]);
    let going = Cancellation::default();
    let reports = || {
        let engine = &workshop.engine;
        let reports = (
            engine.architecture("tree", &going).unwrap(),
            engine.dependencies("tree", &going).unwrap(),
            engine.quality("tree", &going).unwrap(),
        );
        serde_json::to_string(&reports).unwrap()
    };
    let made = reports();
    assert_eq!(reports(), made, "as they were kept");
    workshop.write("c.js", "import a from './a';\n");
    workshop.ingest();
    let renewed = reports();
    assert!(renewed.contains("c.js") && !made.contains("c.js"));
    assert_eq!(reports(), renewed);
}
