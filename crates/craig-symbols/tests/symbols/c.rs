use expect_test::expect;

use crate::check;

#[test]
fn c_binds_declarations_with_definitions_and_fields_by_declared_types() {
    check(
        r#"
//- /include/queue.h
#define QUEUE_SIZE 16
#define QUEUE_FULL(q) ((q)->used >= QUEUE_SIZE)
enum queue_kind { QUEUE_PLAIN, QUEUE_RING };
typedef struct queue_s queue_t;
struct queue_s {
  int used;
  queue_t* next;
  void (*on_push)(queue_t* q);
  struct { int rest; } tail;
};
int queue_push(queue_t* queue, int value);
//- /src/queue.c
#include "queue.h"
static int limit = QUEUE_SIZE;
static int check(int used) { return used < limit; }
int queue_push(queue_t* queue, int value) {
  int limit = 3;
  if (QUEUE_FULL(queue) || !check(queue->next->used)) return limit;
  queue->tail.rest = value;
  queue->on_push(queue);
  return QUEUE_RING;
}
//- /src/main.c
#include "queue.h"
static int check(void) { return 1; }
static queue_t first = { .used = 1, .tail = { .rest = 2 } };
int main(void) {
  /* queue_push */
  return queue_push(&first, check()) + (int) sizeof(struct queue_s);
}
"#,
        &expect![[r#"
            macro QUEUE_SIZE include/queue.h:1
                include/queue.h:2 read 99
                src/queue.c:2 read 99
            macro QUEUE_FULL include/queue.h:2
                src/queue.c:6 call 99
            enum_member queue_kind.QUEUE_RING include/queue.h:3
                src/queue.c:9 read 99
            type queue_t include/queue.h:4
                include/queue.h:7 type 99
                include/queue.h:8 type 99
                include/queue.h:11 type 99
                src/main.c:3 type 99
                src/queue.c:4 type 99
            class queue_s include/queue.h:5
                include/queue.h:4 type 99
                src/main.c:6 type 99
            field queue_s.used include/queue.h:6
                include/queue.h:2 read 70
                src/main.c:3 write 95
                src/queue.c:6 read 95
            field queue_s.next include/queue.h:7
                src/queue.c:6 read 95
            field queue_s.on_push include/queue.h:8
                src/queue.c:8 call 95
            field queue_s.tail include/queue.h:9
                src/main.c:3 write 95
                src/queue.c:7 read 95
            field queue_s.tail.rest include/queue.h:9
                src/main.c:3 write 95
                src/queue.c:7 write 95
            function queue_push include/queue.h:11
                src/main.c:6 call 99
            function check src/main.c:2
                src/main.c:6 call 99
            variable first src/main.c:3
                src/main.c:6 read 99
            variable limit src/queue.c:2
                src/queue.c:3 read 99
            function check src/queue.c:3
                src/queue.c:6 call 99
            function queue_push src/queue.c:4
                src/main.c:6 call 99
        "#]],
    );
}

#[test]
fn cpp_binds_members_of_classes_namespaces_and_templates() {
    check(
        r#"
//- /shape.hpp
namespace geometry {
class Shape {
 public:
  explicit Shape(int size);
  virtual int area() const = 0;
  static Shape* unit();
 protected:
  int size_;
};
class Square : public Shape {
 public:
  int area() const override { return size_ * this->size_; }
};
}
//- /shape.cpp
#include "shape.hpp"
namespace geometry {
Shape::Shape(int size) : size_(size) {}
Shape* Shape::unit() { return new Square(); }
}
//- /main.cpp
#include <vector>
#include "shape.hpp"
using Shapes = std::vector<std::unique_ptr<geometry::Shape>>;
int total(const Shapes& shapes) {
  int sum = 0;
  for (const auto& shape : shapes) sum += shape->area();
  auto unit = geometry::Shape::unit();
  return sum + unit->area();
}
"#,
        &expect![[r#"
            type Shapes main.cpp:3
                main.cpp:4 type 99
            module geometry shape.cpp:2
                main.cpp:3 type 99
                main.cpp:7 type 99
            method geometry.Shape.unit shape.cpp:4
                main.cpp:7 call 95
            module geometry shape.hpp:1
                main.cpp:3 type 99
                main.cpp:7 type 99
            class geometry.Shape shape.hpp:2
                main.cpp:3 type 95
                main.cpp:7 type 95
                shape.cpp:3 type 99
                shape.cpp:4 type 99
                shape.cpp:4 type 99
                shape.hpp:6 type 99
                shape.hpp:10 inherit 99
            method geometry.Shape.area shape.hpp:5
                main.cpp:6 call 95
                main.cpp:8 call 95
                shape.hpp:12 override 90
            method geometry.Shape.unit shape.hpp:6
                main.cpp:7 call 95
            field geometry.Shape.size_ shape.hpp:8
                shape.cpp:3 write 99
                shape.hpp:12 read 99
                shape.hpp:12 read 95
            class geometry.Square shape.hpp:10
                shape.cpp:4 call 99
            method geometry.Square.area shape.hpp:12
                main.cpp:6 call 70
                main.cpp:8 call 70
        "#]],
    );
}

#[test]
fn cpp_annotations_by_macros_hide_no_field_and_no_method() {
    check(
        r#"
//- /db.hpp
class Versions {
 public:
  int Apply(int edit);
};
class Db {
 public:
  int Write(int edit);
 private:
  DISALLOW_COPY(Db);
  int Last() EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  Versions* const versions_ GUARDED_BY(mutex_);
  Versions first_ GUARDED_BY(mutex_);
};
//- /db.cc
#include "db.hpp"
int Db::Write(int edit) {
  first_.Apply(edit);
  return versions_->Apply(edit) + Last();
}
"#,
        &expect![[r#"
            class Versions db.hpp:1
                db.hpp:11 type 99
                db.hpp:12 type 99
            method Versions.Apply db.hpp:3
                db.cc:3 call 95
                db.cc:4 call 95
            class Db db.hpp:5
                db.cc:2 type 99
            method Db.Last db.hpp:10
                db.cc:4 call 99
            field Db.versions_ db.hpp:11
                db.cc:4 read 99
            field Db.first_ db.hpp:12
                db.cc:3 read 99
        "#]],
    );
}

#[test]
fn a_variable_does_not_hide_the_tag_of_a_struct() {
    check(
        "
//- /src/style.h
struct style { int width; };
enum kind { PLAIN };
struct cell { struct style style; enum kind kind; };
//- /src/popup.c
#include \"style.h\"
int modify(const char *style, struct cell *cell) {
  struct style copy;
  enum kind kind = PLAIN;
  copy.width = cell->style.width;
  return copy.width + kind + style[0];
}
",
        &expect![[r#"
            class style src/style.h:1
                src/popup.c:3 type 99
                src/style.h:3 type 99
            field style.width src/style.h:1
                src/popup.c:5 write 95
                src/popup.c:5 read 95
                src/popup.c:6 read 95
            enum kind src/style.h:2
                src/popup.c:4 type 99
                src/style.h:3 type 99
            enum_member kind.PLAIN src/style.h:2
                src/popup.c:4 read 99
            class cell src/style.h:3
                src/popup.c:2 type 99
            field cell.style src/style.h:3
                src/popup.c:5 read 95
        "#]],
    );
}

#[test]
fn functions_of_two_namespaces_are_kept_apart() {
    check(
        r#"
//- /shop.hpp
namespace shop::tax { int rate(int cents); int rate(int cents, int more); }
namespace shop { namespace post { int rate(int grams); int weigh(int grams); } }
//- /shop.cpp
#include "shop.hpp"
namespace shop {
namespace tax { int rate(int cents) { return cents; } }
namespace post { int rate(int grams) { return weigh(grams); } }
}
int shop::post::weigh(int grams) { return rate(grams); }
//- /names.hpp
#include "shop.hpp"
namespace st = shop::tax;
namespace local { using shop::post::rate; }
//- /use.cpp
#include "names.hpp"
int a() { return shop::tax::rate(1) + shop::post::rate(1); }
int b() { using shop::tax::rate; return rate(2); }
int c() { using namespace shop::post; return weigh(3); }
int d() { return st::rate(4) + local::rate(4); }
namespace local { int e() { return rate(5); } }
//- /opened.cpp
#include "shop.hpp"
using namespace shop::tax;
int f() { return rate(6); }
//- /decoy.cpp
int rate(int x) { return x; }
int g() { return rate(7); }
namespace shop { int rate(int x) { return ::rate(x); } }
"#,
        &expect![[r#"
            function rate decoy.cpp:1
                decoy.cpp:2 call 99
                decoy.cpp:3 call 99
            module shop decoy.cpp:3
                names.hpp:2 type 99
                names.hpp:3 type 99
                opened.cpp:2 type 99
                shop.cpp:6 type 99
                use.cpp:2 type 99
                use.cpp:2 type 99
                use.cpp:3 type 99
                use.cpp:4 type 99
            type st names.hpp:2
                use.cpp:5 type 99
            module local names.hpp:3
                use.cpp:5 type 99
            module shop shop.cpp:2
                names.hpp:2 type 99
                names.hpp:3 type 99
                opened.cpp:2 type 99
                shop.cpp:6 type 99
                use.cpp:2 type 99
                use.cpp:2 type 99
                use.cpp:3 type 99
                use.cpp:4 type 99
            module shop.tax shop.cpp:3
                names.hpp:2 type 95
                opened.cpp:2 type 95
                use.cpp:2 type 95
                use.cpp:3 type 95
            function shop.tax.rate shop.cpp:3
                opened.cpp:3 call 99
                use.cpp:2 call 95
                use.cpp:3 import 95
                use.cpp:3 call 95
                use.cpp:5 call 95
            module shop.post shop.cpp:4
                names.hpp:3 type 95
                shop.cpp:6 type 95
                use.cpp:2 type 95
                use.cpp:4 type 95
            function shop.post.rate shop.cpp:4
                names.hpp:3 import 95
                shop.cpp:6 call 99
                use.cpp:2 call 95
                use.cpp:5 call 95
                use.cpp:6 call 99
            function shop.post.weigh shop.cpp:6
                shop.cpp:4 call 99
                use.cpp:4 call 99
            module shop shop.hpp:1
                names.hpp:2 type 99
                names.hpp:3 type 99
                opened.cpp:2 type 99
                shop.cpp:6 type 99
                use.cpp:2 type 99
                use.cpp:2 type 99
                use.cpp:3 type 99
                use.cpp:4 type 99
            module shop.tax shop.hpp:1
                names.hpp:2 type 95
                opened.cpp:2 type 95
                use.cpp:2 type 95
                use.cpp:3 type 95
            function shop.tax.rate shop.hpp:1
                opened.cpp:3 call 99
                use.cpp:2 call 95
                use.cpp:3 import 95
                use.cpp:3 call 95
                use.cpp:5 call 95
            function shop.tax.rate shop.hpp:1
                use.cpp:3 import 95
            module shop shop.hpp:2
                names.hpp:2 type 99
                names.hpp:3 type 99
                opened.cpp:2 type 99
                shop.cpp:6 type 99
                use.cpp:2 type 99
                use.cpp:2 type 99
                use.cpp:3 type 99
                use.cpp:4 type 99
            module shop.post shop.hpp:2
                names.hpp:3 type 95
                shop.cpp:6 type 95
                use.cpp:2 type 95
                use.cpp:4 type 95
            function shop.post.rate shop.hpp:2
                names.hpp:3 import 95
                shop.cpp:6 call 99
                use.cpp:2 call 95
                use.cpp:5 call 95
                use.cpp:6 call 99
            function shop.post.weigh shop.hpp:2
                shop.cpp:4 call 99
                use.cpp:4 call 99
            module local use.cpp:6
                use.cpp:5 type 99
        "#]],
    );
}

#[test]
fn names_without_linkage_stay_in_their_file() {
    check(
        r#"
//- /a.cpp
namespace shop {
namespace { int parse(int x) { return x; } int limit = 1; }
static int check(int x) { return x; }
const int SIZE = 4;
int a() { return parse(1) + check(limit) + SIZE; }
}
//- /b.cpp
namespace shop {
namespace { int parse(int x) { return x; } int limit = 2; }
static int check(int x) { return x; }
const int SIZE = 5;
int b() { return parse(2) + check(limit) + SIZE; }
}
//- /c.c
static int parse(int x) { return x; }
static int limit;
int c(void) { return parse(limit); }
//- /d.c
int parse(int x);
int limit;
int d(void) { return parse(limit); }
"#,
        &expect![[r#"
            function shop.parse a.cpp:2
                a.cpp:5 call 99
            variable shop.limit a.cpp:2
                a.cpp:5 read 99
            function shop.check a.cpp:3
                a.cpp:5 call 99
            variable shop.SIZE a.cpp:4
                a.cpp:5 read 99
            function shop.parse b.cpp:2
                b.cpp:5 call 99
            variable shop.limit b.cpp:2
                b.cpp:5 read 99
            function shop.check b.cpp:3
                b.cpp:5 call 99
            variable shop.SIZE b.cpp:4
                b.cpp:5 read 99
            function parse c.c:1
                c.c:3 call 99
            variable limit c.c:2
                c.c:3 read 99
            function parse d.c:1
                d.c:3 call 99
            variable limit d.c:2
                d.c:3 read 99
        "#]],
    );
}

#[test]
fn what_an_inline_namespace_has_is_of_the_one_around_it() {
    check(
        r#"
//- /lib.hpp
namespace lib {
inline namespace v1 { int open(); struct File { int size(); }; }
namespace v0 { int open(); }
inline namespace v2::detail { int hidden(); }
}
//- /use.cpp
#include "lib.hpp"
int lib::File::size() { return open(); }
int go(lib::File& file) { return lib::open() + lib::v0::open() + lib::v1::open() + file.size(); }
"#,
        &expect![[r#"
            module lib lib.hpp:1
                use.cpp:2 type 99
                use.cpp:3 type 99
                use.cpp:3 type 99
                use.cpp:3 type 99
                use.cpp:3 type 99
            module lib.v1 lib.hpp:2
                use.cpp:3 type 95
            function lib.v1.open lib.hpp:2
                use.cpp:2 call 99
                use.cpp:3 call 95
                use.cpp:3 call 95
            class lib.v1.File lib.hpp:2
                use.cpp:2 type 95
                use.cpp:3 type 95
            method lib.v1.File.size lib.hpp:2
                use.cpp:3 call 95
            module lib.v0 lib.hpp:3
                use.cpp:3 type 95
            function lib.v0.open lib.hpp:3
                use.cpp:3 call 95
            method lib.v1.File.size use.cpp:2
                use.cpp:3 call 95
        "#]],
    );
}

#[test]
fn a_member_outside_of_its_class_is_of_the_class_that_it_names_in_full() {
    check(
        r#"
//- /shop.hpp
namespace shop { class Cart { public: class Impl; int total(); static int made; }; }
namespace park { class Cart { public: class Impl; int total(); }; }
//- /shop.cpp
#include "shop.hpp"
class shop::Cart::Impl { public: int sum(); };
class park::Cart::Impl { public: int sum(); };
int shop::Cart::Impl::sum() { return 1; }
int park::Cart::Impl::sum() { return 2; }
int shop::Cart::total() { return Impl().sum(); }
int shop::Cart::made = 0;
namespace park { int Cart::total() { return 3; } }
//- /use.cpp
#include "shop.hpp"
int go(shop::Cart& cart, park::Cart& other) { return cart.total() + other.total() + shop::Cart::made; }
"#,
        &expect![[r#"
            class shop.Cart.Impl shop.cpp:2
                shop.cpp:4 type 95
                shop.cpp:6 call 99
                shop.hpp:1 type 99
            method shop.Cart.Impl.sum shop.cpp:2
                shop.cpp:6 call 95
            class park.Cart.Impl shop.cpp:3
                shop.cpp:5 type 95
                shop.hpp:2 type 99
            method shop.Cart.Impl.sum shop.cpp:4
                shop.cpp:6 call 95
            method shop.Cart.total shop.cpp:6
                use.cpp:2 call 95
            field shop.Cart.made shop.cpp:7
                use.cpp:2 read 95
            module park shop.cpp:8
                shop.cpp:5 type 99
                use.cpp:2 type 99
            method park.Cart.total shop.cpp:8
                use.cpp:2 call 95
            module shop shop.hpp:1
                shop.cpp:4 type 99
                shop.cpp:6 type 99
                shop.cpp:7 type 99
                use.cpp:2 type 99
                use.cpp:2 type 99
            class shop.Cart shop.hpp:1
                shop.cpp:4 type 95
                shop.cpp:6 type 95
                shop.cpp:7 type 95
                use.cpp:2 type 95
                use.cpp:2 type 95
            method shop.Cart.total shop.hpp:1
                use.cpp:2 call 95
            field shop.Cart.made shop.hpp:1
                use.cpp:2 read 95
            module park shop.hpp:2
                shop.cpp:5 type 99
                use.cpp:2 type 99
            class park.Cart shop.hpp:2
                shop.cpp:5 type 95
                shop.cpp:8 type 99
                use.cpp:2 type 95
            method park.Cart.total shop.hpp:2
                use.cpp:2 call 95
        "#]],
    );
}

#[test]
fn enumerators_are_names_of_what_encloses_the_enumeration() {
    check(
        r#"
//- /kind.hpp
namespace shop {
enum Kind { PLAIN, RING };
enum class Size { SMALL };
class Cart { public: enum State { OPEN }; };
}
//- /use.cpp
#include "kind.hpp"
int SMALL = 1;
int go() { return shop::PLAIN + shop::Kind::RING + shop::Cart::OPEN + (int) shop::Size::SMALL + SMALL; }
namespace shop { int here() { return RING + SMALL; } }
"#,
        &expect![[r#"
            module shop kind.hpp:1
                use.cpp:3 type 99
                use.cpp:3 type 99
                use.cpp:3 type 99
                use.cpp:3 type 99
            enum shop.Kind kind.hpp:2
                use.cpp:3 type 95
            enum_member shop.Kind.PLAIN kind.hpp:2
                use.cpp:3 read 95
            enum_member shop.Kind.RING kind.hpp:2
                use.cpp:3 read 95
                use.cpp:4 read 99
            enum shop.Size kind.hpp:3
                use.cpp:3 type 95
            enum_member shop.Size.SMALL kind.hpp:3
                use.cpp:3 read 95
            class shop.Cart kind.hpp:4
                use.cpp:3 type 95
            enum_member shop.Cart.State.OPEN kind.hpp:4
                use.cpp:3 read 95
            variable SMALL use.cpp:2
                use.cpp:3 read 99
                use.cpp:4 read 99
            module shop use.cpp:4
                use.cpp:3 type 99
                use.cpp:3 type 99
                use.cpp:3 type 99
                use.cpp:3 type 99
        "#]],
    );
}

#[test]
fn a_macro_before_a_type_hides_neither_the_type_nor_the_name() {
    check(
        r#"
//- /meter.h
#define UNUSED __attribute__((unused))
typedef struct Meter_ { int w; } Meter;
int y;
int go(UNUSED Meter *m, UNUSED int y) { UNUSED Meter *n = m; return n->w + m->w + y; }
int on(int x, UNUSED struct Meter_ *m, __unused const Meter *n) { return m->w + n->w; }
"#,
        &expect![[r#"
            macro UNUSED meter.h:1
                meter.h:4 read 99
                meter.h:4 type 99
                meter.h:4 read 99
                meter.h:5 read 99
            class Meter_ meter.h:2
                meter.h:5 type 99
            field Meter_.w meter.h:2
                meter.h:4 read 95
                meter.h:4 read 95
                meter.h:5 read 95
                meter.h:5 read 95
            type Meter meter.h:2
                meter.h:4 type 99
                meter.h:4 type 99
                meter.h:5 type 99
        "#]],
    );
}

#[test]
fn a_macro_pastes_names_from_its_arguments() {
    check(
        r#"
//- /m.c
#define CALL(n) do_##n()
#define FIELD(s, n) (s)->n##_size
#define ENTRY(n, kind) { #n, cmd_ ## n ## _ ## kind }
#define LOG(fmt, ...) log_line(fmt, ##__VA_ARGS__)
static void do_open(void) {}
static void do_n(void) {}
static void cmd_open_fast(void) {}
static void log_line(const char *fmt, ...) {}
struct entry { const char *name; void (*run)(void); };
static struct entry entries[] = { ENTRY(open, fast), ENTRY(1 + 2, fast) };
void go(int open) { CALL(open); LOG("x", open); entries->run(); }
"#,
        &expect![[r#"
            macro CALL m.c:1
                m.c:11 call 99
            macro ENTRY m.c:3
                m.c:10 call 99
                m.c:10 call 99
            macro LOG m.c:4
                m.c:11 call 99
            function do_open m.c:5
                m.c:11 call 99
            function cmd_open_fast m.c:7
                m.c:10 read 99
            function log_line m.c:8
                m.c:4 call 99
            class entry m.c:9
                m.c:10 type 99
            field entry.run m.c:9
                m.c:11 call 95
            variable entries m.c:10
                m.c:11 read 99
        "#]],
    );
}

#[test]
fn a_type_that_a_macro_writes_has_its_name() {
    check(
        r#"
//- /m.h
#define CUES(count) struct { int n; int c[count]; }
typedef CUES(100) cues_t;
//- /use.c
#include "m.h"
int go(cues_t *cues) { return cues->n; }
"#,
        &expect![[r#"
            macro CUES m.h:1
                m.h:2 call 99
            type cues_t m.h:2
                use.c:2 type 99
        "#]],
    );
}

#[test]
fn calls_of_macros_in_a_class_and_words_of_qt_hide_no_member() {
    check(
        r#"
//- /player.hpp
class Player : public QObject {
  Q_OBJECT
 public:
  enum Option { Loud };
  Q_DECLARE_FLAGS(Options, Option)
  void play();
 Q_SIGNALS:
  void changed(int song);
};
//- /player.cpp
#include "player.hpp"
void Player::play() {
  int song = 1;
  if (song) emit changed(song);
  Q_EMIT changed(Loud);
}
"#,
        &expect![[r#"
            class Player player.hpp:1
                player.cpp:2 type 99
            enum_member Player.Option.Loud player.hpp:4
                player.cpp:5 read 99
            method Player.changed player.hpp:8
                player.cpp:4 call 99
                player.cpp:5 call 99
        "#]],
    );
}

#[test]
fn a_variable_that_looks_like_a_function_is_one() {
    check(
        r#"
//- /query.hpp
struct Database { int open; };
struct Query {
  explicit Query(Database &of);
  int run();
};
extern Database shared;
//- /use.cpp
#include "query.hpp"
int first(Database &db) {
  Query query(db);
  Query other(shared);
  return query.run() + other.run();
}
"#,
        &expect![[r#"
            class Database query.hpp:1
                query.hpp:3 type 99
                query.hpp:6 type 99
                use.cpp:2 type 99
            class Query query.hpp:2
                use.cpp:3 type 99
                use.cpp:4 type 99
            method Query.run query.hpp:4
                use.cpp:5 call 95
                use.cpp:5 call 95
            variable shared query.hpp:6
                use.cpp:4 read 99
        "#]],
    );
}

#[test]
fn classes_that_point_to_others_and_aliases_of_templates() {
    check(
        r#"
//- /ptr.hpp
template <typename T> class Ref {
public:
  T *operator->() const { return held_; }
  T *begin() const { return held_; }

private:
  T *held_;
};
template <typename T> using Shared = Ref<T>;
struct Song { int length() const; };
//- /use.cpp
#include "ptr.hpp"
int first(Ref<Song> song, Shared<Song> other, const Ref<Ref<Song>> &all) {
  int n = song->length() + other->length();
  for (auto &each : song) n += each.length();
  return n;
}
"#,
        &expect![[r#"
            class Ref ptr.hpp:1
                ptr.hpp:9 type 99
                use.cpp:2 type 99
                use.cpp:2 type 99
                use.cpp:2 type 99
            field Ref.held_ ptr.hpp:7
                ptr.hpp:3 read 99
                ptr.hpp:4 read 99
            type Shared ptr.hpp:9
                use.cpp:2 type 99
            class Song ptr.hpp:10
                use.cpp:2 type 99
                use.cpp:2 type 99
                use.cpp:2 type 99
            method Song.length ptr.hpp:10
                use.cpp:3 call 95
                use.cpp:3 call 95
                use.cpp:4 call 95
        "#]],
    );
}

#[test]
fn a_structure_that_only_its_source_file_has_and_a_field_with_the_name_of_its_type() {
    check(
        r#"
//- /queue.h
typedef struct queue_s queue_t;
struct order { int total; };
typedef struct { struct order *order; } cart_t;
int queue_push(queue_t *queue);
//- /queue.c
#include "queue.h"
struct queue_s { int used; };
int queue_push(queue_t *queue) { return queue->used++; }
int sum(cart_t *cart) { return cart->order->total; }
"#,
        &expect![[r#"
            class queue_s queue.c:2
                queue.h:1 type 85
            field queue_s.used queue.c:2
                queue.c:3 write 95
            type queue_t queue.h:1
                queue.c:3 type 99
                queue.h:4 type 99
            class order queue.h:2
                queue.h:3 type 99
            field order.total queue.h:2
                queue.c:4 read 95
            class cart_t queue.h:3
                queue.c:4 type 99
            field cart_t.order queue.h:3
                queue.c:4 read 95
        "#]],
    );
}
