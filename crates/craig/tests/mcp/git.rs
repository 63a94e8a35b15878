//! Repositories by URL, as assistants give them.

use std::net::TcpListener;
use std::path::Path;
use std::process::Command;

use serde_json::json;

use crate::client::Home;

fn git(folder: &Path, arguments: &[&str]) {
    let author = ["-c", "user.name=a", "-c", "user.email=a@b", "-c", "commit.gpgsign=false"];
    let output = Command::new("git").args(author).args(arguments).current_dir(folder).output().unwrap();
    assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
}

fn commit_all(folder: &Path) {
    git(folder, &["add", "--all", "--force"]);
    git(folder, &["commit", "--quiet", "--message", "x"]);
}

#[test]
fn a_repository_is_cloned_compared_and_taken_in() {
    let home = Home::with_shop();
    let shop = home.path().join("shop");
    git(&shop, &["init", "--quiet", "--initial-branch=trunk"]);
    commit_all(&shop);
    let url = format!("file://{}", shop.display());
    let mut client = home.client();
    let job = client.call("trigger_ingest", json!({ "source": url, "name": "cloned", "wait_seconds": 60 }));
    let job = &job["job"];
    assert_eq!((&job["state"], &job["source"]), (&json!("completed"), &json!(url)), "{job}");
    let projects = client.call("list_projects", json!({}));
    assert_eq!(projects["projects"][0]["git"]["url"], url.as_str());

    home.write("shop/src/refund.py", "def refund():\n    pass\n");
    commit_all(&shop);
    let check = client.call("check_for_updates", json!({ "project": "cloned" }));
    assert_eq!((&check["up_to_date"], &check["added"]), (&json!(false), &json!(1)), "{check}");
    assert_ne!(check["git"]["commit"], check["newest_commit"]);
    let found = client.call("query_code", json!({ "query": "refund", "project": "cloned" }));
    assert!(
        found["hits"].as_array().unwrap().iter().all(|hit| hit["path"] != "src/refund.py"),
        "no query fetches"
    );
    let delta = client.call("trigger_delta_ingest", json!({ "project": "cloned", "wait_seconds": 60 }));
    assert_eq!(delta["job"]["report"]["files"]["added"], 1, "{delta}");
    let check = client.call("check_for_updates", json!({ "project": "cloned" }));
    assert_eq!(check["up_to_date"], true, "{check}");
}

#[test]
fn forbidden_urls_are_refused_at_once() {
    let home = Home::with_shop();
    let mut client = home.client();
    for (source, expected) in [
        ("ext::sh -c 'touch mark'", "is not allowed"),
        ("https://me:hunter2@host.example/a", "password or token"),
        ("ssh://-oProxyCommand=x/y", "malformed"),
        ("file://server/share", "another machine"),
    ] {
        let failure = client.fail("trigger_ingest", json!({ "source": source }));
        assert!(
            failure.contains(expected) && failure.contains("next: ") && !failure.contains("hunter2"),
            "{failure}"
        );
    }
    let branch = client.fail("trigger_ingest", json!({ "source": ".", "branch": "main" }));
    assert!(branch.contains("leave branch out"), "{branch}");
    let unknown = client.fail("trigger_ingest", json!({ "source": "https://no-such-host.invalid/a" }));
    assert!(unknown.contains("cannot be resolved"), "{unknown}");
}

#[test]
fn a_name_that_only_git_resolves_does_not_lead_to_this_machine() {
    let server = TcpListener::bind("127.0.0.1:0").unwrap();
    server.set_nonblocking(true).unwrap();
    let port = server.local_addr().unwrap().port();
    let home = Home::with_shop();
    let mut client = home.client();
    for source in [format!("http://foo.localhost:{port}/x.git"), format!("git://foo.localhost:{port}/x.git")]
    {
        let refused = client.fail("trigger_ingest", json!({ "source": source, "wait_seconds": 60 }));
        assert!(
            refused.contains("cannot be resolved") || refused.contains("belongs to this machine"),
            "{refused}"
        );
        let connected = server.accept().map(|_| ()).map_err(|error| error.kind());
        assert_eq!(connected, Err(std::io::ErrorKind::WouldBlock), "{source} was asked");
    }
}
