//! Context that was used, and whether it was helpful.

use craig_store::ContextUse;

use crate::fixture::TestStore;

pub(crate) fn context_use() -> ContextUse {
    ContextUse {
        kind: "chat".into(),
        blocks: 2,
        tokens: 300,
        whole_tokens: 4_000,
        best_score: Some(0.9),
        mean_score: Some(0.8),
        step_us: [1, 2, 3, 4],
        total_us: 11,
        query: Some("how are jobs queued".into()),
        ..ContextUse::default()
    }
}

#[test]
fn uses_are_kept_and_can_be_rated() {
    let mut fixture = TestStore::new();
    let project = fixture.project("jobs");
    let first = fixture.store.record_context_use(project.id, &context_use()).unwrap();
    let none = ContextUse { blocks: 0, reason: Some("generic".into()), ..context_use() };
    let second = fixture.store.record_context_use(project.id, &none).unwrap();
    // The newest that was given, and the one that is named.
    assert_eq!(fixture.store.rate_context_use(None, false, None).unwrap(), Some(first));
    assert_eq!(fixture.store.rate_context_use(Some(second), true, None).unwrap(), Some(second));
    assert_eq!(fixture.store.rate_context_use(Some(99), true, None).unwrap(), None);
    let rated: Vec<_> =
        fixture.store.context_uses(Some(project.id)).unwrap().iter().map(|used| used.helpful).collect();
    assert_eq!(rated, [Some(false), Some(true)]);

    fixture.purge(&project);
    assert_eq!(fixture.store.context_uses(None).unwrap(), []);
}

#[test]
fn any_text_can_be_kept() {
    let mut fixture = TestStore::new();
    let project = fixture.project("jobs");
    let used =
        ContextUse { query: Some("a\0b größe 🦀 '; DROP TABLE files; --".into()), ..context_use() };
    fixture.store.record_context_use(project.id, &used).unwrap();
    let kept = fixture.store.context_uses(None).unwrap().remove(0).query.unwrap();
    assert!(kept.ends_with("b größe 🦀 '; DROP TABLE files; --"), "{kept:?}");
}
