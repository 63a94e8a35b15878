//! Modules, layers and entry points, each of a tiny project.

use craig_insight::{Architecture, Layer, Violation};
use expect_test::{Expect, expect};

use crate::analysis;

fn check(fixture: &str, part: impl Fn(&Architecture) -> String, expect: Expect) {
    expect.assert_eq(&part(&analysis(fixture).architecture()));
}

fn modules(found: &Architecture) -> String {
    let uses = |uses: &[craig_insight::ModuleUse]| {
        let other = |other: &craig_insight::ModuleUse| match other.tests {
            0 => format!("{}×{}", other.module, other.count),
            tests => format!("{}×{}+{tests}", other.module, other.count),
        };
        uses.iter().map(other).collect::<Vec<_>>().join(" ")
    };
    let module = |module: &craig_insight::Module| {
        format!(
            "{}: {} files, {} lines, {} tests, {} | uses [{}] | used by [{}]\n",
            module.path,
            module.files,
            module.lines,
            module.test_files,
            module.languages.join(" "),
            uses(&module.uses),
            uses(&module.used_by)
        )
    };
    found.modules.iter().map(module).collect()
}

fn layers(found: &Architecture) -> String {
    let layer = |layer: &Layer| {
        let groups: Vec<String> = layer.groups.iter().map(|group| group.join("+")).collect();
        format!("{}: {}\n", layer.level, groups.join(" "))
    };
    let cycle = |cycle: &craig_insight::ModuleCycle| {
        let flags = [(cycle.type_only, " type_only"), (cycle.lazy, " lazy")];
        let flags: String = flags.iter().filter(|(holds, _)| *holds).map(|(_, name)| *name).collect();
        format!("cycle: {}{flags}\n", cycle.modules.join(" "))
    };
    let violation = |found: &Violation| {
        let places: Vec<String> =
            found.places.iter().map(|place| format!("{}:{}", place.file, place.line)).collect();
        let Violation { from, to, count, against, .. } = found;
        format!("against the layers: {from} -> {to} ×{count} against {against} ({})\n", places.join(" "))
    };
    let layers = found.layers.iter().map(layer);
    layers.chain(found.cycles.iter().map(cycle)).chain(found.violations.iter().map(violation)).collect()
}

fn entry_points(found: &Architecture) -> String {
    let entry = |entry: &craig_insight::EntryPoint| {
        let line = entry.line.map(|line| format!(":{line}")).unwrap_or_default();
        let starters: String = entry.started_by.iter().map(|path| format!(", {path}")).collect();
        format!(
            "{}{line} {} ({}{starters}) reaches {}\n",
            entry.file, entry.kind, entry.evidence, entry.reach
        )
    };
    found.entry_points.iter().map(entry).collect()
}

const SHOP: &str = r#"
//- /package.json
{ "name": "shop", "bin": { "shop": "./src/cli/main.ts" }, "main": "src/index.ts" }
//- /src/index.ts
import { serve } from "./api/server"
//- /src/cli/main.ts
import { serve } from "../api/server"
import { open } from "../store/db"
//- /src/api/server.ts
import { total } from "../cart/cart"
//- /src/api/routes.ts
import { total } from "../cart/cart"
import "./server"
//- /src/cart/cart.ts
import { open } from "../store/db"
//- /src/cart/cart.test.ts
import { total } from "./cart"
//- /src/store/db.ts
export function open() {}
//- /README.md
# Shop
"#;

#[test]
fn modules_are_folders_with_their_uses() {
    check(
        SHOP,
        modules,
        expect![[r#"
        src: 1 files, 1 lines, 0 tests, typescript | uses [src/api×1] | used by []
        src/api: 2 files, 3 lines, 0 tests, typescript | uses [src/cart×2] | used by [src×1 src/cli×1]
        src/cart: 2 files, 2 lines, 1 tests, typescript | uses [src/store×1] | used by [src/api×2]
        src/cli: 1 files, 2 lines, 0 tests, typescript | uses [src/api×1 src/store×1] | used by []
        src/store: 1 files, 1 lines, 0 tests, typescript | uses [] | used by [src/cart×1 src/cli×1]
    "#]],
    );
}

#[test]
fn layers_rest_upon_those_before_them() {
    check(
        SHOP,
        layers,
        expect![[r#"
        0: src/store
        1: src/cart
        2: src/api
        3: src src/cli
    "#]],
    );
}

#[test]
fn modules_in_a_ring_share_a_layer() {
    check(
        "
//- /a/a.ts
import '../b/b'
//- /b/b.ts
import '../a/a'
import '../c/c'
//- /c/c.ts
//- /d/d.ts
import '../a/a'
",
        layers,
        expect![[r#"
            0: c
            1: a+b
            2: d
            cycle: a b
        "#]],
    );
}

#[test]
fn tests_make_no_layers_and_no_cycles() {
    check(
        "
//- /a/a.ts
import '../b/b'
//- /b/b.ts
//- /b/b.test.ts
import '../a/a'
//- /tests/all.test.ts
import '../a/a'
import '../b/b'
",
        |found| modules(found) + &layers(found),
        expect![[r#"
            a: 1 files, 1 lines, 0 tests, typescript | uses [b×1] | used by [b×0+1 tests×0+1]
            b: 2 files, 1 lines, 1 tests, typescript | uses [a×0+1] | used by [a×1 tests×0+1]
            tests: 1 files, 2 lines, 1 tests, typescript | uses [a×0+1 b×0+1] | used by []
            0: b
            1: a
        "#]],
    );
}

#[test]
fn a_minority_is_against_the_layers_and_no_cycle() {
    let heavy = |from: &str, to: &str, n: usize| -> String {
        (0..n).map(|at| format!("//- /{from}/{from}{at}.ts\nimport '../{to}/{to}0'\n")).collect()
    };
    let fixture = heavy("a", "b", 5)
        + &heavy("b", "c", 6)
        + "//- /c/c0.ts\nimport '../a/a0'\n"
        + "//- /d/d.ts\nimport '../e/e'\n//- /e/e.ts\nimport type { D } from '../d/d'\n";
    check(
        &fixture,
        layers,
        expect![[r#"
            0: c e
            1: b d
            2: a
            cycle: d e type_only
            against the layers: c -> a ×1 against 5 (c/c0.ts:1)
        "#]],
    );
}

#[test]
fn charts_show_modules_and_their_uses() {
    check(
        SHOP,
        |found| found.mermaid.clone(),
        expect![[r#"
        flowchart LR
          n0["src"]
          n1["src/api"]
          n2["src/cart"]
          n3["src/cli"]
          n4["src/store"]
          n0 --> n1
          n1 -->|2| n2
          n2 --> n4
          n3 --> n1
          n3 --> n4
    "#]],
    );
}

#[test]
fn charts_mark_cycles_and_uses_against_the_layers() {
    let heavy = |from: &str, to: &str, n: usize| -> String {
        (0..n).map(|at| format!("//- /lib/{from}/{from}{at}.ts\nimport '../{to}/{to}0'\n")).collect()
    };
    let fixture = heavy("a", "b", 5)
        + "//- /lib/b/b0.ts\nimport '../a/a0'\n//- /lib/c/c0.ts\nimport '../d/d0'\n"
        + "//- /lib/d/d0.ts\nimport '../c/c0'\n//- /main.ts\nimport './lib/a/a0'\n//- /main.test.ts\nimport './lib/d/d0'\n";
    check(
        &fixture,
        |found| found.mermaid.clone(),
        expect![[r#"
        flowchart LR
          n0["."]
          subgraph g1["lib"]
            n1["lib/a"]
            n2["lib/b"]
            n3["lib/c"]
            n4["lib/d"]
          end
          n0 --> n1
          n1 -->|5| n2
          n2 -.-> n1
          n3 ==> n4
          n4 ==> n3
          linkStyle 3,4 stroke:#c22,color:#c22
          %% thick: part of a cycle
          %% dotted: against the layers
    "#]],
    );
}

#[test]
fn flat_folders_are_divided_by_what_their_files_use() {
    let mut fixture = String::from("//- /src/server.h\n");
    let mut unit = |name: &str, uses: &[&str]| {
        let includes: String = uses.iter().map(|used| format!("#include \"{used}.h\"\n")).collect();
        fixture += &format!(
            "//- /src/{name}.c\n#include \"{name}.h\"\n#include \"server.h\"\n{includes}//- /src/{name}.h\n"
        );
    };
    for at in 0..8 {
        unit(&format!("t_type{at}"), &["object"]);
        unit(&format!("aof{at}"), &["rio", "bio"]);
        unit(&format!("net{at}"), &["ae"]);
    }
    for name in ["object", "rio", "bio", "ae"] {
        unit(name, &[]);
    }
    check(
        &fixture,
        |found| modules(found) + &layers(found),
        expect![[r#"
        src: 1 files, 0 lines, 0 tests, c | uses [] | used by [src/aof*×10 src/net*×9 src/t_type*×9]
        src/aof*: 20 files, 36 lines, 0 tests, c | uses [src×10] | used by []
        src/net*: 18 files, 26 lines, 0 tests, c | uses [src×9] | used by []
        src/t_type*: 18 files, 26 lines, 0 tests, c | uses [src×9] | used by []
        0: src
        1: src/aof* src/net* src/t_type*
    "#]],
    );
}

#[test]
fn tests_and_vendored_code_do_not_divide_modules() {
    let many = |folder: &str| -> String {
        (0..9).map(|at| format!("//- /{folder}/part{at}/file.java\nclass A {{}}\n")).collect()
    };
    let fixture = many("app/src/test/java/shop") + &many("vendor/lib") + &many("app/src/main/java/shop");
    check(
        &fixture,
        modules,
        expect![[r#"
        app/src/main/java/shop/part0: 1 files, 1 lines, 0 tests, java | uses [] | used by []
        app/src/main/java/shop/part1: 1 files, 1 lines, 0 tests, java | uses [] | used by []
        app/src/main/java/shop/part2: 1 files, 1 lines, 0 tests, java | uses [] | used by []
        app/src/main/java/shop/part3: 1 files, 1 lines, 0 tests, java | uses [] | used by []
        app/src/main/java/shop/part4: 1 files, 1 lines, 0 tests, java | uses [] | used by []
        app/src/main/java/shop/part5: 1 files, 1 lines, 0 tests, java | uses [] | used by []
        app/src/main/java/shop/part6: 1 files, 1 lines, 0 tests, java | uses [] | used by []
        app/src/main/java/shop/part7: 1 files, 1 lines, 0 tests, java | uses [] | used by []
        app/src/main/java/shop/part8: 1 files, 1 lines, 0 tests, java | uses [] | used by []
        app/src/test: 9 files, 9 lines, 9 tests, java | uses [] | used by []
        vendor: 9 files, 9 lines, 0 tests, java | uses [] | used by []
    "#]],
    );
}

#[test]
fn modules_without_a_cycle_of_folders_are_no_cycle() {
    check(
        "
//- /a/x/x.go
package x
import \"m/b/y\"
var X = y.Y
//- /b/y/y.go
package y
import \"m/a/z\"
var Y = z.Z
//- /a/z/z.go
package z
var Z = 1
//- /go.mod
module m
",
        layers,
        expect![[r#"
            0: a/z
            1: b
            2: a/x
        "#]],
    );
}

#[test]
fn many_folders_are_joined_to_few_modules() {
    let fixture: String = (0..60)
        .map(|at| format!("//- /src/part{at:02}/file.ts\n"))
        .chain(["//- /src/top.ts\n".into()])
        .collect();
    let found = analysis(&fixture).architecture();
    assert!(found.modules.len() <= 24, "{}", found.modules.len());
    assert_eq!(found.modules.iter().map(|module| module.files).sum::<usize>(), 61);
}

#[test]
fn folders_without_room_make_no_layer_and_no_cycle() {
    let uses = |to: usize| format!("import {{ a }} from \"../part{to:02}/file\"\n");
    let imports = |at: usize| match at {
        0 => uses(1) + &uses(58),
        58 => uses(59),
        59 => uses(0),
        _ => String::new(),
    };
    let fixture: String =
        (0..60).map(|at| format!("//- /part{at:02}/file.ts\nexport const a = 1\n{}", imports(at))).collect();
    let found = analysis(&fixture).architecture();
    let rest = found.modules.iter().find(|module| module.path == ".").unwrap();
    assert_eq!((rest.files, rest.uses.len(), rest.used_by.len()), (37, 1, 1));
    let level = |path: &str| {
        let holds = |layer: &&Layer| layer.groups.iter().flatten().any(|module| module == path);
        found.layers.iter().find(holds).map(|layer| layer.level)
    };
    assert_eq!((level("part00"), level("part01"), level(".")), (Some(1), Some(0), None));
    assert!(found.cycles.is_empty() && found.violations.is_empty());
}

#[test]
fn a_project_without_code_has_no_modules() {
    check(
        "//- /README.md\n# Docs\n//- /a.json\n{}\n",
        modules,
        expect![[r#"
        .: 0 files, 0 lines, 0 tests,  | uses [] | used by []
    "#]],
    );
    check(
        "",
        |found| format!("{}{}", modules(found), layers(found)),
        expect![[r#"
        .: 0 files, 0 lines, 0 tests,  | uses [] | used by []
        0: .
    "#]],
    );
}

#[test]
fn programs_are_entered_where_main_is() {
    check(
        r#"
//- /go/main.go
package main

func main() {}
//- /go/lib.go
package lib

func main() {}
//- /rust/src/main.rs
fn main() {}
//- /rust/src/lib.rs
pub fn f() {}
//- /rust/build.rs
fn main() {}
//- /c/main.c
int main(int argc, char **argv) { return 0; }
//- /java/App.java
class App { public static void main(String[] args) {} }
//- /cs/Program.cs
class Program { static void Main() {} }
//- /kt/Main.kt
fun main() {}
//- /py/app/__main__.py
//- /py/manage.py
//- /rb/config.ru
//- /php/public/index.php
<?php
//- /dart/lib/main.dart
//- /zig/main.zig
pub fn main() void {}
//- /tests/main_test.go
package main

func main() {}
"#,
        entry_points,
        expect![[r#"
            php/public/index.php program (front controller) reaches 0
            py/app/__main__.py program (runs with python -m) reaches 0
            rb/config.ru program (Rack starts here) reaches 0
            c/main.c:1 program (defines main) reaches 0
            cs/Program.cs:1 program (defines main) reaches 0
            go/main.go:3 program (defines main) reaches 0
            java/App.java:1 program (defines main) reaches 0
            kt/Main.kt:1 program (defines main) reaches 0
            rust/src/main.rs:1 program (defines main) reaches 0
            zig/main.zig:1 program (defines main) reaches 0
        "#]],
    );
}

#[test]
fn manifests_name_programs_and_libraries() {
    check(
        r#"
//- /a/package.json
{ "bin": "./cli.js", "module": "src/esm.ts", "main": "./missing.js" }
//- /a/cli.js
//- /a/src/esm.ts
//- /a/src/index.ts
//- /b/pyproject.toml
[project.scripts]
shop = "shop.cli:main"
[tool.poetry.scripts]
other = "tool"
//- /b/src/shop/cli.py
//- /b/tool/__init__.py
//- /c/package.json
{ "name": "c", "bin": { "c": "./build/cli.js", "d": "./build/run.js" } }
//- /c/src/bin/cli.ts
//- /c/test/cli.ts
//- /c/src/run.ts
//- /c/src/lib/run.ts
//- /c/src/bin/other.ts
"#,
        entry_points,
        expect![[r#"
            a/cli.js program (bin of a/package.json:1) reaches 0
            a/src/esm.ts library (module of a/package.json:1) reaches 0
            b/src/shop/cli.py program (script shop of b/pyproject.toml:2) reaches 0
            b/tool/__init__.py program (script other of b/pyproject.toml:3) reaches 0
            c/src/bin/cli.ts program (bin of c/package.json:1) reaches 0
            c/src/run.ts program (bin of c/package.json:1) reaches 0
        "#]],
    );
}

#[test]
fn a_package_without_main_is_entered_at_its_index() {
    check(
        r#"
//- /package.json
{ "name": "native", "types": "types/index.d.ts" }
//- /index.js
//- /types/index.d.ts
//- /named/package.json
{ "name": "named", "main": "./named.js" }
//- /named/index.js
//- /named/named.js
//- /hidden/package.json
{ "name": "hidden", "private": true }
//- /hidden/index.js
//- /nameless/package.json
{ "type": "module" }
//- /nameless/index.js
"#,
        entry_points,
        expect![[r#"
            index.js library (implicit main of package.json:1) reaches 0
            named/named.js library (main of named/package.json:1) reaches 0
        "#]],
    );
}

#[test]
fn applications_are_entered_where_a_framework_calls() {
    check(
        r#"
//- /web/package.json
{
  "name": "web", "private": true, "main": "src/util.ts",
  "dependencies": { "next": "15" }
}
//- /web/src/util.ts
//- /web/src/app/cart/page.tsx
//- /web/src/app/cart/Cart.tsx
//- /web/src/app/api/cart/route.ts
//- /tool/package.json
{ "name": "tool",
  "bin": { "tool": "./bin/tool.mjs", "other": "dist/other.js" },
  "exports": { ".": "./dist/index.js" } }
//- /tool/bin/tool.mjs
const { run } = await import("../dist/cli.js")
//- /tool/src/cli.ts
import "./other"
//- /tool/src/other.ts
//- /tool/src/index.ts
//- /java/Api.java
package shop;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;

@Path("/carts")
class Api {
  @GET String all() { return ""; }
}
//- /java/Client.java
package shop;
import jakarta.ws.rs.Path;
@Path("/carts")
interface Client {}
//- /java/Boot.java
package shop;
import io.quarkus.runtime.*;
import jakarta.enterprise.event.Observes;
class Boot {
  void start(@Observes StartupEvent event) {}
}
//- /java/Plain.java
package shop;
import java.nio.file.Path;
class Plain { Path path; }
//- /kt/Carts.kt
package shop
import org.springframework.web.bind.annotation.RestController
@RestController
class Carts
//- /cs/Web.csproj
<Project Sdk="Microsoft.NET.Sdk.Web">
</Project>
//- /cs/Program.cs
var app = 1;
//- /lib/Lib.csproj
<Project Sdk="Microsoft.NET.Sdk"></Project>
//- /lib/Program.cs
class A {}
//- /app/pubspec.yaml
name: app
publish_to: none
dependencies: {flutter: {sdk: flutter}}
//- /app/lib/main.dart
//- /app/lib/child/main.dart
//- /gem/gem.gemspec
Gem::Specification.new { |s| s.executables = ["gem"] }
//- /gem/exe/gem.rb
//- /loose/exe/tool.rb
"#,
        entry_points,
        expect![[r#"
            tool/bin/tool.mjs program (bin of tool/package.json:2) reaches 2
            app/lib/main.dart program (Flutter starts lib/main.dart of app/pubspec.yaml:3) reaches 0
            cs/Program.cs program (program of cs/Web.csproj:1) reaches 0
            gem/exe/gem.rb program (executable of gem/gem.gemspec:1) reaches 0
            tool/src/index.ts library (exports of tool/package.json:3) reaches 0
            tool/src/other.ts program (bin of tool/package.json:2) reaches 0
            java/Api.java:5 route (Path of jakarta.ws.rs) reaches 0
            java/Boot.java:5 listener (StartupEvent of io.quarkus.runtime) reaches 0
            kt/Carts.kt:3 route (RestController of org.springframework.web.bind.annotation) reaches 0
            web/src/app/api/cart/route.ts route (route of next, web/package.json:3) reaches 0
            web/src/app/cart/page.tsx route (route of next, web/package.json:3) reaches 0
        "#]],
    );
}

#[test]
fn imports_of_types_make_no_layers() {
    check(
        r#"
//- /a/x.ts
import type { Y } from "../b/y"
export const x = 1
//- /b/y.ts
import { x } from "../a/x"
export type Y = number
"#,
        layers,
        expect![[r#"
            0: a
            1: b
            cycle: a b type_only
        "#]],
    );
}

#[test]
fn what_scripts_start_and_what_reaches_far_comes_first() {
    check(
        r#"
//- /bin/server.sh
exec java kafka.Kafka "$@"
//- /bin/windows/server.bat
java kafka.Kafka
//- /docker/start
java kafka.Kafka
//- /bin/tool.sh
exec java acme.Tool "$@"; python -m app.serve; java -cp acme.Unused.jar
//- /Dockerfile
RUN go build ./cmd/shop
//- /core/Kafka.scala
package kafka
import acme.Log
object Kafka { def main(args: Array[String]): Unit = {} }
//- /core/Tool.java
package acme;
class Tool { public static void main(String[] args) {} }
//- /core/Unused.java
package acme;
class Unused { Log log; Tool tool; public static void main(String[] args) {} }
//- /core/Log.java
package acme;
class Log { Config config; }
//- /core/Config.java
package acme;
class Config {}
//- /examples/Demo.java
package acme;
class Demo { Log log; Tool tool; public static void main(String[] args) {} }
//- /cmd/shop/main.go
package main

func main() {}
//- /cmd/other/main.go
package main

func main() {}
//- /app/serve/__main__.py
"#,
        entry_points,
        expect![[r#"
            core/Kafka.scala:3 program (defines main, bin/server.sh, bin/windows/server.bat, docker/start) reaches 2
            app/serve/__main__.py program (runs with python -m, bin/tool.sh) reaches 0
            cmd/shop/main.go:3 program (defines main, Dockerfile) reaches 0
            core/Tool.java:2 program (defines main, bin/tool.sh) reaches 0
            core/Unused.java:2 program (defines main) reaches 3
            cmd/other/main.go:3 program (defines main) reaches 0
            examples/Demo.java:2 program (defines main) reaches 3
        "#]],
    );
}

fn about(found: &Architecture) -> String {
    let one = |module: &craig_insight::Module| {
        let about = module.about.as_ref().map(|about| format!("{} ({})", about.text, about.file));
        format!("{}: {}\n", module.path, about.unwrap_or_default())
    };
    found.modules.iter().map(one).collect()
}

#[test]
fn lists_of_fields_and_banners_say_nothing() {
    check(
        r#"
//- /README.rst
.. image:: http://x/banner.png

:Version: 5.5.0 (immunity)
:Keywords: task, queue, job, async, rabbitmq, amqp, redis,
  python, distributed, actors

  and more of these

The shop sells things.
//- /a.py
//- /cart/__init__.py
"""
//////// base type ////////
"""
//- /pages/package-info.java
/**
 * Pages of a {@link Cart}, {@code Item}s and {@link Shop#sell(int, int) sales}.
 */
package shop.pages;
//- /pages/Page.java
class Page {}
"#,
        about,
        expect![[r#"
            .: The shop sells things (README.rst)
            cart: 
            pages: Pages of a Cart, Items and sales (pages/package-info.java)
        "#]],
    );
}

#[test]
fn modules_say_what_they_are_for() {
    check(
        r#"
//- /README.md
# Shop

[![ci](x)](y)
<img>
<!-- a
comment -->

**Shop** sells [things](http://x), e.g. books. And more.
//- /main.go
package main
//- /cart/cart.go
// Copyright 2020 Acme

// Package cart adds things up. Fast.
package cart
//- /cart/doc.go
// Package cart knows what is in a cart.
package cart
//- /web/package.json
{ "description": "Pages of the shop" }
//- /web/src/a.ts
//- /store/README.rst
Store
=====

Keeps what was sold
to whom.
//- /store/src/main/java/Store.java
class Store {}
//- /tools/tools.py
#!/usr/bin/env python
"""Helps others to do their work.

More of it."""
//- /tools/user.py
"""Does some work."""
import tools.tools
//- /pins/__init__.py
"""Pins what ``pip`` installs."""
//- /silent/a.py
import os
"""Not a docstring of the module."""
//- /crates/cart/Cargo.toml
[package]
description = "Carts and their totals."
//- /crates/cart/lib.rs
//! Not this one.
//- /crates/sum/lib.rs
//! Sums and [what][all]
//! they add up.
//!
//! More.
//- /dict/dict.c
/* dict.c - Hash Tables Implementation.
 *
 * Copyright (c) 2006
 */
//- /Cart/Cart.java
/*
 * Licensed to the ASF
 */
package shop;

import a.B;

/**
 * A cart that {@link Shop} sells.
 * @since 1
 */
class Cart {}
//- /late/late.ts
const x = 1
// One more, please.
const y = 2
//- /carts/carts.rb
# frozen_string_literal: true

# Carts of one user
class Cart; end
"#,
        about,
        expect![[r#"
            .: Shop sells things, e.g. books (README.md)
            Cart: 
            cart: Package cart knows what is in a cart (cart/doc.go)
            carts: 
            crates/cart: Carts and their totals (crates/cart/Cargo.toml)
            crates/sum: Sums and what they add up (crates/sum/lib.rs)
            dict: 
            late: 
            pins: Pins what pip installs (pins/__init__.py)
            silent: 
            store: Keeps what was sold to whom (store/README.rst)
            tools: 
            web: Pages of the shop (web/package.json)
        "#]],
    );
}

#[test]
fn modules_say_what_they_are_for_without_spaces() {
    check(
        r#"
//- /README.md
# 商店

商店是一套开源的电子商务平台，免费使用。支持多终端。
//- /main.go
package main
//- /cart/README.md
# カート

商品の合計を計算します！割引もできます。
//- /cart/cart.go
package cart
//- /web/README.md
# 网页

页面：

* 列表
//- /web/web.go
package web
"#,
        about,
        expect![[r#"
            .: 商店是一套开源的电子商务平台，免费使用 (README.md)
            cart: 商品の合計を計算します (cart/README.md)
            web: 
        "#]],
    );
}
