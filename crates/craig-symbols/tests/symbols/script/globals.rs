//! What files see without imports: `declare global`, scripts, `declare module`.

use expect_test::expect;

use crate::check;

#[test]
fn declared_globals_are_seen_in_all_files() {
    check(
        "
//- /src/types.d.ts
import type DeviceType from './device'
declare global {
  type Device = DeviceType
  interface Row { id: string }
  var app: Row
  function track(row: Row): void
  namespace Shop { interface Cart { total: number } }
}
//- /src/device.ts
export default class Device { get options() { return {} } }
//- /src/app.ts
import { x } from './x'
export function go(device: Device, row: Row, cart: Shop.Cart) {
  track(app)
  return [device.options, row.id, cart.total, app.id]
}
//- /src/own.ts
import type { Row } from './rows'
export function other(row: Row, app: string) { return app }
//- /src/rows.ts
export interface Row { key: string }
//- /decoy/model.ts
export class Device {}
export function track() {}
",
        &expect![[r#"
            class Device src/device.ts:1
                src/types.d.ts:1 import 99
                src/types.d.ts:3 type 99
            method Device.options src/device.ts:1
                src/app.ts:4 read 95
            interface Row src/rows.ts:1
                src/own.ts:1 import 99
                src/own.ts:2 type 99
            type Device src/types.d.ts:3
                src/app.ts:2 type 95
            interface Row src/types.d.ts:4
                src/app.ts:2 type 95
                src/types.d.ts:5 type 99
                src/types.d.ts:6 type 99
            field Row.id src/types.d.ts:4
                src/app.ts:4 read 95
                src/app.ts:4 read 95
            variable app src/types.d.ts:5
                src/app.ts:3 read 95
                src/app.ts:4 read 95
            function track src/types.d.ts:6
                src/app.ts:3 call 95
            module Shop src/types.d.ts:7
                src/app.ts:2 read 95
            interface Shop.Cart src/types.d.ts:7
                src/app.ts:2 type 95
            field Shop.Cart.total src/types.d.ts:7
                src/app.ts:4 read 95
        "#]],
    );
}

#[test]
fn a_script_that_declares_types_is_seen_and_a_module_is_not() {
    check(
        "
//- /src/globals.d.ts
interface KeyValue { [key: string]: string }
declare const VERSION: string
declare module '*.svg' { const path: string; export default path }
//- /src/module.d.ts
interface Hidden { a: string }
export {}
//- /src/app.ts
import { x } from './x'
export const go = (kv: KeyValue, hidden: Hidden) => VERSION
",
        &expect![[r#"
            interface KeyValue src/globals.d.ts:1
                src/app.ts:2 type 95
            variable VERSION src/globals.d.ts:2
                src/app.ts:2 read 95
            variable *.svg.path src/globals.d.ts:3
                src/globals.d.ts:3 read 99
        "#]],
    );
}

#[test]
fn of_several_globals_the_nearest_is_meant() {
    check(
        "
//- /packages/a/globals.d.ts
interface Session { a: string }
//- /packages/b/globals.d.ts
interface Session { b: string }
//- /packages/b/src/app.ts
import { x } from './x'
export const read = (session: Session) => session.b
",
        &expect![[r#"
            interface Session packages/b/globals.d.ts:1
                packages/b/src/app.ts:2 type 95
            field Session.b packages/b/globals.d.ts:1
                packages/b/src/app.ts:2 read 95
        "#]],
    );
}

#[test]
fn functions_of_scripts_and_members_of_the_global_object() {
    check(
        "
//- /web/helpers.js
function format(text) { return text }
window.render = function (text) { return format(text) }
window.fetch = function () {}
//- /web/page.js
render(format('a'))
fetch('/')
//- /spec/helper.js
const Cloud = require('./cloud')
global.Cloud = Cloud
global.makeUser = () => new Cloud()
function reset() {}
(global as any).reset = reset
//- /spec/cloud.js
module.exports = class Cloud { run() {} }
//- /spec/user.spec.js
const other = require('other')
makeUser().run()
reset()
new Cloud().run()
//- /spec/own.spec.js
const { makeUser } = require('./users')
makeUser()
//- /spec/users.js
exports.makeUser = () => 1
",
        &expect![[r#"
            class Cloud spec/cloud.js:1
                spec/helper.js:1 import 99
                spec/helper.js:2 read 99
                spec/helper.js:3 call 99
                spec/user.spec.js:4 call 95
            method Cloud.run spec/cloud.js:1
                spec/user.spec.js:2 call 95
                spec/user.spec.js:4 call 95
            function makeUser spec/helper.js:3
                spec/user.spec.js:2 call 95
            function reset spec/helper.js:4
                spec/helper.js:5 read 99
                spec/user.spec.js:3 call 95
            function makeUser spec/users.js:1
                spec/own.spec.js:1 import 99
                spec/own.spec.js:2 call 99
            function format web/helpers.js:1
                web/helpers.js:2 call 99
            function render web/helpers.js:2
                web/page.js:1 call 85
        "#]],
    );
}

#[test]
fn declared_modules() {
    check(
        "
//- /types/legacy.d.ts
declare module 'legacy' {
  export interface Options { size: number }
  export function run(options: Options): void
  function main(): void
  export default main
}
declare module 'whole' {
  class Whole { open(): void }
  export = Whole
}
//- /src/shape.ts
export interface Shape { area: number }
export class Box implements Shape { area = 1 }
//- /src/augment.ts
import './shape'
declare module './shape' {
  interface Shape { label: string }
  export function extra(): void
}
//- /src/app.ts
import main, { run, type Options } from 'legacy'
import Whole = require('whole')
import { extra, type Shape } from './shape'
export function go(options: Options, shape: Shape) {
  run(options)
  main()
  extra()
  new Whole().open()
  return [options.size, shape.label, shape.area]
}
//- /decoy/run.ts
export function run() {}
export function main() {}
",
        &expect![[r#"
            field ./shape.Shape.label src/augment.ts:3
                src/app.ts:9 read 95
            function ./shape.extra src/augment.ts:4
                src/app.ts:3 import 99
                src/app.ts:7 call 99
            interface Shape src/shape.ts:1
                src/app.ts:3 import 99
                src/app.ts:4 type 99
                src/shape.ts:2 implement 99
            field Shape.area src/shape.ts:1
                src/app.ts:9 read 95
                src/shape.ts:2 override 90
            field Box.area src/shape.ts:2
                src/app.ts:9 read 70
                src/shape.ts:1 override 90
            interface legacy.Options types/legacy.d.ts:2
                src/app.ts:1 import 99
                src/app.ts:4 type 99
                types/legacy.d.ts:3 type 99
            field legacy.Options.size types/legacy.d.ts:2
                src/app.ts:9 read 95
            function legacy.run types/legacy.d.ts:3
                src/app.ts:1 import 99
                src/app.ts:5 call 99
            function legacy.main types/legacy.d.ts:4
                src/app.ts:1 import 99
                src/app.ts:6 call 99
                types/legacy.d.ts:5 read 99
            class whole.Whole types/legacy.d.ts:8
                src/app.ts:2 import 99
                src/app.ts:8 call 99
                types/legacy.d.ts:9 read 99
            method whole.Whole.open types/legacy.d.ts:8
                src/app.ts:8 call 95
        "#]],
    );
}

#[test]
fn namespaces() {
    check(
        "
//- /src/shapes.ts
export namespace Shapes {
  export interface Box { side: number }
  export function draw(box: Box) { return helper(box.side) }
  function helper(side: number) { return side }
  export namespace Inner { export const LIMIT = 3 }
}
//- /src/app.ts
import { Shapes } from './shapes'
import * as all from './shapes'
Shapes.draw({ side: Shapes.Inner.LIMIT })
export const read = (box: Shapes.Box, other: all.Shapes.Box) => [box.side, other.side]
",
        &expect![[r#"
            module Shapes src/shapes.ts:1
                src/app.ts:1 import 99
                src/app.ts:3 read 99
                src/app.ts:3 read 99
                src/app.ts:4 read 99
                src/app.ts:4 read 95
            interface Shapes.Box src/shapes.ts:2
                src/app.ts:4 type 95
                src/app.ts:4 type 95
                src/shapes.ts:3 type 99
            field Shapes.Box.side src/shapes.ts:2
                src/app.ts:3 write 95
                src/app.ts:4 read 95
                src/app.ts:4 read 95
                src/shapes.ts:3 read 95
            function Shapes.draw src/shapes.ts:3
                src/app.ts:3 call 95
            function Shapes.helper src/shapes.ts:4
                src/shapes.ts:3 call 99
            module Shapes.Inner src/shapes.ts:5
                src/app.ts:3 read 95
            constant Shapes.Inner.LIMIT src/shapes.ts:5
                src/app.ts:3 read 95
        "#]],
    );
}

#[test]
fn members_of_the_window_and_namespaces_of_several_scripts() {
    check(
        "
//- /src/app.d.ts
import type { Shop } from './shop'
declare global { interface Window { shop: Shop } }
//- /src/shop.ts
export class Shop { open() {} }
window.counter = { count() { return 1 } }
//- /src/main.ts
import { x } from './x'
window.shop.open()
window.counter.count()
window.location.reload()
export function own(window: { shop: string }) { return window.shop }
//- /old/one.ts
namespace App { export class First { go() {} } }
//- /old/two.ts
namespace App { export class Second extends First { run() { this.go() } } }
new App.First().go()
",
        &expect![[r#"
            class App.First old/one.ts:1
                old/two.ts:1 inherit 99
                old/two.ts:2 call 95
            method App.First.go old/one.ts:1
                old/two.ts:1 call 95
                old/two.ts:2 call 95
            module App old/two.ts:1
                old/two.ts:2 read 99
            field Window.shop src/app.d.ts:2
                src/main.ts:2 read 95
            field own.object.shop src/main.ts:5
                src/main.ts:5 read 95
            class Shop src/shop.ts:1
                src/app.d.ts:1 import 99
                src/app.d.ts:2 type 99
            method Shop.open src/shop.ts:1
                src/main.ts:2 call 95
            variable counter src/shop.ts:2
                src/main.ts:3 read 85
            method counter.count src/shop.ts:2
                src/main.ts:3 call 95
        "#]],
    );
}

#[test]
fn members_that_are_added_to_interfaces_of_libraries() {
    check(
        "
//- /src/types.d.ts
import type { User } from './user'
declare global { namespace Express { interface Request { user: User } } }
declare module 'fastify' { interface FastifyRequest { owner: User } }
//- /src/user.ts
export class User { rename() {} }
//- /src/app.ts
import { type Request, type Response } from 'express'
import { type FastifyRequest } from 'fastify'
export function go(req: Request, res: Response, other: FastifyRequest) {
  req.user.rename()
  other.owner.rename()
  res.user.rename()
}
//- /decoy.ts
export class Decoy { rename() {} user = 1; owner = 2 }
export class Other { rename() {} user = 1; owner = 2 }
",
        &expect![[r#"
            field Express.Request.user src/types.d.ts:2
                src/app.ts:4 read 85
            interface fastify.FastifyRequest src/types.d.ts:3
                src/app.ts:2 import 99
                src/app.ts:3 type 99
            field fastify.FastifyRequest.owner src/types.d.ts:3
                src/app.ts:5 read 95
            class User src/user.ts:1
                src/types.d.ts:1 import 99
                src/types.d.ts:2 type 99
                src/types.d.ts:3 type 99
            method User.rename src/user.ts:1
                src/app.ts:4 call 95
                src/app.ts:5 call 95
        "#]],
    );
}
