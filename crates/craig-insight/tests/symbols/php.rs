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
                src/Handler.php:11 call 60
                src/Handler.php:15 override 90
                src/Handler.php:15 call 95
                src/Handler.php:17 call 70
            class File src/Handler.php:13
                src/Handler.php:15 call 99
            method File.handle src/Handler.php:15
                src/Handler.php:11 call 60
                src/Handler.php:15 call 60
                src/Handler.php:17 call 70
            method File.pass src/Handler.php:17
                src/Handler.php:15 call 95
        "#]],
    );
}
