use expect_test::expect;

use crate::check;

#[test]
fn stores_that_a_function_sets_up_have_what_it_returns() {
    check(
        r#"
//- /store.ts
import { defineStore } from 'pinia'

export const useS = defineStore('s', () => {
  const v = ref(0)
  function setV(n: number) { v.value = n }
  return { v, setV }
})
//- /app.ts
import { useS } from './store'

const s = useS()
s.setV(1)
console.log(s.v)

function inner() {
  const { setV } = useS()
  setV(2)
  useS().setV(3)
}
"#,
        &expect![[r#"
            variable s app.ts:3
                app.ts:4 read 99
                app.ts:5 read 99
            variable useS store.ts:3
                app.ts:1 import 99
                app.ts:3 call 99
                app.ts:8 call 99
                app.ts:10 call 99
            function useS.setV store.ts:5
                app.ts:4 call 85
                app.ts:8 read 85
                app.ts:9 call 85
                app.ts:10 call 85
                store.ts:6 read 99
            field useS.object.v store.ts:6
                app.ts:5 read 95
            field useS.object.setV store.ts:6
                app.ts:4 call 95
                app.ts:8 read 95
                app.ts:9 call 95
                app.ts:10 call 95
        "#]],
    );
}
