//! Which file an import leads to, language by language.

use craig_insight::Weakness;
use expect_test::{Expect, expect};

use crate::analysis;

fn weak(weakness: Weakness) -> String {
    let Weakness { type_only, lazy, test } = weakness;
    let holds = [(type_only, " type_only"), (lazy, " lazy"), (test, " test")];
    holds.iter().filter(|(holds, _)| *holds).map(|(_, name)| *name).collect()
}

/// Edges, packages, cycles and what is left over.
fn check(fixture: &str, expect: Expect) {
    let found = analysis(fixture).dependencies();
    let mut lines: Vec<String> = Vec::new();
    for edge in &found.edges {
        lines.push(format!(
            "{}:{} -> {} ({}){}",
            edge.from_file,
            edge.line,
            edge.to_file,
            edge.kind,
            weak(edge.weakness)
        ));
    }
    for edge in &found.implicit {
        lines.push(format!("{}:{} ~> {} ({})", edge.from_file, edge.line, edge.to_file, edge.kind));
    }
    for package in &found.external {
        let version = package.version.as_deref().unwrap_or("-");
        lines.push(format!(
            "{} {version} {} in [{}]",
            package.name,
            package.scope.as_str(),
            package.used_in.join(", ")
        ));
    }
    lines.extend(found.undeclared.iter().map(|package| format!("undeclared {}", package.name)));
    lines.extend(
        found
            .unresolved
            .iter()
            .map(|import| format!("unresolved {}:{} {}", import.file, import.line, import.target)),
    );
    lines.extend(
        found.cycles.iter().map(|cycle| format!("cycle {}{}", cycle.files.join(" "), weak(cycle.weakness))),
    );
    expect.assert_eq(&(lines.join("\n") + "\n"));
}

#[test]
fn typescript_files_are_found_as_the_compiler_finds_them() {
    check(
        r##"
//- /tsconfig.json
{
  // comments are allowed
  "compilerOptions": { "baseUrl": ".", "paths": { "@app/*": ["src/app/*"], "config": ["src/config.ts"], }, },
}
//- /package.json
{ "name": "root", "dependencies": { "react": "^18.0.0", "@scope/kit": "1.0.0" }, "devDependencies": { "@types/node": "20", "vitest": "1" } }
//- /src/main.ts
import React from "react"
import { a } from "./a.js"
import type { B } from './app/b'
import { C } from "@app/c"
import config from "config"
import { x } from "src/app/b"
import * as fs from "node:fs"
import { deep } from "@scope/kit/deep/thing"
export * from "./folder"
const lazy = () => import("./lazy")
const old = require("./old")
import "./missing"
import other from "nowhere"
//- /src/a.ts
export const a = 1
//- /src/app/b.tsx
import { main } from "../main"
export type B = {}
//- /src/app/c.ts
//- /src/config.ts
//- /src/folder/index.ts
//- /src/lazy.ts
//- /src/old.js
"##,
        expect![[r#"
            src/app/b.tsx:1 -> src/main.ts (import)
            src/main.ts:2 -> src/a.ts (import)
            src/main.ts:3 -> src/app/b.tsx (type_import)
            src/main.ts:4 -> src/app/c.ts (import)
            src/main.ts:5 -> src/config.ts (import)
            src/main.ts:9 -> src/folder/index.ts (reexport)
            src/main.ts:10 -> src/lazy.ts (dynamic_import) lazy
            src/main.ts:11 -> src/old.js (require)
            @scope/kit 1.0.0 runtime in [src/main.ts]
            @types/node 20 dev in []
            react ^18.0.0 runtime in [src/main.ts]
            vitest 1 dev in []
            undeclared nowhere
            unresolved src/main.ts:12 ./missing
            cycle src/app/b.tsx src/main.ts
        "#]],
    );
}

#[test]
fn packages_of_a_monorepo_resolve_to_their_sources() {
    check(
        r##"
//- /packages/a/package.json
{ "name": "@my/a", "exports": { ".": { "import": "./dist/index.mjs" }, "./sub": "./dist/sub.js", "./deep/*": "./dist/deep/*.js" }, "imports": { "#own/*": "./src/own/*.ts" } }
//- /packages/a/src/index.ts
import "#own/x"
//- /packages/a/src/sub.ts
//- /packages/a/src/deep/thing.ts
//- /packages/a/src/own/x.ts
//- /packages/b/package.json
{ "name": "b", "main": "lib/b.js", "dependencies": { "@my/a": "workspace:*" } }
//- /packages/b/src/b.ts
import a from "@my/a"
import sub from "@my/a/sub"
import thing from "@my/a/deep/thing"
//- /packages/c/package.json
{ "name": "c" }
//- /packages/c/index.js
require("b")
"##,
        expect![[r#"
            packages/a/src/index.ts:1 -> packages/a/src/own/x.ts (import)
            packages/b/src/b.ts:3 -> packages/a/src/deep/thing.ts (import)
            packages/b/src/b.ts:1 -> packages/a/src/index.ts (import)
            packages/b/src/b.ts:2 -> packages/a/src/sub.ts (import)
            packages/c/index.js:1 -> packages/b/src/b.ts (require)
        "#]],
    );
}

#[test]
fn python_modules_are_found_by_where_python_would_look() {
    check(
        r##"
//- /pyproject.toml
[project]
name = "shop"
dependencies = ["requests[socks]>=2.0; python_version > '3'", "PyYAML", "google-cloud-storage==1.0"]
[project.optional-dependencies]
test = ["pytest"]
//- /uv.lock
[[package]]
name = "requests"
version = "2.31.0"
//- /src/shop/__init__.py
from .cart import Cart
from . import prices, nothing
//- /src/shop/cart.py
from __future__ import annotations
import json, requests
import yaml
import shop.prices as p
from shop import prices
from ..outside import x
from google.cloud.storage import Client
def f():
    from .deep.inner import thing
//- /src/shop/prices.py
from shop.deep import inner, *
import shop
//- /src/shop/deep/inner.py
from ... import top
from ..cart import Cart
//- /tests/test_cart.py
import pytest
from shop.cart import Cart
from helpers import make
import unknown_package
//- /tests/helpers.py
"##,
        expect![[r#"
            src/shop/__init__.py:1 -> src/shop/cart.py (import)
            src/shop/__init__.py:2 -> src/shop/prices.py (import)
            src/shop/cart.py:9 -> src/shop/deep/inner.py (import) lazy
            src/shop/cart.py:4 -> src/shop/prices.py (import)
            src/shop/deep/inner.py:2 -> src/shop/cart.py (import)
            src/shop/prices.py:2 -> src/shop/__init__.py (import)
            src/shop/prices.py:1 -> src/shop/deep/inner.py (import)
            tests/test_cart.py:2 -> src/shop/cart.py (import) test
            tests/test_cart.py:3 -> tests/helpers.py (import) test
            PyYAML - runtime in [src/shop/cart.py]
            google-cloud-storage ==1.0 runtime in [src/shop/cart.py]
            pytest - dev in [tests/test_cart.py]
            requests 2.31.0 runtime in [src/shop/cart.py]
            undeclared unknown_package
            unresolved src/shop/cart.py:6 ..outside
            unresolved src/shop/deep/inner.py:1 ...
            cycle src/shop/__init__.py src/shop/prices.py
            cycle src/shop/__init__.py src/shop/cart.py src/shop/prices.py
            cycle src/shop/cart.py src/shop/prices.py src/shop/deep/inner.py
            cycle src/shop/cart.py src/shop/deep/inner.py lazy
        "#]],
    );
}

#[test]
fn rust_paths_follow_the_tree_of_modules() {
    check(
        r##"
//- /Cargo.toml
[workspace]
members = ["a", "b"]
[workspace.dependencies]
serde = "1.0.100"
//- /Cargo.lock
[[package]]
name = "serde"
version = "1.0.200"
//- /a/Cargo.toml
[package]
name = "my-a"
[dependencies]
serde = { workspace = true, features = ["derive"] }
tokio = { version = "1", optional = true }
[dev-dependencies]
proptest = "1"
//- /a/src/lib.rs
mod one;
pub mod two;
#[path = "elsewhere/three.rs"]
mod third;
use std::collections::HashMap;
pub use two::{inner::{self, Deep}, Two};
fn f() { crate::third::g(); serde::de::x(); }
//- /a/src/one.rs
use super::two::Two;
use crate::{two::inner::*, third};
use serde::Serialize;
mod inline { use super::super::third::X; mod nested; }
//- /a/src/one/inline/nested.rs
//- /a/src/two/mod.rs
pub mod inner;
use self::inner::Deep;
//- /a/src/two/inner.rs
#[tokio::main]
fn h() { println!("{}", crate::one::x()); }
//- /a/src/elsewhere/three.rs
//- /a/tests/it.rs
mod common;
use my_a::two::inner::Deep;
use common::setup;
use proptest::prelude::*;
//- /a/tests/common/mod.rs
//- /b/Cargo.toml
[package]
name = "b"
[dependencies]
renamed = { package = "my-a", path = "../a" }
//- /b/src/main.rs
use renamed::Two;
"##,
        expect![[r#"
            a/src/lib.rs:4 -> a/src/elsewhere/three.rs (module)
            a/src/lib.rs:1 -> a/src/one.rs (module)
            a/src/lib.rs:6 -> a/src/two/inner.rs (reexport)
            a/src/lib.rs:6 -> a/src/two/mod.rs (reexport)
            a/src/one.rs:2 -> a/src/elsewhere/three.rs (import)
            a/src/one.rs:4 -> a/src/one/inline/nested.rs (module)
            a/src/one.rs:2 -> a/src/two/inner.rs (import)
            a/src/one.rs:1 -> a/src/two/mod.rs (import)
            a/src/two/mod.rs:2 -> a/src/two/inner.rs (import)
            a/tests/it.rs:2 -> a/src/two/inner.rs (import) test
            a/tests/it.rs:3 -> a/tests/common/mod.rs (import) test
            b/src/main.rs:1 -> a/src/lib.rs (import)
            a/src/two/inner.rs:2 ~> a/src/one.rs (qualified_name)
            proptest 1 dev in [a/tests/it.rs]
            serde 1.0.200 runtime in [a/src/lib.rs, a/src/one.rs]
            tokio 1 optional in [a/src/two/inner.rs]
        "#]],
    );
}

#[test]
fn go_imports_resolve_to_the_files_that_define_the_used_names() {
    check(
        r##"
//- /go.mod
module example.com/shop

go 1.22

require (
	github.com/spf13/cobra v1.8.0
	golang.org/x/text v0.14.0 // indirect
)
//- /main.go
package main

import (
	"fmt"
	c "example.com/shop/cart"
	"github.com/spf13/cobra/doc"
	_ "example.com/shop/side"
	"example.com/shop/tools/gen"
)

func main() { fmt.Println(c.Total(), c.Item{}); doc.X(); helper(); gen.Run() }
//- /helper.go
package main

func helper() {}
//- /cart/total.go
package cart

func Total() int { return count(Item{}) }
//- /cart/item.go
package cart

type Item struct{}
//- /cart/other.go
package cart

func count(i Item) int { return 1 }
//- /cart/item_test.go
package cart
//- /side/side.go
package side
//- /tools/go.mod
module example.com/shop/tools
//- /tools/gen/gen.go
package gen

func Run() {}
"##,
        expect![[r#"
            main.go:5 -> cart/item.go (import)
            main.go:5 -> cart/total.go (import)
            main.go:7 -> side/side.go (import)
            main.go:8 -> tools/gen/gen.go (import)
            cart/other.go:3 ~> cart/item.go (same_package)
            cart/total.go:3 ~> cart/item.go (same_package)
            cart/total.go:3 ~> cart/other.go (same_package)
            main.go:11 ~> helper.go (same_package)
            github.com/spf13/cobra v1.8.0 runtime in [main.go]
            golang.org/x/text v0.14.0 indirect in []
        "#]],
    );
}

#[test]
fn go_names_bound_by_a_declaration_are_not_those_of_the_package() {
    check(
        r##"
//- /go.mod
module example.com/shop

replace example.com/forked/lib => ./third/lib
//- /a/names.go
package a

var _ = cache

var cache, name, limits = 1, 2, 3

const kind = 1

func helper() {}
//- /a/locals.go
package a

type Local struct{ name string }

var _ Local = Local{name: "x"}

func f(cache int) int { name := 1; return cache + name }
//- /a/uses.go
package a

func g() int {
	if cache := 1; cache > 0 {
	}
	return limits.deep
}
//- /a/keys.go
package a

var byKind = map[int]string{kind: "x"}
//- /a/gen.go
package main

func main() {}
//- /a/inner_test.go
package a

var Exported = cache
//- /a/outer_test.go
package a_test

import "example.com/shop/a"

var _ = a.Exported

func run() { check() }
//- /a/check_test.go
package a_test

func check() {}
//- /b/b.go
package b

import (
	"example.com/forked/lib"
	"example.com/shop/a"
)

var used = a.Local{}

func f(a thing) { a.helper(); lib.Run() }
//- /third/lib/go.mod
module example.com/original/lib
//- /third/lib/lib.go
package lib

func Run() {}
"##,
        expect![[r#"
            a/outer_test.go:3 -> a/inner_test.go (import) test
            b/b.go:5 -> a/locals.go (import)
            b/b.go:4 -> third/lib/lib.go (import)
            a/inner_test.go:3 ~> a/names.go (same_package)
            a/keys.go:3 ~> a/names.go (same_package)
            a/outer_test.go:7 ~> a/check_test.go (same_package)
            a/uses.go:6 ~> a/names.go (same_package)
        "#]],
    );
}

#[test]
fn rust_imports_pass_on_what_they_bring_in() {
    check(
        r##"
//- /Cargo.toml
[package]
name = "clock"
[dependencies]
clock-face = { path = "face" }
//- /src/lib.rs
pub mod time;
mod sync;
mod user;
pub use time::sleep as nap;
pub extern crate clock_face as face;
//- /tests/all/main.rs
automod::dir!("tests/all");
//- /tests/all/first.rs
use super::second;
//- /tests/all/second.rs
//- /face/Cargo.toml
[package]
name = "clock-face"
//- /face/src/lib.rs
pub mod hands;
//- /face/src/hands.rs
pub struct Hand;
//- /src/time/mod.rs
mod sleep;
pub use sleep::sleep;
pub(crate) use self::system::*;
mod system;
//- /src/time/sleep.rs
pub fn sleep() {}
//- /src/time/system/mod.rs
pub mod ticks;
//- /src/time/system/ticks.rs
pub struct Tick;
//- /src/sync.rs
pub use crate::time::system::ticks as unused;
pub use crate::time::ticks;
pub use crate::time::sleep;
//- /src/user.rs
use crate::time::sleep;
use crate::time::ticks::Tick;
use crate::sync::ticks::Tick as Tock;
use crate::time;
use time::system::ticks;
use crate::face::hands::Hand;
use crate::sync::sleep as rest;
enum Kind { A }
fn f() { use Kind::*; use Tick::*; }
"##,
        expect![[r#"
            face/src/lib.rs:1 -> face/src/hands.rs (module)
            src/lib.rs:5 -> face/src/lib.rs (import)
            src/lib.rs:2 -> src/sync.rs (module)
            src/lib.rs:4 -> src/time/mod.rs (reexport)
            src/lib.rs:3 -> src/user.rs (module)
            src/sync.rs:3 -> src/time/mod.rs (reexport)
            src/sync.rs:1 -> src/time/system/ticks.rs (reexport)
            src/time/mod.rs:2 -> src/time/sleep.rs (reexport)
            src/time/mod.rs:3 -> src/time/system/mod.rs (reexport)
            src/time/system/mod.rs:1 -> src/time/system/ticks.rs (module)
            src/user.rs:6 -> face/src/hands.rs (import)
            src/user.rs:7 -> src/sync.rs (import)
            src/user.rs:1 -> src/time/mod.rs (import)
            src/user.rs:2 -> src/time/system/ticks.rs (import)
            tests/all/first.rs:1 -> tests/all/second.rs (import) test
        "#]],
    );
}

#[test]
fn includes_are_lines_wherever_they_stand() {
    check(
        r##"
//- /src/table.c
#include "table.h"
static const char *names[] = {
#  include "names.inc"
};
/* #include "old.h"
#include "older.h"
*/
// #include "oldest.h"
#if 0
#include "unbuilt.h"
#endif
//- /src/table.h
#include <table.h>
#include <strings.h>
//- /include/table.h
//- /compat/strings.h
//- /src/names.inc
"one", "two"
//- /src/old.h
//- /src/older.h
//- /src/oldest.h
//- /src/unbuilt.h
"##,
        expect![[r#"
            src/table.c:3 -> src/names.inc (include)
            src/table.c:1 -> src/table.h (include)
            src/table.c:10 -> src/unbuilt.h (include)
            src/table.h:1 -> include/table.h (include)
        "#]],
    );
}

#[test]
fn java_and_kotlin_types_are_found_by_package() {
    check(
        r##"
//- /pom.xml
<project><groupId>com.shop</groupId><artifactId>app</artifactId>
<properties><guava.version>33.0</guava.version></properties>
<dependencies>
<dependency><groupId>com.google.guava</groupId><artifactId>guava</artifactId><version>${guava.version}</version></dependency>
<dependency><groupId>junit</groupId><artifactId>junit</artifactId><version>4.13</version><scope>test</scope></dependency>
</dependencies></project>
//- /src/main/java/com/shop/App.java
package com.shop;
import com.shop.cart.Cart;
import com.shop.cart.Cart.Line;
import static com.shop.util.Texts.trim;
import com.shop.model.*;
import java.util.List;
import com.google.common.collect.Lists;
class App { Cart cart; Item item; Helper helper; com.shop.util.Dates dates; }
//- /src/main/java/com/shop/Helper.java
package com.shop;
class Helper {}
//- /src/main/java/com/shop/cart/Cart.java
package com.shop.cart;
import com.shop.App;
public class Cart { public static class Line {} }
//- /src/main/java/com/shop/util/Texts.java
package com.shop.util;
public class Texts {}
//- /src/main/java/com/shop/util/Dates.java
package com.shop.util;
public class Dates {}
//- /src/main/java/com/shop/model/Item.java
package com.shop.model;
public class Item {}
//- /src/main/java/com/shop/model/Unused.java
package com.shop.model;
public class Unused {}
//- /src/main/kotlin/com/shop/Main.kt
package com.shop
import com.shop.model.Item
import com.shop.util.*
fun main() { Texts(); helper() }
//- /src/main/kotlin/com/shop/Helpers.kt
package com.shop
fun helper() {}
//- /src/test/java/com/shop/AppTest.java
package com.shop;
import org.junit.Test;
class AppTest { App app; }
"##,
        expect![[r#"
            src/main/java/com/shop/App.java:2 -> src/main/java/com/shop/cart/Cart.java (import)
            src/main/java/com/shop/App.java:5 -> src/main/java/com/shop/model/Item.java (import)
            src/main/java/com/shop/App.java:4 -> src/main/java/com/shop/util/Texts.java (static_import)
            src/main/java/com/shop/cart/Cart.java:2 -> src/main/java/com/shop/App.java (import)
            src/main/kotlin/com/shop/Main.kt:2 -> src/main/java/com/shop/model/Item.java (import)
            src/main/kotlin/com/shop/Main.kt:3 -> src/main/java/com/shop/util/Texts.java (import)
            src/main/java/com/shop/App.java:8 ~> src/main/java/com/shop/Helper.java (same_package)
            src/main/java/com/shop/App.java:8 ~> src/main/java/com/shop/util/Dates.java (qualified_name)
            src/main/kotlin/com/shop/Main.kt:4 ~> src/main/kotlin/com/shop/Helpers.kt (same_package)
            src/test/java/com/shop/AppTest.java:3 ~> src/main/java/com/shop/App.java (same_package)
            com.google.guava:guava 33.0 runtime in [src/main/java/com/shop/App.java]
            junit:junit 4.13 dev in [src/test/java/com/shop/AppTest.java]
            cycle src/main/java/com/shop/App.java src/main/java/com/shop/cart/Cart.java
        "#]],
    );
}

#[test]
fn headers_are_found_beside_the_file_or_by_the_end_of_their_path() {
    check(
        r##"
//- /include/lib/api.h
#include "detail/impl.h"
//- /include/lib/detail/impl.h
//- /src/main.c
#include <stdio.h>
#include <lib/api.h>
#include "util.h"
#include "../include/lib/detail/impl.h"
#include <openssl/ssl.h>
//- /src/util.h
#pragma once
//- /other/util.h
//- /CMakeLists.txt
find_package(OpenSSL 3.0 REQUIRED)
"##,
        expect![[r#"
            include/lib/api.h:1 -> include/lib/detail/impl.h (include)
            src/main.c:2 -> include/lib/api.h (include)
            src/main.c:4 -> include/lib/detail/impl.h (include)
            src/main.c:3 -> src/util.h (include)
            OpenSSL 3.0 runtime in [src/main.c]
        "#]],
    );
}

#[test]
fn other_languages_name_files_and_modules() {
    check(
        r##"
//- /lib/shop.rb
require "shop/cart"
require_relative "shop/price"
require "json"
require "rails"
//- /lib/shop/cart.rb
module Shop
  class Cart
    def price = Price.new
  end
end
//- /lib/shop/price.rb
module Shop
  class Price
  end
end
//- /Gemfile
gem "rails", "~> 7.0"
group :test do
  gem "rspec"
end
//- /Gemfile.lock
GEM
  specs:
    rails (7.1.2)
//- /composer.json
{ "require": { "php": "^8", "monolog/monolog": "^3.0" } }
//- /app/Http/Home.php
<?php
namespace App\Http;
use App\Models\{User, Order};
use Monolog\Logger;
require __DIR__ . '/../helpers.php';
class Home { function f(Other $o) { return new \App\Models\User; } }
//- /app/Http/Other.php
<?php
namespace App\Http;
class Other {}
//- /app/Models/User.php
<?php
namespace App\Models;
class User {}
//- /app/Models/Order.php
<?php
namespace App\Models;
class Order {}
//- /app/helpers.php
<?php
//- /lua/plugin/init.lua
local util = require("plugin.util")
//- /lua/plugin/util.lua
//- /src/main.zig
const std = @import("std");
const other = @import("other.zig");
//- /src/other.zig
//- /cs/A.cs
using Shop.Models;
using Newtonsoft.Json;
using System.Linq;
namespace Shop.App;
class A { Item item; B b; }
//- /cs/B.cs
namespace Shop.App;
class B {}
//- /cs/Item.cs
namespace Shop.Models { public class Item {} }
//- /cs/Shop.csproj
<Project><ItemGroup><PackageReference Include="Newtonsoft.Json" Version="13.0.1" /></ItemGroup></Project>
//- /ex/lib/a.ex
defmodule Shop.A do
  alias Shop.{B, C}
  use Phoenix.Controller
  def f, do: Shop.D.g()
end
//- /ex/lib/b.ex
defmodule Shop.B do
end
//- /ex/lib/c.ex
defmodule Shop.C do
end
//- /ex/lib/d.ex
defmodule Shop.D do
end
//- /ex/mix.exs
defmodule Shop.MixProject do
  defp deps do
    [
      {:phoenix, "~> 1.7"},
      {:ex_doc, "~> 0.30", only: :dev, runtime: false}
    ]
  end
end
//- /dart/pubspec.yaml
name: shop
dependencies:
  http: ^1.0.0
//- /dart/lib/main.dart
import 'package:shop/cart.dart';
import 'package:http/http.dart';
import 'dart:io';
part 'part.dart';
//- /dart/lib/cart.dart
//- /dart/lib/part.dart
"##,
        expect![[r#"
            app/Http/Home.php:3 -> app/Models/Order.php (import)
            app/Http/Home.php:3 -> app/Models/User.php (import)
            app/Http/Home.php:5 -> app/helpers.php (include)
            cs/A.cs:1 -> cs/Item.cs (import)
            dart/lib/main.dart:1 -> dart/lib/cart.dart (import)
            dart/lib/main.dart:4 -> dart/lib/part.dart (module)
            ex/lib/a.ex:2 -> ex/lib/b.ex (import)
            ex/lib/a.ex:2 -> ex/lib/c.ex (import)
            lib/shop.rb:1 -> lib/shop/cart.rb (require)
            lib/shop.rb:2 -> lib/shop/price.rb (require)
            lua/plugin/init.lua:1 -> lua/plugin/util.lua (require)
            src/main.zig:2 -> src/other.zig (import)
            app/Http/Home.php:6 ~> app/Http/Other.php (same_package)
            cs/A.cs:5 ~> cs/B.cs (same_package)
            ex/lib/a.ex:4 ~> ex/lib/d.ex (qualified_name)
            lib/shop/cart.rb:3 ~> lib/shop/price.rb (qualified_name)
            rails 7.1.2 runtime in [lib/shop.rb]
            rspec - dev in []
            monolog/monolog ^3.0 runtime in [app/Http/Home.php]
            Newtonsoft.Json 13.0.1 runtime in [cs/A.cs]
            http ^1.0.0 runtime in [dart/lib/main.dart]
            ex_doc ~> 0.30 dev in []
            phoenix ~> 1.7 runtime in [ex/lib/a.ex]
        "#]],
    );
}

#[test]
fn cycles_are_in_the_order_of_their_imports() {
    check(
        r##"
//- /a.ts
import "./b"
//- /b.ts
import "./c"
import "./a"
//- /c.ts
import "./a"
"##,
        expect![[r#"
            a.ts:1 -> b.ts (import)
            b.ts:2 -> a.ts (import)
            b.ts:1 -> c.ts (import)
            c.ts:1 -> a.ts (import)
            cycle a.ts b.ts
            cycle a.ts b.ts c.ts
        "#]],
    );
}

#[test]
fn charts_and_lists_are_the_same_every_time() {
    let fixture = "//- /src/b.ts\nimport './a'\n//- /src/a.ts\nimport '../lib/c'\n//- /lib/c.ts\n";
    let text = |fixture| serde_json::to_string(&analysis(fixture).dependencies()).unwrap();
    assert_eq!(text(fixture), text(fixture));
    expect![[r#"
        flowchart LR
          n1["src"]
          subgraph g1["used most"]
            n2["lib/c.ts"]
            n3["src/a.ts"]
          end
          n1 --> n2
          n1 --> n3
    "#]]
    .assert_eq(&analysis(fixture).dependencies().mermaid);
}

#[test]
fn edges_and_cycles_say_what_is_weak_about_them() {
    check(
        r##"
//- /a.py
from typing import TYPE_CHECKING
import b
if TYPE_CHECKING:
    import c
else:
    import d
def f():
    import e
//- /b.py
import a
//- /c.py
import a
//- /d.py
//- /e.py
import a
//- /test_a.py
import a
import helpers_test
//- /helpers_test.py
import test_a
//- /ts/x.ts
import { type Y, type Z } from "./y"
import { type Y, run } from "./z"
const page = () => import("./page")
//- /ts/y.ts
import "./x"
//- /ts/z.ts
import type { X } from "./x"
import { other } from "./x"
//- /ts/page.ts
import "./x"
//- /rb/a.rb
def load
  require_relative "b"
end
//- /rb/b.rb
//- /rs/src/lib.rs
mod a;
mod b;
//- /rs/src/a.rs
use crate::b::B;
//- /rs/src/b.rs
pub struct B;
#[cfg(test)]
mod tests {
    use crate::a::f;
}
//- /rs/Cargo.toml
[package]
name = "rs"
"##,
        expect![[r#"
            a.py:2 -> b.py (import)
            a.py:4 -> c.py (type_import) type_only
            a.py:6 -> d.py (import)
            a.py:8 -> e.py (import) lazy
            b.py:1 -> a.py (import)
            c.py:1 -> a.py (import)
            e.py:1 -> a.py (import)
            helpers_test.py:1 -> test_a.py (import) test
            rb/a.rb:2 -> rb/b.rb (require) lazy
            rs/src/a.rs:1 -> rs/src/b.rs (import)
            rs/src/b.rs:4 -> rs/src/a.rs (import) test
            rs/src/lib.rs:1 -> rs/src/a.rs (module)
            rs/src/lib.rs:2 -> rs/src/b.rs (module)
            test_a.py:1 -> a.py (import) test
            test_a.py:2 -> helpers_test.py (import) test
            ts/page.ts:1 -> ts/x.ts (import)
            ts/x.ts:3 -> ts/page.ts (dynamic_import) lazy
            ts/x.ts:1 -> ts/y.ts (type_import) type_only
            ts/x.ts:2 -> ts/z.ts (import)
            ts/y.ts:1 -> ts/x.ts (import)
            ts/z.ts:1 -> ts/x.ts (type_import)
            cycle a.py b.py
            cycle ts/x.ts ts/z.ts
            cycle a.py c.py type_only
            cycle a.py e.py lazy
            cycle ts/page.ts ts/x.ts lazy
            cycle ts/x.ts ts/y.ts type_only
            cycle helpers_test.py test_a.py test
            cycle rs/src/a.rs rs/src/b.rs test
        "#]],
    );
}

#[test]
fn rust_without_manifests_is_resolved_by_folders() {
    check(
        r##"
//- /net-io/src/lib.rs
mod http;
pub mod error;
//- /net-io/src/http.rs
use crate::error::Error;
use super::error;
//- /net-io/src/error.rs
pub struct Error;
//- /app/src/main.rs
mod run;
use net_io::error::Error;
//- /app/src/run.rs
use crate::gone::Thing;
//- /loose/src/a/mod.rs
use crate::b::c::D;
use super::e::F;
//- /loose/src/b/c.rs
pub struct D;
//- /loose/src/e.rs
pub struct F;
//- /top/x.rs
use crate::inner::y::Y;
//- /top/inner/y.rs
pub struct Y;
"##,
        expect![[r#"
            app/src/main.rs:1 -> app/src/run.rs (module)
            app/src/main.rs:2 -> net-io/src/error.rs (import)
            app/src/run.rs:1 -> app/src/main.rs (import)
            loose/src/a/mod.rs:1 -> loose/src/b/c.rs (import)
            loose/src/a/mod.rs:2 -> loose/src/e.rs (import)
            net-io/src/http.rs:1 -> net-io/src/error.rs (import)
            net-io/src/lib.rs:2 -> net-io/src/error.rs (module)
            net-io/src/lib.rs:1 -> net-io/src/http.rs (module)
            top/x.rs:1 -> top/inner/y.rs (import)
        "#]],
    );
}

#[test]
fn go_without_a_module_file_is_resolved_by_what_imports_share() {
    check(
        r##"
//- /cmd/main.go
package main
import (
	"fmt"
	"github.com/acme/shop/cart"
	"github.com/acme/shop/store/db"
	"github.com/pkg/errors"
)
func main() { cart.Add(); db.Open(); errors.New("x") }
//- /cart/cart.go
package cart
func Add() {}
//- /store/db/db.go
package db
func Open() {}
//- /errors/errors.go
package errors
func New(string) {}
"##,
        expect![[r#"
            cmd/main.go:4 -> cart/cart.go (import)
            cmd/main.go:5 -> store/db/db.go (import)
            undeclared github.com/pkg/errors
        "#]],
    );
}

#[test]
fn scripts_without_configuration_are_resolved_by_folders() {
    check(
        r##"
//- /web/src/pages/home.ts
import { Button } from "components/button"
import { api } from "@services/api"
import { kit } from "@acme/kit"
import { deep } from "@acme/kit/deep"
import { map } from "lodash/map"
import { useState } from "react"
//- /web/src/components/button.ts
//- /web/src/services/api.ts
//- /web/src/lodash/map.ts
//- /packages/kit/src/index.ts
//- /packages/kit/src/deep.ts
//- /web/package.json
{ "dependencies": { "lodash": "4" } }
"##,
        expect![[r#"
            web/src/pages/home.ts:4 -> packages/kit/src/deep.ts (import)
            web/src/pages/home.ts:3 -> packages/kit/src/index.ts (import)
            web/src/pages/home.ts:1 -> web/src/components/button.ts (import)
            web/src/pages/home.ts:2 -> web/src/services/api.ts (import)
            lodash 4 runtime in [web/src/pages/home.ts]
            undeclared react
        "#]],
    );
}

#[test]
fn artifacts_of_one_vendor_are_distinguished() {
    check(
        r##"
//- /pom.xml
<project><groupId>com.google.code.gson</groupId><artifactId>gson</artifactId><dependencies>
<dependency><groupId>com.google.guava</groupId><artifactId>guava</artifactId><version>33</version></dependency>
<dependency><groupId>com.google.truth</groupId><artifactId>truth</artifactId><version>1.4</version></dependency>
<dependency><groupId>com.google.auto.value</groupId><artifactId>auto-value</artifactId><version>1</version></dependency>
<dependency><groupId>org.openjdk.jmh</groupId><artifactId>jmh-core</artifactId><version>1</version></dependency>
<dependency><groupId>org.openjdk.jmh</groupId><artifactId>jmh-core-benchmarks</artifactId><version>1</version></dependency>
<dependency><groupId>com.google.code.gson</groupId><artifactId>gson-extras</artifactId><version>1</version></dependency>
<dependency><groupId>org.hdrhistogram</groupId><artifactId>HdrHistogram</artifactId><version>1</version></dependency>
<dependency><groupId>com.typesafe.scala-logging</groupId><artifactId>scala-logging_2.13</artifactId><version>1</version></dependency>
</dependencies></project>
//- /src/main/java/com/google/gson/A.java
package com.google.gson;
import com.google.gson.internal.GeneratedConfig;
import com.google.common.truth.Truth;
//- /src/main/java/com/google/gson/B.java
package com.google.gson;
import com.google.common.collect.ImmutableList;
import com.google.protobuf.Message;
//- /src/main/java/com/google/gson/C.java
package com.google.gson;
import com.google.auto.value.AutoValue;
import org.openjdk.jmh.annotations.Benchmark;
import org.HdrHistogram.Histogram;
import com.typesafe.scalalogging.Logger;
"##,
        expect![[r#"
            com.google.auto.value:auto-value 1 runtime in [src/main/java/com/google/gson/C.java]
            com.google.code.gson:gson-extras 1 runtime in []
            com.google.guava:guava 33 runtime in [src/main/java/com/google/gson/B.java]
            com.google.truth:truth 1.4 runtime in [src/main/java/com/google/gson/A.java]
            com.typesafe.scala-logging:scala-logging_2.13 1 runtime in [src/main/java/com/google/gson/C.java]
            org.hdrhistogram:HdrHistogram 1 runtime in []
            org.openjdk.jmh:jmh-core 1 runtime in []
            org.openjdk.jmh:jmh-core-benchmarks 1 runtime in []
            unresolved src/main/java/com/google/gson/A.java:2 com.google.gson.internal.GeneratedConfig
            unresolved src/main/java/com/google/gson/B.java:3 com.google.protobuf.Message
            unresolved src/main/java/com/google/gson/C.java:3 org.openjdk.jmh.annotations.Benchmark
            unresolved src/main/java/com/google/gson/C.java:4 org.HdrHistogram.Histogram
        "#]],
    );
}

#[test]
fn crates_use_what_their_manifests_declare() {
    check(
        r##"
//- /app/Cargo.toml
[package]
name = "app"
edition = "2021"
[dependencies]
core-part = { path = "../core" }
serde = "1"
//- /app/src/main.rs
mod serde;
mod view;
use core_part::shape::Shape;
//- /app/src/serde.rs
pub fn own() {}
//- /app/src/view.rs
use serde::Deserialize;
use crate::serde::own;
//- /core/Cargo.toml
[package]
name = "core-part"
[lib]
name = "core_part"
//- /core/src/lib.rs
pub mod shape;
#[macro_export]
macro_rules! run { () => { let _ = extra::Thing::new(); app::x() } }
//- /core/src/shape.rs
pub struct Shape;
//- /extra/Cargo.toml
[package]
name = "extra"
[dev-dependencies]
core-part = { workspace = true }
//- /extra/src/lib.rs
pub struct Thing;
//- /extra/tests/all.rs
use extra::Thing;
use core_part::shape::Shape;
"##,
        expect![[r#"
            app/src/main.rs:1 -> app/src/serde.rs (module)
            app/src/main.rs:2 -> app/src/view.rs (module)
            app/src/main.rs:3 -> core/src/shape.rs (import)
            app/src/view.rs:2 -> app/src/serde.rs (import)
            core/src/lib.rs:1 -> core/src/shape.rs (module)
            extra/tests/all.rs:2 -> core/src/shape.rs (import) test
            extra/tests/all.rs:1 -> extra/src/lib.rs (import) test
            serde 1 runtime in [app/src/view.rs]
        "#]],
    );
}

#[test]
fn declared_packages_go_before_the_standard_library_and_own_namespaces() {
    check(
        r##"
//- /composer.json
{"require": {"ezyang/htmlpurifier": "^4", "james-heinrich/getid3": "^1", "mockery/mockery": "^1"}}
//- /app/Clean.php
<?php
namespace App;
use HTMLPurifier;
use getID3;
use Mockery;
use DateTime;
//- /src/App.csproj
<Project><ItemGroup>
  <PackageReference Include="System.Text.Json" Version="8" />
  <PackageReference Include="Ardalis.GuardClauses" Version="4" />
  <PackageReference Include="Shop" Version="1" />
</ItemGroup></Project>
//- /src/Guards.cs
namespace Ardalis.GuardClauses { public static class OwnGuards {} }
//- /src/Cart.cs
using System.IO;
using System.Text.Json.Serialization;
using Ardalis.GuardClauses;
using Shop.Prices;
namespace Shop.Carts { class Cart {} }
//- /src/Price.cs
namespace Shop.Prices { class Price {} }
//- /web/package.json
{"dependencies": {"tailwindcss": "^4"}}
//- /web/app.css
@import 'tailwindcss';
@import 'tailwindcss/theme.css';
@import 'other';
"##,
        expect![[r#"
            ezyang/htmlpurifier ^4 runtime in [app/Clean.php]
            james-heinrich/getid3 ^1 runtime in [app/Clean.php]
            mockery/mockery ^1 runtime in [app/Clean.php]
            Ardalis.GuardClauses 4 runtime in [src/Cart.cs]
            Shop 1 runtime in []
            System.Text.Json 8 runtime in [src/Cart.cs]
            tailwindcss ^4 runtime in [web/app.css]
            unresolved web/app.css:3 other
        "#]],
    );
}

#[test]
fn which_of_equally_near_headers_is_included_depends_on_the_build() {
    check(
        r##"
//- /main.c
#include "Platform.h"
#include "util.h"
//- /linux/Platform.h
//- /linux/Platform.c
#include "Platform.h"
//- /darwin/Platform.h
//- /lib/util.h
//- /other/deep/lib/util.h
"##,
        expect![[r#"
            linux/Platform.c:1 -> linux/Platform.h (include)
            main.c:2 -> lib/util.h (include)
            unresolved main.c:1 Platform.h
        "#]],
    );
}

#[test]
fn manifests_that_are_data_of_tests_declare_no_packages_of_the_project() {
    check(
        r##"
//- /package.json
{"dependencies": {"semver": "7"}}
//- /src/index.ts
import semver from "semver"
//- /test/package.json
{"devDependencies": {"mocha": "10", "chai": "5"}}
//- /test/all.test.ts
import { it } from "mocha"
//- /test/test-data/old/package.json
{"dependencies": {"express": "1", "semver": "1"}}
"##,
        expect![[r#"
            semver 7 runtime in [src/index.ts]
            chai 5 dev in []
            mocha 10 dev in [test/all.test.ts]
        "#]],
    );
}

#[test]
fn what_some_manifest_declares_is_not_undeclared() {
    check(
        r##"
//- /package.json
{"devDependencies": {"@types/node": "22"}}
//- /app/package.json
{"dependencies": {"left-pad": "1"}}
//- /lib/package.json
{"dependencies": {}}
//- /lib/index.ts
import pad from "left-pad"
import other from "other"
//- /plugins/mime.lua
local mime = require("mime.local")
"##,
        expect![[r#"
            left-pad 1 runtime in []
            @types/node 22 dev in []
            undeclared other
            unresolved plugins/mime.lua:1 mime.local
        "#]],
    );
}
