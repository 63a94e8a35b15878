//! What is a definition in each language: its kind, its name, what encloses it, its lines; and what is none.

use std::fmt::Write as _;

use craig_chunk::{Outline, chunk};
use craig_source::Language;
use expect_test::{Expect, expect};

fn outline(path: &str, text: &str) -> Outline {
    chunk(Language::from_path(path).expect("a language by its extension"), text)
}

/// Lists the definitions of `text`, then its imports; a first line tells when it was not read whole.
fn check(path: &str, text: &str, expect: Expect) {
    let outline = outline(path, text.trim_start_matches('\n'));
    let mut out = String::new();
    if outline.parsed != craig_chunk::Parsed::Whole {
        writeln!(out, "{:?}", outline.parsed).expect("a string");
    }
    for symbol in &outline.symbols {
        let parent = symbol.parent.as_ref().map(|parent| format!(" in {parent}")).unwrap_or_default();
        let (start, end) = (symbol.line, symbol.line_end);
        writeln!(out, "{start}-{end} {} {}{parent}", symbol.kind.as_str(), symbol.name).expect("a string");
    }
    for import in &outline.imports {
        let names = if import.names.is_empty() { String::new() } else { format!(" {:?}", import.names) };
        writeln!(out, "{} import {}{names}", import.line, import.target).expect("a string");
    }
    expect.assert_eq(&out);
}

#[test]
fn rust_items() {
    check(
        "a.rs",
        r#"
use std::{fmt, io::{self, Read as _}};
pub(crate) use super::other::*;

pub const MAX: usize = 3;
static mut COUNT: u32 = 0;
pub type Result<T> = std::result::Result<T, Error>;

pub struct Unit;
pub struct Pair(pub u32, u32);
pub struct Config<'a, T: Clone = u8> where T: Default {
    pub name: &'a str,
    inner: T,
}
pub enum Shape { Point, Circle { radius: f32 }, Line(f32, f32) }
pub union Bits { int: u32, float: f32 }

pub trait Draw: fmt::Debug {
    const SIDES: usize;
    type Surface;
    fn draw(&self, on: &mut Self::Surface);
    fn twice(&self) {}
}

impl<'a, T: Clone> Config<'a, T> {
    pub const fn new(name: &'a str) -> Self { todo!() }
    async unsafe fn load(&self) {}
}
impl<T> Draw for Config<'_, T> {
    const SIDES: usize = 4;
    fn draw(&self, on: &mut Self::Surface) { fn helper() {} helper() }
}
pub mod inner {
    pub mod deepest { pub fn leaf() {} }
}
extern "C" { fn puts(text: *const i8) -> i32; }
macro_rules! shout { ($x:expr) => { println!("{}", $x) }; }
"#,
        expect![[r#"
            4-4 constant MAX
            5-5 constant COUNT
            6-6 type Result
            8-8 class Unit
            9-9 class Pair
            10-13 class Config
            11-11 constant name in Config
            12-12 constant inner in Config
            14-14 enum Shape
            14-14 constant Point in Shape
            14-14 constant Circle in Shape
            14-14 constant Line in Shape
            15-15 class Bits
            15-15 constant int in Bits
            15-15 constant float in Bits
            17-22 interface Draw
            18-18 constant SIDES in Draw
            19-19 type Surface in Draw
            20-20 method draw in Draw
            21-21 method twice in Draw
            25-25 method new in Config
            26-26 method load in Config
            29-29 constant SIDES in Config
            30-30 method draw in Config
            30-30 function helper in Config::draw
            32-34 module inner
            33-33 module deepest in inner
            33-33 function leaf in inner::deepest
            35-35 function puts
            36-36 function shout
            1 import std ["fmt"]
            1 import std::io ["self", "Read"]
            2 import super::other ["*"]
        "#]],
    );
}

#[test]
fn rust_macros_around_items_are_transparent_and_others_are_not() {
    check(
        "a.rs",
        r#"
bitflags! {
    pub struct Flags: u32 { const A = 1; }
}
cfg_net! {
    /// Doc.
    #[inline]
    pub fn connect() {}
    pub struct Socket;
}
fn main() {
    let values = vec![1, 2];
    select! {
        x = next() => {}
    }
}
"#,
        expect![[r#"
            Partly
            2-2 class Flags
            7-7 function connect
            8-8 class Socket
            10-15 function main
        "#]],
    );
}

#[test]
fn typescript_declarations() {
    check(
        "a.ts",
        r#"
import def, { a as b, type C } from "./mod";
import * as ns from "ns";
import legacy = require("legacy");
export { x } from "./x";
export * from "./all";

export const one = 1, two = 2;
export const { left, right: renamed, ...rest } = pair;
const [head, tail] = list;
export const arrow = async <T>(x: T) => x;
export function* generate(): Iterator<number> {}
export default class Point<T> extends Base implements Shape {
  static #count = 0;
  private readonly x: number = 1;
  handler = () => {};
  constructor(public y: number, z?: string) { super() }
  get size() { return 1 }
  set size(v) {}
  async *stream() {}
  ["computed"]() {}
}
abstract class Shape { abstract area(): number; }
interface Options extends Base { name: string; run(x: number): void; readonly deep?: { a: 1 } }
type Either<A> = { kind: "a"; value: A } | never;
enum Color { Red, Green = 2 }
declare module "external" { export function ext(): void }
namespace Tools.Inner { export const tool = 1 }
declare global { interface Window { craig: string } }
function overloaded(a: string): void;
function overloaded(a: number): void;
function overloaded(a: any) {}
"#,
        expect![[r#"
            7-7 constant one
            7-7 constant two
            8-8 constant left
            8-8 constant renamed
            9-9 constant head
            9-9 constant tail
            10-10 function arrow
            11-11 function generate
            12-21 class Point
            13-13 constant #count in Point
            14-14 constant x in Point
            15-15 method handler in Point
            16-16 method constructor in Point
            17-18 method size in Point
            19-19 method stream in Point
            20-20 method ["computed"] in Point
            22-22 class Shape
            22-22 method area in Shape
            23-23 interface Options
            23-23 constant name in Options
            23-23 method run in Options
            23-23 constant deep in Options
            24-24 type Either
            25-25 enum Color
            25-25 constant Red in Color
            25-25 constant Green in Color
            26-26 module external
            26-26 function ext in external
            27-27 module Tools.Inner
            27-27 constant tool in Tools.Inner
            28-28 interface Window
            28-28 constant craig in Window
            29-31 function overloaded
            1 import ./mod ["def", "a", "C"]
            2 import ns
            3 import legacy
            4 import ./x ["x"]
            5 import ./all
        "#]],
    );
}

#[test]
fn javascript_modules_of_every_age() {
    check(
        "a.js",
        r#"
const fs = require("fs"), { join, resolve: abs } = require("path");
var self = this;
exports.version = "1";
exports.open = function open() {};
module.exports.close = () => {};
Person.prototype.greet = function () {};
Person.create = function () {};
const api = { get() {}, post: function () {}, nested: { put: async () => {} }, value: 3 };
(function () { function hidden() {} var local = 1 })();
define(["x"], function (x) { function inAmd() {} return { method() {} } });
describe("a suite", () => { it("works", () => { const local = 1 }) });
export default function () {}
let lazy = () => import("./lazy");
class A { static { setup() } m() {} }
const B = class { n() {} };
module.exports = { exported() {}, other };
"#,
        expect![[r#"
            2-2 constant self
            3-3 constant version
            4-4 function open
            5-5 function close
            6-6 method greet in Person
            7-7 method create in Person
            8-8 constant api
            8-8 method get in api
            8-8 method post in api
            8-8 method put in api
            9-9 function hidden
            10-10 function inAmd
            10-10 method method
            13-13 function lazy
            14-14 class A
            14-14 method m in A
            15-15 class B
            15-15 method n in B
            16-16 method exported
            1 import fs
            1 import path ["join", "resolve"]
        "#]],
    );
}

#[test]
fn tsx_components() {
    check(
        "a.tsx",
        r#"
import React, { useState } from "react";
export const Button: React.FC<Props> = ({ label }) => <button onClick={() => go()}>{label}</button>;
export const Memo = React.memo(function Inner() { return <div /> });
export const Styled = styled.div`color: red;`;
export default function App() {
  const [state, setState] = useState(0);
  const handle = () => {};
  return <Button label="x" />;
}
"#,
        expect![[r#"
            2-2 function Button
            3-3 function Memo
            4-4 constant Styled
            5-9 function App
            7-7 function handle in App
            1 import react ["React", "useState"]
        "#]],
    );
}

#[test]
fn python_definitions() {
    check(
        "a.py",
        r#"
from __future__ import annotations
import os, sys as system
from . import sibling
from ..pkg.mod import (a, b as c)
from x import *

LIMIT: int = 3
first, second = 1, 2
__all__ = ["f"]

def f(x, *, y=1, **kw) -> int:
    local = 1
    def inner():
        pass
    return inner

async def g(): ...

@dataclass(frozen=True)
class Point(Base, metaclass=Meta):
    """A point."""
    x: int
    y: int = 0
    CONST = 1

    class Nested:
        def deep(self): pass

    @property
    def size(self): return 1
    @staticmethod
    def make(): pass
    async def load(self): pass

if TYPE_CHECKING:
    from typing import Any
    def conditional(): pass
try:
    import fast
except ImportError:
    def fallback(): pass
type Alias[T] = list[T]
handler = lambda x: x
"#,
        expect![[r#"
            7-7 constant LIMIT
            8-8 constant first
            8-8 constant second
            9-9 constant __all__
            11-15 function f
            13-14 function inner in f
            17-17 function g
            20-33 class Point
            22-22 constant x in Point
            23-23 constant y in Point
            24-24 constant CONST in Point
            26-27 class Nested in Point
            27-27 method deep in Point.Nested
            30-30 method size in Point
            32-32 method make in Point
            33-33 method load in Point
            37-37 function conditional
            41-41 function fallback
            42-42 type Alias
            43-43 constant handler
            1 import __future__ ["annotations"]
            2 import os
            2 import sys
            3 import . ["sibling"]
            4 import ..pkg.mod ["a", "b"]
            5 import x ["*"]
            36 import typing ["Any"]
            39 import fast
        "#]],
    );
}

#[test]
fn java_types_and_members() {
    check(
        "A.java",
        r#"
package com.shop;
import java.util.*;
import static java.lang.Math.max;

/** Doc. */
@Deprecated
public final class Cart<T extends Item> extends Base implements Iterable<T>, Closeable {
    static final int MAX = 1, MIN = 0;
    private List<T> items;
    static { init(); }
    public Cart() {}
    @Override public <R> R map(Function<T, R> f) throws IOException { return null; }
    abstract void unimplemented();
    class Inner { void deep() {} }
    static class Nested {}
    enum State { OPEN, CLOSED { void f() {} }; void of() {} }
}
interface Shape { int SIDES = 3; double area(); default void draw() {} }
record Point(int x, int y) { Point { check(); } double length() { return 0; } }
@interface Marker { String value() default ""; }
sealed interface Result permits Ok {}
"#,
        expect![[r#"
            7-17 class Cart
            8-8 constant MAX in Cart
            8-8 constant MIN in Cart
            9-9 constant items in Cart
            11-11 method Cart in Cart
            12-12 method map in Cart
            13-13 method unimplemented in Cart
            14-14 class Inner in Cart
            14-14 method deep in Cart.Inner
            15-15 class Nested in Cart
            16-16 enum State in Cart
            16-16 constant OPEN in Cart.State
            16-16 constant CLOSED in Cart.State
            16-16 method f in Cart.State.CLOSED
            16-16 method of in Cart.State
            18-18 interface Shape
            18-18 constant SIDES in Shape
            18-18 method area in Shape
            18-18 method draw in Shape
            19-19 class Point
            19-19 method Point in Point
            19-19 method length in Point
            20-20 interface Marker
            20-20 method value in Marker
            21-21 interface Result
            2 import java.util ["*"]
            3 import java.lang.Math.max
        "#]],
    );
}

#[test]
fn go_declarations() {
    check(
        "a.go",
        r#"
package shop

import (
	"fmt"
	alias "example.com/x"
	_ "side/effect"
)

const Max = 10
const (
	A = iota
	B
)

var first, second = 1, 2

type ID int
type Alias = string
type Cart struct {
	Items []Item `json:"items"`
	Base
	total, count int
}
type (
	Reader interface {
		Read(p []byte) (int, error)
		io.Closer
	}
	Func func(int) error
)
type Set[T comparable] map[T]struct{}

func New() *Cart { local := 1; return nil }
func (c *Cart) Total(tax float64) (sum int, err error) { return }
func (s Set[T]) Add(v T) {}
func Map[T, R any](xs []T, f func(T) R) []R { return nil }
"#,
        expect![[r#"
            9-9 constant Max
            11-11 constant A
            12-12 constant B
            15-15 constant first
            15-15 constant second
            17-17 type ID
            18-18 type Alias
            19-23 class Cart
            20-20 constant Items in Cart
            22-22 constant total in Cart
            22-22 constant count in Cart
            25-28 interface Reader
            26-26 method Read in Reader
            29-29 type Func
            31-31 type Set
            33-33 function New
            34-34 method Total in Cart
            35-35 method Add in Set
            36-36 function Map
            4 import fmt
            5 import example.com/x
            6 import side/effect
        "#]],
    );
}

#[test]
fn c_declarations_and_macros() {
    check(
        "a.c",
        r#"
#include <stdio.h>
#include "local.h"
#define LIMIT 10
#define SQUARE(x) ((x) * (x))
typedef struct point { int x, y; } point_t;
typedef int (*handler_fn)(int code, void *data);
struct node { struct node *next; unsigned flags : 3; };
enum color { RED, GREEN = 2 };
union value { int i; float f; };
static const char *names[] = { "a", "b" };
extern int errno_value;
int declared(int a, char *b);
static inline void *allocate(size_t n) { int local = 0; return 0; }
const char *(*get_handler(int which))(void) { return 0; }
#ifdef _WIN32
void on_windows(void) {}
#else
void elsewhere(void) {}
#endif
int old_style(a, b) int a; char b; { return a; }
"#,
        expect![[r#"
            3-3 constant LIMIT
            4-4 function SQUARE
            5-5 class point
            5-5 constant x in point
            5-5 constant y in point
            5-5 type point_t
            6-6 type handler_fn
            7-7 class node
            7-7 constant next in node
            7-7 constant flags in node
            8-8 enum color
            8-8 constant RED in color
            8-8 constant GREEN in color
            9-9 class value
            9-9 constant i in value
            9-9 constant f in value
            10-10 constant names
            11-11 constant errno_value
            12-12 function declared
            13-13 function allocate
            14-14 function get_handler
            16-16 function on_windows
            18-18 function elsewhere
            20-20 function old_style
            1 import stdio.h
            2 import local.h
        "#]],
    );
}

#[test]
fn cpp_classes_templates_and_namespaces() {
    check(
        "a.cpp",
        r#"
#include <vector>
namespace outer::inner {
template <typename T, int N = 3>
class Buffer final : public Base<T>, private Other {
 public:
  explicit Buffer(size_t n) : n_(n) {}
  ~Buffer() override = default;
  Buffer& operator=(const Buffer&) = delete;
  bool operator==(const Buffer& other) const { return true; }
  operator bool() const { return true; }
  template <class U> auto map(U f) const -> decltype(f()) { return f(); }
  static constexpr int kMax = 4;
  virtual void run() = 0;
 private:
  size_t n_;
  struct Node { Node* next; };
  enum class State { kOpen, kClosed };
};
}  // namespace outer::inner
void outer::inner::Buffer<int>::grow(int by) {}
using Alias = std::vector<int>;
typedef unsigned long ulong_t;
concept Small = sizeof(int) < 8;
namespace { int hidden() { return 1; } }
extern "C" void exported(void) {}
auto lambda = [](int x) { return x; };
"#,
        expect![[r#"
            2-19 module outer::inner
            4-18 class Buffer in outer::inner
            6-6 method Buffer in outer::inner::Buffer
            7-7 method ~Buffer in outer::inner::Buffer
            8-8 method operator= in outer::inner::Buffer
            9-9 method operator== in outer::inner::Buffer
            10-10 method operator bool in outer::inner::Buffer
            11-11 method map in outer::inner::Buffer
            12-12 constant kMax in outer::inner::Buffer
            13-13 method run in outer::inner::Buffer
            15-15 constant n_ in outer::inner::Buffer
            16-16 class Node in outer::inner::Buffer
            16-16 constant next in outer::inner::Buffer::Node
            17-17 enum State in outer::inner::Buffer
            17-17 constant kOpen in outer::inner::Buffer::State
            17-17 constant kClosed in outer::inner::Buffer::State
            20-20 method grow in outer::inner::Buffer
            21-21 type Alias
            22-22 type ulong_t
            23-23 type Small
            24-24 function hidden
            25-25 function exported
            26-26 constant lambda
            1 import vector
        "#]],
    );
}

#[test]
fn csharp_types_and_members() {
    check(
        "A.cs",
        r#"
using System;
using static System.Math;
using Alias = System.Collections.Generic.List<int>;
namespace Shop.Cart;

[Serializable]
public sealed partial class Cart<T> : Base, IEnumerable<T> where T : class
{
    public const int Max = 3;
    private readonly List<T> _items = new();
    public event EventHandler Changed;
    public Cart(string name) : base(name) { }
    ~Cart() { }
    public int Count { get; private set; }
    public string Name => "x";
    public T this[int at] => default;
    public async Task<int> LoadAsync<U>(U from) { int Local() => 1; return Local(); }
    public static Cart<T> operator +(Cart<T> a, Cart<T> b) => a;
    public static implicit operator int(Cart<T> c) => 1;
    class Nested { void Deep() { } }
}
public interface IShape { double Area(); int Sides { get; } }
public record Point(int X, int Y);
public readonly record struct Size(int W);
public struct Vec { public float X; }
public enum State { Open, Closed = 2 }
public delegate void Handler(object sender);
"#,
        expect![[r#"
            7-21 class Cart
            9-9 constant Max in Cart
            10-10 constant _items in Cart
            11-11 constant Changed in Cart
            12-12 method Cart in Cart
            13-13 method Cart in Cart
            14-14 constant Count in Cart
            15-15 constant Name in Cart
            16-16 method this in Cart
            17-17 method LoadAsync in Cart
            17-17 function Local in Cart.LoadAsync
            18-18 method + in Cart
            19-19 method int in Cart
            20-20 class Nested in Cart
            20-20 method Deep in Cart.Nested
            22-22 interface IShape
            22-22 method Area in IShape
            22-22 constant Sides in IShape
            23-23 class Point
            23-23 constant X in Point
            23-23 constant Y in Point
            24-24 class Size
            24-24 constant W in Size
            25-25 class Vec
            25-25 constant X in Vec
            26-26 enum State
            26-26 constant Open in State
            26-26 constant Closed in State
            27-27 type Handler
            1 import System
            2 import System.Math
            3 import System.Collections.Generic.List<int>
        "#]],
    );
}

#[test]
fn ruby_classes_modules_and_methods() {
    check(
        "a.rb",
        r#"
require "json"
require_relative "lib/cart"
module Shop
  VERSION = "1.0"
  class Cart < Base
    include Enumerable
    attr_reader :items, :total
    attr_accessor :name
    MAX = 3
    def initialize(items = []) = @items = items
    def total?; end
    def []=(key, value); end
    def <=>(other); end
    def self.build(*args, &block); end
    class << self
      def create; end
    end
    private def secret; end
    define_method(:dynamic) { |x| x }
    alias_method :sum, :total?
    class Line; end
  end
  module_function
  def helper; end
end
class Shop::Cart::Special; def run; end; end
Point = Struct.new(:x, :y) do
  def length; end
end
def top_level; end
RSpec.describe Cart do
  let(:cart) { Cart.new }
  it("works") { expect(1) }
end
"#,
        expect![[r#"
            3-25 module Shop
            4-4 constant VERSION in Shop
            5-22 class Cart in Shop
            7-7 constant items in Shop::Cart
            7-7 constant total in Shop::Cart
            8-8 constant name in Shop::Cart
            9-9 constant MAX in Shop::Cart
            10-10 method initialize in Shop::Cart
            11-11 method total? in Shop::Cart
            12-12 method []= in Shop::Cart
            13-13 method <=> in Shop::Cart
            14-14 method build in Shop::Cart
            16-16 method create in Shop::Cart
            18-18 method secret in Shop::Cart
            19-19 method dynamic in Shop::Cart
            20-20 method sum in Shop::Cart
            21-21 class Line in Shop::Cart
            24-24 method helper in Shop
            26-26 class Special in Shop::Cart
            26-26 method run in Shop::Cart::Special
            27-29 class Point
            28-28 method length in Point
            30-30 method top_level
            1 import json
            2 import ./lib/cart
        "#]],
    );
}

#[test]
fn php_types_functions_and_constants() {
    check(
        "a.php",
        r#"
<?php
namespace App\Shop;
use App\Models\{User, Order as O};
use function App\helper;
require_once __DIR__ . '/boot.php';
const VERSION = '1';
define('LEGACY', 2);
#[Attribute]
final class Cart extends Base implements Countable {
    use Loggable, Cacheable;
    public const MAX = 3;
    private static ?Cart $instance = null;
    public function __construct(private readonly int $id, protected string $name = '') {}
    public static function make(): static { return new static(1); }
    abstract protected function total(): int;
    public string $hooked { get => 1; }
}
interface Shape extends Base { public function area(): float; }
trait Loggable { private function log() {} }
enum Suit: string { case Hearts = 'H'; case Spades = 'S'; public function label(): string { return ''; } }
function helper(int ...$xs) { $local = fn ($x) => $x; }
$anonymous = new class { public function run() {} };
"#,
        expect![[r#"
            6-6 constant VERSION
            7-7 constant LEGACY
            9-17 class Cart
            11-11 constant MAX in Cart
            12-12 constant instance in Cart
            13-13 method __construct in Cart
            14-14 method make in Cart
            15-15 method total in Cart
            16-16 constant hooked in Cart
            18-18 interface Shape
            18-18 method area in Shape
            19-19 class Loggable
            19-19 method log in Loggable
            20-20 enum Suit
            20-20 constant Hearts in Suit
            20-20 constant Spades in Suit
            20-20 method label in Suit
            21-21 function helper
            3 import App\Models ["User", "Order"]
            4 import App\helper
            5 import /boot.php
        "#]],
    );
}

#[test]
fn kotlin_types_and_their_members() {
    check(
        "a.kt",
        r#"
package com.shop
import com.shop.model.*
import kotlin.math.max as maximum
data class Point(val x: Int, var y: Int = 0, z: Int)
sealed interface Result { object Ok : Result; class Failed(val why: String) : Result }
"#,
        expect![[r#"
            Partly
            4-4 class Point
            4-4 constant x in Point
            4-4 constant y in Point
            5-5 interface Result
            5-5 class Ok in Result
            5-5 class Failed in Result
            5-5 constant why in Result.Failed
            2 import com.shop.model ["*"]
            3 import kotlin.math.max
        "#]],
    );
}

#[test]
fn kotlin_functions_properties_and_extensions() {
    check(
        "a.kt",
        r#"
const val MAX = 3
val lazyValue by lazy { 1 }
val (first, second) = pair
typealias Handler = (Int) -> Unit
fun String.shout() = uppercase()
fun <T> List<T>.second(): T = this[1]
val String.size2 get() = 1
fun outer() { fun local() {} }
"#,
        expect![[r#"
            1-1 constant MAX
            2-2 constant lazyValue
            3-3 constant first
            3-3 constant second
            4-4 type Handler
            5-5 method shout in String
            6-6 method second in List
            7-7 constant size2 in String
            8-8 function outer
            8-8 function local in outer
        "#]],
    );
}

#[test]
fn kotlin_enums_have_entries_and_members() {
    check(
        "a.kt",
        r#"
enum class Color(val hex: String) {
    RED("f"),
    GREEN("0");

    fun darker() = this
}
"#,
        expect![[r#"
            1-6 enum Color
            1-1 constant hex in Color
            2-2 constant RED in Color
            3-3 constant GREEN in Color
            5-5 method darker in Color
        "#]],
    );
}

#[test]
fn swift_types_and_extensions() {
    check(
        "a.swift",
        r#"
import Foundation
import struct Darwin.stat
let limit = 3
typealias Handler = (Int) -> Void
struct Point<T>: Equatable where T: Hashable {
    let x: T
    var y = 0
    static let origin = 1
    var length: Double { return 0 }
    init(x: T) { self.x = x }
    mutating func move(by d: Int) throws -> Bool { true }
    static func == (a: Point, b: Point) -> Bool { true }
    subscript(i: Int) -> T { x }
}
final class Cart: Base, Closeable {
    @Published private var items: [Int] = []
    deinit {}
    class func make() -> Cart { Cart() }
    enum State { case open, closed(reason: String); func f() {} }
}
protocol Shape { associatedtype Unit; var sides: Int { get }; func area() -> Double }
extension Point: Shape { func area() -> Double { 0 } }
extension String { var shouted: String { "" } }
actor Counter { func next() async {} }
indirect enum Tree { case leaf, node(Tree, Tree) }
func outer() { func inner() {} }
infix operator +++
"#,
        expect![[r#"
            3-3 constant limit
            4-4 type Handler
            5-14 class Point
            6-6 constant x in Point
            7-7 constant y in Point
            8-8 constant origin in Point
            9-9 constant length in Point
            10-10 method init in Point
            11-11 method move in Point
            12-12 method == in Point
            13-13 method subscript in Point
            15-20 class Cart
            16-16 constant items in Cart
            17-17 method deinit in Cart
            18-18 method make in Cart
            19-19 enum State in Cart
            19-19 constant open in Cart.State
            19-19 constant closed in Cart.State
            19-19 method f in Cart.State
            21-21 interface Shape
            21-21 type Unit in Shape
            21-21 constant sides in Shape
            21-21 method area in Shape
            22-22 method area in Point
            23-23 constant shouted in String
            24-24 class Counter
            24-24 method next in Counter
            25-25 enum Tree
            25-25 constant leaf in Tree
            25-25 constant node in Tree
            26-26 function outer
            26-26 function inner in outer
            1 import Foundation
            2 import Darwin.stat
        "#]],
    );
}

#[test]
fn scala_classes_traits_and_givens() {
    check(
        "a.scala",
        r#"
package com.shop
import com.shop.model.{Item, Order => O}
import scala.util._
sealed trait Shape { def area: Double; val sides = 3 }
case class Point(x: Int, y: Int) extends Shape { def area = 0 }
object Shape { def unit: Shape = ???; implicit class Rich(s: Shape) { def twice = 2 } }
abstract class Base[T](protected val id: T) { type Alias = Int; lazy val cached = 1; var count = 0 }
enum Color(val hex: Int) { case Red extends Color(1); case Green extends Color(2) }
given Ordering[Point] with { def compare(a: Point, b: Point) = 0 }
extension (s: String) def shout: String = s.toUpperCase
type Id = Long
def topLevel(x: Int): Int = { def local = 1; local }
val (left, right) = pair
"#,
        expect![[r#"
            4-4 interface Shape
            4-4 method area in Shape
            4-4 constant sides in Shape
            5-5 class Point
            5-5 constant x in Point
            5-5 constant y in Point
            5-5 method area in Point
            6-6 class Shape
            6-6 method unit in Shape
            6-6 class Rich in Shape
            6-6 constant s in Shape.Rich
            6-6 method twice in Shape.Rich
            7-7 class Base
            7-7 constant id in Base
            7-7 type Alias in Base
            7-7 constant cached in Base
            7-7 constant count in Base
            8-8 enum Color
            8-8 constant hex in Color
            8-8 constant Red in Color
            8-8 constant Green in Color
            10-10 function shout
            11-11 type Id
            12-12 function topLevel
            12-12 function local in topLevel
            13-13 constant left
            13-13 constant right
            2 import com.shop.model ["Item", "Order"]
            3 import scala.util ["*"]
        "#]],
    );
}

#[test]
fn lua_functions_and_tables() {
    check(
        "a.lua",
        r#"
local json = require("cjson")
local M = {}
M.version = "1"
MAX = 3
local function private(a, b) end
function M.open(path) local inner = 1 end
function M:close() end
function M.deep.er.run() end
M.assigned = function() end
local Cart = setmetatable({}, { __index = M })
Cart.handlers = { on_open = function() end, value = 1 }
return M
"#,
        expect![[r#"
            2-2 constant M
            3-3 constant version in M
            4-4 constant MAX
            5-5 function private
            6-6 method open in M
            7-7 method close in M
            8-8 method run in M.deep.er
            9-9 method assigned in M
            10-10 constant Cart
            11-11 constant handlers in Cart
            11-11 method on_open in Cart.handlers
            1 import cjson
        "#]],
    );
}

#[test]
fn bash_functions_and_variables() {
    check(
        "a.sh",
        r#"
#!/usr/bin/env bash
source ./lib.sh
. "$HERE/other.sh"
readonly LIMIT=3
export PATH_VALUE="x"
plain=1
function with_keyword { local inner=1; }
without_keyword() { echo; }
both_kinds() ( subshell )
"#,
        expect![[r#"
            4-4 constant LIMIT
            5-5 constant PATH_VALUE
            6-6 constant plain
            7-7 function with_keyword
            8-8 function without_keyword
            9-9 function both_kinds
            2 import ./lib.sh
            3 import $HERE/other.sh
        "#]],
    );
}

#[test]
fn elixir_modules_functions_and_attributes() {
    check(
        "a.ex",
        r#"
defmodule Shop.Cart do
  @moduledoc "Carts."
  use GenServer
  alias Shop.{Item, Order}
  import Ecto.Query, only: [from: 2]
  @max 3
  @type t :: %__MODULE__{}
  @callback total(t) :: integer
  defstruct [:items, total: 0]
  @doc "Adds."
  @spec add(t, Item.t()) :: t
  def add(cart, item) when is_map(item), do: cart
  def add(cart, nil), do: cart
  defp secret(x) do
    x
  end
  defmacro twice(x), do: x
  defguard is_small(x) when x < 3
  defdelegate size(cart), to: Shop.Sizes
  def a <> b, do: a
  defmodule Inner do
    def deep, do: 1
  end
end
defprotocol Shape do
  def area(shape)
end
defimpl Shape, for: Shop.Cart do
  def area(_), do: 0
end
"#,
        expect![[r#"
            1-24 module Shop.Cart
            6-6 constant max in Shop.Cart
            7-7 type t in Shop.Cart
            8-8 function total in Shop.Cart
            12-13 function add in Shop.Cart
            14-16 function secret in Shop.Cart
            17-17 function twice in Shop.Cart
            18-18 function is_small in Shop.Cart
            19-19 function size in Shop.Cart
            20-20 function <> in Shop.Cart
            21-23 module Inner in Shop.Cart
            22-22 function deep in Shop.Cart.Inner
            25-27 interface Shape
            26-26 method area in Shape
            29-29 method area in Shape
            3 import GenServer
            4 import Shop ["Item", "Order"]
            5 import Ecto.Query
        "#]],
    );
}

#[test]
fn haskell_types_classes_and_equations() {
    check(
        "A.hs",
        r#"
module Shop.Cart (total, Cart (..)) where
import qualified Data.Map as Map
import Data.List (sort, nub)
import Prelude hiding (lookup)

-- | A cart.
data Cart a = Cart { items :: [a], count :: Int } | Empty deriving (Show)
newtype Id = Id { unId :: Int }
type Price = Double
class Shape s where
  area :: s -> Double
  area _ = 0
instance Shape (Cart a) where
  area _ = 1
total, grand :: Cart a -> Int
total Empty = 0
total (Cart _ n) = n
grand = total
(<+>) :: Int -> Int -> Int
a <+> b = a + b
data Expr a where
  Lit :: Int -> Expr Int
type family Elem c
foreign import ccall "sin" c_sin :: Double -> Double
"#,
        expect![[r#"
            7-7 class Cart
            7-7 constant Cart in Cart
            7-7 constant items in Cart.Cart
            7-7 constant count in Cart.Cart
            7-7 constant Empty in Cart
            8-8 class Id
            8-8 constant unId in Id
            9-9 type Price
            10-12 interface Shape
            11-12 method area in Shape
            14-14 method area in Shape
            15-17 function total
            18-18 function grand
            19-20 function <+>
            21-22 class Expr
            22-22 constant Lit in Expr
            23-23 type Elem
            24-24 function c_sin
            2 import Data.Map
            3 import Data.List ["sort", "nub"]
            4 import Prelude
        "#]],
    );
}

#[test]
fn zig_functions_and_containers() {
    check(
        "a.zig",
        r#"
const std = @import("std");
const other = @import("other.zig").Thing;
pub const limit: usize = 3;
var counter: u32 = 0;
pub const Point = struct {
    x: f32,
    y: f32 = 0,
    pub const origin = Point{ .x = 0 };
    pub fn length(self: Point) f32 { return self.x; }
};
const Color = enum { red, green, pub fn isRed(self: Color) bool { return self == .red; } };
const Value = union(enum) { int: i32, none };
const Error = error{ NotFound, Full };
pub fn List(comptime T: type) type {
    return struct { items: []T, pub fn append(self: *@This(), item: T) void {} };
}
export fn exported() void {}
test "a point has a length" {}
"#,
        expect![[r#"
            3-3 constant limit
            4-4 constant counter
            5-10 class Point
            6-6 constant x in Point
            7-7 constant y in Point
            8-8 constant origin in Point
            9-9 method length in Point
            11-11 enum Color
            11-11 constant red in Color
            11-11 constant green in Color
            11-11 method isRed in Color
            12-12 class Value
            12-12 constant int in Value
            12-12 constant none in Value
            13-13 enum Error
            14-16 function List
            15-15 function append in List
            17-17 function exported
            1 import std
            2 import other.zig
        "#]],
    );
}

#[test]
fn sql_statements() {
    check(
        "a.sql",
        r#"
CREATE TABLE orders (id INT PRIMARY KEY, total NUMERIC);
CREATE OR REPLACE VIEW shop.open_orders AS SELECT * FROM orders;
CREATE INDEX orders_by_total ON orders (total);
CREATE FUNCTION add_one(x INT) RETURNS INT AS $$ SELECT x + 1 $$ LANGUAGE sql;
CREATE TYPE mood AS ENUM ('sad', 'ok');
INSERT INTO orders VALUES (1, 2);
"#,
        expect![[r#"
            1-1 class orders
            2-2 class open_orders
            3-3 constant orders_by_total
            4-4 function add_one
            5-5 type mood
        "#]],
    );
}

#[test]
fn sql_of_postgresql() {
    check(
        "a.sql",
        r#"
-- Moves money.
create or replace function public.transfer_funds(p_from bigint, p_cents int)
returns void language plpgsql as $body$
declare
  balance int;
begin
  perform 'create table no (id int);';
end;
$body$;
do $$ begin create table no (id int); end; $$;
create procedure refresh() language sql as $$ select 1; $$;
create function one() returns int language sql begin atomic select case when true then 1 end; end;
create trigger touch before update on accounts for each row execute function touch();
create table if not exists "order lines" (id bigint, state text check (state in ('open; it''s', 'paid')));
create index concurrently if not exists by_state on invoices (state);
create index on invoices (state);
copy invoices from stdin;
1	it's a row; create table no (id int);
\.
create materialized view totals as select 1;
alter function one() owner to admin;
"#,
        expect![[r#"
            2-9 function transfer_funds
            11-11 function refresh
            12-12 function one
            13-13 function touch
            14-14 class order lines
            15-15 constant by_state
            20-20 class totals
        "#]],
    );
}

#[test]
fn sql_of_sql_server() {
    check(
        "a.sql",
        r#"
SET ANSI_NULLS ON
GO
CREATE PROCEDURE [dbo].[usp_GetOrders] @Top INT = 10
AS
SET NOCOUNT ON;
CREATE TABLE #t (id INT);
IF @Top > 1
BEGIN
    BEGIN TRAN;
    BEGIN TRY
        SELECT CASE WHEN 1 = 1 THEN 2 END;
    END TRY
    BEGIN CATCH
        THROW;
    END CATCH
END
IF @Top > 2 SELECT 1;
GO
ALTER FUNCTION dbo.fn_Total (@Id INT) RETURNS MONEY AS
BEGIN
    RETURN 1;
END
GO
CREATE OR ALTER TRIGGER trg_Audit ON dbo.Orders AFTER INSERT AS
BEGIN
    INSERT INTO Audit SELECT * FROM inserted;
END
go
CREATE TABLE A (Id INT)
CREATE UNIQUE CLUSTERED INDEX IX_A ON A (Id)
"#,
        expect![[r#"
            3-17 function usp_GetOrders
            19-22 function fn_Total
            24-27 function trg_Audit
            29-29 class A
            30-30 constant IX_A
        "#]],
    );
    check(
        "without_batches.sql",
        "CREATE PROC a AS\nSELECT 1;\nSELECT 2;\n\nCREATE PROC b AS\nBEGIN\n  SELECT 1;\nEND;\nSELECT 3;\n",
        expect![[r#"
            1-3 function a
            5-8 function b
        "#]],
    );
}

#[test]
fn sql_of_oracle() {
    check(
        "a.pks.sql",
        r#"
CREATE OR REPLACE EDITIONABLE PACKAGE BODY "SHOP"."ORDERS" AS
  g_count NUMBER := 0;
  -- Adds one.
  PROCEDURE add_one(p_id IN NUMBER) IS
    v NUMBER;
    FUNCTION inner_one RETURN NUMBER IS BEGIN RETURN 1; END;
  BEGIN
    FOR r IN (SELECT 1 FROM dual) LOOP
      IF r.x = 1 THEN NULL; END IF;
    END LOOP;
    CASE WHEN v = 1 THEN NULL; ELSE NULL; END CASE;
  END add_one;

  FUNCTION total RETURN NUMBER IS
  BEGIN
    RETURN g_count;
  END;
END orders;
/
CREATE PACKAGE api AS
  PROCEDURE run(x NUMBER);
  FUNCTION ask RETURN NUMBER;
END;
/
CREATE OR REPLACE PROCEDURE main IS
  x NUMBER;
BEGIN
  x := 1;
END;
/
CREATE SEQUENCE order_ids START WITH 1;
"#,
        expect![[r#"
            1-18 module ORDERS
            4-12 function add_one in ORDERS
            14-17 function total in ORDERS
            20-23 module api
            21-21 function run in api
            22-22 function ask in api
            25-29 function main
            31-31 constant order_ids
        "#]],
    );
}

#[test]
fn sql_of_mysql_and_sqlite() {
    check(
        "a.sql",
        r#"
DELIMITER $$
CREATE DEFINER=`root`@`localhost` PROCEDURE `add_stock`(IN n INT)
BEGIN
  WHILE n > 0 DO SET n = n - 1; END WHILE;
  IF n < 0 THEN SIGNAL SQLSTATE '45000'; END IF;
  SELECT 'it\'s';
END$$
CREATE TRIGGER stock_guard BEFORE UPDATE ON stock FOR EACH ROW SET NEW.a = 1$$
DELIMITER ;
# it's a comment
CREATE TABLE `order_lines` (`id` int(11) NOT NULL) ENGINE=InnoDB;
/*!50003 CREATE EVENT e ON SCHEDULE EVERY 1 DAY DO DELETE FROM x */;
"#,
        expect![[r#"
            2-7 function add_stock
            8-8 function stock_guard
            11-11 class order_lines
            12-12 function e
        "#]],
    );
    check(
        "b.sql",
        "CREATE TRIGGER t AFTER INSERT ON a BEGIN\n  UPDATE b SET c = 1;\n  SELECT 'don''t';\nEND;\nCREATE VIEW v AS SELECT 'a\\';\nCREATE TABLE it's broken;\nCREATE TABLE after_it (id INT);\n",
        expect![[r#"
            1-4 function t
            5-5 class v
            6-6 class it
            7-7 class after_it
        "#]],
    );
}

#[test]
fn javascript_wrappers_and_registrations() {
    check(
        "a.js",
        r#"
(function() {
  function one() {}
  this.two = function() {};
}.call(this));
(function($) { function three() {} }).apply(this, [jQuery]);
+function ($) { function four() {} }(jQuery);
var Shop = (function() {
  var hidden = 1;
  function five() {}
  return { six: function() {} };
})();
angular.module('shop', ['ngRoute'])
  .controller('CartCtrl', ['$scope', '$http', function($scope, $http) {
    $scope.pay = function() { return $http.post('/pay'); };
    function total() {}
  }])
  .service('Orders', function($http) {
    this.list = function() {};
  })
  .run(['$rootScope', function($rootScope) {
    function started() {}
  }]);
app.directive('price', () => { return { link: function(scope) {} }; });
Vue.component('cart-line', {
  props: ['line'],
  methods: { remove() { this.$emit('remove'); } }
});
customElements.define('shop-cart', class extends HTMLElement { render() {} });
socket.on('message', function(text) { function seven() {} });
new Vue({ el: '#app', methods: { save() {} } });
const store = new Vuex.Store({ actions: { load() {} } });
describe('works', function() {});
fetch('/x').then(function(r) { function eight() {} });
"#,
        expect![[r#"
            2-2 function one
            3-3 function two
            5-5 function three
            6-6 function four
            7-11 function Shop
            9-9 function five in Shop
            10-10 method six in Shop
            13-16 function CartCtrl
            14-14 method pay in CartCtrl.$scope
            15-15 function total in CartCtrl
            17-19 function Orders
            18-18 function list in Orders
            21-21 function started
            23-23 function price
            23-23 method link in price
            24-27 class cart-line
            26-26 method remove in cart-line
            28-28 class shop-cart
            28-28 method render in shop-cart
            29-29 function seven
            30-30 method save
            31-31 constant store
            31-31 method load in store
            33-33 function eight
        "#]],
    );
}

#[test]
fn styles_and_markup_name_their_parts() {
    check(
        "a.scss",
        "@use \"base\";\n$gap: 4px;\n@mixin wide($x) { width: $x; }\n.cart { .line { color: red; } &:hover { top: 0; } }\n@media print { .cart { display: none; } }\n",
        expect![[r#"
            Partly
        "#]],
    );
    check(
        "a.html",
        "<!doctype html>\n<html><head><title>T</title></head>\n<body><main id=\"shop\"><section id=\"cart\"><h1>Cart</h1></section></main></body></html>\n",
        expect![[""]],
    );
}

#[test]
fn data_files_name_their_first_keys() {
    check(
        "a.json",
        "{\n  \"name\": \"x\",\n  \"scripts\": { \"test\": \"run\" },\n  \"list\": [1, 2]\n}\n",
        expect![[""]],
    );
    check("a.yaml", "name: x\njobs:\n  test:\n    steps: []\n---\nsecond: doc\n", expect![[""]]);
    check("a.toml", "title = \"x\"\n[package]\nname = \"y\"\n[[bin]]\npath = \"z\"\n", expect![[""]]);
}

#[test]
fn languages_without_a_grammar_are_windows_of_text() {
    for path in ["a.proto", "a.clj", "a.jl", "a.txt", "Makefile"] {
        let outline = outline(path, "class A {}\nfunction f() {}\n");
        assert_eq!(outline.parsed, craig_chunk::Parsed::AsText, "{path}");
        assert_eq!((outline.symbols.len(), outline.chunks.len()), (0, 1), "{path}");
    }
}

#[test]
fn names_may_be_of_any_script() {
    check(
        "a.py",
        "class Größe:\n    def длина(self): pass\ndef 関数(): pass\n",
        expect![[r#"
        1-2 class Größe
        2-2 method длина in Größe
        3-3 function 関数
    "#]],
    );
    check(
        "a.rs",
        "struct Größe { länge: u32 }\nfn naïve() {}\n",
        expect![[r#"
        1-1 class Größe
        1-1 constant länge in Größe
        2-2 function naïve
    "#]],
    );
    check(
        "a.js",
        "const $el = () => {}\nfunction _π() {}\n",
        expect![[r#"
        1-1 function $el
        2-2 function _π
    "#]],
    );
}

#[test]
fn crlf_and_byte_order_marks_change_no_definition() {
    for (path, text) in [
        ("a.rs", "struct A {\n    x: u32,\n}\n\nfn f() {\n}\n"),
        ("a.py", "class A:\n    def f(self):\n        pass\n"),
        ("a.ts", "export class A {\n  f() {}\n}\n"),
        ("a.go", "package a\n\nfunc F() {\n}\n"),
    ] {
        let plain = outline(path, text);
        assert!(!plain.symbols.is_empty(), "{path}");
        assert_eq!(outline(path, &text.replace('\n', "\r\n")).symbols, plain.symbols, "{path}");
        assert_eq!(outline(path, &format!("\u{feff}{text}")).symbols, plain.symbols, "{path}");
    }
}

#[test]
fn broken_code_keeps_the_definitions_around_the_break() {
    check(
        "a.rs",
        "fn before() {}\nfn broken( {\n    let x = ;\nfn after() {}\nstruct Last;\n",
        expect![[r#"
            Partly
            1-1 function before
            2-3 function broken
            4-4 function after
            5-5 class Last
        "#]],
    );
    check(
        "a.py",
        "def before():\n    pass\n\ndef broken(:\n    pass\n\ndef after():\n    pass\n",
        expect![[r#"
            Partly
            1-2 function before
            4-5 function broken
            7-8 function after
        "#]],
    );
    check(
        "A.java",
        "class A { void before() {} void broken( { } void after() {} }\n",
        expect![[r#"
        Partly
        1-1 class A
        1-1 method before in A
        1-1 method broken in A
        1-1 method after in A
    "#]],
    );
    check(
        "a.go",
        "package a\nfunc before() {}\nfunc broken( {\n}\nfunc after() {}\n",
        expect![[r#"
        Partly
        2-2 function before
        3-4 function broken
        5-5 function after
    "#]],
    );
}

#[test]
fn conflict_markers_and_templates_do_not_stop_a_reading() {
    check(
        "a.py",
        "def before():\n    pass\n<<<<<<< HEAD\ndef ours():\n    pass\n=======\ndef theirs():\n    pass\n>>>>>>> branch\ndef after():\n    pass\n",
        expect![[r#"
            1-2 function before
            4-5 function ours
            7-8 function theirs
            10-11 function after
        "#]],
    );
    check(
        "a.ts",
        "function before() {}\nconst x = {{ template }};\nfunction after() {}\n",
        expect![[r#"
        Partly
        1-1 function before
        2-2 constant x
        3-3 function after
    "#]],
    );
}
