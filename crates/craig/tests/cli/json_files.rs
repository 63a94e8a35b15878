//! The JSON forms of trees and files, as documented in docs/cli.md.

use expect_test::expect;

use crate::harness::Home;

#[test]
fn tree() {
    Home::with_ingested_shop().check(
        &["tree", "shop", "--format", "json"],
        expect![[r#"
        exit 0
        -- stdout
        {
          "name": "shop",
          "children": [
            {
              "name": "src",
              "children": [
                {
                  "name": "cart",
                  "children": [
                    {
                      "name": "prices.rs",
                      "file": {
                        "path": "src/cart/prices.rs",
                        "is_binary": false,
                        "language": "rust",
                        "kind": "code",
                        "type": "text",
                        "size": 149,
                        "modified_date": "TIME",
                        "withheld": null,
                        "file_hash": "29272fbe5d9ca43468359ba1b314282d763b88ea72d239a152fdb1635c4fab7a"
                      }
                    }
                  ]
                },
                {
                  "name": "auth.py",
                  "file": {
                    "path": "src/auth.py",
                    "is_binary": false,
                    "language": "python",
                    "kind": "code",
                    "type": "text",
                    "size": 227,
                    "modified_date": "TIME",
                    "withheld": null,
                    "file_hash": "10855d47548d048b1a2705041c9191695778396eba005b87c89506807659fee0"
                  }
                }
              ]
            },
            {
              "name": ".env",
              "file": {
                "path": ".env",
                "is_binary": false,
                "language": "dotenv",
                "kind": "config",
                "type": "text",
                "size": 17,
                "modified_date": "TIME",
                "withheld": "secret",
                "file_hash": "d2bba6904b8c9718c601e5a013a8a754ed65cbb8eda1fc78ca809b5829f24da6"
              }
            },
            {
              "name": "README.md",
              "file": {
                "path": "README.md",
                "is_binary": false,
                "language": "markdown",
                "kind": "docs",
                "type": "text",
                "size": 32,
                "modified_date": "TIME",
                "withheld": null,
                "file_hash": "ee151511be5b446412fda2e23a729ab014d2f7fb86ea83a1f28a8e623824af7b"
              }
            },
            {
              "name": "config.toml",
              "file": {
                "path": "config.toml",
                "is_binary": false,
                "language": "toml",
                "kind": "config",
                "type": "text",
                "size": 21,
                "modified_date": "TIME",
                "withheld": null,
                "file_hash": "57952a1078738c564df67fc081039a308b1bd43b86aff8ca83d4d7d789d5e732"
              }
            },
            {
              "name": "logo.png",
              "file": {
                "path": "logo.png",
                "is_binary": true,
                "language": "plaintext",
                "kind": "docs",
                "type": "image",
                "size": 8,
                "modified_date": "TIME",
                "withheld": null,
                "file_hash": "69f43110f157f55da262494719b5266ef706adddff0a84a815afe1e205b1f30f"
              }
            }
          ]
        }
    "#]],
    );
}

#[test]
fn tree_to_a_depth() {
    Home::with_ingested_shop().check(
        &["tree", "shop", "--depth", "1", "--format", "json"],
        expect![[r#"
        exit 0
        -- stdout
        {
          "name": "shop",
          "children": [
            {
              "name": "src"
            },
            {
              "name": ".env",
              "file": {
                "path": ".env",
                "is_binary": false,
                "language": "dotenv",
                "kind": "config",
                "type": "text",
                "size": 17,
                "modified_date": "TIME",
                "withheld": "secret",
                "file_hash": "d2bba6904b8c9718c601e5a013a8a754ed65cbb8eda1fc78ca809b5829f24da6"
              }
            },
            {
              "name": "README.md",
              "file": {
                "path": "README.md",
                "is_binary": false,
                "language": "markdown",
                "kind": "docs",
                "type": "text",
                "size": 32,
                "modified_date": "TIME",
                "withheld": null,
                "file_hash": "ee151511be5b446412fda2e23a729ab014d2f7fb86ea83a1f28a8e623824af7b"
              }
            },
            {
              "name": "config.toml",
              "file": {
                "path": "config.toml",
                "is_binary": false,
                "language": "toml",
                "kind": "config",
                "type": "text",
                "size": 21,
                "modified_date": "TIME",
                "withheld": null,
                "file_hash": "57952a1078738c564df67fc081039a308b1bd43b86aff8ca83d4d7d789d5e732"
              }
            },
            {
              "name": "logo.png",
              "file": {
                "path": "logo.png",
                "is_binary": true,
                "language": "plaintext",
                "kind": "docs",
                "type": "image",
                "size": 8,
                "modified_date": "TIME",
                "withheld": null,
                "file_hash": "69f43110f157f55da262494719b5266ef706adddff0a84a815afe1e205b1f30f"
              }
            }
          ]
        }
    "#]],
    );
}

#[test]
fn file() {
    let home = Home::with_ingested_shop();
    home.check(&["file", "shop", "src/auth.py", "--lines", "4-5", "--format", "json"], expect![[r#"
        exit 0
        -- stdout
        {
          "path": "src/auth.py",
          "is_binary": false,
          "language": "python",
          "kind": "code",
          "type": "text",
          "size": 227,
          "modified_date": "TIME",
          "withheld": null,
          "file_hash": "10855d47548d048b1a2705041c9191695778396eba005b87c89506807659fee0",
          "content": "def verify_token(token, secret):\n    \"\"\"Checks that a token was signed with the secret.\"\"\"\n"
        }
    "#]]);
    home.check(
        &["file", "shop", "logo.png", "--format", "json"],
        expect![[r#"
        exit 0
        -- stdout
        {
          "path": "logo.png",
          "is_binary": true,
          "language": "plaintext",
          "kind": "docs",
          "type": "image",
          "size": 8,
          "modified_date": "TIME",
          "withheld": null,
          "file_hash": "69f43110f157f55da262494719b5266ef706adddff0a84a815afe1e205b1f30f",
          "content": null
        }
    "#]],
    );
}
