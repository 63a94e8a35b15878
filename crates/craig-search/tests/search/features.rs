//! The ranker's features, each on files made for it.

use craig_model::StaticModel;
use craig_search::{FEATURE_NAMES, SearchOptions};
use expect_test::{Expect, expect};

use crate::fixture::TestProject;

/// Prints the values of `names` for the candidates of `query`, by path, with two decimals.
fn check(files: &str, query: &str, names: &[&str], expect: Expect) {
    let project = TestProject::new(files);
    let found = project.index().candidates(query, StaticModel::builtin(), &SearchOptions::default()).unwrap();
    let mut lines: Vec<String> = found
        .iter()
        .map(|candidate| {
            let values = candidate.features.to_array();
            let value = |name: &&str| {
                let at = FEATURE_NAMES.iter().position(|known| known == name).unwrap();
                format!("{name}={:.2}", values[at])
            };
            format!("{} {}\n", candidate.path, names.iter().map(value).collect::<Vec<_>>().join(" "))
        })
        .collect();
    lines.sort();
    expect.assert_eq(&lines.concat());
}

#[test]
fn names_are_distinct_and_in_the_order_of_the_values() {
    let mut names = FEATURE_NAMES.to_vec();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), FEATURE_NAMES.len());
    let features = craig_search::Features { body_best: 1.0, n_terms: 2.0, ..Default::default() };
    let values = features.to_array();
    assert_eq!((values[0], values[values.len() - 1]), (1.0, 2.0));
}

#[test]
fn rare_words_weigh_more_than_frequent_ones() {
    check(
        "\
//- /a.rs
fn f() { common(); }
//- /b.rs
fn g() { common(); }
//- /c.rs
fn h() { seldom(); }
",
        "common seldom",
        &["body_best", "coverage_file"],
        expect![[r#"
            a.rs body_best=0.32 coverage_file=0.32
            b.rs body_best=0.32 coverage_file=0.32
            c.rs body_best=0.68 coverage_file=0.68
        "#]],
    );
}

#[test]
fn coverage_is_of_the_file_of_one_chunk_and_of_the_head() {
    let filler = "    step(again, and_again, and_once_more);\n".repeat(60);
    check(
        &format!(
            "\
//- /apart.rs
fn first() {{
    quibble();
{filler}}}

fn second() {{
    haggle();
{filler}}}
//- /together.rs
fn first() {{
{filler}}}

fn second() {{
    quibble();
    haggle();
{filler}}}
"
        ),
        "quibble haggle",
        &["coverage_file", "coverage_chunk", "coverage_head", "log_chunks"],
        expect![[r#"
            apart.rs coverage_file=1.00 coverage_chunk=0.50 coverage_head=0.50 log_chunks=1.61
            together.rs coverage_file=1.00 coverage_chunk=1.00 coverage_head=0.00 log_chunks=1.61
        "#]],
    );
}

#[test]
fn names_of_files_and_folders_are_compared_with_the_query() {
    check(
        "\
//- /src/session_store.rs
fn f() {}
//- /session/store.rs
fn f() {}
//- /src/sessions.rs
fn f() {}
//- /src/unrelated.rs
fn f() {}
",
        "session store",
        &[
            "name_coverage",
            "name_precision",
            "name_prefix",
            "folder_coverage",
            "path_coverage",
            "name_exact",
            "depth",
        ],
        expect![[r#"
            session/store.rs name_coverage=0.66 name_precision=1.00 name_prefix=1.00 folder_coverage=0.34 path_coverage=1.00 name_exact=0.50 depth=1.00
            src/session_store.rs name_coverage=1.00 name_precision=1.00 name_prefix=1.00 folder_coverage=-0.00 path_coverage=1.00 name_exact=0.50 depth=1.00
            src/sessions.rs name_coverage=0.34 name_precision=1.00 name_prefix=1.00 folder_coverage=-0.00 path_coverage=0.34 name_exact=0.00 depth=1.00
            src/unrelated.rs name_coverage=-0.00 name_precision=0.00 name_prefix=0.00 folder_coverage=-0.00 path_coverage=-0.00 name_exact=0.00 depth=1.00
        "#]],
    );
}

#[test]
fn definitions_of_asked_names_are_exact() {
    check(
        "\
//- /defines.rs
pub struct Courier;
//- /uses.rs
fn f(courier: Courier) {}
//- /method.py
class Office:
    def courier(self): pass
",
        "Courier",
        &["definition_exact", "type_exact", "n_defined", "symbol_best", "asks_symbol"],
        expect![[r#"
            defines.rs definition_exact=0.71 type_exact=1.00 n_defined=1.00 symbol_best=1.00 asks_symbol=1.00
            method.py definition_exact=0.71 type_exact=0.00 n_defined=1.00 symbol_best=1.00 asks_symbol=1.00
            uses.rs definition_exact=0.00 type_exact=0.00 n_defined=0.00 symbol_best=0.00 asks_symbol=1.00
        "#]],
    );
}

#[test]
fn compounds_of_query_words_are_names() {
    check(
        "\
//- /defines.rs
fn parcel_courier() {}
//- /uses.rs
fn f() { parcelCourier(); }
//- /apart.rs
fn g() { parcel(); courier(); }
",
        "which parcel courier is used",
        &["compound_body", "compound_symbol", "asks_question", "n_terms"],
        expect![[r#"
            apart.rs compound_body=0.00 compound_symbol=0.00 asks_question=1.00 n_terms=2.00
            defines.rs compound_body=1.76 compound_symbol=1.76 asks_question=1.00 n_terms=2.00
            uses.rs compound_body=1.76 compound_symbol=0.00 asks_question=1.00 n_terms=2.00
        "#]],
    );
}

#[test]
fn roles_follow_from_paths() {
    check(
        "\
//- /src/parcel.rs
fn parcel() {}
//- /tests/parcel.rs
fn parcel() {}
//- /examples/parcel.rs
fn parcel() {}
//- /vendor/parcel.rs
fn parcel() {}
//- /types/parcel.d.ts
export function parcel(): void
//- /src/legacy/parcel.rs
fn parcel() {}
//- /src/internal/parcel.go
package parcel
//- /docs/parcel.md
# Parcel
//- /parcel.json
{\"parcel\": 1}
",
        "parcel",
        &[
            "is_test",
            "is_example",
            "is_vendored",
            "is_stub",
            "is_legacy",
            "is_internal",
            "is_docs",
            "is_config",
        ],
        expect![[r#"
            docs/parcel.md is_test=0.00 is_example=0.00 is_vendored=0.00 is_stub=0.00 is_legacy=0.00 is_internal=0.00 is_docs=1.00 is_config=0.00
            examples/parcel.rs is_test=0.00 is_example=1.00 is_vendored=0.00 is_stub=0.00 is_legacy=0.00 is_internal=0.00 is_docs=0.00 is_config=0.00
            parcel.json is_test=0.00 is_example=0.00 is_vendored=0.00 is_stub=0.00 is_legacy=0.00 is_internal=0.00 is_docs=0.00 is_config=1.00
            src/internal/parcel.go is_test=0.00 is_example=0.00 is_vendored=0.00 is_stub=0.00 is_legacy=0.00 is_internal=1.00 is_docs=0.00 is_config=0.00
            src/legacy/parcel.rs is_test=0.00 is_example=0.00 is_vendored=0.00 is_stub=0.00 is_legacy=1.00 is_internal=0.00 is_docs=0.00 is_config=0.00
            src/parcel.rs is_test=0.00 is_example=0.00 is_vendored=0.00 is_stub=0.00 is_legacy=0.00 is_internal=0.00 is_docs=0.00 is_config=0.00
            tests/parcel.rs is_test=1.00 is_example=0.00 is_vendored=0.00 is_stub=0.00 is_legacy=0.00 is_internal=0.00 is_docs=0.00 is_config=0.00
            types/parcel.d.ts is_test=0.00 is_example=0.00 is_vendored=0.00 is_stub=1.00 is_legacy=0.00 is_internal=0.00 is_docs=0.00 is_config=0.00
            vendor/parcel.rs is_test=0.00 is_example=0.00 is_vendored=1.00 is_stub=0.00 is_legacy=0.00 is_internal=0.00 is_docs=0.00 is_config=0.00
        "#]],
    );
}

#[test]
fn sizes_are_logarithmic() {
    check(
        "\
//- /small.rs
fn parcel() {}
//- /large.rs
use a::b;
use c::d;
fn parcel() { one(two, three); }
fn letter() { four(five, six); }
",
        "parcel",
        &["log_tokens", "log_definitions", "log_imports", "log_chunks"],
        expect![[r#"
            large.rs log_tokens=2.83 log_definitions=1.10 log_imports=1.10 log_chunks=0.69
            small.rs log_tokens=1.10 log_definitions=0.69 log_imports=0.00 log_chunks=0.69
        "#]],
    );
}

#[test]
fn candidates_in_the_folder_of_a_files_own_name_make_it_a_hub() {
    check(
        "\
//- /src/parcel.rs
mod weight;
//- /src/parcel/weight.rs
fn parcel() {}
//- /src/parcel/size.rs
fn parcel() {}
//- /src/letter.rs
fn parcel() {}
",
        "parcel",
        &["hub", "siblings"],
        expect![[r#"
            src/letter.rs hub=0.00 siblings=0.69
            src/parcel.rs hub=1.10 siblings=0.69
            src/parcel/size.rs hub=0.00 siblings=0.69
            src/parcel/weight.rs hub=0.00 siblings=0.69
        "#]],
    );
}

#[test]
fn names_that_the_project_uses_often_are_popular() {
    let users: String =
        (0..5).map(|at| format!("//- /use{at}.rs\nfn f{at}() {{ ParcelOffice::open(); }}\n")).collect();
    check(
        &format!(
            "//- /office.rs\npub struct ParcelOffice;\n//- /other.rs\npub struct UnusedOffice;\n{users}"
        ),
        "office",
        &["used_most", "used_mean"],
        expect![[r#"
            office.rs used_most=1.95 used_mean=1.95
            other.rs used_most=0.69 used_mean=0.69
            use0.rs used_most=0.00 used_mean=-0.00
            use1.rs used_most=0.00 used_mean=-0.00
            use2.rs used_most=0.00 used_mean=-0.00
            use3.rs used_most=0.00 used_mean=-0.00
            use4.rs used_most=0.00 used_mean=-0.00
        "#]],
    );
}

#[test]
fn embeddings_of_fields_are_nearest_where_the_field_is_about_the_query() {
    let project = TestProject::new(
        "\
//- /delivery/parcel_courier.rs
fn a() { one(); }
//- /x/y.rs
fn deliver_parcel_by_courier() { two(); }
//- /x/z.rs
// Parcels are delivered by a courier.
fn c() { three(); }
//- /x/unrelated.rs
fn telescope() { observe(stars); }
",
    );
    let found = project
        .index()
        .candidates("courier delivers parcel", StaticModel::builtin(), &SearchOptions::default())
        .unwrap();
    let best = |value: fn(&craig_search::Features) -> f32| {
        let best = found.iter().max_by(|a, b| value(&a.features).total_cmp(&value(&b.features)));
        best.unwrap().path.as_str()
    };
    assert_eq!(best(|f| f.dense_path), "delivery/parcel_courier.rs");
    assert_eq!(best(|f| f.dense_name), "delivery/parcel_courier.rs");
    assert_eq!(best(|f| f.dense_symbols), "x/y.rs");
    let value = |path: &str, value: fn(&craig_search::Features) -> f32| {
        value(&found.iter().find(|candidate| candidate.path == path).unwrap().features)
    };
    let fields: [fn(&craig_search::Features) -> f32; 3] =
        [|features| features.dense_head, |features| features.dense_whole, |features| features.dense_best];
    for field in fields {
        assert!(value("x/z.rs", field) > value("delivery/parcel_courier.rs", field));
        assert!(value("x/z.rs", field) > value("x/unrelated.rs", field));
    }
    assert_eq!(found.last().unwrap().path, "x/unrelated.rs");
}

#[test]
fn ablated_features_are_zero_for_every_candidate() {
    let project = TestProject::new("//- /a.rs\nfn parcel() {}\n//- /b.rs\nfn parcel() {}\n");
    let options = SearchOptions { without: vec!["body_best", "used_most"], ..SearchOptions::default() };
    let found = project.index().candidates("parcel", StaticModel::builtin(), &options).unwrap();
    assert_eq!(found.len(), 2);
    assert!(found.iter().all(|candidate| candidate.features.body_best == 0.0));
    assert!(found.iter().all(|candidate| candidate.features.body_file > 0.0));
}
