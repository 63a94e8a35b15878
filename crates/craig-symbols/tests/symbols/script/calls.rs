//! Calls whose value follows from what they are given: imports that are loaded later, hooks, containers.

use expect_test::expect;

use crate::check;

#[test]
fn modules_that_are_loaded_later() {
    check(
        "
//- /tax.ts
export function rate(code: string) { return 1 }
//- /page.tsx
export default function Page() { return null }
export function Other() { return null }
//- /app.tsx
import { lazy } from 'react'
import dynamic from 'next/dynamic'
export const routes = [{ load: () => import('./tax').then((m) => m.rate) }]
export async function go() {
  const { rate } = await import('./tax')
  rate('a')
  const tax = await import('./tax')
  tax.rate('b')
  import('./tax').then(({ rate }) => rate('c'))
  import('./tax').then((m) => m).catch(() => null).then((m) => m.rate('d'))
}
const P = lazy(() => import('./page'))
const Q = dynamic(() => import('./page').then((m) => m.Other), { ssr: false })
const R = lazy(() => import('./page').then((m) => ({ default: m.Other })))
export const App = () => <P><Q /><R /></P>
//- /decoy.ts
export function Page() {}
export function rate() {}
",
        &expect![[r#"
            constant P app.tsx:12
                app.tsx:15 call 99
                app.tsx:15 read 99
            constant Q app.tsx:13
                app.tsx:15 call 99
            constant R app.tsx:14
                app.tsx:15 call 99
            function Page page.tsx:1
                app.tsx:12 import 95
                app.tsx:15 call 85
                app.tsx:15 read 85
            function Other page.tsx:2
                app.tsx:13 read 95
                app.tsx:14 read 95
                app.tsx:15 call 85
                app.tsx:15 call 85
            function rate tax.ts:1
                app.tsx:3 read 95
                app.tsx:5 read 95
                app.tsx:6 call 95
                app.tsx:8 call 95
                app.tsx:9 read 95
                app.tsx:9 call 95
                app.tsx:10 call 95
        "#]],
    );
}

#[test]
fn instances_of_classes_that_containers_are_asked_for() {
    check(
        "
//- /user.service.ts
export class UserService { find(id: string) { return id } }
//- /cart.tsx
import { createContext, useContext, memo } from 'react'
export interface Cart { add(id: string): void }
const Ctx = createContext<Cart | null>(null)
export const useCart = () => useContext(Ctx)!
export function Row() { return null }
export const Fast = memo(Row)
//- /app.tsx
import { inject } from '@angular/core'
import { UserService } from './user.service'
import { useCart, Fast } from './cart'
export class A {
  private users = inject(UserService)
  go(container: any) {
    container.get(UserService).find('2')
    return this.users.find('1')
  }
}
export function App() {
  const cart = useCart()
  cart.add('1')
  return <Fast />
}
//- /decoy.ts
export class Decoy { find() {} add() {} }
export class Other { find() {} add() {} }
",
        &expect![[r#"
            field A.users app.tsx:5
                app.tsx:8 read 95
            interface Cart cart.tsx:2
                cart.tsx:3 type 99
            method Cart.add cart.tsx:2
                app.tsx:13 call 95
            variable Ctx cart.tsx:3
                cart.tsx:4 read 99
            function useCart cart.tsx:4
                app.tsx:3 import 99
                app.tsx:12 call 99
            function Row cart.tsx:5
                app.tsx:3 import 85
                app.tsx:14 call 85
                cart.tsx:6 read 99
            variable Fast cart.tsx:6
                app.tsx:3 import 99
                app.tsx:14 call 99
            class UserService user.service.ts:1
                app.tsx:2 import 99
                app.tsx:5 read 99
                app.tsx:7 read 99
            method UserService.find user.service.ts:1
                app.tsx:7 call 95
                app.tsx:8 call 95
        "#]],
    );
}
