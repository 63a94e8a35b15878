use expect_test::expect;

use crate::check;

#[test]
fn packages_receivers_embedded_types_and_literals() {
    check(
        "
//- /go.mod
module example.com/app
//- /store/store.go
package store

type Item struct {
	Name string
	next *Item
}

type Base struct{ items []Item }

func (b *Base) First() *Item { return &b.items[0] }

func New() *Base { return &Base{items: nil} }
//- /store/more.go
package store

const limit = 3

type Big struct {
	Base
	size int
}

func (b Big) Grow() int { b.size += limit; return b.size }
//- /main.go
package main

import (
	st \"example.com/app/store\"
	\"fmt\"
)

type namer interface{ Label() string }

func main() {
	base := st.New()
	big := st.Big{}
	fmt.Println(base.First().Name, big.First().Name)
	for i := 0; i < big.Grow(); i++ {
		limit := i
		_ = limit
	}
	var n namer
	n.Label()
}
",
        &expect![[r#"
            interface namer main.go:8
                main.go:18 type 99
            method namer.Label main.go:8
                main.go:19 call 95
            constant limit store/more.go:3
                store/more.go:10 read 99
            class Big store/more.go:5
                main.go:12 type 95
                store/more.go:10 type 99
            field Big.size store/more.go:7
                store/more.go:10 write 95
                store/more.go:10 read 95
            method Big.Grow store/more.go:10
                main.go:14 call 95
            class Item store/store.go:3
                store/store.go:5 type 99
                store/store.go:8 type 99
                store/store.go:10 type 99
            field Item.Name store/store.go:4
                main.go:13 read 95
                main.go:13 read 95
            class Base store/store.go:8
                store/more.go:6 inherit 99
                store/store.go:10 type 99
                store/store.go:12 type 99
                store/store.go:12 type 99
            field Base.items store/store.go:8
                store/store.go:10 read 95
                store/store.go:12 write 95
            method Base.First store/store.go:10
                main.go:13 call 95
                main.go:13 call 95
            function New store/store.go:12
                main.go:11 call 95
        "#]],
    );
}

#[test]
fn methods_satisfy_interfaces_of_other_packages_and_by_embedding() {
    check(
        "
//- /go.mod
module example.com/app
//- /store/store.go
package store

type Reader interface {
	Get(key string) (string, error)
}

type Store interface {
	Reader
	Put(key, value string) error
}

func Copy(from Reader, to Store) {
	value, _ := from.Get(\"a\")
	to.Put(\"a\", value)
}

func Each[S Store](stores []S) {
	for _, one := range stores {
		one.Put(\"b\", \"c\")
	}
}
//- /memory/memory.go
package memory

type base struct{}

func (b *base) Get(key string) (string, error) { return key, nil }

type Memory struct {
	base
}

func (m *Memory) Put(key, value string) error { return nil }

type Other struct{}

func (o *Other) Put(key string) error { return nil }
",
        &expect![[r#"
            class base memory/memory.go:3
                memory/memory.go:5 type 99
                memory/memory.go:8 inherit 99
            method base.Get memory/memory.go:5
                store/store.go:13 call 70
            class Memory memory/memory.go:7
                memory/memory.go:11 type 99
            method Memory.Put memory/memory.go:11
                store/store.go:14 call 70
            class Other memory/memory.go:13
                memory/memory.go:15 type 99
            interface Reader store/store.go:3
                memory/memory.go:3 implement 90
                memory/memory.go:7 implement 90
                store/store.go:8 inherit 99
                store/store.go:12 type 99
            method Reader.Get store/store.go:4
                memory/memory.go:5 override 90
                store/store.go:13 call 95
            interface Store store/store.go:7
                memory/memory.go:7 implement 90
                store/store.go:12 type 99
                store/store.go:17 type 99
            method Store.Put store/store.go:9
                memory/memory.go:11 override 90
                store/store.go:14 call 95
        "#]],
    );
}

#[test]
fn named_collections_have_methods_and_embedded_types_are_fields() {
    check(
        "
//- /go.mod
module example.com/app
//- /labels.go
package app

type labels map[string]string

func (l labels) keys() []string { return nil }

type Route struct{ Path string }

type Routes []Route

func (r Routes) first() Route { return r[0] }

type Base struct{ routes Routes }

func (b Base) all() Routes { return b.routes }

type Router struct{ *Base }

func match(set labels, router Router) {
	set.keys()
	router.Base.all().first()
	for _, route := range router.routes {
		_ = route.Path
	}
}
",
        &expect![[r#"
            type labels labels.go:3
                labels.go:5 type 99
                labels.go:19 type 99
            method labels.keys labels.go:5
                labels.go:20 call 95
            class Route labels.go:7
                labels.go:9 type 99
                labels.go:11 type 99
            field Route.Path labels.go:7
                labels.go:23 read 95
            type Routes labels.go:9
                labels.go:11 type 99
                labels.go:13 type 99
                labels.go:15 type 99
            method Routes.first labels.go:11
                labels.go:21 call 95
            class Base labels.go:13
                labels.go:15 type 99
                labels.go:17 inherit 99
            field Base.routes labels.go:13
                labels.go:15 read 95
                labels.go:22 read 95
            method Base.all labels.go:15
                labels.go:21 call 95
            class Router labels.go:17
                labels.go:19 type 99
            field Router.Base labels.go:17
                labels.go:21 read 95
        "#]],
    );
}

#[test]
fn packages_have_the_names_that_they_declare() {
    check(
        "
//- /go.mod
module example.com/app
//- /go-queue-v1/queue.go
package line

func Dial() {}
//- /main.go
package main

import \"example.com/app/go-queue-v1\"

func main() {
	line.Dial()
}
",
        &expect![[r#"
            function Dial go-queue-v1/queue.go:3
                main.go:6 call 95
        "#]],
    );
}

#[test]
fn only_methods_of_the_same_signature_satisfy_an_interface() {
    check(
        "
//- /go.mod
module example.com/app
//- /job/job.go
package job

import (
	\"context\"
	\"example.com/app/plan\"
)

type Options struct{}

type Runner interface {
	Run(ctx context.Context, options *plan.Options, names ...string) (n int, err error)
	Each(func(plan.Options, any) error)
}

type Values[T any] interface {
	First() (T, error)
}
//- /plan/plan.go
package plan

import \"context\"

type Options struct{}

type Right struct{}

func (Right) Run(context.Context, *Options, ...string) (int, error) { return 0, nil }
func (Right) Each(each func(options Options, value interface{}) error) {}

type Dry struct{}

func (Dry) Run(ctx context.Context, dry bool, names []string) {}
func (Dry) Each(each func(options Options, value interface{}) error) {}

type Names struct{}

func (Names) First() (string, error) { return \"\", nil }
",
        &expect![[r#"
            interface Runner job/job.go:10
                plan/plan.go:7 implement 90
            method Runner.Run job/job.go:11
                plan/plan.go:9 override 90
            method Runner.Each job/job.go:12
                plan/plan.go:10 override 90
            interface Values job/job.go:15
                plan/plan.go:17 implement 90
            method Values.First job/job.go:16
                plan/plan.go:19 override 90
            class Options plan/plan.go:5
                job/job.go:11 type 95
                job/job.go:12 type 95
                plan/plan.go:9 type 99
                plan/plan.go:10 type 99
                plan/plan.go:15 type 99
            class Right plan/plan.go:7
                plan/plan.go:9 type 99
                plan/plan.go:10 type 99
            class Dry plan/plan.go:12
                plan/plan.go:14 type 99
                plan/plan.go:15 type 99
            class Names plan/plan.go:17
                plan/plan.go:19 type 99
        "#]],
    );
}

#[test]
fn a_call_with_type_arguments_is_a_call() {
    check(
        "
//- /go.mod
module example.com/app
//- /box/box.go
package box

type Box[T any] struct{ v T }

func New[T any](v T) *Box[T] { return &Box[T]{v} }

func Pair[K, V any](k K, v V) {}

func Empty[T any]() *Box[T] { return nil }

func (b *Box[T]) Get() T { return b.v }

var table []func(int)
//- /main.go
package main

import \"example.com/app/box\"

func use(handlers []func(int), at int) {
	b := box.New[int](3)
	b.Get()
	box.Pair[int, string](1, \"\")
	box.Empty[int]().Get()
	handlers[at](1)
}
",
        &expect![[r#"
            class Box box/box.go:3
                box/box.go:5 type 99
                box/box.go:5 type 99
                box/box.go:9 type 99
                box/box.go:11 type 99
            field Box.v box/box.go:3
                box/box.go:11 read 95
            function New box/box.go:5
                main.go:6 call 95
            function Pair box/box.go:7
                main.go:8 call 95
            function Empty box/box.go:9
                main.go:9 call 95
            method Box.Get box/box.go:11
                main.go:7 call 95
                main.go:9 call 95
        "#]],
    );
}

#[test]
fn signatures_of_types_in_types_are_compared_in_part() {
    let nested = "a, b func(".repeat(60) + &")".repeat(60);
    let text = format!("package a\n\ntype T struct{{}}\n\nfunc (T) Run({nested}) {{}}\n");
    let texts = [("go.mod", "module a\n"), ("a.go", text.as_str())];
    let graph = craig_symbols::SymbolGraph::from_texts(texts);
    assert_eq!(graph.definitions.len(), 2);
}
