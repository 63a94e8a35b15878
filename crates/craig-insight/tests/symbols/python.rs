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
        "#]],
    );
}
