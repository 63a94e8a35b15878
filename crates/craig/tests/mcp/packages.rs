//! The tool `query_docs`, and what packages add to `explain_code`.

use serde_json::json;

use crate::client::Home;
use crate::tools::call;

fn shop_with_package() -> Home {
    let home = Home::with_shop();
    home.write("shop/package.json", r#"{"name":"shop","dependencies":{"greet":"1.2.0"}}"#);
    home.write("shop/index.ts", "import { hail } from 'greet'\n\nhail('you')\n");
    home.write("shop/node_modules/greet/package.json", r#"{"name":"greet","version":"1.2.0"}"#);
    home.write(
        "shop/node_modules/greet/README.md",
        "# greet\n\n## Politeness\n\nEach greeting bows deeply.\n",
    );
    home.write(
        "shop/node_modules/greet/index.d.ts",
        "/** Greets someone by name. */\nexport declare function hail(name: string): string\n",
    );
    home.ingest("shop");
    home
}

#[test]
fn packages_are_searched_once_they_were_added() {
    let home = shop_with_package();
    let mut client = home.checked_client();
    let query = json!({ "package": "greet", "query": "how deeply does a greeting bow" });
    assert!(client.fail("query_docs", query.clone()).contains("craig docs add"));
    assert!(home.craig(&["docs", "add", "greet", "--root", "shop"]).output().unwrap().status.success());
    let found = call(&mut client, "query_docs", query);
    assert_eq!(
        (&found["package"], &found["hits"][0]["path"]),
        (&json!("npm:greet@1.2.0"), &json!("README.md"))
    );
    let explained = call(&mut client, "explain_code", json!({ "path": "index.ts", "start_line": 3 }));
    assert_eq!(explained["has_relevant_docs"], false, "{explained}");
    let package = &explained["packages"][0];
    assert_eq!((&package["package"], &package["version"]), (&json!("greet"), &json!("1.2.0")));
    assert_eq!(package["quotes"][0]["text"], "Greets someone by name.");
    let projects = call(&mut client, "list_projects", json!({}));
    assert_eq!(projects["projects"].as_array().unwrap().len(), 1, "{projects}");
}
