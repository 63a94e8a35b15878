//! Servers follow what other processes ingest.

use craig_engine::SearchRequest;

use crate::workshop::Workshop;

#[test]
fn an_index_that_was_searched_is_brought_up_to_date_before_the_next_search() {
    let workshop = Workshop::with_files(&[("shop.py", "def price_of(item):\n    return item.price\n")]);
    let server = workshop.another_engine();
    assert_eq!(server.follow().unwrap(), 0, "nothing was searched yet");
    let best = |query: &str| {
        let hits = server.search("tree", query, &SearchRequest::default()).unwrap().hits;
        hits.first().map(|hit| hit.path.clone())
    };
    assert_eq!(best("price_of").as_deref(), Some("shop.py"));
    assert_eq!(server.follow().unwrap(), 0, "nothing has changed");
    workshop.write("mail.py", "def deliver_letter(letter):\n    letter.send()\n");
    workshop.delta();
    assert_eq!(server.follow().unwrap(), 1);
    assert_eq!(server.follow().unwrap(), 0);
    assert_eq!(best("deliver_letter").as_deref(), Some("mail.py"));
    workshop.engine.purge("tree", &mut |_| ()).unwrap();
    assert_eq!(server.follow().unwrap(), 0, "what is gone needs no index");
}
