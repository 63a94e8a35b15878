use super::*;

/// Sixty-four letters a line, as in a PEM file, and random enough.
fn material(n_lines: usize) -> String {
    let line = "MIIEpAIBAAKCAQEA7bq2Xo5yKfJ9sVhT3mZr8uQwPdL1nCgYxBtEiRk0vHaFj4Os\n";
    line.repeat(n_lines)
}

/// Written in two halves, so that no scanner takes this file for a leak.
fn header(kind: &str) -> String {
    ["-----BEGIN ", kind, "PRIVATE ", "KEY-----\n"].concat()
}

fn has_token(text: &str) -> bool {
    find_secrets(text).has_token
}

#[test]
fn names_of_secret_files() {
    for path in [
        ".env",
        "a/.env.production",
        ".envrc",
        "deploy/prod.env",
        ".ENV",
        "id_rsa",
        "store.p12",
        "config/master.key",
    ] {
        assert!(is_secret_by_name(path), "{path}");
    }
    for path in ["env", "environment.ts", ".environment", "id_rsa.pub", "cert.pem", "key.rs", "monkey"] {
        assert!(!is_secret_by_name(path), "{path}");
    }
}

#[test]
fn live_tokens_are_found() {
    for (prefix, body) in [
        ("AKIA", "Q3EGRZ7WLNXO2VYK"),
        ("ghp_", "r8Zt4kQ1vXw9Lm2Np7Bs5Hd3Jf6Gc0Ya1UeK"),
        ("sk_live_", "4eC39HqLyjWDarjtT1zdp7dc"),
        ("xoxb-", "263594206564-2343594206564-FGqddMF8t08v8N7Oq4i57vs1"),
        ("AIza", "SyD-9tSrke72PouQMnMX-a7eZSW0jkFMBWY"),
    ] {
        assert!(has_token(&format!("key = \"{prefix}{body}\"\n")), "{prefix}");
        assert!(has_token(&format!("{prefix}{body}")), "{prefix}");
        assert!(!has_token(&format!("my{prefix}{body}")), "{prefix} inside a word");
    }
}

#[test]
fn samples_and_mentions_are_no_tokens() {
    for text in [
        "AKIAIOSFODNN7EXAMPLE",
        "AKIA1234567890ABCDEF",
        "AKIAXXXXXXXXXXXXXXXX",
        "tokens begin with ghp_ and go on",
        "ghp_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
        "ghp_abcdefghijklmnopqrstuvwxyz0123456789",
        "xoxb-your-token",
        "npm_config_registry_of_this_machine_and_others",
        "SK_LIVE_",
    ] {
        assert!(!has_token(text), "{text}");
    }
}

#[test]
fn private_keys_are_found_in_every_spelling() {
    let escaped = material(3).replace('\n', "\\n");
    let literals: String = material(3).lines().map(|line| format!("    \"{line}\\n\" +\n")).collect();
    for body in [material(3), escaped, literals, format!("Proc-Type: 4,ENCRYPTED\n\n{}", material(3))] {
        for kind in ["", "RSA ", "OPENSSH ", "ENCRYPTED "] {
            let text = format!("x\n{}{body}-----END", header(kind));
            assert_eq!(find_secrets(&text).keys.len(), 1, "{text}");
        }
    }
}

#[test]
fn mentions_of_private_keys_are_no_keys() {
    for text in [
        header("RSA "),
        format!("{}...\n-----END RSA PRIVATE KEY-----", header("RSA ")),
        format!("if (pem.startsWith(\"{}\")) {{ parse_the_rest_of_it(pem); }}", header("").trim()),
        "the PRIVATE KEY is yours".to_owned(),
        format!("-----BEGIN PUBLIC KEY-----\n{}", material(3)),
    ] {
        assert!(find_secrets(&text).keys.is_empty(), "{text}");
    }
}

#[test]
fn masking_keeps_lines_and_offsets() {
    let text = format!("const K: &str = \"\n{}{}-----END\";\nfn after() {{}}\n", header(""), material(2));
    let masked = mask(text.clone(), &find_secrets(&text).keys);
    assert_eq!(masked.len(), text.len());
    assert_eq!(masked.find("fn after"), text.find("fn after"));
    assert_eq!(masked.lines().count(), text.lines().count());
    assert!(!masked.contains("MIIE"));
    assert!(masked.contains("-----BEGIN PRIVATE KEY-----\n****"));
}
