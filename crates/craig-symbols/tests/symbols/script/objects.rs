//! Functions under the names of objects, and objects that functions return.

use expect_test::expect;

use crate::check;

#[test]
fn a_key_that_holds_a_function_is_that_function() {
    check(
        "
//- /p.js
const toASCII = (x) => x
const api = { version: '1', toASCII: toASCII, decode }
function decode(x) { return x }
module.exports = api
//- /serializer.ts
const password = (p: string) => p
const query = (q: string) => q
export const serialize = { password, query } as const
export const renamed = query
export class Shape {}
export const shapes = { Round: Shape }
//- /index.ts
import { serialize } from './serializer'
export { serialize }
//- /app.ts
import { serialize } from './index'
import { renamed, shapes } from './serializer'
const api = require('./p')
api.toASCII('x')
api.decode('x')
serialize.password('x')
renamed('y')
new shapes.Round()
//- /decoy.ts
export function password() {}
export function toASCII() {}
",
        &expect![[r#"
            function toASCII p.js:1
                app.ts:4 call 85
                p.js:2 read 99
            variable api p.js:2
                app.ts:3 import 99
                app.ts:4 read 99
                app.ts:5 read 99
                p.js:4 read 99
            field api.toASCII p.js:2
                app.ts:4 call 95
            field api.decode p.js:2
                app.ts:5 call 95
            function decode p.js:3
                app.ts:5 call 85
                p.js:2 read 99
            function password serializer.ts:1
                app.ts:6 call 85
                serializer.ts:3 read 99
            function query serializer.ts:2
                app.ts:2 import 85
                app.ts:7 call 85
                serializer.ts:3 read 99
                serializer.ts:4 read 99
            variable serialize serializer.ts:3
                app.ts:1 import 99
                app.ts:6 read 99
                index.ts:1 import 99
                index.ts:2 import 99
            field serialize.password serializer.ts:3
                app.ts:6 call 95
            variable renamed serializer.ts:4
                app.ts:2 import 99
                app.ts:7 call 99
            class Shape serializer.ts:5
                app.ts:8 call 85
                serializer.ts:6 read 99
            variable shapes serializer.ts:6
                app.ts:2 import 99
                app.ts:8 read 99
            field shapes.Round serializer.ts:6
                app.ts:8 call 95
        "#]],
    );
}

#[test]
fn objects_that_functions_return() {
    check(
        "
//- /use-store.ts
export function useStore() {
  function save(id: string) { return id }
  const remove = (id: string) => save(id)
  const items = load()
  return { save, remove, items, clear: () => 1, later }
  function later() {}
}
export const useLoad = () => ({ load, count: 1 })
function load() { return [new Item()] }
export class Item { open() {} }
//- /app.ts
import { useStore, useLoad, Item } from './use-store'
export function go() {
  const { save, remove: drop, later } = useStore()
  const store = useStore()
  save('1')
  drop('2')
  later()
  store.clear()
  store.items[0].open()
  useLoad().load()
  const { load } = useLoad()
  load()
}
export function either(loaded: boolean) {
  if (loaded) return { items: [] }
  return new Item()
}
either(true).open()
interface Props { onLoad: () => void }
export const view = ({ onLoad }: Props) => onLoad()
//- /decoy.ts
export class Decoy { save() {} clear() {} load() {} }
export class Other { save() {} clear() {} load() {} }
",
        &expect![[r#"
            function either app.ts:14
                app.ts:18 call 99
            interface Props app.ts:19
                app.ts:20 type 99
            field Props.onLoad app.ts:19
                app.ts:20 read 95
            function useStore use-store.ts:1
                app.ts:1 import 99
                app.ts:3 call 99
                app.ts:4 call 99
            function useStore.save use-store.ts:2
                app.ts:3 read 85
                app.ts:5 call 85
                use-store.ts:3 call 99
                use-store.ts:5 read 99
            function useStore.remove use-store.ts:3
                app.ts:3 read 85
                app.ts:6 call 85
                use-store.ts:5 read 99
            field useStore.object.save use-store.ts:5
                app.ts:3 read 95
                app.ts:5 call 95
            field useStore.object.remove use-store.ts:5
                app.ts:3 read 95
                app.ts:6 call 95
            field useStore.object.items use-store.ts:5
                app.ts:9 read 95
            method useStore.object.clear use-store.ts:5
                app.ts:8 call 95
            field useStore.object.later use-store.ts:5
                app.ts:3 read 95
                app.ts:7 call 95
            function useStore.later use-store.ts:6
                app.ts:3 read 85
                app.ts:7 call 85
                use-store.ts:5 read 99
            function useLoad use-store.ts:8
                app.ts:1 import 99
                app.ts:10 call 99
                app.ts:11 call 99
            field useLoad.object.load use-store.ts:8
                app.ts:10 call 95
                app.ts:11 read 95
                app.ts:12 call 95
            function load use-store.ts:9
                app.ts:10 call 85
                app.ts:11 read 85
                app.ts:12 call 85
                use-store.ts:4 call 99
                use-store.ts:8 read 99
            class Item use-store.ts:10
                app.ts:1 import 99
                app.ts:16 call 99
                use-store.ts:9 call 99
            method Item.open use-store.ts:10
                app.ts:9 call 95
                app.ts:18 call 95
        "#]],
    );
}

#[test]
fn functions_of_objects_inside_of_functions() {
    check(
        "
//- /app.tsx
import { createStore, useCallback } from 'library'
export function start(send: (text: string) => void) {
  const handlers = { open() { return handlers.close() }, close: () => 1 }
  let later
  later = () => handlers.open()
  const save = useCallback((id: string) => later(), [])
  createStore({ actions: { run() { return save('1') } } })
  handlers.open()
  return save
}
interface Props { onDone: (x: number) => void }
export function View({ onDone }: Props) { onDone(1); return null }
",
        &expect![[r#"
            variable start.handlers app.tsx:3
                app.tsx:3 read 99
                app.tsx:5 read 99
                app.tsx:8 read 99
            method start.handlers.open app.tsx:3
                app.tsx:5 call 95
                app.tsx:8 call 95
            method start.handlers.close app.tsx:3
                app.tsx:3 call 95
            function start.save app.tsx:6
                app.tsx:7 call 99
                app.tsx:9 read 99
            interface Props app.tsx:11
                app.tsx:12 type 99
            field Props.onDone app.tsx:11
                app.tsx:12 read 95
        "#]],
    );
}

#[test]
fn this_in_values_of_an_object_is_that_of_the_method_around_it() {
    check(
        "
//- /rule.ts
class I18n { text() {} }
class Decoy { text() {} i18n = 1 }
export class Rule {
  constructor(private i18n: I18n) {}
  evaluate() { return { found: this.i18n.text(), later: () => this.i18n.text() } }
}
",
        &expect![[r#"
            class I18n rule.ts:1
                rule.ts:4 type 99
            method I18n.text rule.ts:1
                rule.ts:5 call 95
                rule.ts:5 call 95
            field Rule.i18n rule.ts:4
                rule.ts:5 read 95
                rule.ts:5 read 95
        "#]],
    );
}

#[test]
fn keys_that_are_computed_are_read() {
    check(
        r#"
//- /mode.ts
export const Mode = { A: 'a', B: 'b' } as const
export enum Kind { A, B }

export const names = { [Mode.A]: 1, [Kind.B]: 2 }
export const typed: Record<Kind, string> = { [Kind.A]: 'a' }
call({ [Mode.B]: 1 })
"#,
        &expect![[r#"
            variable Mode mode.ts:1
                mode.ts:4 read 99
                mode.ts:6 read 99
            field Mode.A mode.ts:1
                mode.ts:4 read 95
            field Mode.B mode.ts:1
                mode.ts:6 read 95
            enum Kind mode.ts:2
                mode.ts:4 read 99
                mode.ts:5 type 99
                mode.ts:5 read 99
            enum_member Kind.A mode.ts:2
                mode.ts:5 read 95
            enum_member Kind.B mode.ts:2
                mode.ts:4 read 95
        "#]],
    );
}
