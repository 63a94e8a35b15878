//! The order of hits: definitions before uses, product code before tests, the file that covers most of a question first.

use expect_test::{Expect, expect};

use crate::fixture::{TestProject, check};

/// A small project in several languages, whose files share most of their words.
const PROJECT: &str = r#"
//- /README.md
# Parcels

A service that delivers parcels. Run `make serve`.

## Configuration

Set `retry_limit` in `config/service.toml`.
//- /config/service.toml
[delivery]
retry_limit = 3
timeout_ms = 500
//- /src/delivery/courier.py
"""Couriers carry parcels."""

class Courier:
    """Delivers parcels to their receivers."""

    def deliver(self, parcel):
        """Carries a parcel to its receiver, and tries again when nobody is at home."""
        for attempt in range(RETRY_LIMIT):
            if self.knock(parcel.address):
                return True
        return False

    def knock(self, address):
        return address.door.open()
//- /src/delivery/retry.py
"""When and how often to try again."""

RETRY_LIMIT = 3

def backoff(attempt):
    """Doubles the pause with each attempt."""
    return 2 ** attempt
//- /src/delivery/__init__.py
from .courier import Courier
from .retry import RETRY_LIMIT, backoff
//- /src/api/routes.ts
import { Courier } from "./courier"

/** Handles a request to deliver a parcel. */
export async function postDelivery(request: Request): Promise<Response> {
  const courier = new Courier()
  return courier.deliver(await request.json())
}
//- /src/api/courier.ts
export class Courier {
  deliver(parcel: Parcel): Response { return fetch("/deliver", parcel) }
}
//- /src/api/types.d.ts
export interface Parcel { address: string; weight: number }
export function deliver(parcel: Parcel): void
//- /tests/test_courier.py
from delivery.courier import Courier

def test_courier_delivers_parcel():
    courier = Courier()
    assert courier.deliver(parcel)
//- /examples/deliver.py
from delivery import Courier

Courier().deliver(parcel)
//- /vendor/courier/courier.py
class Courier:
    def deliver(self, parcel): pass
//- /migrations/001_parcels.sql
CREATE TABLE parcels (id INT, address TEXT, weight INT);
"#;

fn check_project(queries: &[&str], expect: Expect) {
    let queries: String = queries.iter().map(|query| format!("//- query: {query} | limit=3\n")).collect();
    check(&format!("{PROJECT}{queries}"), expect);
}

#[test]
fn identifiers_find_their_definitions() {
    check_project(
        &["Courier", "RETRY_LIMIT", "backoff", "postDelivery", "Courier.deliver", "Parcel", "parcels"],
        expect![[r#"
            Courier | limit=3
              1 src/api/courier.ts:1-3 class Courier
              2 src/delivery/courier.py:1-14 class Courier
              3 vendor/courier/courier.py:1-2 class Courier
            RETRY_LIMIT | limit=3
              1 src/delivery/retry.py:1-7 function backoff
              2 src/delivery/__init__.py:1-2 import -
              3 src/delivery/courier.py:1-14 class Courier
            backoff | limit=3
              1 src/delivery/retry.py:1-7 function backoff
              2 src/delivery/__init__.py:1-2 import -
              3 src/delivery/courier.py:1-14 class Courier
            postDelivery | limit=3
              1 src/api/routes.ts:1-7 function postDelivery
              2 config/service.toml:1-3 block delivery
              3 src/delivery/__init__.py:1-2 import -
            Courier.deliver | limit=3
              1 src/delivery/courier.py:1-14 class Courier
              2 src/api/courier.ts:1-3 class Courier
              3 vendor/courier/courier.py:1-2 class Courier
            Parcel | limit=3
              1 migrations/001_parcels.sql:1-1 class parcels
              2 src/api/types.d.ts:1-2 interface Parcel
              3 src/api/courier.ts:1-3 class Courier
            parcels | limit=3
              1 migrations/001_parcels.sql:1-1 class parcels
              2 README.md:1-7 section Configuration in Parcels
              3 src/api/types.d.ts:1-2 interface Parcel
        "#]],
    );
}

#[test]
fn questions_find_the_code_that_answers_them() {
    check_project(
        &[
            "how often is a delivery tried again",
            "where is the request to deliver a parcel handled",
            "how long is the pause between attempts",
            "which columns does the table of parcels have",
        ],
        expect![[r#"
            how often is a delivery tried again | limit=3
              1 src/delivery/retry.py:1-7 function backoff
              2 src/delivery/courier.py:1-14 class Courier
              3 config/service.toml:1-3 block delivery
            where is the request to deliver a parcel handled | limit=3
              1 src/api/routes.ts:1-7 function postDelivery
              2 src/api/courier.ts:1-3 class Courier
              3 src/delivery/courier.py:1-14 class Courier
            how long is the pause between attempts | limit=3
              1 src/delivery/retry.py:1-7 function backoff
              2 src/delivery/__init__.py:1-2 import -
              3 src/delivery/courier.py:1-14 class Courier
            which columns does the table of parcels have | limit=3
              1 migrations/001_parcels.sql:1-1 class parcels
              2 src/api/types.d.ts:1-2 interface Parcel
              3 src/api/courier.ts:1-3 class Courier
        "#]],
    );
}

#[test]
fn typos_and_questions_for_a_definition_are_searched_for_as_they_are_meant() {
    check_project(
        &["bakcoff", "where is Courier defined", "find the definiton of postDelivery"],
        expect![[r#"
            bakcoff | limit=3
              1 src/delivery/retry.py:1-7 function backoff
              2 src/delivery/__init__.py:1-2 import -
              3 src/delivery/courier.py:1-14 class Courier
            where is Courier defined | limit=3
              1 src/api/courier.ts:1-3 class Courier
              2 src/delivery/courier.py:1-14 class Courier
              3 vendor/courier/courier.py:1-2 class Courier
            find the definiton of postDelivery | limit=3
              1 src/api/routes.ts:1-7 function postDelivery
              2 config/service.toml:1-3 block delivery
              3 src/delivery/courier.py:1-14 class Courier
        "#]],
    );
}

#[test]
fn keywords_find_files_by_words_and_paths() {
    check_project(
        &["delivery retry", "api routes", "service configuration", "migrations parcels"],
        expect![[r#"
            delivery retry | limit=3
              1 src/delivery/retry.py:1-7 function backoff
              2 config/service.toml:1-3 block delivery
              3 src/delivery/__init__.py:1-2 import -
            api routes | limit=3
              1 src/api/routes.ts:1-7 function postDelivery
              2 src/api/courier.ts:1-3 class Courier
              3 src/api/types.d.ts:1-2 interface Parcel
            service configuration | limit=3
              1 README.md:1-7 section Configuration in Parcels
              2 config/service.toml:1-3 block delivery
              3 src/delivery/__init__.py:1-2 import -
            migrations parcels | limit=3
              1 migrations/001_parcels.sql:1-1 class parcels
              2 src/api/courier.ts:1-3 class Courier
              3 src/api/types.d.ts:1-2 interface Parcel
        "#]],
    );
}

#[test]
fn tests_and_examples_are_found_when_they_are_asked_for() {
    check_project(
        &["test courier delivers parcel", "example deliver", "vendor courier"],
        expect![[r#"
            test courier delivers parcel | limit=3
              1 tests/test_courier.py:1-5 function test_courier_delivers_parcel
              2 src/delivery/courier.py:1-14 class Courier
              3 src/api/courier.ts:1-3 class Courier
            example deliver | limit=3
              1 examples/deliver.py:1-3 import -
              2 src/api/courier.ts:1-3 class Courier
              3 src/api/routes.ts:1-7 function postDelivery
            vendor courier | limit=3
              1 tests/test_courier.py:1-5 function test_courier_delivers_parcel
              2 vendor/courier/courier.py:1-2 class Courier
              3 src/delivery/__init__.py:1-2 import -
        "#]],
    );
}

#[test]
fn documentation_and_configuration_answer_questions_about_them() {
    check_project(
        &["how do I run the service", "timeout_ms", "set retry_limit"],
        expect![[r#"
            how do I run the service | limit=3
              1 README.md:1-7 section Configuration in Parcels
              2 src/delivery/retry.py:1-7 function backoff
              3 src/api/routes.ts:1-7 function postDelivery
            timeout_ms | limit=3
              1 config/service.toml:1-3 block delivery
              2 src/delivery/retry.py:1-7 function backoff
              3 src/delivery/__init__.py:1-2 import -
            set retry_limit | limit=3
              1 src/delivery/retry.py:1-7 function backoff
              2 src/delivery/__init__.py:1-2 import -
              3 config/service.toml:1-3 block delivery
        "#]],
    );
}

#[test]
fn product_code_ranks_above_its_copies() {
    let project = TestProject::new(PROJECT);
    let paths = project.paths("class Courier deliver parcel");
    let rank = |path: &str| paths.iter().position(|found| found == path).unwrap();
    let product = rank("src/delivery/courier.py");
    for copy in ["tests/test_courier.py", "examples/deliver.py", "src/api/types.d.ts"] {
        assert!(product < rank(copy), "{copy}: {paths:?}");
    }
}

#[test]
fn letter_case_and_separators_of_a_name_do_not_matter() {
    let project = TestProject::new(PROJECT);
    for query in
        ["postDelivery", "post_delivery", "PostDelivery", "post-delivery", "POST_DELIVERY", "post delivery"]
    {
        assert_eq!(project.paths(query)[0], "src/api/routes.ts", "{query}");
    }
}

#[test]
fn forms_of_a_word_find_each_other() {
    let project = TestProject::new(PROJECT);
    for query in ["doubled pauses", "doubling the pause", "doubles pause"] {
        assert_eq!(project.paths(query)[0], "src/delivery/retry.py", "{query}");
    }
}

#[test]
fn stop_words_alone_are_searched_for_as_they_are() {
    let project = TestProject::new("//- /a.md\n# Being\n\nTo be or not to be.\n//- /b.rs\nfn quibble() {}\n");
    assert_eq!(project.paths("to be or not to be")[0], "a.md");
}

#[test]
fn duplicated_words_and_their_order_do_not_change_the_candidates() {
    let project = TestProject::new(PROJECT);
    let sorted = |query: &str| {
        let mut paths = project.paths(query);
        paths.sort();
        paths
    };
    assert_eq!(sorted("courier parcel"), sorted("parcel courier"));
    assert_eq!(sorted("courier parcel"), sorted("parcel parcel courier courier parcel"));
}
