//! Many clients on one database.

use std::time::{Duration, Instant};

use serde_json::json;

use crate::client::Home;

#[test]
fn everybody_is_answered_while_one_ingests() {
    let home = Home::with_ingested_shop();
    home.write_many("big", 3_000);
    let big = home.path().join("big").display().to_string();
    let mut writer = home.client_with(&["--allow-source", &big]);
    let job = writer.call("trigger_ingest", json!({ "source": big }));
    let slowest = std::thread::scope(|scope| {
        let readers: Vec<_> = (0..5).map(|_| scope.spawn(|| ask_for_a_while(&home))).collect();
        readers.into_iter().map(|reader| reader.join().unwrap()).max()
    });
    let ended = writer.await_job(job["job"]["job_id"].as_str().unwrap());
    assert_eq!(ended["state"], "completed", "{ended}");
    // All cores are at work, and tests run beside each other.
    assert!(slowest.unwrap() < Duration::from_secs(20), "{slowest:?}");
}

/// Asks again and again; gives how long the slowest answer took.
fn ask_for_a_while(home: &Home) -> Duration {
    let mut client = home.client();
    let ask = |_| {
        let started = Instant::now();
        let answer =
            client.call("query_code", json!({ "query": "where are tokens checked", "project": "shop" }));
        assert_eq!(answer["hits"][0]["path"], "src/auth.py");
        started.elapsed()
    };
    (0..20).map(ask).max().unwrap()
}
