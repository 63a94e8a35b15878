//! Settings and models on the command line.

use expect_test::expect;

use crate::harness::Home;

#[test]
fn settings_show_what_holds_and_where_it_came_from() {
    let home = Home::with_shop();
    home.write(".config/craig/config.toml", "[reranker]\ncandidates = 12\n");
    home.write("shop/.craig.toml", "[source]\nexclude = [\"*.png\"]\n");
    let output = home
        .craig(&["settings", "--root", "shop", "--changed", "--set", "threads=2"])
        .env_remove("CRAIG_DB")
        .output()
        .unwrap();
    expect![[r#"
        exit 0
        -- stdout
        setting              value  from
        threads              2      command line
        source.exclude       *.png  HOME/shop/.craig.toml
        reranker.candidates  12     HOME/.config/craig/config.toml
    "#]]
    .assert_eq(&home.transcript(&output));
    let json = home.succeed(&["settings", "--format", "json"]);
    let settings: serde_json::Value = serde_json::from_str(&json).unwrap();
    let provider = settings.as_array().unwrap().iter().find(|one| one["key"] == "embedder.provider").unwrap();
    assert_eq!(
        provider,
        &serde_json::json!({"key": "embedder.provider", "value": "builtin", "from": "default"})
    );
}

#[test]
fn a_directorys_own_settings_say_which_files_are_tracked() {
    let home = Home::with_shop();
    home.write("shop/.craig.toml", "[source]\nexclude = [\"*.md\", \"*.png\"]\n");
    home.succeed(&["ingest", "shop", "--exclude", "*.toml"]);
    let tree = home.succeed(&["tree", "shop"]);
    assert!(tree.contains("auth.py") && !tree.contains("README.md") && !tree.contains("logo.png"), "{tree}");
    assert!(!tree.contains("config.toml"), "{tree}");
}

#[test]
fn mistakes_in_settings_are_reported() {
    let home = Home::with_shop();
    home.check(
        &["search", "token", "--root", "shop", "--set", "embedder.provder=voyage"],
        expect![[r#"
            exit 1
            -- stderr
            error: the command line: no setting "embedder.provder"
            hint: did you mean embedder.provider?
        "#]],
    );
    home.write("shop/.craig.toml", "[embedder]\nprovider = \"openai\"\nbase_url = \"http://127.0.0.1:1\"\n");
    home.check(
        &["ingest", "shop"],
        expect![[r#"
            exit 1
            -- stderr
            error: HOME/shop/.craig.toml:2: a project may not set "embedder.provider"
            hint: a project's file may come from strangers, and sets only which of its files count; set it in your own settings file if you want it, or ignore the project's file with CRAIG_PROJECT_SETTINGS=false
        "#]],
    );
}

#[test]
fn a_missing_key_is_named() {
    let home = Home::with_shop();
    home.check(
        &["ingest", "shop", "--set", "embedder.provider=voyage"],
        expect![[r#"
            exit 1
            -- stderr
            error: Voyage needs an API key, and VOYAGE_API_KEY is not set
            hint: set VOYAGE_API_KEY to your Voyage key, or choose another provider
        "#]],
    );
    home.succeed(&["ingest", "shop"]);
    home.check(
        &[
            "search",
            "token",
            "-p",
            "shop",
            "--set",
            "reranker.provider=voyage",
            "--no-rerank",
            "--limit",
            "1",
        ],
        expect![[r#"
            exit 0
            -- stdout
             1 PERCENT  src/auth.py:1-7  verify_token  function
                  1  """Who may do what."""
                  2
                  3
                  4  def verify_token(token, secret):
                  5      """Checks that a token was signed with the secret."""
                  6      header, payload, signature = token.split(".")
                  7      return sign(header + "." + payload, secret) == signature

            1 result in shop, DURATION
        "#]],
    );
}

/// Nobody listens there: the original order is kept, and the reason is reported.
#[test]
fn a_reranker_that_is_away_is_a_warning() {
    let home = Home::with_ingested_shop();
    let away = ["--set", "reranker.provider=http", "--set", "reranker.base_url=http://127.0.0.1:1"];
    let plain = ["search", "verify_token", "-p", "shop", "-n", "1"];
    let output = home
        .craig(&[&plain[..], &away[..], &["--set", "reranker.timeout_ms=600"][..]].concat())
        .output()
        .unwrap();
    let text = home.transcript(&output);
    assert!(text.starts_with("exit 0\n-- stdout\n 1 PERCENT  src/auth.py"), "{text}");
    assert!(text.contains("warning: not reranked by 127.0.0.1:1: cannot reach 127.0.0.1:1"), "{text}");
}

/// Nobody can be asked here, so nothing is embedded before --yes is given.
#[test]
fn switching_the_embedder_needs_a_yes() {
    let home = Home::with_ingested_shop();
    let away = [
        "--set",
        "embedder.provider=openai",
        "--set",
        "embedder.base_url=http://127.0.0.1:1",
        "--set",
        "embedder.model=m",
        "--set",
        "embedder.dimensions=100",
    ];
    let output = home.craig(&[&["ingest-delta", "shop"][..], &away[..]].concat()).output().unwrap();
    let text = home.transcript(&output);
    assert!(
        text.starts_with(
            "exit 1\n-- stderr\nerror: embedding \"shop\" with 127.0.0.1:1/m-100 takes about 4 chunks, "
        ),
        "{text}"
    );
    assert!(
        text.contains("sent to the provider, whose price is unknown (now embedded with craig-static-"),
        "{text}"
    );
    assert!(text.contains("hint: confirm with --yes"), "{text}");
}
