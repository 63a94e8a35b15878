//! Imports that each resolver finds beyond the usual: settings, rings of modules, and what is left unresolved.

use expect_test::{Expect, expect};

use crate::analysis;

/// Lists edges with an import, edges without one, and what is left over.
fn check(fixture: &str, expect: Expect) {
    let found = analysis(fixture).dependencies();
    let mut out = String::new();
    for (edges, arrow) in [(&found.edges, "->"), (&found.implicit, "~>")] {
        for edge in edges {
            out.push_str(&format!(
                "{}:{} {arrow} {} ({})\n",
                edge.from_file, edge.line, edge.to_file, edge.kind
            ));
        }
    }
    for import in &found.unresolved {
        out.push_str(&format!("unresolved {}:{} {}\n", import.file, import.line, import.target));
    }
    for package in &found.undeclared {
        out.push_str(&format!("undeclared {}\n", package.name));
    }
    expect.assert_eq(&out);
}

#[test]
fn scripts_extend_settings_and_map_suffixes() {
    check(
        r##"
//- /tsconfig.base.json
{ "compilerOptions": { "paths": { "~/*": ["./src/*"] } } }
//- /tsconfig.json
{ "extends": "./tsconfig.base.json" }
//- /src/main.ts
import a from "~/lib/a"
import styles from "./main.css"
import data from "./data.json"
import vue from "./App.vue"
import mjs from "./esm.mjs"
import declared from "./declared"
import dir from "./dir"
import up from ".."
//- /src/lib/a.tsx
//- /src/main.css
//- /src/data.json
{}
//- /src/App.vue
<script setup>
import a from "./lib/a"
</script>
//- /src/esm.mts
//- /src/declared.d.ts
//- /src/dir/index.js
//- /index.ts
"##,
        expect![[r#"
            src/App.vue:2 -> src/lib/a.tsx (import)
            src/main.ts:8 -> index.ts (import)
            src/main.ts:4 -> src/App.vue (import)
            src/main.ts:3 -> src/data.json (import)
            src/main.ts:6 -> src/declared.d.ts (import)
            src/main.ts:7 -> src/dir/index.js (import)
            src/main.ts:5 -> src/esm.mts (import)
            src/main.ts:1 -> src/lib/a.tsx (import)
            src/main.ts:2 -> src/main.css (import)
        "#]],
    );
}

#[test]
fn implementations_come_before_declarations_beside_them() {
    check(
        r##"
//- /a.js
const style = require("./style")
import theme from "./theme.js"
import platform from "./platform"
import only from "./only"
import shown from "./style.d.ts"
//- /b.ts
import { style } from "./style"
//- /style.d.ts
import { theme } from "./theme"
import { Platform } from "./platform"
export * from "./folder/index.mjs"
//- /style.js
//- /theme.d.ts
//- /theme.js
//- /platform.d.ts
//- /platform.ios.js
//- /platform.android.js
//- /only.d.ts
//- /folder/index.mjs
//- /folder/index.d.mts
//- /c.mjs
import x from "./folder/index.mjs"
import y from "./folder"
"##,
        expect![[r#"
            a.js:4 -> only.d.ts (import)
            a.js:3 -> platform.ios.js (import)
            a.js:5 -> style.d.ts (import)
            a.js:1 -> style.js (require)
            a.js:2 -> theme.js (import)
            b.ts:1 -> style.js (import)
            c.mjs:1 -> folder/index.mjs (import)
            style.d.ts:3 -> folder/index.d.mts (reexport)
            style.d.ts:2 -> platform.d.ts (import)
            style.d.ts:1 -> theme.d.ts (import)
        "#]],
    );
}

#[test]
fn scripts_without_settings_find_javascript() {
    check(
        r##"
//- /a.js
const b = require("./b")
import("./c.cjs")
export { d } from "./d.jsx"
require("./missing")
require("/absolute")
//- /b.js
//- /c.cjs
//- /d.jsx
"##,
        expect![[r#"
            a.js:1 -> b.js (require)
            a.js:2 -> c.cjs (dynamic_import)
            a.js:3 -> d.jsx (reexport)
            unresolved a.js:4 ./missing
            unresolved a.js:5 /absolute
        "#]],
    );
}

#[test]
fn python_packages_scripts_and_stubs() {
    check(
        r##"
//- /src/app/__init__.py
//- /src/app/main.py
from app.models.user import User
from .models import user as u, order
from . import helpers
import app.models
from .native import fast
//- /src/app/models/__init__.py
from .user import User
//- /src/app/models/user.py
//- /src/app/models/order.py
//- /src/app/helpers.py
//- /src/app/native.pyi
//- /scripts/tool.py
import util
import app.main
//- /scripts/util.py
"##,
        expect![[r#"
            scripts/tool.py:1 -> scripts/util.py (import)
            scripts/tool.py:2 -> src/app/main.py (import)
            src/app/main.py:3 -> src/app/helpers.py (import)
            src/app/main.py:4 -> src/app/models/__init__.py (import)
            src/app/main.py:2 -> src/app/models/order.py (import)
            src/app/main.py:1 -> src/app/models/user.py (import)
            src/app/main.py:5 -> src/app/native.pyi (import)
            src/app/models/__init__.py:1 -> src/app/models/user.py (import)
        "#]],
    );
}

#[test]
fn go_workspaces_internal_packages_and_tests() {
    check(
        r##"
//- /go.mod
module example.com/a
//- /main.go
package main

import (
	"example.com/a/internal/db"
	. "example.com/a/dot"
	"example.com/b/pkg"
	"example.com/a/missing"
)

func main() { db.Open(); pkg.Run(); Dotted() }
//- /internal/db/db.go
package db

func Open() { connect() }
//- /internal/db/conn_linux.go
package db

func connect() {}
//- /internal/db/db_test.go
package db

func TestOpen() { Open() }
//- /dot/dot.go
package dot

func Dotted() {}
//- /b/go.mod
module example.com/b
//- /b/pkg/pkg.go
package pkg

func Run() {}
"##,
        expect![[r#"
            main.go:6 -> b/pkg/pkg.go (import)
            main.go:5 -> dot/dot.go (import)
            main.go:4 -> internal/db/db.go (import)
            internal/db/db.go:3 ~> internal/db/conn_linux.go (same_package)
            internal/db/db_test.go:3 ~> internal/db/db.go (same_package)
            unresolved main.go:7 example.com/a/missing
        "#]],
    );
}

#[test]
fn jvm_nested_types_star_imports_and_default_packages() {
    check(
        r##"
//- /src/A.java
import b.Outer.Inner;
import b.*;
import static b.Util.*;
import missing.Thing;
class A { Second second; Same same; }
//- /src/Same.java
class Same {}
//- /src/b/Outer.java
package b;
public class Outer { public static class Inner {} }
//- /src/b/Second.java
package b;
public class Second {}
//- /src/b/Util.java
package b;
public class Util {}
//- /src/c/D.kt
package c
import b.Outer
typealias Alias = Outer
//- /src/c/E.scala
package c
import b.{Outer, Second => S}
object E { val d = new D }
"##,
        expect![[r#"
            src/A.java:1 -> src/b/Outer.java (import)
            src/A.java:2 -> src/b/Second.java (import)
            src/A.java:3 -> src/b/Util.java (static_import)
            src/c/D.kt:2 -> src/b/Outer.java (import)
            src/c/E.scala:2 -> src/b/Outer.java (import)
            src/c/E.scala:2 -> src/b/Second.java (import)
            src/A.java:5 ~> src/Same.java (same_package)
            unresolved src/A.java:4 missing.Thing
        "#]],
    );
}

#[test]
fn csharp_namespaces_partial_types_and_globals() {
    check(
        r##"
//- /A.cs
using Shop.Models;
using Alias = Shop.Util.Text;
namespace Shop { class A { Item item; Nested.Deep deep; Alias text; } }
//- /Models/Item.cs
namespace Shop.Models;
public partial class Item {}
//- /Models/Item.Extra.cs
namespace Shop.Models;
public partial class Item {}
//- /Util/Text.cs
namespace Shop.Util { public static class Text {} }
//- /Nested/Deep.cs
namespace Shop.Nested;
class Deep {}
"##,
        expect![[r#"
            A.cs:1 -> Models/Item.cs (import)
            A.cs:2 -> Util/Text.cs (import)
        "#]],
    );
}

#[test]
fn php_autoloading_by_prefix() {
    check(
        r##"
//- /composer.json
{ "autoload": { "psr-4": { "App\\": "src/" }, "files": ["src/helpers.php"] }, "autoload-dev": { "psr-4": { "Tests\\": "tests/" } } }
//- /src/Http/Home.php
<?php
namespace App\Http;
use App\Models\User;
use App\Models\Missing;
use Tests\Helper;
include 'partial.php';
//- /src/Http/partial.php
<?php
//- /src/Models/User.php
<?php
namespace App\Models;
class User extends Base {}
//- /src/Models/Base.php
<?php
namespace App\Models;
class Base {}
//- /tests/Helper.php
<?php
namespace Tests;
class Helper {}
"##,
        expect![[r#"
            src/Http/Home.php:6 -> src/Http/partial.php (include)
            src/Http/Home.php:3 -> src/Models/User.php (import)
            src/Http/Home.php:5 -> tests/Helper.php (import)
            src/Models/User.php:3 ~> src/Models/Base.php (same_package)
            unresolved src/Http/Home.php:4 App\Models\Missing
        "#]],
    );
}

#[test]
fn ruby_load_paths_and_constants() {
    check(
        r##"
//- /lib/shop.rb
require "shop/version"
require_relative "shop/cart"
require "missing_gem"
autoload :Late, "shop/late"
//- /lib/shop/version.rb
//- /lib/shop/cart.rb
module Shop
  class Cart
    LINE = Line
    def f = Shop::Late.new
  end
end
//- /lib/shop/line.rb
module Shop
  class Line; end
end
//- /lib/shop/late.rb
module Shop
  class Late; end
end
//- /spec/cart_spec.rb
require "spec_helper"
require_relative "../lib/shop"
//- /spec/spec_helper.rb
"##,
        expect![[r#"
            lib/shop.rb:2 -> lib/shop/cart.rb (require)
            lib/shop.rb:4 -> lib/shop/late.rb (require)
            lib/shop.rb:1 -> lib/shop/version.rb (require)
            spec/cart_spec.rb:2 -> lib/shop.rb (require)
            spec/cart_spec.rb:1 -> spec/spec_helper.rb (require)
            lib/shop/cart.rb:4 ~> lib/shop/late.rb (qualified_name)
            lib/shop/cart.rb:3 ~> lib/shop/line.rb (qualified_name)
            undeclared missing_gem
        "#]],
    );
}

#[test]
fn c_headers_by_folder_and_by_path() {
    check(
        r##"
//- /src/main.c
#include "util.h"
#include "net/socket.h"
#include <lib/api.h>
#include "missing.h"
#include <stdlib.h>
//- /src/util.h
//- /src/net/socket.h
#include "../util.h"
//- /include/lib/api.h
#include "types.h"
//- /include/lib/types.h
//- /src/main.cpp
#include "lib/api.h"
//- /src/kernel.cu
#include "util.h"
"##,
        expect![[r#"
            include/lib/api.h:1 -> include/lib/types.h (include)
            src/kernel.cu:1 -> src/util.h (include)
            src/main.c:3 -> include/lib/api.h (include)
            src/main.c:2 -> src/net/socket.h (include)
            src/main.c:1 -> src/util.h (include)
            src/main.cpp:1 -> include/lib/api.h (include)
            src/net/socket.h:1 -> src/util.h (include)
            unresolved src/main.c:4 missing.h
        "#]],
    );
}

#[test]
fn rust_paths_through_reexports_and_tests() {
    check(
        r##"
//- /Cargo.toml
[package]
name = "shop"
//- /src/lib.rs
pub mod cart;
mod price;
pub use cart::line::Line;
#[cfg(test)]
mod tests;
//- /src/cart.rs
pub mod line;
use crate::price::{self, Price};
//- /src/cart/line.rs
use super::super::price;
pub struct Line;
//- /src/price.rs
pub struct Price;
//- /src/tests.rs
use super::*;
use crate::Line;
//- /src/bin/tool.rs
use shop::Line;
mod helper;
//- /src/bin/helper.rs
//- /examples/demo.rs
use shop::cart::line::Line;
use missing::Thing;
//- /benches/speed.rs
use shop::price::Price;
"##,
        expect![[r#"
            benches/speed.rs:1 -> src/price.rs (import)
            examples/demo.rs:1 -> src/cart/line.rs (import)
            src/bin/tool.rs:2 -> src/bin/helper.rs (module)
            src/bin/tool.rs:1 -> src/lib.rs (import)
            src/cart.rs:1 -> src/cart/line.rs (module)
            src/cart.rs:2 -> src/price.rs (import)
            src/cart/line.rs:1 -> src/price.rs (import)
            src/lib.rs:1 -> src/cart.rs (module)
            src/lib.rs:3 -> src/cart/line.rs (reexport)
            src/lib.rs:2 -> src/price.rs (module)
            src/lib.rs:5 -> src/tests.rs (module)
            src/tests.rs:1 -> src/lib.rs (import)
            unresolved examples/demo.rs:2 missing
        "#]],
    );
}

#[test]
fn other_languages_by_name_and_path() {
    check(
        r##"
//- /Shop/Cart.hs
module Shop.Cart where
import Shop.Price (Price)
import qualified Data.Map as M
//- /Shop/Price.hs
module Shop.Price where
//- /lua/a.lua
local b = require("b")
local c = require "deep.c"
//- /lua/b.lua
//- /lua/deep/c.lua
//- /sh/run.sh
source ./lib.sh
. lib.sh
//- /sh/lib.sh
//- /zig/main.zig
const x = @import("x.zig");
//- /zig/x.zig
//- /proto/a.proto
import "proto/b.proto";
//- /proto/b.proto
//- /scss/main.scss
@use "parts/base";
@import "theme";
//- /scss/parts/_base.scss
//- /scss/theme.scss
//- /ex/lib/a.ex
defmodule A do
  import B
  alias C.D, as: E
  def f, do: E.g()
end
//- /ex/lib/b.ex
defmodule B do
end
//- /ex/lib/d.ex
defmodule C.D do
end
"##,
        expect![[r#"
            Shop/Cart.hs:2 -> Shop/Price.hs (import)
            ex/lib/a.ex:2 -> ex/lib/b.ex (import)
            ex/lib/a.ex:3 -> ex/lib/d.ex (import)
            lua/a.lua:1 -> lua/b.lua (require)
            lua/a.lua:2 -> lua/deep/c.lua (require)
            proto/a.proto:1 -> proto/b.proto (import)
            scss/main.scss:1 -> scss/parts/_base.scss (import)
            scss/main.scss:2 -> scss/theme.scss (import)
            sh/run.sh:1 -> sh/lib.sh (require)
            zig/main.zig:1 -> zig/x.zig (import)
            unresolved Shop/Cart.hs:3 Data.Map
        "#]],
    );
}

#[test]
fn self_imports_and_duplicates_make_one_edge_or_none() {
    check(
        "//- /a.ts\nimport './a'\nimport { x } from './b'\nimport { y } from './b'\n//- /b.ts\n",
        expect![[r#"
            a.ts:2 -> b.ts (import)
        "#]],
    );
}

#[test]
fn tangles_and_the_most_depended_on() {
    let found = analysis(
        "//- /a.ts\nimport './b'\n//- /b.ts\nimport './c'\nimport './a'\n//- /c.ts\nimport './a'\nimport './d'\n//- /d.ts\n//- /e.ts\nimport './d'\n",
    )
    .dependencies();
    assert_eq!(found.tangles, [["a.ts", "b.ts", "c.ts"]]);
    let cycles: Vec<&[String]> = found.cycles.iter().map(|cycle| cycle.files.as_slice()).collect();
    assert_eq!(cycles, [vec!["a.ts", "b.ts"], vec!["a.ts", "b.ts", "c.ts"]]);
    let most: Vec<(&str, usize)> =
        found.most_depended.iter().map(|file| (file.file.as_str(), file.dependents)).collect();
    assert_eq!(most, [("a.ts", 2), ("d.ts", 2), ("b.ts", 1), ("c.ts", 1)]);
}
