use expect_test::expect;

use crate::check;

#[test]
fn rust_binds_paths_impls_and_enums() {
    check(
        r#"
//- /Cargo.toml
[package]
name = "shapes"
//- /src/lib.rs
pub mod geometry;
pub use geometry::Shape as Form;

use crate::geometry::{Area, Kind::{self, Round}};

pub fn total(forms: &[Form]) -> u32 {
    let mut sum = 0;
    for form in forms {
        sum += form.area() + form.size;
        if let Kind::Named { name, .. } = &form.kind {
            println!("{}", crate::geometry::label(name));
        }
    }
    sum
}

fn unit() -> Option<Form> {
    Some(Form::new(Round))
}

pub fn run() -> Option<u32> {
    Some(unit()?.size())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn adds() {
        assert_eq!(total(&[]), 0);
    }
}
//- /src/geometry.rs
pub trait Area {
    fn area(&self) -> u32;
    fn twice(&self) -> u32 {
        2 * self.area()
    }
}

pub enum Kind {
    Round,
    Named { name: String },
}

pub struct Shape {
    pub size: u32,
    pub kind: Kind,
}

impl Shape {
    const SIDES: u32 = 4;

    pub fn new(kind: Kind) -> Self {
        Self { size: Self::SIDES, kind }
    }

    pub fn size(&self) -> u32 {
        self.size
    }
}

impl Area for Shape {
    fn area(&self) -> u32 {
        self.size * self.size
    }
}

pub fn label(name: &str) -> String {
    let unit = Shape::new(Kind::Named { name: name.to_owned() });
    format!("{}", unit.twice())
}
"#,
        &expect![[r#"
            interface Area src/geometry.rs:1
                src/geometry.rs:30 implement 99
                src/lib.rs:4 import 99
            method Area.area src/geometry.rs:2
                src/geometry.rs:4 call 95
                src/geometry.rs:31 override 90
                src/lib.rs:9 call 60
            method Area.twice src/geometry.rs:3
                src/geometry.rs:38 call 95
            enum Kind src/geometry.rs:8
                src/geometry.rs:15 type 99
                src/geometry.rs:21 type 99
                src/geometry.rs:37 type 99
                src/lib.rs:4 import 99
                src/lib.rs:10 type 99
            enum_member Kind.Round src/geometry.rs:9
                src/lib.rs:4 import 99
                src/lib.rs:18 read 99
            enum_member Kind.Named src/geometry.rs:10
                src/geometry.rs:37 type 95
                src/lib.rs:10 type 95
            field Kind.Named.name src/geometry.rs:10
                src/geometry.rs:37 write 95
                src/lib.rs:10 read 95
            class Shape src/geometry.rs:13
                src/geometry.rs:18 type 99
                src/geometry.rs:30 type 99
                src/geometry.rs:37 type 99
                src/lib.rs:2 import 99
                src/lib.rs:6 type 99
                src/lib.rs:17 type 99
                src/lib.rs:18 type 99
            field Shape.size src/geometry.rs:14
                src/geometry.rs:22 write 95
                src/geometry.rs:26 read 95
                src/geometry.rs:32 read 95
                src/geometry.rs:32 read 95
                src/lib.rs:9 read 95
            field Shape.kind src/geometry.rs:15
                src/geometry.rs:22 write 95
                src/lib.rs:10 read 95
            constant Shape.SIDES src/geometry.rs:19
                src/geometry.rs:22 read 95
            method Shape.new src/geometry.rs:21
                src/geometry.rs:37 call 95
                src/lib.rs:18 call 95
            method Shape.size src/geometry.rs:25
                src/lib.rs:22 call 95
            method Shape.area src/geometry.rs:31
                src/geometry.rs:4 call 70
                src/lib.rs:9 call 95
            function label src/geometry.rs:36
                src/lib.rs:11 call 95
            function total src/lib.rs:6
                src/lib.rs:31 call 99
            function unit src/lib.rs:17
                src/lib.rs:22 call 99
        "#]],
    );
}

#[test]
fn traits_in_scope_blanket_implementations_and_exported_macros() {
    check(
        "
//- /Cargo.toml
[package]
name = \"shapes\"
//- /src/lib.rs
#[macro_use]
mod macros;
pub mod error;
pub mod policy;
pub mod run;

pub trait Draw {
    fn draw(&self);
}

impl<T: Iterator> Draw for T {
    fn draw(&self) {}
}

impl Draw for (u8, u8) {
    fn draw(&self) {}
}
//- /src/macros.rs
#[macro_export]
macro_rules! assert_drawn {
    ($x:expr) => {};
}
//- /src/error.rs
use std::error;

pub struct Closed;

impl Closed {
    pub fn new() -> Self { Closed }
}
//- /src/policy.rs
pub trait Policy {
    fn retry_again(&self) -> bool;
}

pub trait Other {
    fn retry_again(&self) -> bool;
}
//- /src/run.rs
use crate::error::{self};
use crate::policy::Policy;
use crate::{assert_drawn, Draw};

pub struct Runner<P> {
    policy: P,
}

impl<P> Runner<P> {
    fn run(&self) {
        self.policy.retry_again();
        vec![1].iter().draw();
        assert_drawn!(1);
        error::Closed::new();
    }
}
",
        &expect![[r#"
            class Closed src/error.rs:3
                src/error.rs:5 type 99
                src/error.rs:6 read 99
                src/run.rs:14 type 95
            method Closed.new src/error.rs:6
                src/run.rs:14 call 95
            interface Draw src/lib.rs:7
                src/lib.rs:11 implement 99
                src/lib.rs:15 implement 99
                src/run.rs:3 import 99
            method Draw.draw src/lib.rs:8
                src/lib.rs:12 override 90
                src/lib.rs:16 override 90
                src/run.rs:12 call 70
            method draw src/lib.rs:12
                src/run.rs:12 call 45
            method draw src/lib.rs:16
                src/run.rs:12 call 45
            macro assert_drawn src/macros.rs:2
                src/run.rs:3 import 99
                src/run.rs:13 call 99
            interface Policy src/policy.rs:1
                src/run.rs:2 import 99
            method Policy.retry_again src/policy.rs:2
                src/run.rs:11 call 70
            class Runner src/run.rs:5
                src/run.rs:9 type 99
            field Runner.policy src/run.rs:6
                src/run.rs:11 read 95
        "#]],
    );
}

#[test]
fn rust_keeps_types_modules_and_functions_of_a_name_apart() {
    check(
        r#"
//- /Cargo.toml
[package]
name = "web"
//- /src/lib.rs
pub mod path;
pub mod with {
    pub use crate::path::header;
}
pub use path::path;

pub struct Server;

pub fn new() -> Server {
    Server
}

impl Server {
    pub fn new() -> Self {
        Self
    }
}
//- /src/path.rs
pub fn path() {}
pub fn header() {}
pub fn end() {}
//- /tests/all.rs
use web::path;

fn all() {
    path();
    path::end();
    web::Server::new();
    web::new();
    web::with::header();
}
"#,
        &expect![[r#"
            module with src/lib.rs:2
                tests/all.rs:8 type 95
            class Server src/lib.rs:7
                src/lib.rs:9 type 99
                src/lib.rs:10 read 99
                src/lib.rs:13 type 99
                tests/all.rs:6 type 95
            function new src/lib.rs:9
                tests/all.rs:7 call 95
            method Server.new src/lib.rs:14
                tests/all.rs:6 call 95
            function path src/path.rs:1
                src/lib.rs:5 import 99
                tests/all.rs:1 import 99
                tests/all.rs:4 call 99
            function header src/path.rs:2
                src/lib.rs:3 import 99
                tests/all.rs:8 call 95
            function end src/path.rs:3
                tests/all.rs:5 call 95
        "#]],
    );
}

#[test]
fn rust_finds_methods_through_traits_fields_and_targets() {
    check(
        r#"
//- /Cargo.toml
[package]
name = "web"
//- /src/lib.rs
pub trait Service {
    const NAME: &'static str;
    type Future: Task;
    fn call(&self) -> Self::Future;
}

pub trait Task {
    fn finish(&self);
}

pub struct Layer<S> {
    inner: S,
}

pub struct Pair<S>(S);

impl<S: Clone + Service> Service for Layer<S> {
    const NAME: &'static str = "layer";
    type Future = S::Future;
    fn call(&self) -> S::Future {
        self.inner.call()
    }
}

impl<S> Pair<S>
where
    S: Service,
{
    fn run(&self) {
        self.0.call().finish();
    }
}

pub fn any() -> impl Clone + Task {
    todo!()
}

pub fn all() {
    any().finish();
}

pub struct Text(String);
pub struct Owner {
    text: Text,
}

impl Text {
    fn shorten(&self) {}
}

impl std::ops::Deref for Owner {
    type Target = Text;
    fn deref(&self) -> &Text {
        &self.text
    }
}

fn through(owner: &Owner) {
    owner.shorten();
}
//- /tests/all.rs
use web::Owner;

trait Testing {
    fn get(&self) {}
}

impl Testing for Owner {}

fn all(owner: Owner) {
    owner.get();
}
"#,
        &expect![[r#"
            interface Service src/lib.rs:1
                src/lib.rs:17 type 99
                src/lib.rs:17 implement 99
                src/lib.rs:27 type 99
            constant Service.NAME src/lib.rs:2
                src/lib.rs:18 override 90
            type Service.Future src/lib.rs:3
                src/lib.rs:4 type 95
                src/lib.rs:19 type 95
                src/lib.rs:20 type 95
            method Service.call src/lib.rs:4
                src/lib.rs:20 override 90
                src/lib.rs:21 call 95
                src/lib.rs:30 call 95
            interface Task src/lib.rs:7
                src/lib.rs:3 type 99
                src/lib.rs:34 type 99
            method Task.finish src/lib.rs:8
                src/lib.rs:30 call 95
                src/lib.rs:39 call 95
            class Layer src/lib.rs:11
                src/lib.rs:17 type 99
            field Layer.inner src/lib.rs:12
                src/lib.rs:21 read 95
            class Pair src/lib.rs:15
                src/lib.rs:25 type 99
            method Layer.call src/lib.rs:20
                src/lib.rs:21 call 70
                src/lib.rs:30 call 70
            function any src/lib.rs:34
                src/lib.rs:39 call 99
            class Text src/lib.rs:42
                src/lib.rs:44 type 99
                src/lib.rs:47 type 99
                src/lib.rs:52 type 99
                src/lib.rs:53 type 99
            class Owner src/lib.rs:43
                src/lib.rs:51 type 99
                src/lib.rs:58 type 99
                tests/all.rs:1 import 99
                tests/all.rs:7 type 99
                tests/all.rs:9 type 99
            field Owner.text src/lib.rs:44
                src/lib.rs:54 read 95
            method Text.shorten src/lib.rs:48
                src/lib.rs:59 call 95
            interface Testing tests/all.rs:3
                tests/all.rs:7 implement 99
            method Testing.get tests/all.rs:4
                tests/all.rs:10 call 95
        "#]],
    );
}

#[test]
fn rust_finds_modules_that_a_macro_declares() {
    check(
        r#"
//- /Cargo.toml
[package]
name = "data"
//- /src/lib.rs
macro_rules! root {
    () => {
        pub mod ser;
    };
}
root!();
//- /src/ser/mod.rs
mod impls;
pub trait Write {
    fn write_all_of(&self);
}
//- /src/ser/impls.rs
use crate::ser::Write;
use outer::handler;

#[handler]
#[test]
fn all(write: impl Write) {
    write.write_all_of();
}
"#,
        &expect![[r#"
            macro root src/lib.rs:1
                src/lib.rs:6 call 99
            interface Write src/ser/mod.rs:2
                src/ser/impls.rs:1 import 99
                src/ser/impls.rs:6 type 99
            method Write.write_all_of src/ser/mod.rs:3
                src/ser/impls.rs:7 call 95
        "#]],
    );
}

#[test]
fn rust_reads_what_variants_hold() {
    check(
        r#"
//- /Cargo.toml
[package]
name = "net"
//- /src/lib.rs
pub struct Tcp;
pub struct Unix;

impl Tcp {
    fn info(&self) {}
}

impl Unix {
    fn info(&self) {}
}

pub trait Bind {
    fn bind(&self);
}

pub enum Parsed {
    Tcp(Tcp),
    Unix(Unix),
}

impl Parsed {
    fn info(&self) {
        match self {
            Self::Tcp(tcp) => tcp.info(),
            Parsed::Unix(unix) => unix.info(),
        }
    }
}

fn all<B: Bind>(binds: B) {
    assert!(<B as Bind>::bind(&binds) && make::<Tcp>(1).info());
}

fn make<T>(n: u8) -> Tcp {
    Tcp
}
"#,
        &expect![[r#"
            class Tcp src/lib.rs:1
                src/lib.rs:4 type 99
                src/lib.rs:17 type 99
                src/lib.rs:31 type 99
                src/lib.rs:34 type 99
                src/lib.rs:35 read 99
            class Unix src/lib.rs:2
                src/lib.rs:8 type 99
                src/lib.rs:18 type 99
            method Tcp.info src/lib.rs:5
                src/lib.rs:24 call 95
                src/lib.rs:31 call 95
            method Unix.info src/lib.rs:9
                src/lib.rs:25 call 95
            interface Bind src/lib.rs:12
                src/lib.rs:30 type 99
                src/lib.rs:31 read 99
            method Bind.bind src/lib.rs:13
                src/lib.rs:31 call 70
            enum Parsed src/lib.rs:16
                src/lib.rs:21 type 99
                src/lib.rs:25 type 99
            enum_member Parsed.Tcp src/lib.rs:17
                src/lib.rs:24 read 95
            enum_member Parsed.Unix src/lib.rs:18
                src/lib.rs:25 read 95
            function make src/lib.rs:34
                src/lib.rs:31 call 99
        "#]],
    );
}

#[test]
fn rust_attributes_name_macros_of_other_crates() {
    check(
        r#"
//- /Cargo.toml
[workspace]
members = ["macros", "web"]
//- /macros/Cargo.toml
[package]
name = "macros"
[lib]
proc-macro = true
//- /macros/src/lib.rs
#[proc_macro_attribute]
pub fn handler(args: TokenStream, input: TokenStream) -> TokenStream {
    input
}
//- /web/Cargo.toml
[package]
name = "web"
[dependencies]
macros = { path = "../macros" }
//- /web/src/lib.rs
use macros::handler;

#[handler]
#[inline]
fn index() {}

#[macros::handler]
fn other() {}

fn inline() {}
"#,
        &expect![[r#"
            function handler macros/src/lib.rs:2
                web/src/lib.rs:1 import 99
                web/src/lib.rs:3 call 99
                web/src/lib.rs:7 call 95
        "#]],
    );
}

#[test]
fn macros_read_chains_closures_and_variables() {
    check(
        r#"
//- /src/lib.rs
pub struct Shebang { pub parts: Vec<Part> }
pub struct Part;
pub struct Decoy;

impl Shebang {
    pub fn new(l: &str) -> Option<Self> { Some(Shebang { parts: vec![] }) }
    pub fn include(&self) -> bool { true }
    pub fn named(self, name: &str) -> Self { self }
}

impl Part {
    pub fn include(&self) -> bool { true }
    pub fn named(&self) -> bool { true }
}

impl Decoy {
    pub fn include(&self) -> bool { true }
    pub fn named(&self) -> bool { true }
}

fn all(shebang: Shebang) {
    assert!(!Shebang::new("a").unwrap().include());
    let made = vec![
        Shebang::new("a")? // the first
            .named("b") /* the second */
            .named("c"),
    ];
    assert!(made[0].include());
    assert!(shebang.parts.iter().any(|part| part.named()));
    assert_eq!(Some(Part).map(|part| part.include()), None);
    wrap! {
        let part = Part;
        let shebang = Shebang::new("d").expect("d");
        shebang.include();
    }
    println!("{}", shebang.parts.first().unwrap().include());
}
"#,
        &expect![[r#"
            class Shebang src/lib.rs:1
                src/lib.rs:5 type 99
                src/lib.rs:6 type 99
                src/lib.rs:21 type 99
                src/lib.rs:22 type 99
                src/lib.rs:24 type 99
                src/lib.rs:33 type 99
            field Shebang.parts src/lib.rs:1
                src/lib.rs:6 write 95
                src/lib.rs:29 read 95
                src/lib.rs:36 read 95
            class Part src/lib.rs:2
                src/lib.rs:1 type 99
                src/lib.rs:11 type 99
                src/lib.rs:30 read 99
                src/lib.rs:32 read 99
            class Decoy src/lib.rs:3
                src/lib.rs:16 type 99
            method Shebang.new src/lib.rs:6
                src/lib.rs:22 call 95
                src/lib.rs:24 call 95
                src/lib.rs:33 call 95
            method Shebang.include src/lib.rs:7
                src/lib.rs:22 call 95
                src/lib.rs:34 call 95
            method Shebang.named src/lib.rs:8
                src/lib.rs:25 call 95
                src/lib.rs:26 call 95
            method Part.include src/lib.rs:12
                src/lib.rs:30 call 95
                src/lib.rs:36 call 95
            method Part.named src/lib.rs:13
                src/lib.rs:29 call 95
        "#]],
    );
}

#[test]
fn closures_take_what_the_function_passes() {
    check(
        r#"
//- /src/lib.rs
pub struct Store { items: Vec<Item>, last: Option<Item> }
pub struct Item;
pub struct Decoy;

impl Store {
    pub fn save(&self, x: u32) -> u32 { x }
    fn with(&self, name: &str, f: impl FnOnce(&Item, &Store)) {}
}

impl Item { pub fn save(&self, x: u32) -> u32 { x } }
impl Decoy { pub fn save(&self, x: u32) -> u32 { x } }

fn plain(f: impl Fn(&Store) -> u32) {}
fn generic<F: FnMut(Store) -> u32>(f: F) {}
fn bounded<F>(n: u32, f: F) where F: Fn(&mut Store) -> u32 {}
fn boxed(f: Box<dyn Fn(&Store) -> u32>) {}
fn pointer(f: fn(&Store) -> u32) {}

fn go(store: &Store) {
    plain(|s| s.save(1));
    generic(|s| s.save(2));
    bounded(1, |s| s.save(3));
    pointer(|s| s.save(4));
    boxed(Box::new(|s| s.save(4)));
    store.items.sort_by(|a, b| a.save(4).cmp(&b.save(4)));
    store.with("x", |item, store| { item.save(5); store.save(6); });
    store.items.iter().filter(|item| item.save(7) > 0).for_each(|item| { item.save(8); });
    store.last.as_ref().map(|item| item.save(9));
    if let Some(last) = &store.last { last.save(10); }
    plain(|s: &Decoy| s.save(11));
}
"#,
        &expect![[r#"
            class Store src/lib.rs:1
                src/lib.rs:5 type 99
                src/lib.rs:7 type 99
                src/lib.rs:13 type 99
                src/lib.rs:14 type 99
                src/lib.rs:15 type 99
                src/lib.rs:16 type 99
                src/lib.rs:17 type 99
                src/lib.rs:19 type 99
            field Store.items src/lib.rs:1
                src/lib.rs:25 read 95
                src/lib.rs:27 read 95
            field Store.last src/lib.rs:1
                src/lib.rs:28 read 95
                src/lib.rs:29 read 95
            class Item src/lib.rs:2
                src/lib.rs:1 type 99
                src/lib.rs:1 type 99
                src/lib.rs:7 type 99
                src/lib.rs:10 type 99
            class Decoy src/lib.rs:3
                src/lib.rs:11 type 99
                src/lib.rs:30 type 99
            method Store.save src/lib.rs:6
                src/lib.rs:20 call 95
                src/lib.rs:21 call 95
                src/lib.rs:22 call 95
                src/lib.rs:23 call 95
                src/lib.rs:24 call 95
                src/lib.rs:26 call 95
            method Store.with src/lib.rs:7
                src/lib.rs:26 call 95
            method Item.save src/lib.rs:10
                src/lib.rs:25 call 95
                src/lib.rs:25 call 95
                src/lib.rs:26 call 95
                src/lib.rs:27 call 95
                src/lib.rs:27 call 95
                src/lib.rs:28 call 95
                src/lib.rs:29 call 95
            method Decoy.save src/lib.rs:11
                src/lib.rs:30 call 95
            function plain src/lib.rs:13
                src/lib.rs:20 call 99
                src/lib.rs:30 call 99
            function generic src/lib.rs:14
                src/lib.rs:21 call 99
            function bounded src/lib.rs:15
                src/lib.rs:22 call 99
            function boxed src/lib.rs:16
                src/lib.rs:24 call 99
            function pointer src/lib.rs:17
                src/lib.rs:23 call 99
        "#]],
    );
}

#[test]
fn modules_with_the_names_of_keywords() {
    check(
        "
//- /Cargo.toml
[package]
name = \"shop\"
//- /src/lib.rs
mod r#type;

use crate::r#type::Kind;

fn make() -> Kind {
    r#type::kind()
}
//- /src/type.rs
pub struct Kind;

pub fn kind() -> Kind {
    Kind
}
",
        &expect![[r#"
            class Kind src/type.rs:1
                src/lib.rs:3 import 99
                src/lib.rs:5 type 99
                src/type.rs:3 type 99
                src/type.rs:4 read 99
            function kind src/type.rs:3
                src/lib.rs:6 call 95
        "#]],
    );
}

#[test]
fn macros_around_branches_hold_items() {
    check(
        r#"
//- /Cargo.toml
[package]
name = "app"
//- /src/lib.rs
cfg_select! {
    feature = "full" => {
        pub mod inner;
        pub fn inside() -> u32 { 2 }
        pub type Res<T> = Result<T, u32>;
    }
    _ => {}
}

fn all() -> Res<u32> {
    inner::run();
    Ok(inside())
}
//- /src/inner.rs
pub fn run() {}
"#,
        &expect![[r#"
            function run src/inner.rs:1
                src/lib.rs:11 call 95
            function inside src/lib.rs:4
                src/lib.rs:12 call 99
            type Res src/lib.rs:5
                src/lib.rs:10 type 99
        "#]],
    );
}

#[test]
fn traits_are_implemented_in_other_files() {
    check(
        r#"
//- /Cargo.toml
[workspace]
members = ["data", "web"]
//- /data/Cargo.toml
[package]
name = "data"
//- /data/src/lib.rs
pub mod user;
pub mod team;
pub mod traits;
mod implementations;
//- /data/src/user.rs
pub struct User;
//- /data/src/team.rs
pub struct Team;
//- /data/src/traits.rs
pub trait Plain: Sized {
    fn load(i: u32) -> Option<Self> { None }
}
//- /data/src/implementations.rs
use crate::{team::Team, traits::Plain, user::User};

impl Plain for Team {}
impl Plain for User {
    fn load(i: u32) -> Option<Self> { Some(User) }
}
//- /web/Cargo.toml
[package]
name = "web"
[dependencies]
data = { path = "../data" }
//- /web/src/lib.rs
use data::{team::Team, traits::Plain, user::User};

fn all() {
    let _ = Team::load(1);
    let _ = User::load(2);
}
"#,
        &expect![[r#"
            method User.load data/src/implementations.rs:5
                web/src/lib.rs:5 call 95
            class Team data/src/team.rs:1
                data/src/implementations.rs:1 import 99
                data/src/implementations.rs:3 type 99
                web/src/lib.rs:1 import 99
                web/src/lib.rs:4 type 99
            interface Plain data/src/traits.rs:1
                data/src/implementations.rs:1 import 99
                data/src/implementations.rs:3 implement 99
                data/src/implementations.rs:4 implement 99
                web/src/lib.rs:1 import 99
            method Plain.load data/src/traits.rs:2
                data/src/implementations.rs:5 override 90
                web/src/lib.rs:4 call 95
                web/src/lib.rs:5 call 60
            class User data/src/user.rs:1
                data/src/implementations.rs:1 import 99
                data/src/implementations.rs:4 type 99
                data/src/implementations.rs:5 read 99
                web/src/lib.rs:1 import 99
                web/src/lib.rs:5 type 99
        "#]],
    );
}

#[test]
fn methods_of_traits_for_wrapped_types_are_no_fields() {
    check(
        r#"
//- /src/lib.rs
pub struct User { pub person_id: u32 }

pub trait OptHelper {
    fn person_id(&self) -> Option<u32>;
}

impl OptHelper for Option<&User> {
    fn person_id(&self) -> Option<u32> { self.map(|user| user.person_id) }
}

fn all(user: Option<&User>, known: &User) {
    user.person_id();
    let _ = known.person_id;
}
"#,
        &expect![[r#"
            class User src/lib.rs:1
                src/lib.rs:7 type 99
                src/lib.rs:11 type 99
                src/lib.rs:11 type 99
            field User.person_id src/lib.rs:1
                src/lib.rs:8 read 95
                src/lib.rs:13 read 95
            interface OptHelper src/lib.rs:3
                src/lib.rs:7 implement 99
            method OptHelper.person_id src/lib.rs:4
                src/lib.rs:8 override 90
                src/lib.rs:12 call 95
            method person_id src/lib.rs:8
                src/lib.rs:12 call 70
        "#]],
    );
}

#[test]
fn exported_macros_are_named_by_their_crate() {
    check(
        r#"
//- /Cargo.toml
[workspace]
members = ["demo", "app"]
//- /demo/Cargo.toml
[package]
name = "demo"
//- /demo/src/lib.rs
mod macros;
//- /demo/src/macros.rs
#[macro_export]
macro_rules! thrice {
    ($x:expr) => { 3 * $x };
}
//- /app/Cargo.toml
[package]
name = "app"
[dependencies]
demo = { path = "../demo" }
//- /app/src/lib.rs
fn all() -> u32 {
    demo::thrice!(2)
}
"#,
        &expect![[r#"
            macro thrice demo/src/macros.rs:2
                app/src/lib.rs:2 call 95
        "#]],
    );
}

#[test]
fn what_other_crates_wrap_keeps_its_members() {
    check(
        r#"
//- /Cargo.toml
[package]
name = "app"
[dependencies]
actix-web = "4"
//- /src/lib.rs
use actix_web::web::{self, Data};

pub struct Ctx { secret: u32 }
pub struct Decoy;

impl Ctx {
    pub fn pool(&self) -> Pool { Pool }
    pub fn get(&self) -> u32 { 1 }
}
impl Decoy {
    pub fn pool(&self) -> Pool { Pool }
}
pub struct Pool;
impl Pool { pub fn connect(&self) {} }

struct Server { ctx: web::Data<Ctx> }

impl Server {
    fn run(&self) { self.ctx.pool(); }
}

fn by_data(c: Data<Ctx>) -> u32 {
    c.pool().connect();
    c.get();
    c.secret
}

async fn by_path(c: actix_web::web::Data<Ctx>) { c.clone().pool(); }
"#,
        &expect![[r#"
            class Ctx src/lib.rs:3
                src/lib.rs:6 type 99
                src/lib.rs:16 type 99
                src/lib.rs:22 type 99
                src/lib.rs:28 type 99
            field Ctx.secret src/lib.rs:3
                src/lib.rs:25 read 95
            class Decoy src/lib.rs:4
                src/lib.rs:10 type 99
            method Ctx.pool src/lib.rs:7
                src/lib.rs:19 call 95
                src/lib.rs:23 call 95
                src/lib.rs:28 call 95
            class Pool src/lib.rs:13
                src/lib.rs:7 type 99
                src/lib.rs:7 read 99
                src/lib.rs:11 type 99
                src/lib.rs:11 read 99
                src/lib.rs:14 type 99
            method Pool.connect src/lib.rs:14
                src/lib.rs:23 call 95
            class Server src/lib.rs:16
                src/lib.rs:18 type 99
            field Server.ctx src/lib.rs:16
                src/lib.rs:19 read 95
        "#]],
    );
}
