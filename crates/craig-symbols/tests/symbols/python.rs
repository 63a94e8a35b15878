use expect_test::expect;

use crate::check;

#[test]
fn scopes_imports_aliases_and_packages_that_export_again() {
    check(
        "
//- /shop/__init__.py
from .cart import Cart as Basket
from .tax import *

__all__ = ['Basket']
//- /shop/cart.py
LIMIT = 10

class Cart:
    def add(self, item):
        LIMIT = item
        return self

def empty():
    return Cart()
//- /shop/tax.py
def rate(country):
    return LIMIT_OF[country]

LIMIT_OF = {}
//- /app.py
import shop
import shop.cart as c
from shop import Basket, rate

def run():
    basket = Basket()
    basket.add(1).add(c.LIMIT)
    c.empty().add(2)
    shop.rate('at')
    # Cart.add in a comment, 'Cart' in a string
    return rate('de')
",
        &expect![[r#"
            constant LIMIT shop/cart.py:1
                app.py:7 read 95
            class Cart shop/cart.py:3
                app.py:3 import 99
                app.py:6 call 99
                shop/__init__.py:1 import 99
                shop/__init__.py:4 import 99
                shop/cart.py:9 call 99
            method Cart.add shop/cart.py:4
                app.py:7 call 95
                app.py:7 call 95
                app.py:8 call 95
            function empty shop/cart.py:8
                app.py:8 call 95
            function rate shop/tax.py:1
                app.py:3 import 99
                app.py:9 call 95
                app.py:11 call 99
            constant LIMIT_OF shop/tax.py:4
                shop/tax.py:2 read 99
        "#]],
    );
}

#[test]
fn members_by_self_annotations_inheritance_and_properties() {
    check(
        "
//- /base.py
class Base:
    def __init__(self):
        self.client = Client()

    def send(self): ...

    @property
    def owner(self) -> 'Client': ...

class Client:
    def close(self): ...

class Sub(Base):
    def send(self):
        super().send()
        self.client.close()
        return self.owner.close()
//- /use.py
from base import Sub, Base

def first(items: list[Sub], one: Base):
    for item in items:
        item.send()
    one.send()
    with Sub() as sub:
        sub.client.close()

def unknown(thing):
    thing.close()
",
        &expect![[r#"
            class Base base.py:1
                base.py:13 inherit 99
                use.py:1 import 99
                use.py:3 type 99
            field Base.client base.py:3
                base.py:16 read 95
                use.py:8 read 95
            method Base.send base.py:5
                base.py:14 override 90
                base.py:15 call 95
                use.py:6 call 95
            method Base.owner base.py:8
                base.py:17 read 95
            class Client base.py:10
                base.py:3 call 99
                base.py:8 type 99
            method Client.close base.py:11
                base.py:16 call 95
                base.py:17 call 95
                use.py:8 call 95
                use.py:11 call 23
            class Sub base.py:13
                use.py:1 import 99
                use.py:3 type 99
                use.py:7 call 99
            method Sub.send base.py:14
                use.py:5 call 95
                use.py:6 call 45
        "#]],
    );
}

#[test]
fn dotted_imports_stand_for_their_modules() {
    check(
        "
//- /a/b/c.py
def rate(code):
    return 0.2

class Row:
    pass
//- /a/__init__.py
//- /decoy.py
def rate(*rest):
    return rest

class Row:
    pass
//- /app.py
import a.b.c

class Cart(a.b.c.Row):
    rows: list['a.b.c.Row']

    def first(self, row: a.b.c.Row, other: 'a.b.c.Row | None' = None):
        return a.b.c.Row()

def total():
    return a.b.c.rate('DE')
//- /late.py
def total():
    import a.b.c
    return a.b.c.rate('DE')

def local(a):
    return a.b.c.rate('x')
",
        &expect![[r#"
            function rate a/b/c.py:1
                app.py:10 call 95
                late.py:3 call 95
            class Row a/b/c.py:4
                app.py:3 inherit 95
                app.py:4 type 95
                app.py:6 type 95
                app.py:6 type 95
                app.py:7 call 95
        "#]],
    );
}

#[test]
fn attributes_and_variables_that_are_set_later() {
    check(
        "
//- /store.py
class Store:
    def save(self, row): ...

class Other:
    def save(self, row): ...
//- /app.py
from store import Other, Store

_default = None

def default():
    global _default
    if _default is None:
        _default = Store()
    _default.save(1)
    return _default

class Service:
    cache = None

    def __init__(self):
        self.store = None

    def start(self):
        self.store = Store()
        self.cache = Other()

    def add(self, row):
        self.cache.save(row)
        return self.store.save(row)

class Special(Service):
    def start(self):
        super(Special, self).start()

x = Store()
x.save(1)
x = Other()
x.save(2)
if row:
    x = Store()
x.save(3)
a, b = Store(), Other()
a.save(4)
b.save(5)
",
        &expect![[r#"
            variable _default app.py:3
                app.py:6 read 99
                app.py:7 read 99
                app.py:8 write 99
                app.py:9 read 99
                app.py:10 read 99
            class Service app.py:12
                app.py:26 inherit 99
            field Service.cache app.py:13
                app.py:20 write 95
                app.py:23 read 95
            field Service.store app.py:16
                app.py:19 write 95
                app.py:24 read 95
            method Service.start app.py:18
                app.py:27 override 90
                app.py:28 call 95
            class Special app.py:26
                app.py:28 read 99
            variable x app.py:30
                app.py:31 read 99
                app.py:32 write 99
                app.py:33 read 99
                app.py:35 write 99
                app.py:36 read 99
            variable a app.py:37
                app.py:38 read 99
            variable b app.py:37
                app.py:39 read 99
            class Store store.py:1
                app.py:1 import 99
                app.py:8 call 99
                app.py:19 call 99
                app.py:30 call 99
                app.py:35 call 99
                app.py:37 call 99
            method Store.save store.py:2
                app.py:9 call 95
                app.py:24 call 95
                app.py:31 call 95
                app.py:36 call 95
                app.py:38 call 95
            class Other store.py:4
                app.py:1 import 99
                app.py:20 call 99
                app.py:32 call 99
                app.py:37 call 99
            method Other.save store.py:5
                app.py:23 call 95
                app.py:33 call 95
                app.py:36 call 95
                app.py:39 call 95
        "#]],
    );
}

#[test]
fn elements_of_collections_and_what_generators_yield() {
    check(
        "
//- /store.py
class Store:
    def save(self, row): ...

class Other:
    def save(self, row): ...
//- /app.py
from contextlib import contextmanager
from itertools import chain
from typing import Generator, Iterator
from store import Other, Store

def many(stores: dict[str, Store], others: list[Other]):
    for name, store in stores.items():
        store.save(name)
    for at, other in enumerate(others):
        other.save(at)
    for store, other in zip(stores.values(), others):
        store.save(other)
        other.save(store)
    for other in sorted(chain(others, others)):
        other.save(1)
    next(iter(others)).save(2)

def made():
    yield Store()

@contextmanager
def opened():
    yield Store()

@contextmanager
def closed() -> Generator[Other, None, None]:
    yield find()

def each() -> Iterator[Other]: ...

for store in made():
    store.save(3)
for other in each():
    other.save(4)
with opened() as store, closed() as other:
    store.save(5)
    other.save(6)
",
        &expect![[r#"
            function made app.py:18
                app.py:31 call 99
            function opened app.py:22
                app.py:35 call 99
            function closed app.py:26
                app.py:35 call 99
            function each app.py:29
                app.py:33 call 99
            variable store app.py:31
                app.py:32 read 99
                app.py:35 write 99
                app.py:36 read 99
            variable other app.py:33
                app.py:34 read 99
                app.py:35 write 99
                app.py:37 read 99
            class Store store.py:1
                app.py:4 import 99
                app.py:6 type 99
                app.py:19 call 99
                app.py:23 call 99
            method Store.save store.py:2
                app.py:8 call 95
                app.py:12 call 95
                app.py:32 call 95
                app.py:36 call 95
            class Other store.py:4
                app.py:4 import 99
                app.py:6 type 99
                app.py:26 type 99
                app.py:29 type 99
            method Other.save store.py:5
                app.py:10 call 95
                app.py:13 call 95
                app.py:15 call 95
                app.py:16 call 95
                app.py:34 call 95
                app.py:37 call 95
        "#]],
    );
}

#[test]
fn fixtures_are_found_by_their_names() {
    check(
        "
//- /shop.py
class Store:
    def save(self, row): ...

class Decoy:
    def save(self, row): ...
//- /tests/conftest.py
import pytest
from shop import Store

@pytest.fixture
def store():
    yield Store()

@pytest.fixture(scope='session')
def path():
    return '/'
//- /tests/unit/test_store.py
def test_save(store, path, row=1):
    store.save(row)

class TestStore:
    def test_save(self, store):
        store.save(2)

def helper(store):
    return store
//- /other/test_other.py
def test_save(store):
    store.save(3)
",
        &expect![[r#"
            class Store shop.py:1
                tests/conftest.py:2 import 99
                tests/conftest.py:6 call 99
            method Store.save shop.py:2
                other/test_other.py:2 call 35
                tests/unit/test_store.py:2 call 95
                tests/unit/test_store.py:6 call 95
            method Decoy.save shop.py:5
                other/test_other.py:2 call 35
            function store tests/conftest.py:5
                tests/unit/test_store.py:1 read 99
                tests/unit/test_store.py:5 read 99
            function path tests/conftest.py:9
                tests/unit/test_store.py:1 read 99
        "#]],
    );
}

#[test]
fn what_tests_replace_by_its_name() {
    check(
        "
//- /shop/__init__.py
//- /shop/tax.py
def rate(code): ...
//- /test/shop/test_tax.py
from unittest.mock import patch
from shop import tax

@patch('shop.tax.rate')
def test(rate, mocker, monkeypatch):
    mocker.patch('shop.tax.rate', return_value=1)
    monkeypatch.setattr('shop.tax.rate', None)
    print('shop.tax.rate')
    tax.rate(1)
",
        &expect![[r#"
            function rate shop/tax.py:1
                test/shop/test_tax.py:4 read 99
                test/shop/test_tax.py:6 read 99
                test/shop/test_tax.py:7 read 99
                test/shop/test_tax.py:9 call 95
        "#]],
    );
}

#[test]
fn models_have_managers() {
    check(
        "
//- /models.py
from django.db import models

class Check(models.Model):
    def ping(self): ...

class Managers(models.Manager):
    def active(self): ...

class Flip(models.Model):
    objects = Managers()

    def ping(self): ...
//- /views.py
from django.shortcuts import get_object_or_404
from models import Check, Flip

def view(request):
    check = Check.objects.get(code=1)
    check.ping()
    get_object_or_404(Check, code=2).ping()
    for check in Check.objects.filter(x=1).order_by('x'):
        check.ping()
    Flip.objects.active()
",
        &expect![[r#"
            class Check models.py:3
                views.py:2 import 99
                views.py:5 read 99
                views.py:7 type 99
                views.py:8 read 99
            method Check.ping models.py:4
                views.py:6 call 95
                views.py:7 call 95
                views.py:9 call 95
            class Managers models.py:6
                models.py:10 call 99
            method Managers.active models.py:7
                views.py:10 call 95
            class Flip models.py:9
                views.py:2 import 99
                views.py:10 read 99
            field Flip.objects models.py:10
                views.py:10 read 95
        "#]],
    );
}

#[test]
fn generic_classes_are_applied_to_types() {
    check(
        "
//- /box.py
from typing import Generic, TypeVar

T = TypeVar('T')
K = TypeVar('K')

class Box(Generic[K, T]):
    item: T

    def get(self) -> T: ...
    def all(self) -> list[T]: ...

class Repository[R]:
    def first(self) -> R: ...

def create(of: type[T]) -> T: ...
//- /app.py
from box import Box, Repository, create

class Store:
    def save(self, row): ...

class Decoy:
    def save(self, row): ...

class Stores(Box[str, Store]):
    def flush(self):
        self.get().save(1)

class Rows(Repository[Store]): ...

def go(box: Box[str, Store], stores: Stores, rows: Rows):
    box.get().save(2)
    box.item.save(3)
    for store in box.all():
        store.save(4)
    stores.get().save(5)
    rows.first().save(6)
    create(Store).save(7)
",
        &expect![[r#"
            class Store app.py:3
                app.py:9 type 99
                app.py:13 type 99
                app.py:15 type 99
                app.py:22 read 99
            method Store.save app.py:4
                app.py:11 call 95
                app.py:16 call 95
                app.py:17 call 95
                app.py:19 call 95
                app.py:20 call 95
                app.py:21 call 95
                app.py:22 call 95
            class Stores app.py:9
                app.py:15 type 99
            class Rows app.py:13
                app.py:15 type 99
            constant T box.py:3
                box.py:6 type 99
                box.py:7 type 99
                box.py:9 type 99
                box.py:10 type 99
                box.py:15 type 99
                box.py:15 type 99
            constant K box.py:4
                box.py:6 type 99
            class Box box.py:6
                app.py:1 import 99
                app.py:9 inherit 99
                app.py:15 type 99
            field Box.item box.py:7
                app.py:17 read 95
            method Box.get box.py:9
                app.py:11 call 95
                app.py:16 call 95
                app.py:20 call 95
            method Box.all box.py:10
                app.py:18 call 95
            class Repository box.py:12
                app.py:1 import 99
                app.py:13 inherit 99
            method Repository.first box.py:13
                app.py:21 call 95
            function create box.py:15
                app.py:1 import 99
                app.py:22 call 99
        "#]],
    );
}

#[test]
fn bodies_of_classes_see_no_inherited_members() {
    check(
        "
//- /lib/__init__.py
from .schema import Schema
//- /lib/schema.py
class Schema:
    fields = {}
    many = False

    def dump(self):
        return self.fields
//- /lib/fields.py
class Decimal:
    pass
//- /app.py
from lib import Schema, fields

class OrderSchema(Schema):
    limit = 3
    total = fields.Decimal()
    most = limit
",
        &expect![[r#"
            field OrderSchema.limit app.py:4
                app.py:6 read 99
            class Decimal lib/fields.py:1
                app.py:5 call 95
            class Schema lib/schema.py:1
                app.py:1 import 99
                app.py:3 inherit 99
                lib/__init__.py:1 import 99
            field Schema.fields lib/schema.py:2
                lib/schema.py:6 read 95
        "#]],
    );
}

#[test]
fn stubs_declare_what_modules_import_of_compiled_code() {
    check(
        "
//- /fast/__init__.py
from .fast import *
//- /fast/__init__.pyi
def loads(text: str) -> Document: ...

class Document:
    def root(self) -> str: ...
//- /app.py
import fast
from fast import loads

loads('x').root()
fast.loads('y')
",
        &expect![[r#"
            function loads fast/__init__.pyi:1
                app.py:2 import 99
                app.py:4 call 99
                app.py:5 call 95
            class Document fast/__init__.pyi:3
                fast/__init__.pyi:1 type 99
            method Document.root fast/__init__.pyi:4
                app.py:4 call 95
        "#]],
    );
}

#[test]
fn a_variable_may_hold_the_base_of_a_class() {
    check(
        "
//- /db.py
from typing import Type

class Table:
    def upsert(self): ...

def with_hint(base): ...

TableBase: Type[Table] = with_hint(Table)

class Db(TableBase):
    pass

Db().upsert()
",
        &expect![[r#"
            class Table db.py:3
                db.py:8 type 99
                db.py:8 read 99
            method Table.upsert db.py:4
                db.py:13 call 95
            function with_hint db.py:6
                db.py:8 call 99
            variable TableBase db.py:8
                db.py:10 inherit 99
            class Db db.py:10
                db.py:13 call 99
        "#]],
    );
}

#[test]
fn namespace_packages_are_found_from_other_folders() {
    check(
        "
//- /deps/site/acme/yaml/__init__.py
from acme.yaml.main import load
//- /deps/site/acme/yaml/main.py
def load(text): ...
//- /app/run.py
from acme.yaml import load

load('x')
",
        &expect![[r#"
            function load deps/site/acme/yaml/main.py:1
                app/run.py:1 import 99
                app/run.py:3 call 99
                deps/site/acme/yaml/__init__.py:1 import 99
        "#]],
    );
}

#[test]
fn a_variable_that_stands_in_for_an_import_is_what_is_imported() {
    check(
        "
//- /base.py
class View:
    def export(self):
        return 1

    def shown(self):
        return tables()
//- /types.py
import typing as t

if t.TYPE_CHECKING:
    from base import View as T_VIEW
else:
    T_VIEW = 'base.View'
//- /menu.py
from types import T_VIEW

try:
    import tablib
except ImportError:
    tablib = None

def item(view: T_VIEW):
    return view.shown()

def tables():
    rows = tablib.Dataset()
    return rows.export()

limit = 3

def local():
    from sizes import limit
    return limit
//- /other.py
from menu import limit
print(limit)
",
        &expect![[r#"
            class View base.py:1
                menu.py:1 import 99
                menu.py:8 type 99
                types.py:4 import 99
            method View.shown base.py:5
                menu.py:9 call 95
            variable limit menu.py:15
                menu.py:19 read 99
                other.py:1 import 99
                other.py:2 read 99
        "#]],
    );
}
