//! `craig insight` as people and programs see it.

use expect_test::expect;

use crate::harness::Home;

/// A home with a small project of three folders, ingested.
fn home() -> Home {
    let home = Home::new();
    home.write(
        "shop/package.json",
        r#"{ "name": "shop", "main": "src/main.ts", "dependencies": { "zod": "^3.0.0" } }"#,
    );
    home.write(
        "shop/src/main.ts",
        "import { Cart } from './cart/cart'\nimport { z } from 'zod'\n\nexport function main() { return new Cart(z) }\n",
    );
    home.write(
        "shop/src/cart/cart.ts",
        "import { CartRepository } from '../storage/repository'\n\nexport class Cart {\n  // TODO: round\n  total(items) {\n    \
         let sum = 0\n    for (const item of items) {\n      if (item.price > 0 && item.count) {\n        sum += item.price\n      }\n    }\n    \
         return sum\n  }\n}\n",
    );
    home.write(
        "shop/src/storage/repository.ts",
        "import type { Cart } from '../cart/cart'\n\nexport interface CartRepository {}\nexport class SqlCartRepository {}\n",
    );
    home.write(
        "shop/src/cart/cart.test.ts",
        "import { Cart } from './cart'\ntest('x', () => { new Cart() })\n",
    );
    home.succeed(&["ingest", "shop"]);
    home
}

#[test]
fn dependencies() {
    let home = home();
    home.check(
        &["insight", "dependencies", "shop"],
        expect![[r#"
            exit 0
            -- stdout
            4 imports between files, 0 matched to no file or package, 1 package, 1 cycle

            Packages  most used first; 0 without a matching import (-)
            package  version  scope    files  manifest
            zod      ^3.0.0   runtime      1  package.json

            Most depended on  files that use it directly
            used by  file
                  3  src/cart/cart.ts
                  1  src/storage/repository.ts

            Cycles  those that occur when files are loaded come first
              2  types only: src/cart/cart.ts → src/storage/repository.ts → src/cart/cart.ts
        "#]],
    );
    home.check(
        &["insight", "dependencies", "shop", "--format", "json"],
        expect![[r#"
        exit 0
        -- stdout
        {
          "edges": [
            {
              "from_file": "src/cart/cart.test.ts",
              "to_file": "src/cart/cart.ts",
              "line": 1,
              "kind": "import",
              "test": true
            },
            {
              "from_file": "src/cart/cart.ts",
              "to_file": "src/storage/repository.ts",
              "line": 1,
              "kind": "import"
            },
            {
              "from_file": "src/main.ts",
              "to_file": "src/cart/cart.ts",
              "line": 1,
              "kind": "import"
            },
            {
              "from_file": "src/storage/repository.ts",
              "to_file": "src/cart/cart.ts",
              "line": 1,
              "kind": "type_import",
              "type_only": true
            }
          ],
          "implicit": [],
          "external": [
            {
              "name": "zod",
              "version": "^3.0.0",
              "scope": "runtime",
              "manifest": "package.json",
              "used_in": [
                "src/main.ts"
              ],
              "ecosystem": "npm",
              "requirement": "^3.0.0",
              "uses": [
                {
                  "file": "src/main.ts",
                  "line": 2
                }
              ]
            }
          ],
          "undeclared": [],
          "unresolved": [],
          "cycles": [
            {
              "files": [
                "src/cart/cart.ts",
                "src/storage/repository.ts"
              ],
              "type_only": true
            }
          ],
          "tangles": [
            [
              "src/cart/cart.ts",
              "src/storage/repository.ts"
            ]
          ],
          "most_depended": [
            {
              "file": "src/cart/cart.ts",
              "dependents": 3
            },
            {
              "file": "src/storage/repository.ts",
              "dependents": 1
            }
          ],
          "mermaid": "flowchart LR\n  n0[\"src\"]\n  n3[\"zod\"]\n  n0 --> n3\n"
        }
    "#]],
    );
    home.check(
        &["insight", "dependencies", "shop", "--mermaid"],
        expect![[r#"
            exit 0
            -- stdout
            flowchart LR
              n0["src"]
              n3["zod"]
              n0 --> n3
        "#]],
    );
}

#[test]
fn quality() {
    let home = home();
    home.check(
        &["insight", "quality", "shop"],
        expect![[r#"
            exit 0
            -- stdout
            code       24 lines in 4 files
            functions  3, 3.67 lines each on average
            complexity mean 2, p90 4, 0 over 10
            duplicated 0 lines, 0%; of tests 0 lines, 0%
            notes      1, 41.67 for 1,000 lines
            tests      1 file, 0.09 lines for each line of code

            Functions  most complex first
            complexity  nesting  lines  function     place
                     4        2      9  total        src/cart/cart.ts:5
                     1        0      1  (anonymous)  src/cart/cart.test.ts:2
                     1        0      1  main         src/main.ts:4

            Notes  left in comments
            tag   place               note
            TODO  src/cart/cart.ts:4  round

            Tests  modules with files that no test imports or is called after
            module       files  with a test  lines  test files
            src              1            0      4           0
            src/storage      1            0      4           0
        "#]],
    );
    home.check(
        &["insight", "quality", "shop", "--format", "json"],
        expect![[r#"
            exit 0
            -- stdout
            {
              "summary": {
                "files": 4,
                "lines": 24,
                "functions": 3,
                "complexity_mean": 2.0,
                "complexity_p90": 4,
                "complex_functions": 0,
                "function_lines_mean": 3.67,
                "test_files": 1,
                "test_lines_ratio": 0.09
              },
              "functions": [
                {
                  "file": "src/cart/cart.ts",
                  "line_start": 5,
                  "name": "total",
                  "lines": 9,
                  "complexity": 4,
                  "nesting": 2,
                  "line_end": 13,
                  "parameters": 1
                },
                {
                  "file": "src/cart/cart.test.ts",
                  "line_start": 2,
                  "name": "(anonymous)",
                  "lines": 1,
                  "complexity": 1,
                  "nesting": 0,
                  "line_end": 2,
                  "parameters": 0
                },
                {
                  "file": "src/main.ts",
                  "line_start": 4,
                  "name": "main",
                  "lines": 1,
                  "complexity": 1,
                  "nesting": 0,
                  "line_end": 4,
                  "parameters": 0
                }
              ],
              "duplication": {
                "duplicated_lines": 0,
                "percent": 0.0,
                "test_duplicated_lines": 0,
                "test_percent": 0.0,
                "clones": []
              },
              "long_files": [],
              "notes": {
                "total": 1,
                "per_1000_lines": 41.67,
                "files": [
                  {
                    "file": "src/cart/cart.ts",
                    "count": 1
                  }
                ],
                "places": [
                  {
                    "file": "src/cart/cart.ts",
                    "line": 4,
                    "tag": "TODO",
                    "text": "round"
                  }
                ]
              },
              "tests": [
                {
                  "module": "src",
                  "files": 1,
                  "tested_files": 0,
                  "lines": 4,
                  "test_files": 0,
                  "test_lines": 0
                },
                {
                  "module": "src/cart",
                  "files": 1,
                  "tested_files": 1,
                  "lines": 14,
                  "test_files": 1,
                  "test_lines": 2
                },
                {
                  "module": "src/storage",
                  "files": 1,
                  "tested_files": 0,
                  "lines": 4,
                  "test_files": 0,
                  "test_lines": 0
                }
              ]
            }
        "#]],
    );
}

#[test]
fn architecture() {
    let home = home();
    home.check(
        &["insight", "architecture", "shop"],
        expect![[r#"
            exit 0
            -- stdout
            Modules  3 modules
            module       files  lines  uses         about
            src              1      4  src/cart
            src/cart         2     16  src/storage
            src/storage      1      4  src/cart

            Layers  each uses those below it; imports of types do not count
              2  src
              1  src/cart
              0  src/storage

            Entry points  1 place, the most important first
            kind     place        reaches  evidence
            library  src/main.ts        2  main of package.json:1
        "#]],
    );
    home.check(&["insight", "architecture", "shop", "--format", "json"], expect![[r#"
        exit 0
        -- stdout
        {
          "about": null,
          "modules": [
            {
              "path": "src",
              "about": null,
              "files": 1,
              "lines": 4,
              "test_files": 0,
              "languages": [
                "typescript"
              ],
              "uses": [
                {
                  "module": "src/cart",
                  "count": 1,
                  "tests": 0
                }
              ],
              "used_by": []
            },
            {
              "path": "src/cart",
              "about": null,
              "files": 2,
              "lines": 16,
              "test_files": 1,
              "languages": [
                "typescript"
              ],
              "uses": [
                {
                  "module": "src/storage",
                  "count": 1,
                  "tests": 0
                }
              ],
              "used_by": [
                {
                  "module": "src",
                  "count": 1,
                  "tests": 0
                },
                {
                  "module": "src/storage",
                  "count": 1,
                  "tests": 0
                }
              ]
            },
            {
              "path": "src/storage",
              "about": null,
              "files": 1,
              "lines": 4,
              "test_files": 0,
              "languages": [
                "typescript"
              ],
              "uses": [
                {
                  "module": "src/cart",
                  "count": 1,
                  "tests": 0
                }
              ],
              "used_by": [
                {
                  "module": "src/cart",
                  "count": 1,
                  "tests": 0
                }
              ]
            }
          ],
          "layers": [
            {
              "level": 0,
              "groups": [
                [
                  "src/storage"
                ]
              ]
            },
            {
              "level": 1,
              "groups": [
                [
                  "src/cart"
                ]
              ]
            },
            {
              "level": 2,
              "groups": [
                [
                  "src"
                ]
              ]
            }
          ],
          "cycles": [
            {
              "modules": [
                "src/cart",
                "src/storage"
              ],
              "type_only": true
            }
          ],
          "violations": [],
          "entry_points": [
            {
              "file": "src/main.ts",
              "line": null,
              "kind": "library",
              "evidence": "main of package.json:1",
              "started_by": [],
              "reach": 2
            }
          ],
          "mermaid": "flowchart LR\n  n0[\"src\"]\n  n1[\"src/cart\"]\n  n2[\"src/storage\"]\n  n0 --> n1\n  n1 ==> n2\n  n2 ==> n1\n  linkStyle 1,2 stroke:#c22,color:#c22\n  %% thick: part of a cycle\n"
        }
    "#]]);
}

#[test]
fn relations() {
    let home = home();
    home.check(
        &["insight", "relations", "shop", "src/cart/cart.ts"],
        expect![[r#"
            exit 0
            -- stdout
            src/cart/cart.ts  file

            Used by  3 files
            file                         how          uses
            src/cart/cart.test.ts:1      import       src/cart/cart.ts
            src/main.ts:1                import       src/cart/cart.ts
            src/storage/repository.ts:1  type_import  src/cart/cart.ts

            Uses  1 file
            file                       how     from
            src/storage/repository.ts  import  src/cart/cart.ts:1

            Impact  a change may affect 3 files, 1 of them tests
            distance  file
                   1  src/cart/cart.test.ts      test
                   1  src/main.ts
                   1  src/storage/repository.ts
        "#]],
    );
    home.check(
        &["insight", "relations", "shop", "SqlCartRepository"],
        expect![[r#"
        exit 0
        -- stdout
        SqlCartRepository  class  src/storage/repository.ts:4
        no references found
    "#]],
    );
    home.check(&["insight", "relations", "shop", "src/storage", "--format", "json"], expect![[r#"
        exit 0
        -- stdout
        {
          "target": "src/storage",
          "kind": "folder",
          "files": [
            "src/storage/repository.ts"
          ],
          "definitions": [],
          "uses": [
            {
              "from_file": "src/storage/repository.ts",
              "to_file": "src/cart/cart.ts",
              "line": 1,
              "kind": "type_import",
              "type_only": true
            }
          ],
          "packages": [],
          "used_by": [
            {
              "from_file": "src/cart/cart.ts",
              "to_file": "src/storage/repository.ts",
              "line": 1,
              "kind": "import"
            }
          ],
          "mentions": [],
          "impact": [
            {
              "file": "src/cart/cart.ts",
              "distance": 1,
              "is_test": false
            },
            {
              "file": "src/cart/cart.test.ts",
              "distance": 2,
              "is_test": true
            },
            {
              "file": "src/main.ts",
              "distance": 2,
              "is_test": false
            }
          ],
          "mermaid": "flowchart LR\n  n0[\"src/storage\"]\n  n1[\"src/cart/cart.ts\"]\n  n2[\"src/cart/cart.ts\"]\n  n0 --> n2\n  n1 --> n0\n"
        }
    "#]]);
    home.check(
        &["insight", "relations", "shop", "src/storage", "--mermaid"],
        expect![[r#"
        exit 0
        -- stdout
        flowchart LR
          n0["src/storage"]
          n1["src/cart/cart.ts"]
          n2["src/cart/cart.ts"]
          n0 --> n2
          n1 --> n0
    "#]],
    );
}

#[test]
fn missing_things_are_reported() {
    let home = home();
    home.check(
        &["insight", "relations", "shop", "cart.ts"],
        expect![[r#"
        exit 1
        -- stderr
        error: the project has no file, folder or symbol "cart.ts"
        hint: did you mean src/cart/cart.ts?
    "#]],
    );
    home.check(
        &["insight", "quality", "sohp", "--format", "json"],
        expect![[r#"
        exit 1
        -- stderr
        {
          "error": "no project \"sohp\"",
          "hint": "known projects: shop"
        }
    "#]],
    );
}

#[test]
fn changes_are_seen_by_default() {
    let home = home();
    home.write("shop/src/cart/cart.ts", "export class Cart {}\n");
    let edges = |args: &[&str]| {
        let text = home.succeed(args);
        let found: serde_json::Value = serde_json::from_str(&text).unwrap();
        found["edges"].as_array().unwrap().len()
    };
    assert_eq!(edges(&["insight", "dependencies", "shop", "--format", "json", "--no-refresh"]), 4);
    assert_eq!(edges(&["insight", "dependencies", "shop", "--format", "json"]), 3);
}
