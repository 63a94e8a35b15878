//! Jobs: ingestions and removals as subprocesses.

use serde_json::json;

use crate::client::Home;

#[test]
fn a_directory_is_ingested_followed_and_removed() {
    let home = Home::with_shop();
    let mut client = home.client();
    let ordered = client.call("trigger_ingest", json!({ "source": ".", "name": "market" }));
    let id = ordered["job"]["job_id"].as_str().unwrap().to_owned();
    let job = client.await_job(&id);
    assert_eq!((&job["state"], &job["report"]["files"]["total"]), (&json!("completed"), &json!(6)), "{job}");

    home.write("shop/new.py", "def refund():\n    pass\n");
    let delta = client.call("trigger_delta_ingest", json!({ "project": "market", "wait_seconds": 60 }));
    let files = &delta["job"]["report"]["files"];
    assert_eq!((&files["added"], &files["changed"], &files["unchanged"]), (&json!(1), &json!(0), &json!(6)));

    let reported = client.fail("trigger_purge", json!({ "project": "market", "confirm_name": "shop" }));
    assert!(reported.contains("nothing was removed"), "{reported}");
    let arguments = json!({ "project": "market", "confirm_name": "market", "wait_seconds": 60 });
    assert_eq!(client.call("trigger_purge", arguments)["job"]["state"], "completed");
    assert_eq!(client.call("list_projects", json!({}))["projects"], json!([]));
}

#[test]
fn a_missing_directory_is_reported_at_once() {
    let home = Home::with_shop();
    let mut client = home.client();
    for source in ["nowhere", "README.md", "--help"] {
        let reported = client.fail("trigger_ingest", json!({ "source": source }));
        assert!(reported.contains("next: give the"), "{reported}");
    }
}

#[test]
fn a_directory_has_one_project_and_a_name_that_is_one() {
    let home = Home::with_ingested_shop();
    let mut client = home.client();
    for (name, reason) in [
        ("copy", "is already the project \"shop\""),
        ("--help", "read as an option"),
        ("/etc/passwd", "read as a path"),
        ("../x", "read as a path"),
        ("..", "read as a path"),
    ] {
        let arguments = json!({ "source": ".", "name": name, "wait_seconds": 60 });
        let job = &client.call("trigger_ingest", arguments)["job"];
        assert_eq!(job["state"], "failed", "{name}");
        assert!(job["error"].as_str().unwrap().contains(reason) && job["next"].is_string(), "{job}");
    }
    let again = client.call("trigger_ingest", json!({ "source": ".", "name": "shop", "wait_seconds": 60 }));
    assert_eq!(again["job"]["state"], "completed", "{again}");
    assert_eq!(client.call("list_projects", json!({}))["projects"].as_array().unwrap().len(), 1);
}

#[test]
fn a_failed_job_says_why_and_what_to_do() {
    let home = Home::with_shop();
    home.write("other/a.py", "x = 1\n");
    home.craig(&["ingest", "other", "--name", "taken"]).output().unwrap();
    let mut client = home.client();
    let job = client.call("trigger_ingest", json!({ "source": ".", "name": "taken", "wait_seconds": 60 }));
    let job = &job["job"];
    assert_eq!(job["state"], "failed");
    assert!(job["error"].as_str().unwrap().contains("taken") && job["next"].is_string(), "{job}");
}

#[test]
fn progress_is_reported_where_a_token_was_given() {
    let home = Home::with_shop();
    home.write_many("shop/lib", 3_000);
    let mut client = home.client();
    let params = json!({
        "name": "trigger_ingest", "arguments": { "source": ".", "wait_seconds": 120 }, "_meta": { "progressToken": "p" },
    });
    let result = client.ask("tools/call", params);
    assert_eq!(result["structuredContent"]["job"]["state"], "completed", "{result}");
    let reported: Vec<f64> =
        client.notifications.iter().filter_map(|message| message["params"]["progress"].as_f64()).collect();
    assert!(reported.windows(2).all(|pair| pair[0] < pair[1]), "progress grows: {reported:?}");
}

#[test]
fn a_cancelled_job_ends_its_process() {
    let home = Home::with_shop();
    home.write_many("shop/lib", 4_000);
    let mut client = home.client();
    let ordered = client.call("trigger_ingest", json!({ "source": "." }));
    let id = ordered["job"]["job_id"].clone();
    let ended = client.call("cancel_job", json!({ "job_id": id }));
    assert_eq!(ended["job"]["state"], "cancelled", "{ended}");
    let again = client.call("trigger_ingest", json!({ "source": ".", "wait_seconds": 300 }));
    assert_eq!(again["job"]["state"], "completed", "{again}");
    assert!(client.fail("cancel_job", json!({ "job_id": "job-0" })).contains("has no job"));
}
