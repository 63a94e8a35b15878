mod calls;
mod commonjs;
mod globals;
mod objects;
mod vue;

use expect_test::expect;

use crate::check;

#[test]
fn modules_aliases_defaults_barrels_and_types() {
    check(
        "
//- /src/shape.ts
export interface Sized { size: number; grow(by: number): Sized }

export default class Shape implements Sized {
  size = 0
  static unit(): Shape { return new Shape() }
  constructor(private readonly name: string = '') {}
  grow(by: number) { this.size += by; return this }
  label() { return `shape ${this.name}` }
}

export const LIMIT = 3
export enum Kind { Round, Square = 2 }
//- /src/index.ts
export { default as Shape, LIMIT as MAX } from './shape'
export * from './shape'
//- /src/app.ts
import { Shape, MAX, type Sized, Kind } from './index'
import * as all from './shape'

type Shapes = Shape[]

export async function draw(shapes: Shapes, one: Promise<Sized>) {
  const size = shapes[0].grow(MAX).size
  shapes.forEach((shape) => shape.label())
  const { size: other } = await one
  return [size, other, Kind.Round, all.LIMIT, Shape.unit().label()]
}
",
        &expect![[r#"
            type Shapes src/app.ts:4
                src/app.ts:6 type 99
            interface Sized src/shape.ts:1
                src/app.ts:1 import 99
                src/app.ts:6 type 99
                src/shape.ts:1 type 99
                src/shape.ts:3 implement 99
            field Sized.size src/shape.ts:1
                src/app.ts:7 read 60
                src/app.ts:9 read 95
                src/shape.ts:4 override 90
                src/shape.ts:7 write 60
            method Sized.grow src/shape.ts:1
                src/app.ts:7 call 60
                src/shape.ts:7 override 90
            class Shape src/shape.ts:3
                src/app.ts:1 import 99
                src/app.ts:4 type 99
                src/app.ts:10 read 99
                src/index.ts:1 import 99
                src/shape.ts:5 type 99
                src/shape.ts:5 call 99
            field Shape.size src/shape.ts:4
                src/app.ts:7 read 95
                src/app.ts:9 read 70
                src/shape.ts:1 override 90
                src/shape.ts:7 write 95
            method Shape.unit src/shape.ts:5
                src/app.ts:10 call 95
            constructor Shape.constructor src/shape.ts:6
                src/shape.ts:5 call 99
            field Shape.name src/shape.ts:6
                src/shape.ts:8 read 95
            method Shape.grow src/shape.ts:7
                src/app.ts:7 call 95
                src/shape.ts:1 override 90
            method Shape.label src/shape.ts:8
                src/app.ts:8 call 95
                src/app.ts:10 call 95
            constant LIMIT src/shape.ts:11
                src/app.ts:1 import 99
                src/app.ts:7 read 99
                src/app.ts:10 read 95
                src/index.ts:1 import 99
            enum Kind src/shape.ts:12
                src/app.ts:1 import 99
                src/app.ts:10 read 99
            enum_member Kind.Round src/shape.ts:12
                src/app.ts:10 read 95
        "#]],
    );
}

#[test]
fn commonjs_prototypes_and_objects() {
    check(
        "
//- /lib/server.js
const { parse, format: fmt } = require('./text')
const options = { port: 80, start() { return this.port } }

function Server(name) { this.name = name }
Server.prototype.listen = function listen() { return parse(this.name) + options.start() }

module.exports = Server
module.exports.create = function create() { return new Server(fmt('x')) }
//- /lib/text.js
exports.parse = function (text) { return text }
function format(text) { return text }
module.exports.format = format
//- /app.js
const Server = require('./lib/server')
const server = new Server('a')
server.listen()
function local() { const parse = 1; return parse }
",
        &expect![[r#"
            variable server app.js:2
                app.js:3 read 99
            variable options lib/server.js:2
                lib/server.js:5 read 99
            field options.port lib/server.js:2
                lib/server.js:2 read 95
            method options.start lib/server.js:2
                lib/server.js:5 call 95
            function Server lib/server.js:4
                app.js:1 import 99
                app.js:2 call 99
                lib/server.js:5 read 99
                lib/server.js:7 read 99
                lib/server.js:8 call 99
            field Server.name lib/server.js:4
                lib/server.js:5 read 95
            method Server.listen lib/server.js:5
                app.js:3 call 95
            function parse lib/text.js:1
                lib/server.js:1 import 99
                lib/server.js:5 call 99
            function format lib/text.js:2
                lib/server.js:1 import 99
                lib/server.js:8 call 99
                lib/text.js:3 read 99
        "#]],
    );
}

#[test]
fn objects_are_of_the_type_that_is_declared_where_they_stand() {
    check(
        "
//- /src/action.ts
export interface Standard { version: number }
export interface Action {
  type: string
  limit: number
  '~standard': Standard
  run(value: number): boolean
}

export function action(limit: number): Action {
  return {
    type: 'max',
    limit,
    '~standard': { version: 1 },
    run(value) {
      return value < this.limit
    },
  }
}

export const make = (limit: number): Action => ({ ...action(limit), type: 'other' })
export const checked = { type: 'x', limit: 2 } satisfies Partial<Action>
",
        &expect![[r#"
            interface Standard src/action.ts:1
                src/action.ts:5 type 99
            field Standard.version src/action.ts:1
                src/action.ts:13 write 95
            interface Action src/action.ts:2
                src/action.ts:9 type 99
                src/action.ts:20 type 99
                src/action.ts:21 type 99
            field Action.type src/action.ts:3
                src/action.ts:11 write 95
                src/action.ts:20 write 95
                src/action.ts:21 write 95
            field Action.limit src/action.ts:4
                src/action.ts:12 write 95
                src/action.ts:15 read 95
                src/action.ts:21 write 95
            field Action.~standard src/action.ts:5
                src/action.ts:13 write 95
            method Action.run src/action.ts:6
                src/action.ts:14 write 95
            function action src/action.ts:9
                src/action.ts:20 call 99
        "#]],
    );
}

#[test]
fn commonjs_exports_by_other_names_and_members_given_to_variables() {
    check(
        "
//- /lib/application.js
var app = exports = module.exports = {};
app.set = function set(name) { return this.enabled(name); };
app.enabled = function enabled(name) { return !!this.set(name); };
['get', 'put'].forEach(function (method) {
  app[method] = function (path) { return this.enabled(path); };
});
//- /lib/express.js
var parser = require('body-parser');
var proto = require('./application');
exports = module.exports = create;
function create() { return proto; }
exports.application = proto;
exports.raw = parser.raw;
exports.twice = function twice() { return [1].map(exports.half); };
exports.half = function half() {};
exports.default = create;
//- /example.js
var express = require('./lib/express');
var app = express();
app.map = function (routes) { return app.map(routes); };
app.map({});
express.raw();
express.application.set('x');
",
        &expect![[r#"
            variable app example.js:2
                example.js:3 read 99
                example.js:3 read 99
                example.js:4 read 99
            method app.map example.js:3
                example.js:3 call 95
                example.js:4 call 95
            variable app lib/application.js:1
                lib/application.js:2 read 99
                lib/application.js:3 read 99
                lib/application.js:5 read 99
                lib/express.js:2 import 99
                lib/express.js:4 read 99
                lib/express.js:5 read 99
            method app.set lib/application.js:2
                example.js:6 call 95
                lib/application.js:3 call 95
            method app.enabled lib/application.js:3
                lib/application.js:2 call 95
                lib/application.js:5 call 95
            function create lib/express.js:4
                example.js:1 import 99
                example.js:2 call 99
                example.js:5 read 99
                example.js:6 read 99
                lib/express.js:3 read 99
                lib/express.js:9 read 99
            variable application lib/express.js:5
                example.js:6 read 95
            variable raw lib/express.js:6
                example.js:5 call 95
            function half lib/express.js:8
                lib/express.js:7 read 95
        "#]],
    );
}

#[test]
fn modules_that_export_all_of_each_other_are_read_once() {
    // Each of 40 modules exports all of all: without a memory, 40 to the power of the hops.
    let mut files =
        String::from("//- /app.ts\nimport { target, missing } from './m0'\ntarget()\nmissing()\n");
    for at in 0..40 {
        files += &format!("//- /m{at}.ts\n");
        for other in 0..40 {
            files += &format!("export * from './m{other}'\n");
        }
    }
    files += "export function target() {}\n";
    check(
        &files,
        &expect![[r#"
        function target m39.ts:41
            app.ts:1 import 99
            app.ts:2 call 99
    "#]],
    );
}

#[test]
fn objects_of_a_module_are_of_their_declared_type_too() {
    check(
        "
//- /src/config.ts
export interface Server { port: number }
export interface Config { name: string; server: Server; start(): void }
export interface Action<T extends Config> extends Base<T> {}
export interface Base<T> { of: T }

export const first: Config = { name: 'a', server: { port: 1 }, start() {} }
export const second = { name: 'b', server: { port: 2 } } satisfies Partial<Config>
interface Quoted { '~standard': Server; run(): void }
export function own() { const quoted: Quoted = { '~standard': { port: 3 }, run() {} }; return quoted }
",
        &expect![[r#"
            interface Server src/config.ts:1
                src/config.ts:2 type 99
                src/config.ts:8 type 99
            field Server.port src/config.ts:1
                src/config.ts:6 write 95
                src/config.ts:7 write 95
                src/config.ts:9 write 95
            interface Config src/config.ts:2
                src/config.ts:3 type 99
                src/config.ts:6 type 99
                src/config.ts:7 type 99
            field Config.name src/config.ts:2
                src/config.ts:6 write 95
                src/config.ts:7 write 95
            field Config.server src/config.ts:2
                src/config.ts:6 write 95
                src/config.ts:7 write 95
            method Config.start src/config.ts:2
                src/config.ts:6 write 95
            interface Base src/config.ts:4
                src/config.ts:3 inherit 99
            field first.name src/config.ts:6
                src/config.ts:2 override 90
                src/config.ts:6 write 70
                src/config.ts:7 write 70
            field first.server src/config.ts:6
                src/config.ts:2 override 90
                src/config.ts:6 write 70
                src/config.ts:7 write 70
            method first.start src/config.ts:6
                src/config.ts:2 override 90
                src/config.ts:6 write 70
            interface Quoted src/config.ts:8
                src/config.ts:9 type 99
            field Quoted.~standard src/config.ts:8
                src/config.ts:9 write 95
            method Quoted.run src/config.ts:8
                src/config.ts:9 write 95
            variable own.quoted src/config.ts:9
                src/config.ts:9 read 99
            method own.quoted.run src/config.ts:9
                src/config.ts:8 override 90
                src/config.ts:9 write 70
        "#]],
    );
}

#[test]
fn types_that_extend_parts_of_others_and_look_members_up() {
    check(
        "
//- /src/types.d.ts
export interface Input { payload: string; header?: string }
export interface Output extends Partial<Input>, Base<string> {}
export interface Base<T> { base: T }
//- /src/app.ts
import type * as types from './types.d.ts'

export function read(output: types.Output, payload: types.Input['payload']) {
  return [output.payload, output.base, payload]
}
",
        &expect![[r#"
            interface Input src/types.d.ts:1
                src/app.ts:3 type 95
                src/types.d.ts:2 type 99
            field Input.payload src/types.d.ts:1
                src/app.ts:3 read 95
                src/app.ts:4 read 95
            interface Output src/types.d.ts:2
                src/app.ts:3 type 95
            interface Base src/types.d.ts:3
                src/types.d.ts:2 inherit 99
            field Base.base src/types.d.ts:3
                src/app.ts:4 read 95
        "#]],
    );
}

#[test]
fn types_that_only_a_declaration_beside_an_implementation_has() {
    check(
        "
//- /style.js
export function create(sheet) { return sheet; }
//- /style.d.ts
export interface Sheet { color: string }
export declare function create(sheet: Sheet): Sheet;
//- /app.ts
import { create, Sheet } from './style'

const sheet: Sheet = create({ color: 'red' })
",
        &expect![[r#"
            interface Sheet style.d.ts:1
                app.ts:1 import 99
                app.ts:3 type 99
                style.d.ts:2 type 99
                style.d.ts:2 type 99
            function create style.js:1
                app.ts:1 import 99
                app.ts:3 call 99
        "#]],
    );
}

#[test]
fn objects_may_be_given_members_elsewhere() {
    check(
        "
//- /lib/context.js
const proto = module.exports = { inspect() { return this.toResponse(this.other); } };
//- /lib/app.js
class App { toResponse() { return Object.create(require('./context')); } }
",
        &expect![[r#"
            method App.toResponse lib/app.js:1
                lib/context.js:1 call 70
            variable proto lib/context.js:1
                lib/app.js:1 import 99
        "#]],
    );
}

#[test]
fn methods_that_return_what_they_are_called_on() {
    check(
        "
//- /schema.ts
export class Schema {
  clone(): this { return this }
  label(text: string) {
    const next = this.clone()
    return next
  }
  make() { return new Schema() }
}
export class TextSchema extends Schema {
  trim() { return this.label('') }
  constructor(name: string) { super() }
}
//- /app.ts
import { TextSchema } from './schema'
new TextSchema('a').label('b').trim().clone().trim()
new TextSchema('a').make().trim()
",
        &expect![[r#"
            class Schema schema.ts:1
                schema.ts:7 call 99
                schema.ts:9 inherit 99
            method Schema.clone schema.ts:2
                app.ts:2 call 95
                schema.ts:4 call 95
            method Schema.label schema.ts:3
                app.ts:2 call 95
                schema.ts:10 call 95
            method Schema.make schema.ts:7
                app.ts:3 call 95
            class TextSchema schema.ts:9
                app.ts:1 import 99
                app.ts:2 call 99
                app.ts:3 call 99
            method TextSchema.trim schema.ts:10
                app.ts:2 call 95
                app.ts:2 call 95
            constructor TextSchema.constructor schema.ts:11
                app.ts:2 call 99
                app.ts:3 call 99
        "#]],
    );
}

#[test]
fn type_guards_narrow_variables_and_their_members() {
    check(
        "
//- /node.ts
export interface Node { kind: string }
export interface Leaf extends Node { text: string }
export interface Pair extends Node { left: Node }
export const Leaf = { is(node: Node): node is Leaf { return node.kind === 'leaf' } }
export function isPair(node: Node): node is Pair { return true }
export class Failure { reason = '' }
//- /app.ts
import { Leaf, isPair, Failure, type Node } from './node'
export function read(node: Node, caught: unknown) {
  if (isPair(node) && Leaf.is(node.left)) return node.left.text
  if (!Leaf.is(node)) return node.text
  const reason = caught instanceof Failure ? caught.reason : caught.text
  return [node].map((node) => node.left) + node.text
}
",
        &expect![[r#"
            interface Node node.ts:1
                app.ts:1 import 99
                app.ts:2 type 99
                node.ts:2 inherit 99
                node.ts:3 inherit 99
                node.ts:3 type 99
                node.ts:4 type 99
                node.ts:5 type 99
            field Node.kind node.ts:1
                node.ts:4 read 95
            interface Leaf node.ts:2
                app.ts:1 import 99
                app.ts:3 read 99
                app.ts:4 read 99
                node.ts:4 type 99
            field Leaf.text node.ts:2
                app.ts:3 read 95
                app.ts:6 read 95
            interface Pair node.ts:3
                node.ts:5 type 99
            field Pair.left node.ts:3
                app.ts:3 read 95
                app.ts:3 read 95
            variable Leaf node.ts:4
                app.ts:1 import 99
                app.ts:3 read 99
                app.ts:4 read 99
                node.ts:4 type 99
            method Leaf.is node.ts:4
                app.ts:3 call 95
                app.ts:4 call 95
            function isPair node.ts:5
                app.ts:1 import 99
                app.ts:3 call 99
            class Failure node.ts:6
                app.ts:1 import 99
                app.ts:5 read 99
            field Failure.reason node.ts:6
                app.ts:5 read 95
        "#]],
    );
}

#[test]
fn members_of_unions_intersections_and_applied_aliases() {
    check(
        "
//- /types.ts
export type Circle = { kind: 'circle'; radius: number }
export type Square = { kind: 'square'; side: number }
export type Shape = Circle | Square
export type Named = Circle & { title: string }
export type Simplify<T> = { [K in keyof T]: T[K] } & {}
export type Box<T> = { item: T }
export interface Options { nested: { depth: number } }
//- /app.ts
import type { Box, Circle, Named, Options, Shape, Simplify, Square } from './types'
export function read(shape: Shape, either: Circle | Square, named: Named, plain: Simplify<Square>, box: Box<Circle>) {
  return [shape.kind, either.kind, named.title, named.radius, plain.side, box.item, box.radius]
}
export function depth(options: Options) { return options.nested.depth }
",
        &expect![[r#"
            type Circle types.ts:1
                app.ts:1 import 99
                app.ts:2 type 99
                app.ts:2 type 99
                types.ts:3 type 99
                types.ts:4 type 99
            field Circle.kind types.ts:1
                app.ts:3 read 95
                app.ts:3 read 95
            field Circle.radius types.ts:1
                app.ts:3 read 95
                app.ts:3 read 95
            type Square types.ts:2
                app.ts:1 import 99
                app.ts:2 type 99
                app.ts:2 type 99
                types.ts:3 type 99
            field Square.kind types.ts:2
                app.ts:3 read 95
                app.ts:3 read 95
            field Square.side types.ts:2
                app.ts:3 read 95
            type Shape types.ts:3
                app.ts:1 import 99
                app.ts:2 type 99
            type Named types.ts:4
                app.ts:1 import 99
                app.ts:2 type 99
            field Named.title types.ts:4
                app.ts:3 read 95
            type Simplify types.ts:5
                app.ts:1 import 99
                app.ts:2 type 99
            type Box types.ts:6
                app.ts:1 import 99
                app.ts:2 type 99
            field Box.item types.ts:6
                app.ts:3 read 95
            interface Options types.ts:7
                app.ts:1 import 99
                app.ts:5 type 99
            field Options.nested types.ts:7
                app.ts:5 read 95
            field Options.nested.depth types.ts:7
                app.ts:5 read 95
        "#]],
    );
}

#[test]
fn arguments_have_the_types_of_parameters() {
    check(
        "
//- /form.tsx
export interface Options { mode: string; onChange?: (event: Change) => void; rules: Rule[] }
export interface Rule { pattern: string }
export interface Change { value: string }
export type Handler = (change: Change) => void
export function useForm(options: Options) { return options.mode }
export function listen(handler: Handler, done: (rule: Rule) => void) {}
export class Form { constructor(readonly options: Options) {} }
export function Field({ mode }: Options) { return <b>{mode}</b> }
//- /app.tsx
import { useForm, listen, Form, Field, type Handler } from './form'
useForm({ mode: 'a', onChange: (event) => event.value, rules: [{ pattern: 'x' }] })
new Form({ mode: 'b' })
listen((change) => change.value, (rule) => rule.pattern)
const handler: Handler = (change) => { change.value }
export const page = <Field mode=\"c\" onChange={(event) => event.value}></Field>
",
        &expect![[r#"
            interface Options form.tsx:1
                form.tsx:5 type 99
                form.tsx:7 type 99
                form.tsx:8 type 99
            field Options.mode form.tsx:1
                app.tsx:2 write 95
                app.tsx:3 write 95
                app.tsx:6 write 95
                form.tsx:5 read 95
                form.tsx:8 read 95
            field Options.onChange form.tsx:1
                app.tsx:2 write 95
                app.tsx:6 write 95
            field Options.rules form.tsx:1
                app.tsx:2 write 95
            interface Rule form.tsx:2
                form.tsx:1 type 99
                form.tsx:6 type 99
            field Rule.pattern form.tsx:2
                app.tsx:2 write 95
                app.tsx:4 read 95
            interface Change form.tsx:3
                form.tsx:1 type 99
                form.tsx:4 type 99
            field Change.value form.tsx:3
                app.tsx:2 read 95
                app.tsx:4 read 95
                app.tsx:5 read 95
                app.tsx:6 read 95
            type Handler form.tsx:4
                app.tsx:1 import 99
                app.tsx:5 type 99
                form.tsx:6 type 99
            function useForm form.tsx:5
                app.tsx:1 import 99
                app.tsx:2 call 99
            function listen form.tsx:6
                app.tsx:1 import 99
                app.tsx:4 call 99
            class Form form.tsx:7
                app.tsx:1 import 99
                app.tsx:3 call 99
            constructor Form.constructor form.tsx:7
                app.tsx:3 call 99
            function Field form.tsx:8
                app.tsx:1 import 99
                app.tsx:6 call 99
                app.tsx:6 read 99
        "#]],
    );
}

#[test]
fn types_of_values_and_values_of_types() {
    check(
        "
//- /shape.ts
export interface Shape { area: number }
export const makeShape = (): Shape => ({ area: 1 })
export class Item<T extends Shape = Shape> { constructor(public of: T) {} }
export type Made = ReturnType<typeof makeShape>
export type Of<T> = T extends string ? Shape : never
//- /app.ts
import type { Shape } from './shape'
import { makeShape, Item, type Made, type Of } from './shape'
const shape = makeShape()
export const same: typeof shape = shape
export function read(made: Made, item: Item, of: Of<string>) { return made.area + item.of.area + of.area }
same.area
const base = { ...shape }
base.area
export const Shape = 1
export function typed(shape: Shape) { return Shape }
",
        &expect![[r#"
            variable shape app.ts:3
                app.ts:4 read 99
                app.ts:4 read 99
                app.ts:7 read 99
            variable same app.ts:4
                app.ts:6 read 99
            variable base app.ts:7
                app.ts:8 read 99
            variable Shape app.ts:9
                app.ts:10 read 99
            interface Shape shape.ts:1
                app.ts:1 import 99
                app.ts:10 type 99
                shape.ts:2 type 99
                shape.ts:3 type 99
                shape.ts:3 type 99
                shape.ts:5 type 99
            field Shape.area shape.ts:1
                app.ts:5 read 95
                app.ts:5 read 95
                app.ts:5 read 95
                app.ts:6 read 95
                app.ts:8 read 70
                shape.ts:2 write 95
            function makeShape shape.ts:2
                app.ts:2 import 99
                app.ts:3 call 99
                shape.ts:4 read 99
            class Item shape.ts:3
                app.ts:2 import 99
                app.ts:5 type 99
            field Item.of shape.ts:3
                app.ts:5 read 95
            type Made shape.ts:4
                app.ts:2 import 99
                app.ts:5 type 99
            type Of shape.ts:5
                app.ts:2 import 99
                app.ts:5 type 99
        "#]],
    );
}

#[test]
fn members_of_a_union_whose_discriminant_was_tested_are_candidates() {
    check(
        "
//- /types.ts
export interface Leaf { kind: 'leaf'; items: string[] }
export interface Pair { kind: 'pair'; items: string[] }
export type Tree = Leaf | Pair
//- /app.ts
import type { Tree } from './types'
export function read(tree: Tree) {
  tree.items
  if (tree.kind === 'leaf') tree.items
  switch (tree.kind) { case 'pair': return tree.items }
}
",
        &expect![[r#"
            interface Leaf types.ts:1
                types.ts:3 type 99
            field Leaf.kind types.ts:1
                app.ts:4 read 95
                app.ts:5 read 95
            field Leaf.items types.ts:1
                app.ts:3 read 95
                app.ts:4 read 49
                app.ts:5 read 49
            interface Pair types.ts:2
                types.ts:3 type 99
            field Pair.kind types.ts:2
                app.ts:4 read 95
                app.ts:5 read 95
            field Pair.items types.ts:2
                app.ts:3 read 95
                app.ts:4 read 49
                app.ts:5 read 49
            type Tree types.ts:3
                app.ts:1 import 99
                app.ts:2 type 99
        "#]],
    );
}

#[test]
fn object_types_of_parameters_have_members() {
    check(
        "
//- /src/compose.ts
export interface Checker { check(value: string): boolean }
export const compose = ({ checker, names: { first } }: { checker: Checker; names: { first: string } }) => {
  return checker.check(first)
}
export function run(options: { checker: Checker; path?: string }) {
  return options.checker.check(options.path ?? '')
}
//- /src/app.ts
import { run, type Checker } from './compose'
export function start(checker: Checker) {
  return run({ checker, path: 'a' })
}
",
        &expect![[r#"
            interface Checker src/compose.ts:1
                src/app.ts:1 import 99
                src/app.ts:2 type 99
                src/compose.ts:2 type 99
                src/compose.ts:5 type 99
            method Checker.check src/compose.ts:1
                src/compose.ts:3 call 95
                src/compose.ts:6 call 95
            field compose.object.checker src/compose.ts:2
                src/compose.ts:2 read 95
            field compose.object.names src/compose.ts:2
                src/compose.ts:2 read 95
            field compose.object.names.first src/compose.ts:2
                src/compose.ts:2 read 95
            function run src/compose.ts:5
                src/app.ts:1 import 99
                src/app.ts:3 call 99
            field run.object.checker src/compose.ts:5
                src/app.ts:3 write 95
                src/compose.ts:6 read 95
            field run.object.path src/compose.ts:5
                src/app.ts:3 write 95
                src/compose.ts:6 read 95
        "#]],
    );
}

#[test]
fn a_parameter_that_is_a_property_is_mentioned_as_such() {
    check(
        "
//- /src/failure.ts
export class Failure extends Error {
  constructor(readonly key: string, public cause: Failure | undefined, plain: string) {
    super(`${key} ${plain}`)
    cause?.report()
  }
  report() { return this.key }
}
",
        &expect![[r#"
            class Failure src/failure.ts:1
                src/failure.ts:2 type 99
            field Failure.key src/failure.ts:2
                src/failure.ts:3 read 99
                src/failure.ts:6 read 95
            field Failure.cause src/failure.ts:2
                src/failure.ts:4 read 99
            method Failure.report src/failure.ts:6
                src/failure.ts:4 call 95
        "#]],
    );
}

#[test]
fn casts_of_functions_and_classes_are_read() {
    check(
        "
//- /src/made.ts
export interface Style { (text: string): string }
export type Made = new () => object
export const style = ((text) => text) as Style
export const Made = class {} as Made
",
        &expect![[r#"
            interface Style src/made.ts:1
                src/made.ts:3 type 99
            type Made src/made.ts:2
                src/made.ts:4 type 99
            class Made src/made.ts:4
                src/made.ts:4 type 99
        "#]],
    );
}

#[test]
fn generic_types_give_members_what_they_are_applied_to() {
    check(
        "
//- /package.json
{}
//- /src/store.ts
export class Store {
  save(row: number) {}
}

export class Decoy {
  save(row: number) {}
}
//- /src/base.ts
export abstract class Base<K, T> {
  constructor(protected item: T) {}
  get(key: K): T { return this.item; }
  all(): T[] { return []; }
  each(callback: (item: T) => void) {}
}

export function create<T>(of: new () => T): T { return new of(); }
//- /src/app.ts
import { Repository } from 'typeorm';
import { Base, create } from './base';
import { Store } from './store';

class Stores extends Base<string, Store> {
  flush() {
    this.item.save(1);
    this.get('a').save(2);
  }
}

function go(stores: Stores, base: Base<string, Store>, rows: Repository<Store>) {
  stores.get('a').save(3);
  base.get('b').save(4);
  for (const store of base.all()) store.save(5);
  base.each((store) => store.save(6));
  create(Store).save(7);
  create<Store>(Other).save(8);
  const all = new Map<string, Store>();
  all.get('x')?.save(9);
  for (const [key, store] of all) store.save(key);
}

async function make(): Promise<Store> { return new Store(); }

make().then((store) => store.save(11));
",
        &expect![[r#"
            class Stores src/app.ts:5
                src/app.ts:12 type 99
            function make src/app.ts:24
                src/app.ts:26 call 99
            class Base src/base.ts:1
                src/app.ts:2 import 99
                src/app.ts:5 inherit 99
                src/app.ts:12 type 99
            field Base.item src/base.ts:2
                src/app.ts:7 read 95
                src/base.ts:3 read 95
            method Base.get src/base.ts:3
                src/app.ts:8 call 95
                src/app.ts:13 call 95
                src/app.ts:14 call 95
            method Base.all src/base.ts:4
                src/app.ts:15 call 95
            method Base.each src/base.ts:5
                src/app.ts:16 call 95
            function create src/base.ts:8
                src/app.ts:2 import 99
                src/app.ts:17 call 99
                src/app.ts:18 call 99
            class Store src/store.ts:1
                src/app.ts:3 import 99
                src/app.ts:5 type 99
                src/app.ts:12 type 99
                src/app.ts:12 type 99
                src/app.ts:17 read 99
                src/app.ts:18 type 99
                src/app.ts:19 type 99
                src/app.ts:24 type 99
                src/app.ts:24 call 99
            method Store.save src/store.ts:2
                src/app.ts:7 call 95
                src/app.ts:8 call 95
                src/app.ts:13 call 95
                src/app.ts:14 call 95
                src/app.ts:15 call 95
                src/app.ts:16 call 95
                src/app.ts:17 call 95
                src/app.ts:18 call 95
                src/app.ts:20 call 95
                src/app.ts:21 call 95
                src/app.ts:26 call 95
        "#]],
    );
}

#[test]
fn manifests_may_name_folders_that_lead_back() {
    check(
        "
//- /packages/a/package.json
{\"name\": \"a\", \"main\": \"\", \"types\": \"./lib\"}
//- /packages/a/lib/package.json
{\"main\": \"..\"}
//- /packages/a/index.d.ts
export declare function parse(text: string): number;
//- /app.ts
import { parse } from 'a';

parse('1');
",
        &expect![[r#"
            function parse packages/a/index.d.ts:1
                app.ts:1 import 99
                app.ts:3 call 99
        "#]],
    );
}

#[test]
fn a_file_of_declarations_may_declare_the_module_that_it_is() {
    check(
        "
//- /packages/limit/package.json
{\"name\": \"limit\", \"types\": \"limit.d.ts\"}
//- /packages/limit/limit.d.ts
declare module \"limit\" {
  class Limit {
    schedule(): void;
  }
  export default Limit;
}
//- /packages/dates/package.json
{\"name\": \"dates\", \"types\": \"index.d.ts\"}
//- /packages/dates/index.d.ts
export * from './add.ts';
//- /packages/dates/add.d.ts
export declare function add(): void;
//- /app.ts
import Limit from 'limit';
import { add } from 'dates';

const limit = new Limit();
limit.schedule();
add();
",
        &expect![[r#"
            variable limit app.ts:4
                app.ts:5 read 99
            function add packages/dates/add.d.ts:1
                app.ts:2 import 99
                app.ts:6 call 99
            class limit.Limit packages/limit/limit.d.ts:2
                app.ts:1 import 99
                app.ts:4 call 99
                packages/limit/limit.d.ts:5 read 99
            method limit.Limit.schedule packages/limit/limit.d.ts:3
                app.ts:5 call 95
        "#]],
    );
}

#[test]
fn a_function_and_a_namespace_may_share_a_name() {
    check(
        "
//- /packages/log/package.json
{\"name\": \"log\", \"types\": \"log.d.ts\"}
//- /packages/log/log.d.ts
declare namespace log {
  interface Options {
    level: string;
  }
  interface Base {
    info(): void;
  }
  interface Extras {
    child(): Logger;
  }
  type Logger = Base & Extras;
}
declare function log(options?: log.Options): log.Logger;
declare function log(options: log.Options, stream: string): log.Logger;
export = log;
//- /packages/web/package.json
{\"name\": \"web\", \"types\": \"web.d.ts\"}
//- /packages/web/server.d.ts
export interface Server {
  listen(): void;
}
//- /packages/web/web.d.ts
import { Server } from './server'
declare function web(options: string): Server & PromiseLike<Server>;
declare namespace web {
  export type { Server }
  interface Options {
    port: number;
  }
  var router: Options;
}
export = web;
//- /app.ts
import log from 'log';
import web from 'web';

const logger = log({ level: 'info' });
logger.child().info();
const app = web('x');
app.listen();
const options: web.Options = { port: 1 };
web.router.port;
",
        &expect![[r#"
            variable logger app.ts:4
                app.ts:5 read 99
            variable app app.ts:6
                app.ts:7 read 99
            field options.port app.ts:8
                app.ts:8 write 70
                app.ts:9 read 70
                packages/web/web.d.ts:6 override 90
            module log packages/log/log.d.ts:1
                app.ts:1 import 99
                packages/log/log.d.ts:13 read 99
                packages/log/log.d.ts:13 read 99
                packages/log/log.d.ts:14 read 99
                packages/log/log.d.ts:14 read 99
                packages/log/log.d.ts:15 read 99
            interface log.Options packages/log/log.d.ts:2
                packages/log/log.d.ts:13 type 95
                packages/log/log.d.ts:14 type 95
            field log.Options.level packages/log/log.d.ts:3
                app.ts:4 write 95
            interface log.Base packages/log/log.d.ts:5
                packages/log/log.d.ts:11 type 99
            method log.Base.info packages/log/log.d.ts:6
                app.ts:5 call 95
            interface log.Extras packages/log/log.d.ts:8
                packages/log/log.d.ts:11 type 99
            method log.Extras.child packages/log/log.d.ts:9
                app.ts:5 call 95
            type log.Logger packages/log/log.d.ts:11
                packages/log/log.d.ts:9 type 99
                packages/log/log.d.ts:13 type 95
                packages/log/log.d.ts:14 type 95
            function log packages/log/log.d.ts:13
                app.ts:1 import 99
                app.ts:4 call 99
                packages/log/log.d.ts:13 read 99
                packages/log/log.d.ts:13 read 99
                packages/log/log.d.ts:14 read 99
                packages/log/log.d.ts:14 read 99
                packages/log/log.d.ts:15 read 99
            function log packages/log/log.d.ts:14
                app.ts:1 import 99
                app.ts:4 call 99
                packages/log/log.d.ts:13 read 99
                packages/log/log.d.ts:13 read 99
                packages/log/log.d.ts:14 read 99
                packages/log/log.d.ts:14 read 99
                packages/log/log.d.ts:15 read 99
            interface Server packages/web/server.d.ts:1
                packages/web/web.d.ts:1 import 99
                packages/web/web.d.ts:2 type 99
                packages/web/web.d.ts:2 type 99
                packages/web/web.d.ts:4 import 99
            method Server.listen packages/web/server.d.ts:2
                app.ts:7 call 95
            function web packages/web/web.d.ts:2
                app.ts:2 import 99
                app.ts:6 call 99
                app.ts:8 read 99
                app.ts:9 read 99
                packages/web/web.d.ts:10 read 99
            module web packages/web/web.d.ts:3
                app.ts:2 import 99
                app.ts:8 read 99
                app.ts:9 read 99
                packages/web/web.d.ts:10 read 99
            interface web.Options packages/web/web.d.ts:5
                app.ts:8 type 95
                packages/web/web.d.ts:8 type 99
            field web.Options.port packages/web/web.d.ts:6
                app.ts:8 write 95
                app.ts:9 read 95
            variable web.router packages/web/web.d.ts:8
                app.ts:9 read 95
        "#]],
    );
}

#[test]
fn variables_may_be_declared_by_their_members() {
    check(
        "
//- /packages/chok/package.json
{\"name\": \"chok\", \"types\": \"chok.d.ts\"}
//- /packages/chok/chok.d.ts
export declare function watch(path: string): Watcher;
export declare class Watcher {
  close(): void;
}
declare const _default: {
  watch: typeof watch;
  Watcher: typeof Watcher;
};
export default _default;
//- /app.ts
import chok from 'chok';

chok.watch('x').close();
new chok.Watcher();
",
        &expect![[r#"
            function watch packages/chok/chok.d.ts:1
                app.ts:3 call 85
                packages/chok/chok.d.ts:6 read 99
            class Watcher packages/chok/chok.d.ts:2
                app.ts:4 call 85
                packages/chok/chok.d.ts:1 type 99
                packages/chok/chok.d.ts:7 read 99
            method Watcher.close packages/chok/chok.d.ts:3
                app.ts:3 call 95
            variable _default packages/chok/chok.d.ts:5
                app.ts:1 import 99
                app.ts:3 read 99
                app.ts:4 read 99
                packages/chok/chok.d.ts:9 read 99
            field _default.watch packages/chok/chok.d.ts:6
                app.ts:3 call 95
            field _default.Watcher packages/chok/chok.d.ts:7
                app.ts:4 call 95
        "#]],
    );
}

#[test]
fn interfaces_of_what_can_be_called_and_made() {
    check(
        "
//- /route.d.ts
interface Router {
  redirect(): this;
}
interface RouterConstructor {
  new (prefix: string): Router;
}
interface Get {
  (url: string): Answer;
}
interface Answer {
  json(): string;
}
export declare const Router: RouterConstructor;
export declare const get: Get;
//- /app.ts
import { Router, get } from './route';

const router = new Router('/');
router.redirect().redirect();
get('/').json();
",
        &expect![[r#"
            variable router app.ts:3
                app.ts:4 read 99
            interface Router route.d.ts:1
                app.ts:1 import 99
                route.d.ts:5 type 99
            method Router.redirect route.d.ts:2
                app.ts:4 call 95
                app.ts:4 call 95
            interface RouterConstructor route.d.ts:4
                route.d.ts:13 type 99
            interface Get route.d.ts:7
                route.d.ts:14 type 99
            interface Answer route.d.ts:10
                route.d.ts:8 type 99
            method Answer.json route.d.ts:11
                app.ts:5 call 95
            variable Router route.d.ts:13
                app.ts:1 import 99
                app.ts:3 call 99
                route.d.ts:5 type 99
            variable get route.d.ts:14
                app.ts:1 import 99
                app.ts:5 call 99
        "#]],
    );
}
