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

/// Checks that of a text, in which `«…»` marks secrets, just those are overwritten. `+` between parts of a token is left
/// out, so that no scanner takes it for one.
fn check_at(path: &str, marked: &str) {
    let marked = marked.replace("‹+›", "");
    let text = marked.replace(['«', '»'], "");
    let mut expected = String::new();
    let mut is_secret = false;
    for c in marked.chars() {
        match c {
            '«' => is_secret = true,
            '»' => is_secret = false,
            _ if is_secret && !matches!(c, '\n' | '\r') => {
                expected.extend(std::iter::repeat_n('*', c.len_utf8()))
            }
            _ => expected.push(c),
        }
    }
    let masked = mask_text(path, &text);
    assert_eq!(masked, expected, "{path}");
    assert_eq!(masked.len(), text.len());
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
fn tokens_of_vendors_are_overwritten_wherever_they_stand() {
    for token in [
        "AKIA‹+›Q3EGRZ7WLNXO2VYK",
        "ghp_‹+›r8Zt4kQ1vXw9Lm2Np7Bs5Hd3Jf6Gc0Ya1UeK",
        "sk_live_‹+›9eH39HqLyjWDarjtT1zdp7dc",
        "xoxb-‹+›263594206564-2343594206564-FGqddMF8t08v8N7Oq4i57vs1",
        "AIza‹+›SyD-9tSrke72PouQMnMX-a7eZSW0jkFMBWY",
        "SG.‹+›Zt4kQ1vXw9Lm2Np7Bs5Hd3.Jf6Gc0Ya1UeKr8Zt4kQ1vXw9Lm2Np7Bs5Hd3Jf6Gc0Y",
        "hf_‹+›ZtkQvXwLmNpBsHdJfGcYaUeKrZtkQvXwLm",
        "dop_v1_‹+›c0a8f3e1b7d94265c0a8f3e1b7d94265a1f3e5d7c9b8a6f4e2d0c1b3a597e8d6",
        "shpat_‹+›c0a8f3e1b7d94265c0a8f3e1b7d94265",
        "SK‹+›c0a8f3e1b7d94265c0a8f3e1b7d94265",
        "6103482957:‹+›AAHd3Jf6Gc0Ya1UeKr8Zt4kQ1vXw9Lm2Np7",
        "eyJhbGciOiJIUzI1NiJ9‹+›.eyJzdWIiOiJmN2EzIiwiZXhwIjoxOTl9.Zt4kQ1vXw9Lm2Np7Bs5Hd3Jf6Gc0Ya1UeKr8Zt4kQ1v",
    ] {
        for text in [
            format!("let setting = \"«{token}»\";\n"),
            format!("«{token}»"),
            format!("it was «{token}», until yesterday"),
            format!("{{\"text\": \"\\n«{token}»\\n\"}}"),
            format!("?x=%3D«{token}»&y"),
        ] {
            check_at("a.js", &text);
            check_at("a.zzz", &text);
        }
        check_at("a.js", &format!("my{token}"));
    }
}

#[test]
fn a_token_may_spell_words_by_chance() {
    for token in ["AK‹+›IAN3AAE2RRRCRONDSA", "AK‹+›IAPYWTJHHVISKKSQCR", "AS‹+›IAVFECH99C29REBRDF"]
    {
        check_at("a.yml", &format!("key: \"«{token}»\"\n"));
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
        "class sk-circle-fade-dot-of-the-spinner-animation",
        "eyJhbGciOiJIUzI1NiJ9",
    ] {
        check_at("a.md", text);
    }
}

#[test]
fn addresses_keep_all_but_their_password() {
    for scheme in ["postgres", "mongodb+srv", "redis", "https", "amqps"] {
        check_at("a.py", &format!("url = \"{scheme}://app:«t4Kq9wZx2v»@db.acme.io:5432/shop\""));
        check_at("a.yaml", &format!("url: {scheme}://:«t4Kq9wZx2v»@db.acme.io"));
    }
    for sample in [
        "postgres://postgres:postgres@localhost/shop",
        "https://user:password@example.com",
        "redis://:${REDIS_PASSWORD}@host",
        "https://<user>:<password>@host",
        "mysql://root:secret@127.0.0.1",
        "http://localhost:8080/a:b@c",
        "https://github.com/a/b@v1.2.3",
        "see https://acme.io, or mail to me: a1b2c3d4@acme.io",
    ] {
        check_at("a.md", sample);
    }
}

#[test]
fn values_are_judged_by_their_names() {
    check_at("a.py", "password = \"«t4Kq!9wZx2v»\"  # of the shop\n");
    check_at("a.rs", "const API_KEY: &str = \"«Zt4kQ1vXw9Lm2Np7Bs5Hd3»\";");
    check_at("a.ts", "const token: string = '«Zt4kQ1vXw9Lm2Np7Bs5Hd3»'");
    check_at("a.yaml", "db:\n  password: «t4Kq!9wZx2v»\n  port: 5432\n");
    check_at("a.yaml", "- name: DB_PASSWORD\n  value: «t4Kq!9wZx2v»\n");
    check_at("a.json", "{\"clientSecret\":\"«Zt4kQ1vXw9Lm2Np7Bs5Hd3»\",\"port\":1}");
    check_at("a.json", "{\"text\": \"password = \\\"«t4Kq!9wZx2v»\\\"\\n\"}");
    check_at("a.xml", "<password>«t4Kq!9wZx2v»</password><user>me</user>");
    check_at("a.xml", "<add key=\"Password\" value=\"«t4Kq!9wZx2v»\"/>");
    check_at("a.php", "define('DB_PASSWORD', '«t4Kq!9wZx2v»');");
    check_at("a.sh", "deploy --token=«Zt4kQ1vXw9Lm2Np7Bs5Hd3» --password «t4Kq!9wZx2v» now");
    check_at("a.md", "Authorization: Bearer «Zt4kQ1vXw9Lm2Np7Bs5Hd3»\n");
    check_at("a.cs", "\"Server=db;User Id=app;Password=«t4Kq!9wZx2v»;Timeout=3\"");
    check_at("a.rs", "let password = String::from(\"«t4Kq!9wZx2v»\");");
    check_at("a.js", "const apiKey = process.env.API_KEY || '«Zt4kQ1vXw9Lm2Np7Bs5Hd3»'");
    check_at("a.yaml", "password: |\n  «t4Kq!9wZx2v»\nport: 1\n");
    check_at("a.sh", "curl -u app:«t4Kq9wZx2v» https://acme.io");
    check_at("a.sh", "aws configure set aws_secret_access_key «Zt4kQ1vX/9Lm2Np7Bs5+d3Jf6Gc0Ya1UeKr8Zt4k»");
    check_at("a.txt", "machine acme.io login me password «t4Kq9wZx2v»\n");
    check_at(
        "a.md",
        "AccountName=acme;AccountKey=«Zt4kQ1vXw9Lm2Np7Bs5Hd3Jf6Gc0Ya1UeKr8Zt4kQ1vXw9Lm2Np7B==»;",
    );
    check_at("a.properties", "aws_secret_access_key=«Zt4kQ1vX/9Lm2Np7Bs5+d3Jf6Gc0Ya1UeKr8Zt4k»");
}

#[test]
fn a_connection_string_keeps_all_but_its_password() {
    for path in ["a.cs", "a.java", "a.py", "a.json", "a.md"] {
        check_at(path, "\"Server=db1;User Id=app;Password=«t4Kq9wZx2vLm»;Timeout=3\"");
        check_at(path, "\"Driver={SQL Server};Uid=app;Pwd=«t4Kq9wZx2vLm»;Encrypt=yes\"");
        check_at(path, "\"host=db1 user=app password=«t4Kq9wZx2vLm» dbname=shop\"");
        check_at(path, "\"jdbc:mysql://db1/shop?user=app&password=«t4Kq9wZx2vLm»&ssl=true\"");
        check_at(path, "\"app:«t4Kq9wZx2vLm»@tcp(db.acme.io:3306)/shop\"");
    }
    check_at("a.py", "connect(password=user1.password2, token=t4Kq9wZx2v)");
}

#[test]
fn an_address_of_another_machine_shows_no_password_whatever_its_letters() {
    for password in ["xkqvwrnbtzpd", "8302749165", "copperlantern", "Pepper46?", "QRTNVXKWPD", "a7%40Kq9wZx"]
    {
        check_at("a.py", &format!("url = 'mysql://app:«{password}»@db.acme.io/shop'"));
    }
    check_at("a.md", "https://«94ff7fe25b8aa1cc21e61e56dd10444af70a08cd»:x-oauth-basic@github.com/acme/shop");
    for sample in [
        "mysql://app:wombat@localhost",
        "mysql://app:tiger@db",
        "https://user:secret@acme.io",
        "http://h?a=b:c9@d",
    ] {
        check_at("a.md", sample);
    }
}

#[test]
fn what_takes_a_password_shows_none() {
    for command in [
        "mysql -u app -p«t4Kq9wZx2v» shop",
        "sshpass -p «t4Kq9wZx2v» ssh app@acme.io",
        "sshpass -p '«Pepper46»' ssh app@acme.io",
        "redis-cli -h cache -a «t4Kq9wZx2v» ping",
        "keytool -genkey -storepass «t4Kq9wZx2v» -alias a",
        "ldapsearch -x -D cn=admin -w «t4Kq9wZx2v» -b dc=acme",
        "docker login -u app -p «t4Kq9wZx2v» registry.acme.io",
        "echo 'app:«t4Kq9wZx2v»' | chpasswd",
        "echo «t4Kq9wZx2v» | docker login -u app --password-stdin",
        "export API_TOKEN=«t4Kq9wZx2v»",
        "kubectl create secret generic a --from-literal=value='«t4Kq9wZx2v»'",
        "mysql -e \"CREATE USER app IDENTIFIED BY '«t4Kq9wZx2v»'\"",
    ] {
        check_at("a.sh", command);
        check_at("a.yml", &format!("- run: {command}\n"));
    }
    check_at("a.sql", "CREATE ROLE app LOGIN PASSWORD '«t4Kq9wZx2v»';");
    check_at("redis.conf", "port 6379\nrequirepass «t4Kq9wZx2v»\n");
    check_at("ldap.conf", "binddn cn=app\nbindpw «t4Kq9wZx2v»\n");
    check_at("a.cs", "new NetworkCredential(\"app\", \"«t4Kq9wZx2v»\")");
    for command in [
        "mysql -u root -ppassword",
        "mysql -p$PASSWORD",
        "mysql -p 3306",
        "sshpass -p \"$1\" ssh a",
        "sshpass -previous-version",
        "mongo -p 27017",
        "echo $TOKEN1 | docker login --password-stdin",
        "IDENTIFIED BY '<password1>'",
        "requirepass foobared",
        "helm registry login -p ${PASSWORD}",
    ] {
        check_at("a.sh", command);
    }
}

#[test]
fn a_block_or_an_element_gives_its_name_to_the_value_in_it() {
    check_at("a.tf", "variable \"db_password\" {\n  type = string\n  default = \"«t4Kq9wZx2v»\"\n}\n");
    check_at(
        "a.yaml",
        "  DBPassword:\n    Type: String\n    Default: «t4Kq9wZx2v»\n  Name:\n    Default: shop1shop2\n",
    );
    check_at("a.json", "{\"db_password\": {\"value\": \"«t4Kq9wZx2v»\", \"sensitive\": true}}");
    check_at("a.tfstate", "{\"sensitive\": true, \"type\": \"string\", \"value\": \"«t4Kq9wZx2v»\"}");
    check_at("a.xml", "<string name=\"api_key\">«Zt4kQ1vXw9Lm2Np7Bs5Hd3»</string>");
    check_at("a.plist", "<key>ApiKey</key>\n\t<string>«Zt4kQ1vXw9Lm2Np7Bs5Hd3»</string>");
    check_at("a.php", "define('AUTH_KEY', '«7sBZJslfTvB@+=?B7Rm>R7eqL63:m&P=dg_tUTCs<a.1ni^Bf»');");
}

#[test]
fn the_text_around_gives_secrets_away() {
    // Base64 of `app:t4Kq9wZx2v` and of `copperlantern`.
    check_at("a.json", "{\"auths\": {\"acme.io\": {\"auth\": \"«YXBwOnQ0S3E5d1p4MnY=»\"}}}");
    check_at(
        "a.yaml",
        "kind: Secret\nmetadata:\n  name: shop1\ndata:\n  database: «dDRLcTl3Wngydg==»\n  b: «Y29wcGVybGFudGVybg==»\n  user: YXBw\n",
    );
    check_at(
        "a.yaml",
        "stringData:\n  db: «t4Kq9wZx2v»\n  host: db.acme.io\nkind: Secret\n---\ndata:\n  db: t4Kq9wZx2v\n",
    );
    check_at(
        "a.yaml",
        "kind: Secret\ndata:\n  a: «dDRLcTl3Wngydg==»\nstringData:\n  b: «t4Kq9wZx2v»\nkind: Secret\n",
    );
    check_at("a.yaml", "kind: SecretStore\ndata:\n  db: t4Kq9wZx2v\n");
    check_at(
        "a.json",
        "{\"kty\": \"oct\", \"kid\": \"a\", \"k\": \"«lwUDvGwspUtqxTABCGhFxZHlH8MP5Y5LbUtwrKNpkeh»\"}",
    );
    check_at(
        "a.json",
        "{\"kty\": \"RSA\", \"n\": \"lwUDvGwspUtqxTABCGhFxZHlH8MP5Y5LbUtwrKNpkeh\", \"e\": \"AQAB\"}",
    );
    check_at("a.txt", "«AKIA‹+›Q3EGRZ7WLNXO2VYK» / «Ms8cTWBphktteGuStE19IWu6fSblf/6DZaXCXEFF»");
    check_at("users", "app:«$2y$05$h0OlXhYhYB4BkFT/DHBCA8Wb6vWZ/Ap4HagjNtpHl/6ddIfT96N1t»\n");
    check_at(
        "a.js",
        "mnemonic: '«cactus benefit blossom already address armor benefit avocado afraid alpha animal orbit»'",
    );
    check_at("a.js", "mnemonic: 'test test test test test test test test test test test junk'");
    check_at("a.txt", "Unseal Key 1: «KxajKbEf5ikXkzj4RitdZJnSe1iBweJIgkDAqyWifg0=»\n");
    let key = "662d52f332d2c4242c8165eccee67c1e\n".repeat(16);
    check_at(
        "ta.key",
        &format!("-----BEGIN OpenVPN Static key V1-----«\n{key}»-----END OpenVPN Static key V1-----\n"),
    );
}

#[test]
fn what_is_no_secret_keeps_its_text() {
    for text in [
        "password = \"changeme\"",
        "password = \"${DB_PASSWORD}\"",
        "password = os.environ[\"DB_PASSWORD2\"]",
        "password = get_password(user1)",
        "password: P4ssw0rd!",
        "token = tokens[index1].text",
        "if (clause.token === ts.SyntaxKind.ExtendsKeyword) {",
        "token_type = \"application/x-www-form-urlencoded2\"",
        "api_key=YOUR_API_KEY_1234",
        "\"nextToken\": \"Zt4kQ1vXw9Lm2Np7Bs5Hd3\"",
        "secret: \"kubernetes.io/service-account-token\"",
        "generateSecret(\"A128CBC-HS256\")",
        "\"password\", \"userName2\", \"Email3\"",
        "password: string; // at least 8 characters, 1 digit",
        "PublicKeyToken=b77a5c561934e089",
        "password:\"? -u me /bin/bash -c 'echo READY-1.+?; /bin/me'\"",
        "\"minipass\": \"npm:^7.0.4\"",
        "$password = Get-SomeParam -name password",
        "password: {{ default (randAlphaNum 10) }}",
        "\"cacheKey\": \"Zt4kQ1vXw9Lm2Np7Bs5Hd3\"",
    ] {
        for path in ["a.ts", "a.yaml", "a.md"] {
            check_at(path, text);
        }
    }
}

#[test]
fn files_of_credentials_show_no_value_of_a_secrets_name() {
    check_at(".npmrc", "//registry.acme.io/:_authToken=«hunter2»\nsave-exact=true\n");
    check_at("home/.aws/credentials", "[default]\naws_secret_access_key = «hunter2»\nregion = eu-west-1\n");
    check_at(".docker/config.json", "{\"auths\": {\"acme.io\": {\"auth\": \"«bWU6aHVudGVy»\"}}}");
    check_at("terraform.tfstate", "{\"password\": \"«hunter2»\", \"port\": \"5432\"}");
    check_at("wp-config.php", "define( 'AUTH_KEY', '«shorter»' ); define('DB_NAME', 'shop');");
    check_at("kubeconfig", "users:\n- user:\n    token: «hunter2»\n");
}

#[test]
fn private_keys_are_found_in_every_spelling() {
    let escaped = material(3).replace('\n', "\\n");
    let literals: String = material(3).lines().map(|line| format!("    \"{line}\\n\" +\n")).collect();
    for body in [material(3), escaped, literals, format!("Proc-Type: 4,ENCRYPTED\n\n{}", material(3))] {
        for kind in ["", "RSA ", "OPENSSH ", "ENCRYPTED "] {
            let text = format!("x\n{}{body}-----END", header(kind));
            let masked = mask_secrets(&text);
            assert!(!masked.contains("MIIE") && masked.ends_with("-----END"), "{masked}");
            assert_eq!(masked.lines().count(), text.lines().count());
        }
    }
    let cut_off = format!("{}{}\nfn after_the_key_comes_code() {{}}\n", header("RSA "), material(3));
    assert!(mask_secrets(&cut_off).ends_with("fn after_the_key_comes_code() {}\n"));
}

#[test]
fn encoded_private_keys_are_found() {
    // The base64 of a header, and some more.
    let key = "LS0tLS1CRUdJTiBQUklWQVRFIEtFWS0tLS0tCk1JSUV2UUlCQURBTkJna3Foa2lHOXcwQkFRRUZBQVND";
    check_at("a.yaml", &format!("client-key-data: «{key}»\nname: me\n"));
    let putty = material(2);
    check_at("key.txt", &format!("Private-Lines: 2\n«{putty}»Private-MAC: 0\n"));
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
        assert_eq!(mask_secrets(&text), text);
    }
}

#[test]
fn masking_keeps_lines_and_offsets() {
    let text = format!("const K: &str = \"\r\n{}{}-----END\";\nfn after() {{}}\n", header(""), material(2));
    let masked = mask_secrets(&text);
    assert_eq!(masked.len(), text.len());
    assert_eq!(masked.find("fn after"), text.find("fn after"));
    assert_eq!(masked.lines().count(), text.lines().count());
    assert!(!masked.contains("MIIE"));
    assert!(masked.contains("-----BEGIN PRIVATE KEY-----\n****"));
}

proptest::proptest! {
    #[test]
    fn any_text_keeps_its_length_and_lines(text in "(password|token|AKIA|://|eyJ|PRIVATE KEY-----|[ -~\n\rä…=:@\"'\\\\]){0,40}") {
        let masked = mask_secrets(&text);
        proptest::prop_assert_eq!(masked.len(), text.len());
        proptest::prop_assert_eq!(masked.matches(['\n', '\r']).count(), text.matches(['\n', '\r']).count());
    }
}
