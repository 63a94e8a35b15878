use expect_test::expect;

use craig_symbols::{SymbolGraph, SymbolQuery};

use crate::{check, fixture};

#[test]
fn names_are_found_by_scope_package_import_and_static_import() {
    check(
        "
//- /src/geometry/Shape.java
package geometry;

public class Shape {
    static final int SIDES = 4;
    private int size;

    Shape(int size) { this.size = size; }

    int area(int size) { return size * this.size + SIDES; }

    static Shape unit() { return new Shape(1); }
}
//- /src/geometry/Drawing.java
package geometry;

class Drawing {
    Shape shape = Shape.unit();
}
//- /src/app/Main.java
package app;

import static geometry.Shape.unit;
import geometry.*;

class Main {
    int run() {
        geometry.Shape other = unit();
        return other.area(2);
    }
}
",
        &expect![[r#"
            class Shape src/geometry/Shape.java:3
                src/app/Main.java:3 import 99
                src/app/Main.java:8 type 99
                src/geometry/Drawing.java:4 type 99
                src/geometry/Drawing.java:4 type 99
                src/geometry/Shape.java:11 type 99
                src/geometry/Shape.java:11 call 99
            constant Shape.SIDES src/geometry/Shape.java:4
                src/geometry/Shape.java:9 read 99
            field Shape.size src/geometry/Shape.java:5
                src/geometry/Shape.java:7 write 95
                src/geometry/Shape.java:9 read 95
            constructor Shape.Shape src/geometry/Shape.java:7
                src/geometry/Shape.java:11 call 99
            method Shape.area src/geometry/Shape.java:9
                src/app/Main.java:9 call 95
            method Shape.unit src/geometry/Shape.java:11
                src/app/Main.java:3 import 99
                src/app/Main.java:8 call 99
                src/geometry/Drawing.java:4 call 95
        "#]],
    );
}

#[test]
fn a_receiver_has_the_type_that_the_code_declares() {
    check(
        "
//- /src/a/Box.java
package a;

import java.util.List;
import java.util.Map;

class Box<T extends Item> {
    List<Item> items;
    Map<String, Item> named;
    T kept;

    void all(Object o) {
        for (var item : items) item.touch();
        items.get(0).touch();
        named.get(\"a\").touch();
        items.forEach(item -> item.touch());
        kept.touch();
        self().self().kept.touch();
        if (o instanceof Item i) i.touch();
        \"text\".touch();
    }

    Box<T> self() { return this; }
}
//- /src/a/Item.java
package a;

class Item {
    void touch() {}
}
",
        &expect![[r#"
            class Box src/a/Box.java:6
                src/a/Box.java:22 type 99
            field Box.items src/a/Box.java:7
                src/a/Box.java:12 read 99
                src/a/Box.java:13 read 99
                src/a/Box.java:15 read 99
            field Box.named src/a/Box.java:8
                src/a/Box.java:14 read 99
            field Box.kept src/a/Box.java:9
                src/a/Box.java:16 read 99
                src/a/Box.java:17 read 95
            method Box.self src/a/Box.java:22
                src/a/Box.java:17 call 99
                src/a/Box.java:17 call 95
            class Item src/a/Item.java:3
                src/a/Box.java:6 type 99
                src/a/Box.java:7 type 99
                src/a/Box.java:8 type 99
                src/a/Box.java:18 type 99
            method Item.touch src/a/Item.java:4
                src/a/Box.java:12 call 95
                src/a/Box.java:13 call 95
                src/a/Box.java:14 call 95
                src/a/Box.java:15 call 95
                src/a/Box.java:16 call 95
                src/a/Box.java:17 call 95
                src/a/Box.java:18 call 95
        "#]],
    );
}

#[test]
fn members_are_inherited_overridden_and_overloaded() {
    check(
        "
//- /src/a/Base.java
package a;

abstract class Base implements Visitor {
    String name;
    String name() { return name; }
    void put(int a) {}
    static Base of() {
        return new Base() {
            public void visit() { put(1); }
        };
    }
}
//- /src/a/Visitor.java
package a;

interface Visitor { void visit(); }
//- /src/a/Derived.java
package a;

class Derived extends Base {
    void put(int a, int b) { put(a); super.name(); }
    @Override public void visit() { put(1, 2); Runnable r = this::visit; name = name(); }
}
//- /src/a/Kind.java
package a;

enum Kind {
    ONE { int rank() { return 1; } }, TWO;
    int rank() { return 2; }
    int of(Kind kind) {
        switch (kind) { case ONE: return Kind.TWO.rank(); default: return 0; }
    }
}
record Pair(Kind left, Kind right) {
    int rank() { return left.rank() + this.right().rank(); }
}
",
        &expect![[r#"
            class Base src/a/Base.java:3
                src/a/Base.java:7 type 99
                src/a/Base.java:8 call 99
                src/a/Derived.java:3 inherit 99
            field Base.name src/a/Base.java:4
                src/a/Base.java:5 read 99
                src/a/Derived.java:5 write 99
            method Base.name src/a/Base.java:5
                src/a/Derived.java:4 call 95
                src/a/Derived.java:5 call 99
            method Base.put src/a/Base.java:6
                src/a/Base.java:9 call 99
                src/a/Derived.java:4 call 99
            method Derived.put src/a/Derived.java:4
                src/a/Derived.java:5 call 99
            method Derived.visit src/a/Derived.java:5
                src/a/Derived.java:5 read 95
            enum Kind src/a/Kind.java:3
                src/a/Kind.java:6 type 99
                src/a/Kind.java:7 type 99
                src/a/Kind.java:10 type 99
                src/a/Kind.java:10 type 99
            enum_member Kind.ONE src/a/Kind.java:4
                src/a/Kind.java:7 read 99
            method Kind.ONE.rank src/a/Kind.java:4
                src/a/Kind.java:7 call 45
                src/a/Kind.java:11 call 45
                src/a/Kind.java:11 call 45
            enum_member Kind.TWO src/a/Kind.java:4
                src/a/Kind.java:7 read 95
            method Kind.rank src/a/Kind.java:5
                src/a/Kind.java:4 override 90
                src/a/Kind.java:7 call 95
                src/a/Kind.java:11 call 95
                src/a/Kind.java:11 call 95
            field Pair.left src/a/Kind.java:10
                src/a/Kind.java:11 read 99
            method Pair.right src/a/Kind.java:10
                src/a/Kind.java:11 call 95
            interface Visitor src/a/Visitor.java:3
                src/a/Base.java:3 implement 99
            method Visitor.visit src/a/Visitor.java:3
                src/a/Base.java:9 override 90
                src/a/Derived.java:5 override 90
        "#]],
    );
}

#[test]
fn a_field_and_a_method_of_one_name_are_two_symbols() {
    let files = fixture::files(
        "
//- /src/Name.java
class Name {
  private final String text;
  Name(String text) { this.text = text; }
  String text() { return text; }
  String text(String before) { return before + text; }
}
record Point(int x) {}
",
    );
    let graph = SymbolGraph::from_texts(fixture::borrowed(&files));
    let n_parts = |name: &str| {
        let found = graph.find(&SymbolQuery::parse(name).unwrap());
        graph.parts(found[0]).len()
    };
    // Overloads are one symbol, and a component of a record is one with its method.
    let names = ["src/Name.java:2", "src/Name.java:4", "src/Name.java:5", "Point.x"];
    assert_eq!(names.map(n_parts), [1, 2, 2, 2]);
}

#[test]
fn a_type_with_the_name_of_its_file_has_no_members_of_its_neighbours() {
    let files = fixture::files(
        "
//- /src/Config.java
enum Key { FOLDER }
class Config {
  String folder() { return read(Key.FOLDER); }
  static class Cache { int size; }
}
",
    );
    let graph = SymbolGraph::from_texts(fixture::borrowed(&files));
    let found = |name: &str| {
        let found = graph.find(&SymbolQuery::parse(name).unwrap());
        found.iter().map(|&at| graph.qualified_name(at)).collect::<Vec<_>>().join(", ")
    };
    let names = ["Config.FOLDER", "Key.FOLDER", "Config.folder", "Config.Key", "Config.size"];
    assert_eq!(names.map(found), ["", "Key.FOLDER", "Config.folder", "Key", "Config.Cache.size"]);
}

#[test]
fn generic_types_give_members_what_they_are_applied_to() {
    check(
        "
//- /src/shop/Store.java
package shop;

public class Store {
    public void save(int row) {}
}
//- /src/shop/Decoy.java
package shop;

public class Decoy {
    public void save(int row) {}
}
//- /src/shop/Base.java
package shop;

import java.util.List;

public abstract class Base<K, T extends Object> {
    protected T item;
    public T get(K key) { return item; }
    public List<T> all() { return null; }
}
//- /src/shop/Stores.java
package shop;

public class Stores extends Base<String, Store> {
    void flush() {
        item.save(1);
        get(\"a\").save(2);
        this.item.save(3);
    }
}
//- /src/shop/Users.java
package shop;

import org.data.JpaRepository;

public interface Users extends JpaRepository<Store, Long> {}
//- /src/shop/App.java
package shop;

import org.di.Context;

class App {
    void go(Stores stores, Base<String, Store> base, Users users, Context context) {
        stores.get(\"a\").save(4);
        for (Store store : base.all()) store.save(5);
        base.all().get(0).save(6);
        base.get(\"b\").save(7);
        users.findAll().get(0).save(8);
        context.getBean(Store.class).save(9);
    }
}
",
        &expect![[r#"
            class Base src/shop/Base.java:5
                src/shop/App.java:6 type 99
                src/shop/Stores.java:3 inherit 99
            field Base.item src/shop/Base.java:6
                src/shop/Base.java:7 read 99
                src/shop/Stores.java:5 read 99
                src/shop/Stores.java:7 read 95
            method Base.get src/shop/Base.java:7
                src/shop/App.java:7 call 95
                src/shop/App.java:10 call 95
                src/shop/Stores.java:6 call 99
            method Base.all src/shop/Base.java:8
                src/shop/App.java:8 call 95
                src/shop/App.java:9 call 95
            class Store src/shop/Store.java:3
                src/shop/App.java:6 type 99
                src/shop/App.java:8 type 99
                src/shop/App.java:12 type 99
                src/shop/Stores.java:3 type 99
                src/shop/Users.java:5 type 99
            method Store.save src/shop/Store.java:4
                src/shop/App.java:7 call 95
                src/shop/App.java:8 call 95
                src/shop/App.java:9 call 95
                src/shop/App.java:10 call 95
                src/shop/App.java:11 call 95
                src/shop/App.java:12 call 95
                src/shop/Stores.java:5 call 95
                src/shop/Stores.java:6 call 95
                src/shop/Stores.java:7 call 95
            class Stores src/shop/Stores.java:3
                src/shop/App.java:6 type 99
            interface Users src/shop/Users.java:5
                src/shop/App.java:6 type 99
        "#]],
    );
}

#[test]
fn a_call_through_an_interface_is_one_of_what_alone_implements_it() {
    check(
        "
//- /src/main/java/app/Sender.java
package app;
public interface Sender { void send(String text); }
//- /src/main/java/app/DatabaseSender.java
package app;
public class DatabaseSender implements Sender {
    public void send(String text) {}
}
//- /src/main/java/app/Codec.java
package app;
public interface Codec { void encode(); }
class Json implements Codec { public void encode() {} }
class Xml implements Codec {
    public void encode() {}
}
//- /src/main/java/app/Service.java
package app;
public class Service {
    void run(Sender sender, Codec codec) {
        sender.send(\"hello\");
        codec.encode();
    }
}
//- /src/test/java/app/FakeSender.java
package app;
class FakeSender implements Sender {
    public void send(String text) {}
}
",
        &expect![[r#"
            interface Codec src/main/java/app/Codec.java:2
                src/main/java/app/Codec.java:3 implement 99
                src/main/java/app/Codec.java:4 implement 99
                src/main/java/app/Service.java:3 type 99
            method Codec.encode src/main/java/app/Codec.java:2
                src/main/java/app/Codec.java:3 override 90
                src/main/java/app/Codec.java:5 override 90
                src/main/java/app/Service.java:5 call 95
            method Json.encode src/main/java/app/Codec.java:3
                src/main/java/app/Service.java:5 call 45
            method Xml.encode src/main/java/app/Codec.java:5
                src/main/java/app/Service.java:5 call 45
            method DatabaseSender.send src/main/java/app/DatabaseSender.java:3
                src/main/java/app/Service.java:4 call 70
            interface Sender src/main/java/app/Sender.java:2
                src/main/java/app/DatabaseSender.java:2 implement 99
                src/main/java/app/Service.java:3 type 99
                src/test/java/app/FakeSender.java:2 implement 99
            method Sender.send src/main/java/app/Sender.java:2
                src/main/java/app/DatabaseSender.java:3 override 90
                src/main/java/app/Service.java:4 call 95
                src/test/java/app/FakeSender.java:3 override 90
            method FakeSender.send src/test/java/app/FakeSender.java:3
                src/main/java/app/Service.java:4 call 70
        "#]],
    );
}
