use expect_test::expect;

use crate::check;

#[test]
fn names_are_found_by_scope_package_import_and_alias() {
    check(
        "
//- /src/geometry/Shape.kt
package geometry

const val SIDES = 4

class Shape(val size: Int, name: String) {
    val label = name + size
    fun area(size: Int) = size * this.size + SIDES
    companion object {
        fun unit() = Shape(1, \"unit\")
    }
}

fun draw(shape: Shape) = \"$SIDES ${shape.size}\"
//- /src/geometry/Drawing.kt
package geometry

val shape = Shape.unit()
//- /src/app/Main.kt
package app

import geometry.Shape as Form
import geometry.Shape.Companion.unit
import geometry.draw
import other.*

fun main() {
    val draw = draw(unit())
    geometry.draw(geometry.Shape(1, name = draw))
    Form(size = 2, name = draw).area(SIDES)
}
",
        &expect![[r#"
            constant SIDES src/geometry/Shape.kt:3
                src/geometry/Shape.kt:7 read 99
                src/geometry/Shape.kt:13 read 99
            class Shape src/geometry/Shape.kt:5
                src/app/Main.kt:3 import 99
                src/app/Main.kt:4 import 99
                src/app/Main.kt:10 call 95
                src/app/Main.kt:11 call 99
                src/geometry/Drawing.kt:3 type 99
                src/geometry/Shape.kt:9 call 99
                src/geometry/Shape.kt:13 type 99
            field Shape.size src/geometry/Shape.kt:5
                src/app/Main.kt:11 write 95
                src/geometry/Shape.kt:6 read 99
                src/geometry/Shape.kt:7 read 95
                src/geometry/Shape.kt:13 read 95
            method Shape.area src/geometry/Shape.kt:7
                src/app/Main.kt:11 call 95
            method Shape.unit src/geometry/Shape.kt:9
                src/app/Main.kt:4 import 99
                src/app/Main.kt:9 call 99
                src/geometry/Drawing.kt:3 call 95
            function draw src/geometry/Shape.kt:13
                src/app/Main.kt:5 import 99
                src/app/Main.kt:9 call 99
                src/app/Main.kt:10 call 95
        "#]],
    );
}

#[test]
fn extensions_belong_to_what_they_extend() {
    check(
        "
//- /src/io/Buffer.kt
package io

class Buffer : Source {
    fun write(text: String) = this
    class Cursor
}

interface Source

fun Buffer.line() = write(\"line\").write(\"\\n\")
fun String.lines(): Int = 1
fun File.lines(): Int = 2
val Source.name: String get() = \"source\"
fun <T : Source> T.logged(): T = apply { name }
private fun Source.secret() {}
fun Buffer.Cursor.next() {}
//- /src/app/Main.kt
package app

import io.Buffer
import io.line as row
import io.lines
import io.logged
import io.name

fun run(file: File, unknown: Any?) {
    Buffer().logged().write(\"text\").row()
    \"text\".lines()
    file.lines()
    Buffer().name
    unknown.secret()
    Buffer().apply {
        write(\"more\")
        this.write(name)
    }
    with(Buffer()) { also { it.line() } }
    Buffer.Cursor().next()
}
",
        &expect![[r#"
            class Buffer src/io/Buffer.kt:3
                src/app/Main.kt:3 import 99
                src/app/Main.kt:10 call 99
                src/app/Main.kt:13 call 99
                src/app/Main.kt:15 call 99
                src/app/Main.kt:19 call 99
                src/app/Main.kt:20 type 99
                src/io/Buffer.kt:10 type 99
                src/io/Buffer.kt:16 type 99
            method Buffer.write src/io/Buffer.kt:4
                src/app/Main.kt:10 call 95
                src/app/Main.kt:16 call 95
                src/app/Main.kt:17 call 95
                src/io/Buffer.kt:10 call 99
                src/io/Buffer.kt:10 call 95
            class Buffer.Cursor src/io/Buffer.kt:5
                src/app/Main.kt:20 call 95
                src/io/Buffer.kt:16 type 95
            interface Source src/io/Buffer.kt:8
                src/io/Buffer.kt:3 implement 99
                src/io/Buffer.kt:13 type 99
                src/io/Buffer.kt:14 type 99
                src/io/Buffer.kt:15 type 99
            function Buffer.line src/io/Buffer.kt:10
                src/app/Main.kt:4 import 99
                src/app/Main.kt:10 call 85
                src/app/Main.kt:19 call 70
            function lines src/io/Buffer.kt:11
                src/app/Main.kt:5 import 99
                src/app/Main.kt:11 call 85
            function lines src/io/Buffer.kt:12
                src/app/Main.kt:5 import 99
                src/app/Main.kt:11 call 85
                src/app/Main.kt:12 call 85
            variable Source.name src/io/Buffer.kt:13
                src/app/Main.kt:7 import 99
                src/app/Main.kt:13 read 95
                src/app/Main.kt:17 read 99
                src/io/Buffer.kt:14 read 99
            function logged src/io/Buffer.kt:14
                src/app/Main.kt:6 import 99
                src/app/Main.kt:10 call 85
            function Buffer.Cursor.next src/io/Buffer.kt:16
                src/app/Main.kt:20 call 95
        "#]],
    );
}

#[test]
fn lambdas_are_called_on_what_their_function_says() {
    check(
        "
//- /src/a/Page.kt
package a

class Page {
    var title = \"\"
    fun text(text: String) {}
}

inline fun page(name: String, build: Page.() -> Unit) = Page().apply(build)
fun each(action: (Page) -> Unit) {}
//- /src/b/Site.kt
package b

import a.each
import a.page

val home = page(\"home\") {
    title = \"Home\"
    listOf(1).forEach { text(title) }
}

fun other() = each { title -> title.text(\"\") }
",
        &expect![[r#"
            class Page src/a/Page.kt:3
                src/a/Page.kt:8 type 99
                src/a/Page.kt:8 call 99
                src/a/Page.kt:9 type 99
            field Page.title src/a/Page.kt:4
                src/b/Site.kt:7 write 95
                src/b/Site.kt:8 read 95
            method Page.text src/a/Page.kt:5
                src/b/Site.kt:8 call 95
                src/b/Site.kt:11 call 95
            function page src/a/Page.kt:8
                src/b/Site.kt:4 import 99
                src/b/Site.kt:6 call 99
            function each src/a/Page.kt:9
                src/b/Site.kt:3 import 99
                src/b/Site.kt:11 call 99
        "#]],
    );
}

#[test]
fn types_that_cannot_be_parsed_keep_their_members() {
    check(
        "
//- /src/a/Broken.kt
package a

interface Part

class Broken(val size: Int) : Part {
    fun zero() = Text(1)

    fun first(): Widget {
        val usage = zero()
        return if (usage.isEmpty()) {
            Text(prog)
        } else {
            list {
                entry(1)
                inline = true
                spacing = 1
            }
        }
    }

    fun second() = third(size)

    fun third(size: Int) {}
}
//- /src/a/Use.kt
package a

fun use(broken: Broken) = broken.zero()
",
        &expect![[r#"
            interface Part src/a/Broken.kt:3
                src/a/Broken.kt:5 implement 99
            class Broken src/a/Broken.kt:5
                src/a/Use.kt:3 type 99
            field Broken.size src/a/Broken.kt:5
                src/a/Broken.kt:21 read 99
            method Broken.zero src/a/Broken.kt:6
                src/a/Broken.kt:9 call 99
                src/a/Use.kt:3 call 95
            method Broken.third src/a/Broken.kt:23
                src/a/Broken.kt:21 call 99
        "#]],
    );
}

#[test]
fn members_are_inherited_and_overridden() {
    check(
        "
//- /src/a/Base.kt
package a

abstract class Base(protected open val name: String) {
    abstract fun visit(item: Item)
    fun run() { visit(Item()) }
    object Nothing : Base(\"nothing\") {
        override val name get() = super.name
        override fun visit(item: Item) = item.touch()
    }
    fun other() = object : Base(name) {
        override fun visit(item: Item) { run() }
    }
}
//- /src/a/Item.kt
package a

open class Item : Comparable<Item> {
    constructor(size: Int)
    fun touch() {}
}

enum class Kind(val item: Item) {
    ONE(Item(1)), TWO(Item(2)) { override fun made() = ONE.item };
    open fun made(): Item = item
}

class Group(list: List<Item>) : List<Item> by list {
    lateinit var first: Item
    val all by lazy { first }
    operator fun contains(item: Item) = first == item
}
//- /src/a/Use.kt
package a

fun use(value: Any, group: Group, map: Map<String, Item>) {
    Base.Nothing.visit(group.first)
    group.first = Kind.TWO.made()
    group.all.touch()
    if (value is Base) value.run()
    if (value !is Item) return
    value.touch()
    for ((key, item) in map) item.touch()
    map.values.forEach { it.touch() }
    when (val kind = Kind.ONE) {
        Kind.ONE, Kind.TWO -> kind.item
    }
    listOf<Item>().map(Item::touch)
    value.unknown<Item>(value)
}
",
        &expect![[r#"
            class Base src/a/Base.kt:3
                src/a/Base.kt:6 inherit 99
                src/a/Base.kt:10 inherit 99
                src/a/Use.kt:4 type 99
                src/a/Use.kt:7 type 99
            field Base.name src/a/Base.kt:3
                src/a/Base.kt:7 override 90
                src/a/Base.kt:7 read 95
                src/a/Base.kt:10 read 99
            method Base.visit src/a/Base.kt:4
                src/a/Base.kt:5 call 99
                src/a/Base.kt:8 override 90
                src/a/Base.kt:11 override 90
            method Base.run src/a/Base.kt:5
                src/a/Base.kt:11 call 99
                src/a/Use.kt:7 call 95
            class Base.Nothing src/a/Base.kt:6
                src/a/Use.kt:4 type 95
            field Base.Nothing.name src/a/Base.kt:7
                src/a/Base.kt:10 read 45
            method Base.Nothing.visit src/a/Base.kt:8
                src/a/Base.kt:5 call 45
                src/a/Use.kt:4 call 95
            method Base.other.object : Base.visit src/a/Base.kt:11
                src/a/Base.kt:5 call 45
            class Item src/a/Item.kt:3
                src/a/Base.kt:4 type 99
                src/a/Base.kt:5 call 99
                src/a/Base.kt:8 type 99
                src/a/Base.kt:11 type 99
                src/a/Item.kt:3 type 99
                src/a/Item.kt:8 type 99
                src/a/Item.kt:9 call 99
                src/a/Item.kt:9 call 99
                src/a/Item.kt:10 type 99
                src/a/Item.kt:13 type 99
                src/a/Item.kt:13 type 99
                src/a/Item.kt:14 type 99
                src/a/Item.kt:16 type 99
                src/a/Use.kt:3 type 99
                src/a/Use.kt:8 type 99
                src/a/Use.kt:15 type 99
                src/a/Use.kt:15 type 99
                src/a/Use.kt:16 type 99
            constructor Item.Item src/a/Item.kt:4
                src/a/Item.kt:9 call 99
                src/a/Item.kt:9 call 99
            method Item.touch src/a/Item.kt:5
                src/a/Base.kt:8 call 95
                src/a/Use.kt:6 call 95
                src/a/Use.kt:9 call 95
                src/a/Use.kt:10 call 95
                src/a/Use.kt:11 call 95
                src/a/Use.kt:15 read 95
            enum Kind src/a/Item.kt:8
                src/a/Use.kt:5 type 99
                src/a/Use.kt:12 type 99
                src/a/Use.kt:13 type 99
                src/a/Use.kt:13 type 99
            field Kind.item src/a/Item.kt:8
                src/a/Item.kt:9 read 95
                src/a/Item.kt:10 read 99
                src/a/Use.kt:13 read 95
            enum_member Kind.ONE src/a/Item.kt:9
                src/a/Item.kt:9 read 99
                src/a/Use.kt:12 read 95
                src/a/Use.kt:13 read 95
            enum_member Kind.TWO src/a/Item.kt:9
                src/a/Use.kt:5 read 95
                src/a/Use.kt:13 read 95
            method Kind.TWO.made src/a/Item.kt:9
                src/a/Use.kt:5 call 95
            method Kind.made src/a/Item.kt:10
                src/a/Item.kt:9 override 90
            class Group src/a/Item.kt:13
                src/a/Use.kt:3 type 99
            field Group.first src/a/Item.kt:14
                src/a/Item.kt:15 read 99
                src/a/Item.kt:16 read 99
                src/a/Use.kt:4 read 95
                src/a/Use.kt:5 write 95
            field Group.all src/a/Item.kt:15
                src/a/Use.kt:6 read 95
        "#]],
    );
}

#[test]
fn java_and_kotlin_see_each_other_and_expect_is_actual() {
    check(
        "
//- /src/common/Clock.kt
package time

expect class Clock() {
    fun now(): Long
}
//- /src/jvm/Clock.kt
package time

actual class Clock {
    actual fun now() = Timer().millis
    var zone: String = \"UTC\"
    companion object { @JvmStatic fun system() = Clock() }
}

fun later(clock: Clock) = clock.now() + 1
//- /src/jvm/Timer.java
package time;

class Timer {
    long getMillis() { return 1; }

    void run() {
        Clock clock = Clock.Companion.system();
        clock.setZone(clock.getZone());
        ClockKt.later(clock);
    }
}
//- /build.gradle.kts
val Clock = 1
println(Clock)
publish()
//- /settings.gradle.kts
val Clock = 2
//- /buildSrc/Publish.kt
fun publish() {}
",
        &expect![[r#"
            variable Clock build.gradle.kts:1
                build.gradle.kts:2 read 99
            function publish buildSrc/Publish.kt:1
                build.gradle.kts:3 call 85
            class Clock src/common/Clock.kt:3
                src/jvm/Timer.java:7 type 99
                src/jvm/Timer.java:7 type 99
                src/jvm/Timer.java:7 type 95
            method Clock.now src/common/Clock.kt:4
                src/jvm/Clock.kt:9 call 95
            class Clock src/jvm/Clock.kt:3
                src/jvm/Clock.kt:6 call 99
                src/jvm/Clock.kt:9 type 99
                src/jvm/Timer.java:7 type 99
                src/jvm/Timer.java:7 type 99
            method Clock.now src/jvm/Clock.kt:4
                src/jvm/Clock.kt:9 call 95
            field Clock.zone src/jvm/Clock.kt:5
                src/jvm/Timer.java:8 call 95
                src/jvm/Timer.java:8 call 95
            method Clock.system src/jvm/Clock.kt:6
                src/jvm/Timer.java:7 call 95
            function later src/jvm/Clock.kt:9
                src/jvm/Timer.java:9 call 95
            class Timer src/jvm/Timer.java:3
                src/jvm/Clock.kt:4 call 99
            method Timer.getMillis src/jvm/Timer.java:4
                src/jvm/Clock.kt:4 read 95
        "#]],
    );
}

#[test]
fn generic_types_give_members_what_they_are_applied_to() {
    check(
        "
//- /src/Store.kt
package shop

class Store {
    fun save(row: Int) {}
}

class Decoy {
    fun save(row: Int) {}
}
//- /src/Base.kt
package shop

abstract class Base<T : Any>(protected val item: T) {
    fun get(): T = item
    fun all(): List<T> = listOf(item)
}

class Stores(store: Store) : Base<Store>(store) {
    fun flush() {
        item.save(1)
        get().save(2)
    }
}
//- /src/App.kt
package shop

import org.koin.get

fun go(stores: Stores, base: Base<Store>) {
    stores.get().save(3)
    base.get().save(4)
    for (store in base.all()) store.save(5)
    get<Store>().save(6)
}
",
        &expect![[r#"
            class Base src/Base.kt:3
                src/App.kt:5 type 99
                src/Base.kt:8 inherit 99
            field Base.item src/Base.kt:3
                src/Base.kt:4 read 99
                src/Base.kt:5 read 99
                src/Base.kt:10 read 99
            method Base.get src/Base.kt:4
                src/App.kt:6 call 95
                src/App.kt:7 call 95
                src/Base.kt:11 call 99
            method Base.all src/Base.kt:5
                src/App.kt:8 call 95
            class Stores src/Base.kt:8
                src/App.kt:5 type 99
            class Store src/Store.kt:3
                src/App.kt:5 type 99
                src/App.kt:9 type 99
                src/Base.kt:8 type 99
                src/Base.kt:8 type 99
            method Store.save src/Store.kt:4
                src/App.kt:6 call 95
                src/App.kt:7 call 95
                src/App.kt:8 call 95
                src/App.kt:9 call 95
                src/Base.kt:10 call 95
                src/Base.kt:11 call 95
        "#]],
    );
}

#[test]
fn a_call_behind_an_operator_is_a_call() {
    check(
        "
//- /src/main/kotlin/app/Store.kt
package app

class Store {
    val size = 1
    val inner = Store()
    fun isReady(): Boolean = true
    fun count(): Int = 1
}

fun ready(): Boolean = true

fun check(store: Store, other: Store?) {
    if (!store.isReady() && !ready()) return
    val left = -store.count() - -store.inner.count()
    while (!store.inner.isReady()) println(-store.size)
    val open = !(other!!.isReady())
    val all = !other.inner.inner.isReady()
}
",
        &expect![[r#"
            class Store src/main/kotlin/app/Store.kt:3
                src/main/kotlin/app/Store.kt:5 call 99
                src/main/kotlin/app/Store.kt:12 type 99
                src/main/kotlin/app/Store.kt:12 type 99
            field Store.size src/main/kotlin/app/Store.kt:4
                src/main/kotlin/app/Store.kt:15 read 95
            field Store.inner src/main/kotlin/app/Store.kt:5
                src/main/kotlin/app/Store.kt:14 read 95
                src/main/kotlin/app/Store.kt:15 read 95
                src/main/kotlin/app/Store.kt:17 read 95
                src/main/kotlin/app/Store.kt:17 read 95
            method Store.isReady src/main/kotlin/app/Store.kt:6
                src/main/kotlin/app/Store.kt:13 call 95
                src/main/kotlin/app/Store.kt:15 call 95
                src/main/kotlin/app/Store.kt:16 call 95
                src/main/kotlin/app/Store.kt:17 call 95
            method Store.count src/main/kotlin/app/Store.kt:7
                src/main/kotlin/app/Store.kt:14 call 95
                src/main/kotlin/app/Store.kt:14 call 95
            function ready src/main/kotlin/app/Store.kt:10
                src/main/kotlin/app/Store.kt:13 call 99
        "#]],
    );
}

#[test]
fn a_function_of_another_project_returns_what_its_call_names() {
    check(
        "
//- /src/main/kotlin/app/Store.kt
package app

class Store {
    fun load() = 1
}

class Other {
    fun load() = 2
}
//- /src/test/kotlin/app/StoreTest.kt
package app

import io.mockk.every
import io.mockk.mockk

class StoreTest {
    private val store: Store = mockk()
    private val double = mockk<Store>(relaxed = true)

    fun loads() {
        every { store.load() } returns 1
        every { double.load() } returns 1
        val local = koinInject<Store>()
        local.load()
    }
}
",
        &expect![[r#"
            class Store src/main/kotlin/app/Store.kt:3
                src/test/kotlin/app/StoreTest.kt:7 type 99
                src/test/kotlin/app/StoreTest.kt:8 type 99
                src/test/kotlin/app/StoreTest.kt:13 type 99
            method Store.load src/main/kotlin/app/Store.kt:4
                src/test/kotlin/app/StoreTest.kt:11 call 95
                src/test/kotlin/app/StoreTest.kt:12 call 95
                src/test/kotlin/app/StoreTest.kt:14 call 95
            field StoreTest.store src/test/kotlin/app/StoreTest.kt:7
                src/test/kotlin/app/StoreTest.kt:11 read 99
            field StoreTest.double src/test/kotlin/app/StoreTest.kt:8
                src/test/kotlin/app/StoreTest.kt:12 read 99
        "#]],
    );
}

#[test]
fn an_instance_that_is_called_runs_its_invoke() {
    check(
        "
//- /src/main/kotlin/app/UseCase.kt
package app

class Result { fun show() {} }

class UseCase {
    operator fun invoke(id: Int): Result = Result()
}

class Model(private val useCase: UseCase, private val each: (Int) -> Unit) {
    fun go(other: UseCase) {
        useCase(2).show()
        other(3).show()
        each(4)
    }
}

fun run(model: Model, useCase: () -> UseCase) {
    val made = UseCase()
    made(5)
    useCase()
}
",
        &expect![[r#"
            class Result src/main/kotlin/app/UseCase.kt:3
                src/main/kotlin/app/UseCase.kt:6 type 99
                src/main/kotlin/app/UseCase.kt:6 call 99
            method Result.show src/main/kotlin/app/UseCase.kt:3
                src/main/kotlin/app/UseCase.kt:11 call 95
                src/main/kotlin/app/UseCase.kt:12 call 95
            class UseCase src/main/kotlin/app/UseCase.kt:5
                src/main/kotlin/app/UseCase.kt:9 type 99
                src/main/kotlin/app/UseCase.kt:10 type 99
                src/main/kotlin/app/UseCase.kt:17 type 99
                src/main/kotlin/app/UseCase.kt:18 call 99
            method UseCase.invoke src/main/kotlin/app/UseCase.kt:6
                src/main/kotlin/app/UseCase.kt:11 call 95
                src/main/kotlin/app/UseCase.kt:12 call 95
                src/main/kotlin/app/UseCase.kt:19 call 95
            class Model src/main/kotlin/app/UseCase.kt:9
                src/main/kotlin/app/UseCase.kt:17 type 99
            field Model.useCase src/main/kotlin/app/UseCase.kt:9
                src/main/kotlin/app/UseCase.kt:11 call 99
            field Model.each src/main/kotlin/app/UseCase.kt:9
                src/main/kotlin/app/UseCase.kt:13 call 99
        "#]],
    );
}

#[test]
fn members_in_one_line_and_fields_of_properties_are_read() {
    check(
        "
//- /src/main/kotlin/app/Model.kt
package app

class I { fun f() { a() } }
class W : S() { fun k() { a() } }

class Model {
    val state: StateFlow<Model.State>
        field = MutableStateFlow<Model.State>(State.Loading)
    fun go() { a() }

    class State
}

fun a() {}
",
        &expect![[r#"
            class Model src/main/kotlin/app/Model.kt:6
                src/main/kotlin/app/Model.kt:7 type 99
                src/main/kotlin/app/Model.kt:8 type 99
            class Model.State src/main/kotlin/app/Model.kt:11
                src/main/kotlin/app/Model.kt:7 type 95
                src/main/kotlin/app/Model.kt:8 type 95
                src/main/kotlin/app/Model.kt:8 type 99
            function a src/main/kotlin/app/Model.kt:14
                src/main/kotlin/app/Model.kt:3 call 99
                src/main/kotlin/app/Model.kt:4 call 99
                src/main/kotlin/app/Model.kt:9 call 99
        "#]],
    );
}
