//! The JSON form of every command, as documented in docs/cli.md; those of files are in `json_files`.

use expect_test::expect;

use crate::harness::Home;

#[test]
fn ingest() {
    let home = Home::with_shop();
    home.check(
        &["ingest", "shop", "--format", "json", "--quiet"],
        expect![[r#"
        exit 0
        -- stdout
        {
          "project": "shop",
          "reference": "REFERENCE",
          "id": 1,
          "source_path": "HOME/shop",
          "files": {
            "total": 6,
            "added": 6,
            "changed": 0,
            "removed": 0,
            "unchanged": 0
          },
          "chunks": 4,
          "vectors_embedded": 4,
          "vectors_reused": 0,
          "bytes": 454,
          "elapsed_s": NUMBER,
          "failed": [],
          "too_large": [],
          "secrets": [
            ".env"
          ]
        }
    "#]],
    );
}

#[test]
fn ingest_delta() {
    let home = Home::with_shop();
    Home::let_files_age();
    home.succeed(&["ingest", "shop"]);
    home.write("shop/src/new.py", "def fresh():\n    return 1\n");
    std::fs::remove_file(home.path().join("shop/README.md")).unwrap();
    home.check(
        &["ingest-delta", "shop", "--format", "json", "--quiet"],
        expect![[r#"
            exit 0
            -- stdout
            {
              "project": "shop",
              "reference": "REFERENCE",
              "id": 1,
              "source_path": "HOME/shop",
              "files": {
                "total": 6,
                "added": 1,
                "changed": 0,
                "removed": 1,
                "unchanged": 5
              },
              "chunks": 1,
              "vectors_embedded": 1,
              "vectors_reused": 0,
              "bytes": 26,
              "elapsed_s": NUMBER,
              "failed": [],
              "too_large": [],
              "secrets": []
            }
        "#]],
    );
}

#[test]
fn list() {
    Home::with_ingested_shop().check(
        &["list", "--format", "json"],
        expect![[r#"
        exit 0
        -- stdout
        [
          {
            "id": 1,
            "name": "shop",
            "reference": "REFERENCE",
            "source_path": "HOME/shop",
            "ingestion_date": "TIME",
            "last_updated": "TIME",
            "content_hash": "cd6308292e7d61ab51342482ca39a0f521868dd22595ca456b580b778b62a56a",
            "files": 6,
            "chunks": 4
          }
        ]
    "#]],
    );
}

#[test]
fn list_of_nothing() {
    Home::new().check(
        &["list", "--format", "json"],
        expect![[r#"
        exit 0
        -- stdout
        []
    "#]],
    );
}

#[test]
fn status() {
    Home::with_ingested_shop().check(
        &["status", "shop", "--format", "json"],
        expect![[r#"
        exit 0
        -- stdout
        {
          "project": "shop",
          "status": "completed",
          "progress": 100,
          "current_file": null,
          "total_files": 6,
          "processed_files": 6,
          "started_at": "TIME",
          "completed_at": "TIME",
          "error": null
        }
    "#]],
    );
}

#[test]
fn check_updates() {
    let home = Home::with_ingested_shop();
    home.write("shop/src/new.py", "def fresh():\n    return 1\n");
    home.write("shop/src/auth.py", "def verify():\n    return False\n");
    std::fs::remove_file(home.path().join("shop/README.md")).unwrap();
    home.check(
        &["check-updates", "shop", "--format", "json"],
        expect![[r#"
        exit 0
        -- stdout
        {
          "project": "shop",
          "up_to_date": false,
          "added": [
            "src/new.py"
          ],
          "changed": [
            "src/auth.py"
          ],
          "removed": [
            "README.md"
          ],
          "failed": []
        }
    "#]],
    );
}

#[test]
fn search() {
    let home = Home::with_ingested_shop();
    home.check(
        &[
            "search",
            "verify_token",
            "--project",
            "shop",
            "--limit",
            "1",
            "--kind",
            "code",
            "--format",
            "json",
        ],
        expect![[r#"
            exit 0
            -- stdout
            {
              "project": "shop",
              "query": "verify_token",
              "elapsed_ms": NUMBER,
              "hits": [
                {
                  "path": "src/auth.py",
                  "line_start": 1,
                  "line_end": 7,
                  "language": "python",
                  "chunk_type": "function",
                  "symbol_name": "verify_token",
                  "parent": null,
                  "score": NUMBER,
                  "file_score": 0.9620047,
                  "content": "\"\"\"Who may do what.\"\"\"\n\n\ndef verify_token(token, secret):\n    \"\"\"Checks that a token was signed with the secret.\"\"\"\n    header, payload, signature = token.split(\".\")\n    return sign(header + \".\" + payload, secret) == signature\n",
                  "evidence": [
                    "EVIDENCE"
                  ],
                  "more": []
                }
              ],
              "is_answered": true
            }
        "#]],
    );
}

#[test]
fn search_without_a_result() {
    let home = Home::with_ingested_shop();
    home.check(
        &["search", "verify", "-p", "shop", "--path", "nowhere/", "--format", "json"],
        expect![[r#"
            exit 0
            -- stdout
            {
              "project": "shop",
              "query": "verify",
              "elapsed_ms": NUMBER,
              "hits": [],
              "is_answered": false,
              "notes": [
                "no file of the project has the path \"nowhere/\""
              ]
            }
            -- stderr
            warning: no file of the project has the path "nowhere/"
        "#]],
    );
}

#[test]
fn stats() {
    Home::with_ingested_shop().check(
        &["stats", "shop", "--format", "json"],
        expect![[r#"
            exit 0
            -- stdout
            {
              "projects": 1,
              "files": 6,
              "binary_files": 1,
              "bytes": 454,
              "chunks": 4,
              "languages": {
                "dotenv": {
                  "files": 1,
                  "bytes": 17
                },
                "markdown": {
                  "files": 1,
                  "bytes": 32
                },
                "python": {
                  "files": 1,
                  "bytes": 227
                },
                "rust": {
                  "files": 1,
                  "bytes": 149
                },
                "toml": {
                  "files": 1,
                  "bytes": 21
                }
              },
              "database": "HOME/craig.db",
              "database_bytes": NUMBER,
              "embedder": "EMBEDDER",
              "context": {
                "chats": 0,
                "inline_edits": 0,
                "with_context": 0,
                "without": {},
                "mean_score": null,
                "best_scores": [
                  {
                    "from": 0.0,
                    "requests": 0
                  },
                  {
                    "from": 0.1,
                    "requests": 0
                  },
                  {
                    "from": 0.2,
                    "requests": 0
                  },
                  {
                    "from": 0.3,
                    "requests": 0
                  },
                  {
                    "from": 0.4,
                    "requests": 0
                  },
                  {
                    "from": 0.5,
                    "requests": 0
                  },
                  {
                    "from": 0.6,
                    "requests": 0
                  },
                  {
                    "from": 0.7,
                    "requests": 0
                  },
                  {
                    "from": 0.8,
                    "requests": 0
                  },
                  {
                    "from": 0.9,
                    "requests": 0
                  }
                ],
                "latency": [],
                "tokens": 0,
                "tokens_saved": 0,
                "helpful": 0,
                "unhelpful": 0,
                "days": []
              }
            }
        "#]],
    );
}

#[test]
fn purge() {
    let home = Home::with_ingested_shop();
    home.check(
        &["purge", "shop", "--yes", "--format", "json"],
        expect![[r#"
        exit 0
        -- stdout
        {
          "project": "shop",
          "purged": true
        }
    "#]],
    );
    home.check(
        &["list", "--format", "json"],
        expect![[r#"
        exit 0
        -- stdout
        []
    "#]],
    );
}

#[test]
fn errors_are_on_stderr_alone() {
    let home = Home::with_ingested_shop();
    home.check(
        &["status", "sohp", "--format", "json"],
        expect![[r#"
        exit 1
        -- stderr
        {
          "error": "no project \"sohp\"",
          "hint": "known projects: shop"
        }
    "#]],
    );
    home.check(
        &["search", "--format=json"],
        expect![[r#"
        exit 1
        -- stderr
        {
          "error": "the following required arguments were not provided: <QUERY>...",
          "hint": "see 'craig --help'"
        }
    "#]],
    );
    home.check(
        &["stauts", "shop", "--format", "json"],
        expect![[r#"
        exit 1
        -- stderr
        {
          "error": "unrecognized subcommand 'stauts'",
          "hint": "see 'craig --help'"
        }
    "#]],
    );
}
