//! Modules, layers, entry points and patterns, each of a tiny project.

use craig_insight::{Architecture, Violation};
use expect_test::{Expect, expect};

use crate::fixture::analysis;

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
    let layer = |layer: &craig_insight::Layer| {
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
        format!("{}{line} {} ({})\n", entry.file, entry.kind, entry.evidence)
    };
    found.entry_points.iter().map(entry).collect()
}

fn patterns(found: &Architecture) -> String {
    let mut out = String::new();
    for pattern in &found.patterns {
        out.push_str(&format!("{} {:.2}\n", pattern.name, pattern.confidence));
        for evidence in &pattern.evidence {
            let places: Vec<String> =
                evidence.places.iter().map(|place| format!("{}:{}", place.file, place.line)).collect();
            out.push_str(&format!("  {} ×{}: {}\n", evidence.signal, evidence.count, places.join(" ")));
        }
    }
    out
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
        0: c d+e
        1: b
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
        |found| format!("{}{}{}", modules(found), layers(found), patterns(found)),
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
            c/main.c:1 program (defines main)
            cs/Program.cs:1 program (defines main)
            dart/lib/main.dart program (Flutter starts here)
            go/main.go:3 program (defines main)
            java/App.java:1 program (defines main)
            kt/Main.kt:1 program (defines main)
            php/public/index.php program (front controller)
            py/app/__main__.py program (runs with python -m)
            py/manage.py program (Django starts here)
            rb/config.ru program (Rack starts here)
            rust/src/lib.rs library (root of a crate)
            rust/src/main.rs:1 program (defines main)
            zig/main.zig:1 program (defines main)
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
"#,
        entry_points,
        expect![[r#"
            a/cli.js program (bin of a/package.json)
            a/src/esm.ts library (module of a/package.json)
            a/src/index.ts library (usual entry beside a/package.json)
            b/src/shop/cli.py program (script shop)
            b/tool/__init__.py program (script other)
        "#]],
    );
}

#[test]
fn model_view_controller_and_layers() {
    check(
        r#"
//- /app/models/order.rb
class Order; end
//- /app/models/user.rb
class User; end
//- /app/views/show.rb
//- /app/controllers/orders_controller.rb
class OrdersController
  def show = Order.new
end
//- /app/controllers/users_controller.rb
class UsersController
  def show = User.new
end
//- /app/services/billing.rb
class Billing; end
//- /app/services/mailing.rb
class Mailing; end
//- /app/repositories/order_repository.rb
class OrderRepository; end
//- /app/repositories/user_repository.rb
class UserRepository; end
"#,
        patterns,
        expect![[r#"
            mvc 1.00
              folder of models ×2: app/models/order.rb:1 app/models/user.rb:1
              folder of views ×1: app/views/show.rb:1
              folder of controllers ×2: app/controllers/orders_controller.rb:1 app/controllers/users_controller.rb:1
              types called …Controller ×2: app/controllers/orders_controller.rb:1 app/controllers/users_controller.rb:1
              controllers use models, not the other way round ×2: app/controllers/orders_controller.rb:2 app/controllers/users_controller.rb:2
            layered 0.80
              a layer of presentation ×3: app/controllers/orders_controller.rb:1 app/controllers/users_controller.rb:1 app/views/show.rb:1
              a layer of services ×2: app/services/billing.rb:1 app/services/mailing.rb:1
              a layer of the domain ×2: app/models/order.rb:1 app/models/user.rb:1
              a layer of storage ×2: app/repositories/order_repository.rb:1 app/repositories/user_repository.rb:1
            repository 0.75
              types called …Repository or …Dao ×2: app/repositories/order_repository.rb:1 app/repositories/user_repository.rb:1
              folder of repositories ×2: app/repositories/order_repository.rb:1 app/repositories/user_repository.rb:1
        "#]],
    );
}

#[test]
fn hexagons_factories_builders_and_strategies() {
    check(
        r#"
//- /src/ports/mail.ts
export interface MailPort { send(): void }
//- /src/adapters/smtp.ts
import { Order } from "../domain/order"
export class SmtpAdapter {}
//- /src/adapters/memory.ts
import { Order } from "../domain/order"
export class MemoryAdapter {}
//- /src/domain/order.ts
export class Order {}
//- /src/make.ts
export class OrderFactory {}
export interface UserFactory {}
export class OrderBuilder {}
export class UserBuilder {}
export class MailBuilder {}
export interface PriceStrategy {}
export class FlatStrategy {}
export class SlidingPolicy {}
//- /src/adapters/smtp.test.ts
export class TestAdapter {}
"#,
        patterns,
        expect![[r#"
            builder 1.00
              types called …Builder ×3: src/make.ts:3 src/make.ts:4 src/make.ts:5
            factory 1.00
              types called …Factory ×2: src/make.ts:1 src/make.ts:2
              interfaces called …Factory ×1: src/make.ts:2
            hexagonal 1.00
              folder of ports ×1: src/ports/mail.ts:1
              folder of adapters ×2: src/adapters/memory.ts:1 src/adapters/smtp.ts:1
              interfaces called …Port ×1: src/ports/mail.ts:1
              types called …Adapter ×2: src/adapters/memory.ts:2 src/adapters/smtp.ts:2
              adapters use the domain, not the other way round ×2: src/adapters/memory.ts:1 src/adapters/smtp.ts:1
            strategy 1.00
              types called …Strategy or …Policy ×3: src/make.ts:6 src/make.ts:7 src/make.ts:8
              interfaces called …Strategy or …Policy ×1: src/make.ts:6
        "#]],
    );
}

#[test]
fn plugins_events_pipelines_and_middleware() {
    check(
        r#"
//- /src/core/kernel.py
class EventBus:
    def publish(self, event): pass
    def subscribe(self, listener): pass
    def emit(self): pass
class OrderEvent: pass
class UserEvent: pass
class MailEvent: pass
class OrderListener: pass
class UserSubscriber: pass
def register_plugin(plugin): pass
//- /src/core/registry.py
class Pipeline: pass
class LoadStage: pass
class ParseStep: pass
class EmitPass: pass
//- /src/plugins/a.py
from ..core.kernel import EventBus
class MailPlugin: pass
//- /src/plugins/b.py
from ..core.registry import Pipeline
class ChatPlugin: pass
//- /src/middleware/auth.py
class AuthMiddleware: pass
class LogMiddleware: pass
//- /src/visit.py
class NodeVisitor:
    def visit_call(self): pass
    def visit_name(self): pass
    def visit_if(self): pass
"#,
        patterns,
        expect![[r#"
            microkernel 1.00
              a core ×2: src/core/kernel.py:1 src/core/registry.py:1
              plugins around it ×2: src/plugins/a.py:1 src/plugins/b.py:1
              plugins use the core, not the other way round ×2: src/plugins/a.py:1 src/plugins/b.py:1
            middleware 1.00
              types called …Middleware or …Interceptor ×2: src/middleware/auth.py:1 src/middleware/auth.py:2
              folder of middleware ×1: src/middleware/auth.py:1
            visitor 1.00
              types called …Visitor ×1: src/visit.py:1
              functions that visit ×3: src/visit.py:2 src/visit.py:3 src/visit.py:4
            event-driven 0.90
              types called …Event ×3: src/core/kernel.py:5 src/core/kernel.py:6 src/core/kernel.py:7
              types called …Listener, …Subscriber or …Observer ×2: src/core/kernel.py:8 src/core/kernel.py:9
              an event bus, emitter or dispatcher ×1: src/core/kernel.py:1
              functions that publish or subscribe ×3: src/core/kernel.py:2 src/core/kernel.py:3 src/core/kernel.py:4
            pipeline 0.75
              types called …Pipeline or …Chain ×1: src/core/registry.py:1
              types called …Stage, …Step, …Pass or …Phase ×3: src/core/registry.py:2 src/core/registry.py:3 src/core/registry.py:4
            plugin 0.75
              folder of plugins ×2: src/plugins/a.py:1 src/plugins/b.py:1
              types called …Plugin or …Extension ×2: src/plugins/a.py:2 src/plugins/b.py:2
              functions that register or load plugins ×1: src/core/kernel.py:10
        "#]],
    );
}

#[test]
fn packages_speak_for_patterns() {
    check(
        r#"
//- /package.json
{ "name": "ui", "dependencies": { "react": "18", "@nestjs/core": "10" } }
//- /src/components/a.tsx
//- /src/components/b.tsx
//- /src/components/c.tsx
//- /src/pages/home.tsx
//- /src/pages/cart.tsx
//- /src/container.ts
export class Container {}
//- /server/main.ts
export class HttpServer {}
//- /server/b.ts
//- /client/main.ts
export class HttpClient {}
//- /client/b.ts
"#,
        patterns,
        expect![[r#"
            client-server 1.00
              files of a server ×2: server/b.ts:1 server/main.ts:1
              files of a client ×2: client/b.ts:1 client/main.ts:1
              types called …Server ×1: server/main.ts:1
              types called …Client ×1: client/main.ts:1
            component-based-ui 1.00
              folder of components ×3: src/components/a.tsx:1 src/components/b.tsx:1 src/components/c.tsx:1
              a package for components ×1: package.json:1
              folder of pages or views ×2: src/pages/cart.tsx:1 src/pages/home.tsx:1
            dependency-injection 0.80
              a container or injector ×1: src/container.ts:1
              a package for injection ×1: package.json:1
        "#]],
    );
}

#[test]
fn a_use_in_both_directions_speaks_for_no_layering() {
    check(
        r#"
//- /controllers/a.ts
import "../models/m"
//- /controllers/b.ts
import "../models/m"
//- /models/m.ts
import "../controllers/a"
//- /views/v.ts
"#,
        patterns,
        expect![[r#"
            mvc 0.70
              folder of models ×1: models/m.ts:1
              folder of views ×1: views/v.ts:1
              folder of controllers ×2: controllers/a.ts:1 controllers/b.ts:1
        "#]],
    );
}
