use expect_test::expect;

use crate::check;

#[test]
fn names_are_found_by_namespace_import_and_alias() {
    check(
        r"
//- /src/Model/Shape.php
<?php
namespace App\Model;

const SIDES = 4;

function unit(): Shape { return new Shape(SIDES); }

class Shape
{
    const NAME = 'shape';
    private static int $made = 0;
    public function __construct(private int $size) { self::$made++; }
    public function area(): int { return $this->size * $this->size; }
    public static function of(int $size): static { return new static($size); }
}
//- /src/main.php
<?php
use App\Model\Shape as Form;
use App\Model;
use function App\Model\{unit};

function run(Form $form, $other) {
    $copy = $form;
    echo $copy->area(), Form::NAME, Model\Shape::of(1)->area(), \App\Model\unit()->area();
    if ($other instanceof Form) { $other->area(); }
    return unit()->area();
}

$shape = new Form(2);
run($shape, null);
",
        &expect![[r#"
            constant SIDES src/Model/Shape.php:4
                src/Model/Shape.php:6 read 99
            function unit src/Model/Shape.php:6
                src/main.php:4 import 99
                src/main.php:8 call 99
                src/main.php:10 call 99
            class Shape src/Model/Shape.php:8
                src/Model/Shape.php:6 type 99
                src/Model/Shape.php:6 call 99
                src/main.php:2 import 99
                src/main.php:6 type 99
                src/main.php:8 type 99
                src/main.php:8 type 95
                src/main.php:9 type 99
                src/main.php:13 call 99
            constant Shape.NAME src/Model/Shape.php:10
                src/main.php:8 read 95
            field Shape.made src/Model/Shape.php:11
                src/Model/Shape.php:12 write 95
            constructor Shape.__construct src/Model/Shape.php:12
                src/Model/Shape.php:6 call 99
                src/main.php:13 call 99
            field Shape.size src/Model/Shape.php:12
                src/Model/Shape.php:13 read 95
                src/Model/Shape.php:13 read 95
            method Shape.area src/Model/Shape.php:13
                src/main.php:8 call 95
                src/main.php:8 call 95
                src/main.php:8 call 95
                src/main.php:9 call 95
                src/main.php:10 call 95
            method Shape.of src/Model/Shape.php:14
                src/main.php:8 call 95
            function run src/main.php:6
                src/main.php:14 call 99
            variable shape src/main.php:13
                src/main.php:14 read 99
        "#]],
    );
}

#[test]
fn members_are_found_by_types_traits_and_inheritance() {
    check(
        r"
//- /src/Handler.php
<?php
namespace App;

interface Handler { public function handle(string $text): void; }
trait Logs { protected function log(string $text): void {} }
abstract class Base implements Handler
{
    use Logs;
    protected $next;
    public function __construct(?Handler $next) { $this->next = $next; }
    public function handle(string $text): void { $this->log($text); $this->next->handle($text); }
}
final class File extends Base
{
    public function handle(string $text): void { parent::handle($text); $this->pass([new File(null)]); }
    /** $this->log() is no call. */
    private function pass(array $all): void { foreach ($all as $one) { $one->handle('log'); } }
}
",
        &expect![[r#"
            interface Handler src/Handler.php:4
                src/Handler.php:6 implement 99
                src/Handler.php:10 type 99
            method Handler.handle src/Handler.php:4
                src/Handler.php:11 override 90
                src/Handler.php:11 call 95
                src/Handler.php:15 override 90
                src/Handler.php:15 call 60
                src/Handler.php:17 call 70
            class Logs src/Handler.php:5
                src/Handler.php:8 inherit 99
            method Logs.log src/Handler.php:5
                src/Handler.php:11 call 95
            class Base src/Handler.php:6
                src/Handler.php:13 inherit 99
            field Base.next src/Handler.php:9
                src/Handler.php:10 write 95
                src/Handler.php:11 read 95
            method Base.handle src/Handler.php:11
                src/Handler.php:11 call 70
                src/Handler.php:15 override 90
                src/Handler.php:15 call 95
                src/Handler.php:17 call 70
            class File src/Handler.php:13
                src/Handler.php:15 call 99
            method File.handle src/Handler.php:15
                src/Handler.php:11 call 70
                src/Handler.php:17 call 70
            method File.pass src/Handler.php:17
                src/Handler.php:15 call 95
        "#]],
    );
}

#[test]
fn doc_comments_give_types() {
    check(
        r"
//- /src/Store.php
<?php
namespace Shop;

class Store
{
    public function save($row) { return $row; }
    /** @return Item[] */
    public function items() { return []; }
}
class Item { public function ship() {} }
class Decoy { public function save($row) {} public function ship() {} }
//- /app/A.php
<?php
namespace App;

use Shop\Item;
use Shop\Store;

/**
 * @property-read Store $lazy The store.
 * @method static Store open(string $path)
 * @method Item pick()
 * @method rest()
 */
class A
{
    /** @var Store|null */
    private $store;
    /** @var array<string, Item> */
    private $items;
    /** @var T */
    private $other;

    /**
     * @param \Shop\Store $given
     * @param  list<Item>  $all
     * @return \Shop\Store
     */
    public function go($given, array $all)
    {
        $this->store->save(1);
        $given->save(2);
        $this->lazy->save(3);
        A::open('x')->save(4);
        $this->pick()->ship();
        $this->other->save(5);
        foreach ($all as $one) { $one->ship(); }
        foreach ($this->items as $one) { $one->ship(); }
        foreach ($given->items() as $one) { $one->ship(); }
        /** @var Store $found */
        $found = unknown();
        $found->save(6);
        /** @var Item $each */
        foreach (unknown() as $each) { $each->ship(); }
        return $given;
    }
}
function run(A $a) { $a->go(1, [])->save(7); $a->rest()->save(8); }
//- /app/B.php
<?php
namespace App;

use Shop\Store;

/** @template T of Store */
abstract class B
{
    /** @var T */
    protected $store;
    /** @var Store[] */
    private array $all = [];
    /** @return class-string<Store> */
    abstract public function type();
    public function each(): \Generator { yield from $this->all; }
    /** @param Special $given */
    public function go(Store $given)
    {
        $this->store->save(1);
        foreach ($this->each() as $one) { $one->save(2); }
        $given->special();
        end($this->all)->save(3);
        $this->type()::made();
        if (($found = unknown()) instanceof Special) { $found->special(); }
        if ($this->other instanceof Special) { $this->other->special(); }
        $this->late();
    }
}
class C extends B { public function late() {} public function type() {} public function make() { $this->type()::made(); } }
class Special extends Store { public function special() {} public static function made() {} }
class Decoys { public function special() {} public function late() {} public static function made() {} }
",
        &expect![[r#"
            class A app/A.php:13
                app/A.php:32 type 99
                app/A.php:46 type 99
            field A.store app/A.php:16
                app/A.php:29 read 95
            field A.items app/A.php:18
                app/A.php:36 read 95
            field A.other app/A.php:20
                app/A.php:34 read 95
            method A.go app/A.php:27
                app/A.php:46 call 95
            field A.lazy app/A.php:8
                app/A.php:31 read 95
            method A.open app/A.php:9
                app/A.php:32 call 95
            method A.pick app/A.php:10
                app/A.php:33 call 95
            method A.rest app/A.php:11
                app/A.php:46 call 95
            class B app/B.php:7
                app/B.php:29 inherit 99
            field B.store app/B.php:10
                app/B.php:19 read 95
            field B.all app/B.php:12
                app/B.php:15 read 95
                app/B.php:22 read 95
            method B.type app/B.php:14
                app/B.php:23 call 95
                app/B.php:29 override 90
                app/B.php:29 call 60
            method B.each app/B.php:15
                app/B.php:20 call 95
            method C.late app/B.php:29
                app/B.php:26 call 70
            method C.type app/B.php:29
                app/B.php:23 call 70
                app/B.php:29 call 95
            class Special app/B.php:30
                app/B.php:24 type 99
                app/B.php:25 type 99
            method Special.special app/B.php:30
                app/B.php:21 call 95
                app/B.php:24 call 95
                app/B.php:25 call 95
            method Special.made app/B.php:30
                app/B.php:23 call 70
                app/B.php:29 call 35
            method Decoys.made app/B.php:31
                app/B.php:29 call 35
            class Store src/Store.php:4
                app/A.php:5 import 99
                app/B.php:4 import 99
                app/B.php:17 type 99
                app/B.php:30 inherit 99
            method Store.save src/Store.php:6
                app/A.php:29 call 95
                app/A.php:30 call 95
                app/A.php:31 call 95
                app/A.php:32 call 95
                app/A.php:40 call 95
                app/A.php:46 call 95
                app/A.php:46 call 35
                app/B.php:19 call 95
                app/B.php:20 call 95
                app/B.php:22 call 95
            method Store.items src/Store.php:8
                app/A.php:37 call 95
            class Item src/Store.php:10
                app/A.php:4 import 99
            method Item.ship src/Store.php:10
                app/A.php:33 call 95
                app/A.php:35 call 95
                app/A.php:36 call 95
                app/A.php:37 call 95
                app/A.php:42 call 95
            method Decoy.save src/Store.php:11
                app/A.php:46 call 35
        "#]],
    );
}

#[test]
fn a_fluent_method_returns_what_it_is_called_on() {
    check(
        r"
//- /src/Query.php
<?php
namespace Db;

abstract class Base
{
    public function where($x) { $this->x = $x; return $this; }
    /** @return $this */
    public function limit($n) { return $this->with($n); }
    public function order($x): static { return clone $this; }
    public static function make(): static { return new static(); }
    public static function plain(): self { return new Query(); }
    public function other() { if ($this->x) { return new Other(); } return $this; }
}
class Query extends Base { public function get() {} }
class Other { public function get() {} }

function run(Query $q)
{
    $q->where(1)->limit(2)->order(3)->get();
    Query::make()->get();
    Query::plain()->get();
    $q->other()->get();
}
",
        &expect![[r#"
            class Base src/Query.php:4
                src/Query.php:14 inherit 99
            method Base.where src/Query.php:6
                src/Query.php:19 call 95
            method Base.limit src/Query.php:8
                src/Query.php:19 call 95
            method Base.order src/Query.php:9
                src/Query.php:19 call 95
            method Base.make src/Query.php:10
                src/Query.php:20 call 95
            method Base.plain src/Query.php:11
                src/Query.php:21 call 95
            method Base.other src/Query.php:12
                src/Query.php:22 call 95
            class Query src/Query.php:14
                src/Query.php:11 call 99
                src/Query.php:17 type 99
                src/Query.php:20 type 99
                src/Query.php:21 type 99
            method Query.get src/Query.php:14
                src/Query.php:19 call 95
                src/Query.php:20 call 95
                src/Query.php:21 call 70
            class Other src/Query.php:15
                src/Query.php:12 call 99
            method Other.get src/Query.php:15
                src/Query.php:22 call 95
        "#]],
    );
}

#[test]
fn methods_are_called_by_arrays_and_strings() {
    check(
        r#"
//- /src/Store.php
<?php
namespace Shop;

class Store
{
    public $name;
    public function save($row) { return $row; }
    public static function open($row) { return usort($row, [self::class, 'open']); }
    public function name() {}
    public function go() { return array_map(array($this, 'save'), array_map('self::open', [])); }
}
function compare($a, $b) {}
//- /src/Decoy.php
<?php
namespace Decoy;
class Store { public function save($row) {} }
//- /app/A.php
<?php
namespace App;

use Shop\Store;

function go(Store $s, $x) {
    usort($x, [$s, 'save']);
    usort($x, [Store::class, 'open']);
    usort($x, ['Shop\Store', 'open']);
    usort($x, 'Shop\Store::open');
    usort($x, '\Shop\Store::open');
    usort($x, "Shop\Store::open");
    usort($x, 'Shop\compare');
    usort($x, 'compare');
    usort($x, [$x, 'save']);
    usort($x, ['save', 'open']);
    usort($x, ['save' => $s, 1 => 'save']);
    return [$s, 'unknown', 'save'];
}
"#,
        &expect![[r#"
            class Store src/Store.php:4
                app/A.php:4 import 99
                app/A.php:6 type 99
                app/A.php:8 type 99
            method Store.save src/Store.php:7
                app/A.php:7 call 95
                src/Store.php:10 call 95
            method Store.open src/Store.php:8
                app/A.php:8 call 95
                app/A.php:9 call 95
                app/A.php:10 call 95
                app/A.php:11 call 95
                app/A.php:12 call 95
                src/Store.php:8 call 95
                src/Store.php:10 call 95
            function compare src/Store.php:12
                app/A.php:13 call 99
        "#]],
    );
}

#[test]
fn containers_give_an_instance_of_the_class() {
    check(
        r"
//- /src/Store.php
<?php
namespace Shop;

class Store { public function save($row) {} }
class Decoy { public function save($row) {} }
class Settings { public function get($name): Decoy { return new Decoy(); } }
//- /app/A.php
<?php
namespace App;

use Shop\Settings;
use Shop\Store;

function go($container, Settings $settings) {
    $container->get(Store::class)->save(1);
    $container->make(Store::class, ['x' => 1])->save(2);
    app(Store::class)->save(3);
    resolve(Store::class)->save(4);
    $container[Store::class]->save(4);
    $settings->get(Store::class)->save(5);
    $container->has(Store::class)->save(6);
}
",
        &expect![[r#"
            class Store src/Store.php:4
                app/A.php:5 import 99
                app/A.php:8 type 99
                app/A.php:9 type 99
                app/A.php:10 type 99
                app/A.php:11 type 99
                app/A.php:12 type 99
                app/A.php:13 type 99
                app/A.php:14 type 99
            method Store.save src/Store.php:4
                app/A.php:8 call 95
                app/A.php:9 call 95
                app/A.php:10 call 95
                app/A.php:11 call 95
                app/A.php:12 call 95
                app/A.php:14 call 35
            class Decoy src/Store.php:5
                src/Store.php:6 type 99
                src/Store.php:6 call 99
            method Decoy.save src/Store.php:5
                app/A.php:13 call 95
                app/A.php:14 call 35
            class Settings src/Store.php:6
                app/A.php:4 import 99
                app/A.php:7 type 99
            method Settings.get src/Store.php:6
                app/A.php:8 call 23
                app/A.php:13 call 95
        "#]],
    );
}

#[test]
fn what_a_function_of_another_project_returns_may_be_of_this_one() {
    check(
        r"
//- /src/BookRepository.php
<?php
namespace App;

class BookRepository
{
    public function findByIsbn(string $isbn) {}
    public function close() {}
}
//- /src/File.php
<?php
namespace App;

class File
{
    public function close() {}
}
//- /src/Import.php
<?php
namespace App;

use Doctrine\ORM\EntityManagerInterface;

class Import
{
    public function __construct(private EntityManagerInterface $em) {}

    public function run(string $isbn)
    {
        $this->em->getRepository(Book::class)->findByIsbn($isbn);
        $this->em->getConnection()->close();
        $this->em->findByIsbn($isbn);
    }
}
",
        &expect![[r#"
            method BookRepository.findByIsbn src/BookRepository.php:6
                src/Import.php:12 call 70
            method BookRepository.close src/BookRepository.php:7
                src/Import.php:13 call 11
            method File.close src/File.php:6
                src/Import.php:13 call 11
            field Import.em src/Import.php:8
                src/Import.php:12 read 95
                src/Import.php:13 read 95
                src/Import.php:14 read 95
        "#]],
    );
}
