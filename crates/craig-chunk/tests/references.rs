//! What a file refers to in each language: packages, imports with their kinds and names, names of other files.

use std::fmt::Write as _;

use craig_chunk::references;
use craig_source::Language;
use expect_test::{Expect, expect};

fn check(path: &str, text: &str, expect: Expect) {
    let language = Language::from_path(path).expect("a language by its extension");
    let found = references(language, text.trim_start_matches('\n'));
    let mut out = String::new();
    if !found.packages.is_empty() {
        writeln!(out, "package {}", found.packages.join(" ")).expect("a string");
    }
    for import in &found.imports {
        write!(out, "{} {} {}", import.line, import.kind.as_str(), import.target).expect("a string");
        let parts = [
            (!import.names.is_empty()).then(|| format!(" {{{}}}", import.names.join(", "))),
            import.alias.as_ref().map(|alias| format!(" as {alias}")),
            (!import.within.is_empty()).then(|| format!(" in {}", import.within.join("::"))),
            import.path.as_ref().map(|path| format!(" at {path}")),
        ];
        writeln!(out, "{}", parts.into_iter().flatten().collect::<String>()).expect("a string");
    }
    let uses: Vec<String> = found.uses.iter().map(|used| format!("{}:{}", used.name, used.line)).collect();
    if !uses.is_empty() {
        writeln!(out, "uses {}", uses.join(" ")).expect("a string");
    }
    expect.assert_eq(&out);
}

#[test]
fn flow_imports_types_like_typescript() {
    let text = r#"
/* @flow strict */
import type {A} from './a';
import typeof B from './b';
import {type C, typeof D} from './c'; // and
import {
  // a comment
  type E,
} from './e';
import type, {type F} from './f';
import {type as G, type H} from './g';
import {} from './h';
export type {I} from './i';
import type J, {K} from './j';
"#;
    for path in ["a.js", "a.ts"] {
        check(
            path,
            text,
            expect![[r#"
                2 type_import ./a {A}
                3 type_import ./b {B}
                4 type_import ./c {C, D}
                5 type_import ./e {E}
                9 import ./f {type, F}
                10 import ./g {type, H}
                11 import ./h
                12 type_import ./i {I}
                13 type_import ./j {J, K}
            "#]],
        );
    }
}

#[test]
fn scripts_import_in_many_ways() {
    check(
        "a.ts",
        r#"
import def, { a as b } from "./named";
import type { T } from "./types";
import * as ns from 'ns';
import "./effect";
import legacy = require("legacy");
export { x } from "./x";
export type { Y } from "./y";
export * from "./all";
const late = () => import("./late");
const old = require("./old"), { join } = require("path");
if (x) require(`./template`);
require(variable);
import(`./${computed}`);
jest.requireActual("./actual");
// import "./comment"
const text = 'import "./string"';
"#,
        expect![[r#"
            1 import ./named {def, a}
            2 type_import ./types {T}
            3 import ns
            4 import ./effect
            5 require legacy
            6 reexport ./x {x}
            7 type_import ./y {Y}
            8 reexport ./all
            9 dynamic_import ./late
            10 require ./old
            10 require path
            11 require ./template
            14 require ./actual
        "#]],
    );
}

#[test]
fn scripts_of_components_are_read() {
    check(
        "a.vue",
        "<template><p/></template>\n<script>\nimport a from './a'\n</script>\n<script setup lang=\"ts\">\nimport type { B } from './b'\n</script>\n",
        expect![[r#"
            3 import ./a {a}
            6 type_import ./b {B}
        "#]],
    );
}

#[test]
fn rust_uses_modules_and_qualified_names() {
    check(
        "a.rs",
        r#"
extern crate alloc as memory;
use std::{fmt, io::{self, Read as _}};
pub use crate::inner::Thing as Renamed;
use super::*;
mod plain;
#[path = "elsewhere.rs"]
pub mod placed;
#[cfg(test)]
mod tests {
    use super::Thing;
    mod deeper { use crate::x::Y; mod file; }
}
fn f() -> crate::error::Result<()> {
    serde_json::from_str::<u32>("1")?;
    Vec::<u8>::new();
    println!("{}", fmt::format(craig::version()));
    self::local::call()
}
"#,
        expect![[r#"
            1 import alloc as memory
            2 import std {fmt}
            2 import std::io {self, Read}
            3 reexport crate::inner {Thing} as Renamed
            4 import super {*}
            5 module self::plain
            7 module self::placed at elsewhere.rs
            10 import super {Thing} in tests
            11 import crate::x {Y} in tests::deeper
            11 module self::file in tests::deeper
            uses craig::version:16 crate::error:13 crate::error::Result:13 fmt::format:16 self::local:17 self::local::call:17 serde_json::from_str:14
        "#]],
    );
}

#[test]
fn python_imports_are_relative_or_absolute() {
    check(
        "a.py",
        r#"
import os, sys as system
import a.b.c
from . import sibling
from .. import parent as p
from ...pkg.mod import (a, b as c,)
from x import *
def f():
    import late
if TYPE_CHECKING:
    from typing import Any
"#,
        expect![[r#"
            1 import os
            1 import sys
            2 import a.b.c
            3 import . {sibling}
            4 import .. {parent}
            5 import ...pkg.mod {a, b}
            6 import x {*}
            8 import late
            10 type_import typing {Any}
        "#]],
    );
}

#[test]
fn java_packages_static_imports_and_types() {
    check(
        "A.java",
        r#"
package com.shop.cart;
import com.shop.model.Item;
import com.shop.util.*;
import static com.shop.Texts.trim;
import static com.shop.Texts.*;
class A extends Base implements Shape {
    Item item; com.shop.Dates dates;
    void f(Other o) { Helper.go(); new Made(); int local = 1; }
}
"#,
        expect![[r#"
            package com.shop.cart
            2 import com.shop.model.Item
            3 import com.shop.util {*}
            4 static_import com.shop.Texts.trim
            5 static_import com.shop.Texts {*}
            uses Base:6 Helper:8 Item:7 Made:8 Other:8 Shape:6 com.shop.Dates:7
        "#]],
    );
}

#[test]
fn kotlin_and_scala_see_their_package() {
    check(
        "a.kt",
        "package com.shop\nimport com.shop.model.Item as I\nimport com.shop.util.*\nfun main() { helper(); Cart().total }\n",
        expect![[r#"
            package com.shop
            2 import com.shop.model.Item
            3 import com.shop.util {*}
            uses Cart:4 helper:4 total:4
        "#]],
    );
    check(
        "a.scala",
        "package com.shop\nimport com.shop.model.{Item, Order => O, _}\nimport scala.util.Try\nobject A { def f = Cart.make(x) }\n",
        expect![[r#"
            package com.shop
            2 import com.shop.model {Item, Order, _}
            3 import scala.util.Try
            uses A:4 Cart:4 f:4 make:4 x:4
        "#]],
    );
}

#[test]
fn go_imports_and_the_names_of_its_package() {
    check(
        "a.go",
        r#"
package shop

import "fmt"
import (
	c "example.com/cart"
	. "example.com/dot"
	_ "example.com/side"
)

type Local struct{ name string }

func (l Local) f(arg int) {
	local := other
	fmt.Println(local, arg, c.Total(), global)
	for i, v := range items { use(i, v) }
}
"#,
        expect![[r#"
            package shop
            3 import fmt
            5 import example.com/cart as c
            6 import example.com/dot as .
            7 import example.com/side as _
            uses Local:12 c.Total:14 fmt.Println:14 global:14 int:12 items:15 other:13 string:10 use:15
        "#]],
    );
}

#[test]
fn includes_of_c_are_lines_outside_of_comments() {
    check(
        "a.c",
        "#include <stdio.h>\n#include \"local.h\"\n  #  include_next <deep/x.h>\n/* #include \"no.h\" */\n// #include \"no.h\"\n#import \"objc.h\"\nint x;\n",
        expect![[r#"
            1 include stdio.h
            2 include local.h
            3 include deep/x.h
            6 include objc.h
        "#]],
    );
}

#[test]
fn csharp_usings_namespaces_and_types() {
    check(
        "A.cs",
        r#"
using System;
using static System.Math;
using Alias = Shop.Models.Item;
global using Shop.Globals;
namespace Shop.App { class A { Cart cart; void F(Order o) { Helper.Go(); } } }
"#,
        expect![[r#"
            package Shop.App
            1 import System
            2 static_import System.Math
            3 import Shop.Models.Item as Alias
            4 import Shop.Globals
            uses Cart:5 Go:5 Helper:5 Order:5
        "#]],
    );
}

#[test]
fn php_uses_includes_and_names() {
    check(
        "a.php",
        r#"<?php
namespace App\Http;
use App\Models\User;
use App\Models\{Order, Line as L};
use function App\helper;
use const App\LIMIT;
require __DIR__ . '/../boot.php';
include_once("inc/x.php");
require $dynamic;
class A extends Base { function f(Other $o) { return new \App\Models\Deep; } }
"#,
        expect![[r#"
            package App\Http
            3 import App\Models\User
            4 import App\Models {Order, Line}
            5 import App\helper
            6 import App\LIMIT
            7 include /../boot.php
            8 include inc/x.php
            uses Base:10 Other:10 \App\Models\Deep:10
        "#]],
    );
}

#[test]
fn ruby_requires_and_constants() {
    check(
        "a.rb",
        "require \"json\"\nrequire_relative \"../lib/cart\"\nautoload :Late, \"late\"\nload \"script.rb\"\nmodule Shop\n  class A < Base::Thing\n    def f = Cart.new(Shop::Price::MAX)\n  end\nend\n",
        expect![[r#"
            1 require json
            2 require ../lib/cart
            3 require late
            4 require script.rb
            uses Base::Thing:6 Cart:7 Shop::Price::MAX:7
        "#]],
    );
}

#[test]
fn elixir_aliases_uses_and_modules() {
    check(
        "a.ex",
        "defmodule Shop.A do\n  alias Shop.{B, C}\n  alias Shop.Long.Name, as: Short\n  import Ecto.Query\n  use GenServer\n  require Logger\n  def f, do: Shop.D.g(B.h())\nend\n",
        expect![[r#"
            2 import Shop {B, C}
            3 import Shop.Long.Name
            4 import Ecto.Query
            5 import GenServer
            6 import Logger
            uses B:7 Shop.A:1 Shop.D:7
        "#]],
    );
}

#[test]
fn other_languages_with_grammars() {
    check(
        "a.lua",
        "local a = require(\"x.y\")\nlocal b = require 'z'\nrequire(name)\n",
        expect![[r#"
        1 require x.y
        2 require z
    "#]],
    );
    check(
        "a.sh",
        "source ./lib.sh\n. other.sh\n. \"$HERE/dynamic.sh\"\n",
        expect![[r#"
        1 require ./lib.sh
        2 require other.sh
        3 require $HERE/dynamic.sh
    "#]],
    );
    check(
        "a.ps1",
        "using module ./a.psm1\nImport-Module -Name Pester\nfunction f { . ./b.ps1 }\nGet-Item x\n",
        expect![[r#"
            1 require ./a.psm1
            2 require Pester
            3 require ./b.ps1
        "#]],
    );
    check(
        "a.zig",
        "const std = @import(\"std\");\nconst o = @import(\"o.zig\");\n",
        expect![[r#"
        1 import std
        2 import o.zig
    "#]],
    );
    check(
        "a.swift",
        "import Foundation\nimport struct Darwin.stat\n@testable import Shop\n",
        expect![[r#"
        1 import Foundation
        2 import Darwin.stat
        3 import Shop
    "#]],
    );
    check(
        "A.hs",
        "module A where\nimport qualified Data.Map as M\nimport B (x, Y (..))\n",
        expect![[r#"
        2 import Data.Map
        3 import B {x, Y}
    "#]],
    );
    check(
        "a.scss",
        "@use \"base\" as b;\n@forward 'list';\n@import \"old\";\n",
        expect![[r#"
        1 import base
        2 import list
        3 import old
    "#]],
    );
}

#[test]
fn languages_without_a_grammar_are_read_by_lines() {
    check(
        "a.dart",
        "import 'package:shop/cart.dart';\nexport 'src/all.dart';\npart 'part.dart';\npart of 'whole.dart';\n/* import 'no.dart'; */\n",
        expect![[r#"
            1 import package:shop/cart.dart
            2 reexport src/all.dart
            3 module part.dart
        "#]],
    );
    check(
        "a.proto",
        "syntax = \"proto3\";\nimport \"google/x.proto\";\nimport public \"y.proto\";\n",
        expect![[r#"
            2 import google/x.proto
            3 import y.proto
        "#]],
    );
    check(
        "a.groovy",
        "import com.shop.Cart\nimport static com.shop.Texts.trim\nimport com.shop.*;\n",
        expect![[r#"
            1 import com.shop.Cart
            2 static_import com.shop.Texts.trim
            3 import com.shop {*}
        "#]],
    );
    check(
        "a.elm",
        "module A exposing (..)\nimport Html exposing (div)\n",
        expect![[r#"
        2 import Html
    "#]],
    );
    check("a.txt", "import this\nrequire(\"that\")\n", expect![[""]]);
}

#[test]
fn imports_of_broken_code_are_read() {
    check(
        "a.ts",
        "import { a } from './a'\nfunction ( {{\nimport b from './b'\n",
        expect![[r#"
        1 import ./a {a}
    "#]],
    );
    check(
        "a.rs",
        "use a::b;\nfn f( {\nuse c::d;\n",
        expect![[r#"
        1 import a {b}
        3 import c {d}
    "#]],
    );
    check(
        "a.py",
        "import a\ndef f(:\nimport b\n",
        expect![[r#"
        1 import a
        3 import b
    "#]],
    );
}
