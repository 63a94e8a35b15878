use expect_test::expect;

use crate::check;

#[test]
fn expressions_of_templates_are_read_in_the_scope_of_the_script() {
    check(
        r#"
//- /fmt.ts
export interface ITask { done: boolean; title: string; parts: ITask[]; }
export function formatIt(text: string): string { return text; }
export function decoy() {}
export const task = 1;
//- /Line.vue
<template>
  <!-- {{ decoy() }} -->
  <b @click="flip" :value="task.done" title="decoy()">{{ formatIt('x') }} decoy() {{ task.title }}</b>
  <i @click.prevent="flip(); n = 1" @input="(value) => formatIt(value)" v-if="task.done && n > 0" />
  <li :key="part.title" v-for="(part, index) in task.parts" @click="formatIt(index)">
    <u v-text="part.done"></u>
    <List v-slot:item="{ item, decoy }">{{ item.done }} {{ decoy }}</List>
  </li>
  <p>{{ part.title }}</p>
</template>

<script setup lang="ts">
import { formatIt, decoy, type ITask } from './fmt'

const props = defineProps<{ task: ITask }>()
let n = 0
function flip() { console.log(props.task.done) }
</script>

<style>
b { color: v-bind(decoy) }
</style>
"#,
        &expect![[r#"
            variable props Line.vue:15
                Line.vue:17 read 99
            field props.object.task Line.vue:15
                Line.vue:3 read 99
                Line.vue:3 read 99
                Line.vue:4 read 99
                Line.vue:5 read 99
                Line.vue:17 read 95
            variable n Line.vue:16
                Line.vue:4 write 99
                Line.vue:4 read 99
            function flip Line.vue:17
                Line.vue:3 read 99
                Line.vue:4 call 99
            interface ITask fmt.ts:1
                Line.vue:13 import 99
                Line.vue:15 type 99
                fmt.ts:1 type 99
            field ITask.done fmt.ts:1
                Line.vue:3 read 95
                Line.vue:4 read 95
                Line.vue:6 read 95
                Line.vue:7 read 23
                Line.vue:17 read 95
            field ITask.title fmt.ts:1
                Line.vue:3 read 95
                Line.vue:5 read 95
            field ITask.parts fmt.ts:1
                Line.vue:5 read 95
            function formatIt fmt.ts:2
                Line.vue:3 call 99
                Line.vue:4 call 99
                Line.vue:5 call 99
                Line.vue:13 import 99
            function decoy fmt.ts:3
                Line.vue:13 import 99
        "#]],
    );
}

#[test]
fn a_template_names_the_properties_of_a_declared_type() {
    check(
        r#"
//- /Line.vue
<script setup lang="ts">
import Base from './Base.vue'
interface Props { title: string; n?: number }
const props = withDefaults(defineProps<Props>(), { n: 1 })
const title = 'own'
props.n
</script>
<template>
  <Base :title="title" :n>{{ n }}</Base>
</template>
//- /Base.vue
<script setup lang="ts">
const { title } = defineProps<{ title: string }>()
</script>
<template lang="html"><h1>{{ title }}</h1></template>
"#,
        &expect![[r#"
            class Base Base.vue:1
                Line.vue:2 import 99
                Line.vue:9 call 99
            field object.title Base.vue:2
                Base.vue:2 read 95
            variable title Base.vue:2
                Base.vue:4 read 99
            interface Props Line.vue:3
                Line.vue:4 type 99
            field Props.n Line.vue:3
                Line.vue:6 read 95
                Line.vue:9 read 99
                Line.vue:9 read 99
            variable props Line.vue:4
                Line.vue:6 read 99
            variable title Line.vue:5
                Line.vue:9 read 99
        "#]],
    );
}

#[test]
fn references_have_what_they_hold_in_scripts_and_templates() {
    check(
        r#"
//- /task.ts
export interface Task { done: boolean; title: string; parts: Task[]; }
export class Model { load() {} }
export const decoy = { done: 1, title: 2, load() {}, parts: 3 }
//- /store.ts
import { defineStore } from 'pinia'
import type { Task } from './task'

export const useTasks = defineStore('tasks', () => {
  const current = ref<Task>({} as Task)
  return { current }
})
//- /Line.vue
<script setup lang="ts">
import { Model, type Task } from './task'
import { useTasks } from './store'

const task = ref<Task>({ done: true })
const tasks = shallowRef<Task[]>([])
const model = ref(new Model())
const first = computed(() => new Model())
const chosen = defineModel<Task>()
const { current } = storeToRefs(useTasks())

task.value.done
tasks.value[0].title
model.value.load()
first.value.load()
chosen.value.parts
current.value.title
useTasks().current.title
</script>
<template>
  <p @click="model.load()" v-if="task.done">{{ chosen.parts }}</p>
  <p v-for="one in tasks" @click="first.load()">{{ one.title }}</p>
</template>
"#,
        &expect![[r#"
            variable task Line.vue:5
                Line.vue:12 read 99
                Line.vue:21 read 99
            field task.object.value Line.vue:5
                Line.vue:12 read 95
            variable tasks Line.vue:6
                Line.vue:13 read 99
                Line.vue:22 read 99
            field tasks.object.value Line.vue:6
                Line.vue:13 read 95
            variable model Line.vue:7
                Line.vue:14 read 99
                Line.vue:21 read 99
            field model.object.value Line.vue:7
                Line.vue:14 read 95
            variable first Line.vue:8
                Line.vue:15 read 99
                Line.vue:22 read 99
            field first.object.value Line.vue:8
                Line.vue:15 read 95
            variable chosen Line.vue:9
                Line.vue:16 read 99
                Line.vue:21 read 99
            field chosen.object.value Line.vue:9
                Line.vue:16 read 95
            variable current Line.vue:10
                Line.vue:17 read 99
            variable useTasks store.ts:4
                Line.vue:3 import 99
                Line.vue:10 call 99
                Line.vue:18 call 99
            field useTasks.object.current store.ts:6
                Line.vue:10 read 95
                Line.vue:18 read 95
            interface Task task.ts:1
                Line.vue:2 import 99
                Line.vue:5 type 99
                Line.vue:6 type 99
                Line.vue:9 type 99
                store.ts:2 import 99
                store.ts:5 type 99
                store.ts:5 type 99
                task.ts:1 type 99
            field Task.done task.ts:1
                Line.vue:12 read 95
                Line.vue:21 read 95
            field Task.title task.ts:1
                Line.vue:13 read 95
                Line.vue:18 read 95
                Line.vue:22 read 95
            field Task.parts task.ts:1
                Line.vue:16 read 95
                Line.vue:21 read 95
            class Model task.ts:2
                Line.vue:2 import 99
                Line.vue:7 call 99
                Line.vue:8 call 99
            method Model.load task.ts:2
                Line.vue:14 call 95
                Line.vue:15 call 95
                Line.vue:21 call 95
                Line.vue:22 call 95
        "#]],
    );
}

#[test]
fn components_are_symbols_of_their_files() {
    check(
        r#"
//- /src/ProjectSearch.vue
<template><input></template>
//- /src/Old.vue
<script>
export default {
  methods: { save() {} },
}
</script>
//- /src/App.vue
<template>
  <ProjectSearch/>
  <project-search class="x"></project-search>
  <project/>
  <Old ref="old"/>
</template>
<script setup lang="ts">
import ProjectSearch from './ProjectSearch.vue'
import Old from './Old.vue'
import Project from './project'
const lazy = () => import('./ProjectSearch.vue')
</script>
//- /src/project.ts
export default class Project {}
//- /src/main.ts
import App from './App.vue'

createApp(App)
"#,
        &expect![[r#"
            class App src/App.vue:1
                src/main.ts:1 import 99
                src/main.ts:3 read 99
            class Old src/Old.vue:1
                src/App.vue:5 call 99
                src/App.vue:9 import 99
            class ProjectSearch src/ProjectSearch.vue:1
                src/App.vue:2 call 99
                src/App.vue:3 call 99
                src/App.vue:8 import 99
            class Project src/project.ts:1
                src/App.vue:10 import 99
        "#]],
    );
}

#[test]
fn a_template_names_what_the_options_of_its_component_give() {
    check(
        r#"
//- /Cart.vue
<template>
  <p :class="size" @click="save">{{ count }} {{ total }} {{ methods }}</p>
</template>
<script>
import { defineComponent } from 'vue'

export default defineComponent({
  props: { size: String },
  data() { return { count: 0 } },
  computed: { total() { return 1 } },
  methods: { save() {} },
})
</script>
//- /decoy.js
export const decoy = { size: 1, count: 2, total: 3, save() {}, methods: 4 }
"#,
        &expect![[r#"
            field default.props.size Cart.vue:8
                Cart.vue:2 read 99
            field default.data.object.count Cart.vue:9
                Cart.vue:2 read 99
            method default.computed.total Cart.vue:10
                Cart.vue:2 read 99
            method default.methods.save Cart.vue:11
                Cart.vue:2 read 99
        "#]],
    );
}

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
