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
                src/app.ts:9 read 60
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
",
        &expect![[r#"
            interface Server src/config.ts:1
                src/config.ts:2 type 99
            field Server.port src/config.ts:1
                src/config.ts:6 write 95
                src/config.ts:7 write 95
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
