//! Modules of CommonJS, prototypes, and classes made by functions.

use expect_test::expect;

use crate::check;

#[test]
fn exports_kept_in_a_variable_and_called_through_the_module() {
    check(
        "
//- /auth.js
var Auth = exports
Auth.token = function (name) { return name }
Auth.check = function (name) { return Auth.token(name) }
//- /tax.js
module.exports.rate = (code) => 1
module.exports.twice = (code) => module.exports.rate(code) * exports.rate(code)
const double = exports.double = function (code) { return double(code) }
exports.first = exports.second = function () {}
//- /app.js
const Auth = require('./auth')
const { rate, double, first } = require('./tax')
Auth.token('x')
rate('a')
double('b')
first()
//- /decoy.js
function token(x) { return x }
function rate(x) { return x }
module.exports = { token, rate }
",
        &expect![[r#"
            variable Auth auth.js:1
                app.js:1 import 99
                app.js:3 read 99
                auth.js:2 read 99
                auth.js:3 read 99
                auth.js:3 read 99
            method Auth.token auth.js:2
                app.js:3 call 95
                auth.js:3 call 95
            function token decoy.js:1
                decoy.js:3 read 99
            function rate decoy.js:2
                decoy.js:3 read 99
            function rate tax.js:1
                app.js:2 import 99
                app.js:4 call 99
                tax.js:2 call 95
                tax.js:2 call 95
            function double tax.js:3
                app.js:2 import 99
                app.js:5 call 99
                tax.js:3 call 99
            function second tax.js:4
                app.js:2 import 99
                app.js:6 call 99
        "#]],
    );
}

#[test]
fn exports_of_other_modules() {
    check(
        "
//- /lib/index.js
module.exports = { ...require('./tax'), own() {} }
//- /lib/all.js
const tax = require('./tax')
Object.assign(exports, tax, require('./shape'))
exports.Shape = require('./shape').Shape
exports.vat = require('./tax')
//- /lib/tax.js
function rate(code) { return 1 }
module.exports = { rate }
//- /lib/shape.js
class Shape { grow() {} }
module.exports = Object.assign(make, { Shape, grow: () => 1 })
function make() { return new Shape() }
//- /lib/again.js
const tax = require('./tax')
const rate = (module.exports.rate = tax.rate)
rate(1)
//- /app.js
const { rate } = require('./lib')
const all = require('./lib/all')
const make = require('./lib/shape')
rate('a')
all.rate('b')
all.vat.rate('c')
new all.Shape().grow()
make().grow()
make.grow()
require('./lib/again').rate(2)
//- /decoy.js
function rate(x) { return x }
module.exports = { rate }
",
        &expect![[r#"
            function rate decoy.js:1
                decoy.js:2 read 99
            variable rate lib/again.js:2
                lib/again.js:3 call 99
            variable vat lib/all.js:4
                app.js:6 read 95
            class Shape lib/shape.js:1
                lib/all.js:3 read 95
                lib/shape.js:2 read 99
                lib/shape.js:3 call 99
            method Shape.grow lib/shape.js:1
                app.js:8 call 95
            function grow lib/shape.js:2
                app.js:9 call 95
            function make lib/shape.js:3
                app.js:3 import 99
                app.js:8 call 99
                app.js:9 read 99
                lib/all.js:2 import 99
                lib/all.js:3 import 99
                lib/shape.js:2 read 99
            function rate lib/tax.js:1
                app.js:1 import 99
                app.js:4 call 99
                app.js:5 call 95
                app.js:6 call 95
                app.js:10 call 95
                lib/again.js:2 read 95
                lib/again.js:3 call 85
                lib/tax.js:2 read 99
        "#]],
    );
}

#[test]
fn prototypes_written_out_and_inherited() {
    check(
        "
//- /store.js
function Store() {}
Store.prototype = {
  constructor: Store,
  save: function (row) { return row },
  twice(row) { return this.save(row) },
}
Object.assign(Store.prototype, { load() { return this.twice(1) } })
module.exports = Store
//- /base.js
function Base() {}
Base.prototype.stop = function () {}
module.exports = Base
//- /app.js
var util = require('util')
var Base = require('./base')
var Store = require('./store')
function A() { Base.call(this) }
util.inherits(A, Base)
A.prototype.halt = function () { this.stop() }
function B() {}
B.prototype = Object.create(Base.prototype)
B.prototype.stop = function () {}
function C() {}
C.prototype = new Base()
function D() {}
Object.setPrototypeOf(D.prototype, Base.prototype)
function E() {}
E.prototype = Object.assign(Object.create(Base.prototype), { run() { this.stop() } })
new A().stop()
new B().stop()
new C().stop()
new D().stop()
new E().stop()
new Store().load()
//- /decoy.js
class Decoy { stop() {} save() {} load() {} }
class Other { stop() {} save() {} load() {} }
module.exports = { Decoy, Other }
",
        &expect![[r#"
            function A app.js:4
                app.js:5 read 99
                app.js:6 read 99
                app.js:16 call 99
            function B app.js:7
                app.js:8 read 99
                app.js:9 read 99
                app.js:17 call 99
            method B.stop app.js:9
                app.js:6 call 70
                app.js:15 call 70
                app.js:16 call 70
                app.js:17 call 95
                app.js:18 call 70
                app.js:19 call 70
                app.js:20 call 70
                base.js:2 override 90
            function C app.js:10
                app.js:11 read 99
                app.js:18 call 99
            function D app.js:12
                app.js:13 read 99
                app.js:19 call 99
            function E app.js:14
                app.js:15 read 99
                app.js:20 call 99
            function Base base.js:1
                app.js:2 import 99
                app.js:4 read 99
                app.js:5 inherit 99
                app.js:8 inherit 99
                app.js:11 inherit 99
                app.js:13 inherit 99
                app.js:15 inherit 99
                base.js:2 read 99
                base.js:3 read 99
            method Base.stop base.js:2
                app.js:6 call 95
                app.js:9 override 90
                app.js:15 call 95
                app.js:16 call 95
                app.js:17 call 60
                app.js:18 call 95
                app.js:19 call 95
                app.js:20 call 95
            class Decoy decoy.js:1
                decoy.js:3 read 99
            class Other decoy.js:2
                decoy.js:3 read 99
            function Store store.js:1
                app.js:3 import 99
                app.js:21 call 99
                store.js:2 read 99
                store.js:3 read 99
                store.js:7 read 99
                store.js:8 read 99
            method Store.save store.js:4
                store.js:5 call 95
            method Store.twice store.js:5
                store.js:7 call 95
            method Store.load store.js:7
                app.js:21 call 95
        "#]],
    );
}

#[test]
fn classes_that_functions_make() {
    check(
        "
//- /pool.js
class Pool { connect(done) {} }
module.exports = Pool
//- /index.js
const Pool = require('./pool')
const named = (client) => class Bound extends Pool {}
const nameless = (client) => class extends Pool { extra() {} }
const PG = function (client) {
  this.Named = named(client)
  this.Nameless = nameless(client)
}
module.exports = new PG(1)
//- /app.js
const pg = require('./index')
const pool = new pg.Named()
pool.connect(1)
const other = new pg.Nameless()
other.connect(2)
other.extra()
//- /decoy.js
class Decoy { connect() {} extra() {} }
class Other { connect() {} extra() {} }
module.exports = { Decoy, Other }
",
        &expect![[r#"
            variable pool app.js:2
                app.js:3 read 99
            variable other app.js:4
                app.js:5 read 99
                app.js:6 read 99
            class Decoy decoy.js:1
                decoy.js:3 read 99
            class Other decoy.js:2
                decoy.js:3 read 99
            function named index.js:2
                index.js:5 call 99
            class named.Bound index.js:2
                app.js:2 call 85
            function nameless index.js:3
                index.js:6 call 99
            class nameless.class index.js:3
                app.js:4 call 85
            method nameless.class.extra index.js:3
                app.js:6 call 95
            function PG index.js:4
                app.js:1 import 99
                app.js:2 read 99
                app.js:4 read 99
                index.js:8 call 99
            field PG.Named index.js:5
                app.js:2 call 95
            field PG.Nameless index.js:6
                app.js:4 call 95
            class Pool pool.js:1
                index.js:1 import 99
                index.js:2 inherit 99
                index.js:3 inherit 99
                pool.js:2 read 99
            method Pool.connect pool.js:1
                app.js:3 call 95
                app.js:5 call 95
        "#]],
    );
}

#[test]
fn members_by_names_in_quotes() {
    check(
        "
//- /a.js
class A {
  onOpen() {}
  go(name) { this['onOpen'](); this['on' + name](); this['onOpen'] = 1 }
}
const handlers = { 'click': function () {}, hover() {} }
handlers['click']()
const { 'hover': over } = handlers
over()
//- /decoy.js
class Decoy { onOpen() {} click() {} }
class Other { onOpen() {} click() {} }
module.exports = { Decoy, Other }
",
        &expect![[r#"
            method A.onOpen a.js:2
                a.js:3 call 95
                a.js:3 write 95
            variable handlers a.js:5
                a.js:6 read 99
                a.js:7 read 99
            method handlers.click a.js:5
                a.js:6 call 95
            method handlers.hover a.js:5
                a.js:7 read 95
                a.js:8 call 85
            variable over a.js:7
                a.js:8 call 99
            class Decoy decoy.js:1
                decoy.js:3 read 99
            class Other decoy.js:2
                decoy.js:3 read 99
        "#]],
    );
}

#[test]
fn what_a_module_is_without_a_name() {
    check(
        "
//- /make.js
module.exports = function (size) { return { grow() { return size } } }
//- /base.ts
export default class { open() {} }
//- /api.ts
import { save } from './save'
export default { save, load() { return save() } }
//- /save.ts
export function save() {}
//- /app.ts
import Base from './base'
import api from './api'
import make from './make'
class Door extends Base { knock() { this.open() } }
api.save()
api.load()
make(1).grow()
",
        &expect![[r#"
            variable default api.ts:2
                app.ts:2 import 99
                app.ts:5 read 99
                app.ts:6 read 99
            field default.save api.ts:2
                app.ts:5 call 95
            method default.load api.ts:2
                app.ts:6 call 95
            class default base.ts:1
                app.ts:1 import 99
                app.ts:4 inherit 99
            method default.open base.ts:1
                app.ts:4 call 95
            function default make.js:1
                app.ts:3 import 99
                app.ts:7 call 99
            method default.object.grow make.js:1
                app.ts:7 call 95
            function save save.ts:1
                api.ts:1 import 99
                api.ts:2 read 99
                api.ts:2 call 99
                app.ts:5 call 85
        "#]],
    );
}

#[test]
fn modules_of_functions_that_are_called_at_once_and_prototypes_in_variables() {
    check(
        "
//- /counter.js
var Counter = (function (start) {
  function next() { return start + 1 }
  return { next: next, reset: function () {} }
})(1)
module.exports = Counter
//- /route.js
function Route() {}
var proto = Route.prototype
proto.all = function () { return this.match() }
proto.match = function () {}
Route.helpers = { trim() {} }
module.exports = Route
//- /app.js
var Counter = require('./counter')
var Route = require('./route')
Counter.next()
Counter.reset()
new Route().all()
Route.helpers.trim()
//- /decoy.js
class Decoy { next() {} reset() {} all() {} trim() {} }
class Other { next() {} reset() {} all() {} trim() {} }
module.exports = { Decoy, Other }
",
        &expect![[r#"
            variable Counter counter.js:1
                app.js:1 import 99
                app.js:3 read 99
                app.js:4 read 99
                counter.js:5 read 99
            function Counter.next counter.js:2
                app.js:3 call 85
                counter.js:3 override 90
                counter.js:3 read 99
            field Counter.object.next counter.js:3
                app.js:3 call 95
                counter.js:2 override 90
                counter.js:3 read 60
            method Counter.object.reset counter.js:3
                app.js:4 call 95
            class Decoy decoy.js:1
                decoy.js:3 read 99
            class Other decoy.js:2
                decoy.js:3 read 99
            function Route route.js:1
                app.js:2 import 99
                app.js:5 call 99
                app.js:6 read 99
                route.js:2 read 99
                route.js:5 read 99
                route.js:6 read 99
            variable proto route.js:2
                route.js:3 read 99
                route.js:4 read 99
            method Route.all route.js:3
                app.js:5 call 95
            method Route.match route.js:4
                route.js:3 call 95
            field Route.helpers route.js:5
                app.js:6 read 95
            method Route.helpers.trim route.js:5
                app.js:6 call 95
        "#]],
    );
}

#[test]
fn bases_that_functions_make_and_prototypes_that_are_read() {
    check(
        "
//- /mixins.ts
export class Base { start() {} }
export class Other { pause() {} }
export const Timed = (Super) => class extends Super { tick() {} }
//- /app.ts
import { Base, Other, Timed } from './mixins'
class App extends Timed(Base) {
  run() { this.tick(); this.start(); super['start']() }
}
class Mixed extends mix(Base).with(Other) {}
new Mixed().pause()
Other.prototype.pause.call(null)
//- /old.js
function Old() {}
Old.prototype['go'] = function () {}
exports['make'] = function () { return new Old() }
require('util').inherits(Older, Old)
function Older() { Old.prototype.go.call(this) }
new Older().go()
//- /decoy.ts
export class Decoy { tick() {} start() {} pause() {} go() {} }
export class Decoys { tick() {} start() {} pause() {} go() {} }
",
        &expect![[r#"
            class Mixed app.ts:5
                app.ts:6 call 99
            class Base mixins.ts:1
                app.ts:1 import 99
                app.ts:2 read 99
                app.ts:5 read 99
            method Base.start mixins.ts:1
                app.ts:3 call 95
                app.ts:3 call 95
            class Other mixins.ts:2
                app.ts:1 import 99
                app.ts:5 read 99
                app.ts:7 read 99
            method Other.pause mixins.ts:2
                app.ts:6 call 95
                app.ts:7 read 95
            function Timed mixins.ts:3
                app.ts:1 import 99
                app.ts:2 call 99
            method Timed.class.tick mixins.ts:3
                app.ts:3 call 95
            function Old old.js:1
                old.js:2 read 99
                old.js:3 call 99
                old.js:4 inherit 99
                old.js:5 read 99
            method Old.go old.js:2
                old.js:5 read 95
                old.js:6 call 95
            function Older old.js:5
                old.js:4 read 99
                old.js:6 call 99
        "#]],
    );
}

#[test]
fn frozen_objects_and_getters_of_modules() {
    check(
        "
//- /tax.js
function rate() {}
exports.rate = rate
//- /frozen.js
function open() {}
module.exports = Object.freeze({ open, close() {} })
//- /lazy.js
module.exports = { get rate() { return require('./tax').rate } }
//- /app.js
const frozen = require('./frozen')
const lazy = require('./lazy')
const own = Object.freeze({ open: frozen.open, shut() {} })
frozen.open()
frozen.close()
lazy.rate()
own.open()
own.shut()
//- /decoy.js
class Decoy { open() {} close() {} rate() {} shut() {} }
class Other { open() {} close() {} rate() {} shut() {} }
module.exports = { Decoy, Other }
",
        &expect![[r#"
            variable own app.js:3
                app.js:7 read 99
                app.js:8 read 99
            field own.open app.js:3
                app.js:7 call 95
            method own.shut app.js:3
                app.js:8 call 95
            class Decoy decoy.js:1
                decoy.js:3 read 99
            class Other decoy.js:2
                decoy.js:3 read 99
            function open frozen.js:1
                app.js:3 read 95
                app.js:4 call 95
                app.js:7 call 85
                frozen.js:2 read 99
            function close frozen.js:2
                app.js:5 call 95
            function rate lazy.js:1
                app.js:6 call 95
            function rate tax.js:1
                app.js:6 call 85
                lazy.js:1 read 95
                tax.js:2 read 99
        "#]],
    );
}
