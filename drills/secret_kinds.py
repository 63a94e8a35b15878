"""Kinds of secrets by the place that gives them away, each with the files that hold it: what `planted-secrets --grid` plants.

The kinds are those that detect-secrets, gitleaks and trufflehog document, and what public reports on leaks add. Tokens with a vendor's
mark are in `planted-secrets` itself. In a template `{v}` is the secret; whole files, so that the place is complete.
"""

import base64
import json
import string

LETTERS, DIGITS = string.ascii_letters, string.digits
WORDS = "copper lantern orbit meadow velvet thunder marble pepper saddle walnut harbor cactus ribbon falcon glacier mango".split()


def drawn(random, alphabet, length):
    return "".join(random.choice(alphabet) for _ in range(length))


def alnum(low, high):
    """Letters and digits, at least one of each."""
    def draw(random):
        made = list(drawn(random, LETTERS + DIGITS, random.randrange(low, high)))
        made[1], made[3], made[5] = random.choice(DIGITS), random.choice(string.ascii_lowercase), random.choice(string.ascii_uppercase)
        return "".join(made)
    return draw


def of(alphabet, length):
    return lambda random: drawn(random, alphabet, length)


def signed(random):
    """As password managers make them."""
    made = list(alnum(12, 18)(random))
    made[7] = random.choice("!*+^~")
    return "".join(made)


def worded(random):
    """As people make them: a word or two, digits, perhaps a sign."""
    return random.choice(WORDS).capitalize() + random.choice(["", random.choice(WORDS)]) + str(random.randrange(10, 100)) + random.choice(["", "!", "?"])


def phrase(random):
    """Two words, of which nobody's samples are made."""
    return "".join(random.sample(WORDS, 2))


def encoded(draw, user="deploy:"):
    return lambda random: base64.b64encode((user + draw(random)).encode()).decode()


def mnemonic(n_words):
    words = "abandon ability absent abstract acoustic across address advice aerobic afraid airport alcohol alpha already amazing anchor ancient animal antenna anxiety apology arctic armor arrow artist aspect athlete autumn average avocado balcony bamboo banner barrel basket beach benefit betray bicycle blanket blossom bonus border bracket bridge bronze bubble budget burger cabin cactus camera canvas canyon carpet casino castle catalog cattle".split()
    return lambda random: " ".join(random.choice(words) for _ in range(n_words))


def bcrypt(random):
    return random.choice(["$2y$05$", "$2a$10$", "$2b$12$"]) + drawn(random, LETTERS + DIGITS + "./", 53)


def apr1(random):
    return "$apr1$" + drawn(random, LETTERS + DIGITS, 8) + "$" + drawn(random, LETTERS + DIGITS + "./", 22)


def crypt512(random):
    return "$6$" + drawn(random, LETTERS + DIGITS, 16) + "$" + drawn(random, LETTERS + DIGITS + "./", 86)


def openvpn(random):
    return "\n".join(drawn(random, "0123456789abcdef", 32) for _ in range(16))


def uuid(random):
    return "-".join(drawn(random, "0123456789abcdef", length) for length in (8, 4, 4, 4, 12))


HEX, BASE64, URL = "0123456789abcdef", LETTERS + DIGITS + "+/", LETTERS + DIGITS + "-_"
PASSWORDS = [alnum(10, 17), signed, worded]
KEY, SHORT_KEY, HEX32 = alnum(24, 40), alnum(10, 15), of(HEX, 32)

# How a file type assigns a value to a name; `{n}` is the name in the spelling that is usual there.
ASSIGNS = {
    "app.py": '{n} = "{v}"\n', "App.java": 'class A {{\n    private String {c} = "{v}";\n}}\n', "app.js": "const {c} = '{v}';\n", "app.ts": "  {c}: '{v}',\n",
    "app.go": 'var {c} = "{v}"\n', "app.rb": "  {n}: '{v}'\n", "App.cs": '    var {c} = "{v}";\n', "app.php": "<?php\n$config['{n}'] = '{v}';\n", "app.kt": 'val {c} = "{v}"\n',
    "app.swift": 'let {c} = "{v}"\n', "app.cpp": 'const char *{n} = "{v}";\n', "app.rs": 'let {n} = "{v}";\n', "app.scala": '  val {c} = "{v}"\n', "app.lua": 'local {n} = "{v}"\n',
    "app.ex": 'config :app, {n}: "{v}"\n', "a.yaml": "db:\n  {n}: {v}\n", "a.json": '{{"{c}": "{v}"}}\n', "a.toml": '{n} = "{v}"\n', "a.ini": "[db]\n{n} = {v}\n",
    "a.properties": "app.{n}={v}\n", "a.xml": "<c><{c}>{v}</{c}></c>\n", "run.sh": "export {U}={v}\n", "Dockerfile": "FROM x\nENV {U}={v}\n", "run.ps1": '${c} = "{v}"\n', "run.bat": "set {U}={v}\n",
    "notes.md": "Use `{n}={v}` there.\n", "main.tf": 'provider "x" {{\n  {n} = "{v}"\n}}\n', "compose.yml": "services:\n  db:\n    environment:\n      - {U}={v}\n", "Makefile": "{U} := {v}\n",
    "ci.yml": "env:\n  {U}: {v}\n", "app.ipynb": '{{"cells": [{{"cell_type": "code", "source": ["{n} = \\"{v}\\"\\n"]}}]}}\n',
}


def assigned(name):
    """Files that assign to `name`, given in snake case."""
    first, *rest = name.split("_")
    spellings = {"n": name, "c": first + "".join(map(str.capitalize, rest)), "U": name.upper()}
    return [(path, template.replace("{n}", spellings["n"]).replace("{c}", spellings["c"]).replace("{U}", spellings["U"]).replace("{{", "{").replace("}}", "}")) for path, template in ASSIGNS.items()]


def literals(text):
    """A string literal in code of several languages, in data and in prose."""
    quoted = text.replace("\\", "\\\\")
    return [("A.cs", f'    var s = "{quoted}";\n'), ("A.java", f'    String s = "{quoted}";\n'), ("a.py", f"s = '{quoted}'\n"), ("a.go", f'\ts := "{quoted}"\n'), ("a.js", f"const s = `{quoted}`;\n"),
            ("a.rb", f"s = '{quoted}'\n"), ("a.php", f"<?php\n$s = '{quoted}';\n"), ("appsettings.json", f'{{"s": "{quoted}"}}\n'), ("a.yaml", f"s: {text}\n"), ("web.config", f'<add name="s" value="{text}" />\n'),
            ("a.properties", f"s={text}\n"), ("a.md", f"Connect with `{text}`.\n"), ("run.sh", f'S="{text}"\n')]


def shell(*commands):
    """Commands in a script, a build file, a pipeline and in prose."""
    return [file for text in commands for file in [("run.sh", f"#!/bin/sh\n{text}\n"), ("ci.yml", f"steps:\n  - run: {text}\n"), ("a.md", f"```\n$ {text}\n```\n"), ("Dockerfile", f"RUN {text}\n"), ("Makefile", f"all:\n\t{text}\n")]]


def kubernetes(key):
    return [("secret.yaml", f"apiVersion: v1\nkind: Secret\nmetadata:\n  name: shop\ntype: Opaque\ndata:\n  {key}: {{v}}\n"), ("all.yml", f"kind: ConfigMap\ndata:\n  a: b\n---\napiVersion: v1\ndata:\n  {key}: {{v}}\nkind: Secret\nmetadata:\n  name: shop\n"),
            ("list.json", f'{{"kind": "Secret", "apiVersion": "v1", "data": {{"{key}": "{{v}}"}}}}\n')]


# Kind: how it is drawn, or several ways, and (path, text) of the files.
KINDS = {
    # Named values in every type of file.
    "password": (PASSWORDS, assigned("password")), "db-password": (PASSWORDS, assigned("db_password")), "user-pass": (PASSWORDS, assigned("smtp_pass")), "pwd": (PASSWORDS, assigned("admin_pwd")),
    "passphrase": (PASSWORDS, assigned("passphrase")), "api-key": (KEY, assigned("api_key")), "short-api-key": (SHORT_KEY, assigned("api_key")), "api-token": (KEY, assigned("api_token")),
    "short-api-token": (SHORT_KEY, [f for f in assigned("api_token") if f[0] in ("run.sh", "Dockerfile", "compose.yml", "ci.yml", "run.bat", "Makefile", "a.properties", "a.yaml", "a.ini", "a.json")]),
    "secret-key": (of(BASE64, 50), assigned("secret_key")), "client-secret": (KEY, assigned("client_secret")), "access-token": (KEY, assigned("access_token")), "auth-token-hex": (HEX32, assigned("auth_token")),
    "jwt-secret": (alnum(16, 24), assigned("jwt_secret")), "private-key-hex": (of(HEX, 64), assigned("private_key")), "encryption-key": (of(HEX, 64), assigned("encryption_key")), "signing-key": (KEY, assigned("signing_key")),
    "webhook-secret": (alnum(16, 24), assigned("webhook_secret")), "session-secret": (alnum(16, 24), assigned("session_secret")), "cookie-secret": (of(HEX, 32), assigned("cookie_secret")), "app-key": (of(HEX, 32), assigned("app_key")),
    "datadog-api-key": (HEX32, assigned("datadog_api_key")), "cloudflare-api-key": (of(HEX, 37), assigned("cloudflare_api_key")), "heroku-api-key": (uuid, assigned("heroku_api_key")), "aws-secret": (of(BASE64, 40), assigned("aws_secret_access_key")),
    "aws-session-token": (of(BASE64, 200), assigned("aws_session_token")), "algolia-admin-key": (HEX32, assigned("algolia_admin_key")), "artifactory-password": (of(LETTERS + DIGITS, 64), assigned("artifactory_password")),
    "consumer-secret": (alnum(40, 46), assigned("consumer_secret")), "bot-token": (alnum(24, 40), assigned("bot_token")), "license-key": (of(string.ascii_uppercase + DIGITS, 25), assigned("license_key")), "storage-key": (lambda r: drawn(r, BASE64, 86) + "==", assigned("storage_account_key")),
    # Connection strings.
    "ado-password": (PASSWORDS, literals("Server=db1;Database=shop;User Id=app;Password={v};")), "ado-pwd": (PASSWORDS, literals("Driver={SQL Server};Server=db1;Uid=app;Pwd={v};Encrypt=yes")),
    "jdbc-password": (PASSWORDS, literals("jdbc:mysql://db1:3306/shop?user=app&password={v}&useSSL=true")), "libpq-password": (PASSWORDS, literals("host=db1 port=5432 user=app password={v} dbname=shop")),
    "go-dsn": (PASSWORDS, literals("app:{v}@tcp(db1.acme.io:3306)/shop")), "oracle": (PASSWORDS, literals("app/{v}@db1.acme.io:1521/shop")), "redis-options": (PASSWORDS, literals("cache.acme.io:6380,password={v},ssl=True")),
    "amqp-shared-key": (lambda r: drawn(r, BASE64, 43) + "=", literals("Endpoint=sb://acme.servicebus.windows.net/;SharedAccessKeyName=root;SharedAccessKey={v}")),
    # Addresses.
    "url-alnum": (alnum(8, 16), literals("postgres://app:{v}@db.acme.io:5432/shop")), "url-letters": (of(string.ascii_lowercase, 12), literals("mysql://app:{v}@db.acme.io/shop")), "url-digits": (of(DIGITS, 10), literals("redis://:{v}@cache.acme.io:6379")),
    "url-words": (phrase, literals("mongodb+srv://app:{v}@cluster0.acme.io/shop")), "url-upper": (of(string.ascii_uppercase, 12), literals("amqps://app:{v}@mq.acme.io")), "url-escaped": (lambda r: alnum(6, 9)(r) + "%40" + alnum(6, 8)(r), literals("postgresql://app:{v}@db.acme.io/shop")),
    "url-ftp": (worded, literals("ftp://app:{v}@ftp.acme.io/in")), "url-proxy": (PASSWORDS, literals("http://app:{v}@proxy.acme.io:3128")), "url-git-token": (of(HEX, 40), literals("https://{v}:x-oauth-basic@github.com/acme/shop.git")),
    "url-token-user": (of(HEX, 40), literals("https://x-access-token:{v}@github.com/acme/shop.git")), "url-sentry": (HEX32, literals("https://" + "4f1c2b7a9d3e4c5f8a6b7c8d9e0f1a2b" + ":{v}@sentry.acme.io/4")), "url-query-key": (KEY, literals("https://api.acme.io/v1?api_key={v}")),
    "url-query-token": (KEY, literals("https://api.acme.io/v1?x=1&access_token={v}")), "url-sip": (PASSWORDS, literals("ldap://cn=app:{v}@ldap.acme.io:389")),
    # SQL.
    "sql-identified": (PASSWORDS, [("a.sql", "CREATE USER 'app'@'%' IDENTIFIED BY '{v}';\n"), ("b.sql", "ALTER USER app IDENTIFIED WITH mysql_native_password BY '{v}';\n"), ("c.sql", "grant all on shop.* to app identified by \"{v}\";\n"), ("a.py", "db.execute(\"CREATE USER app IDENTIFIED BY '{v}'\")\n"), ("run.sh", "mysql -e \"CREATE USER 'app'@'%' IDENTIFIED BY '{v}';\"\n"), ("a.md", "```sql\nSET PASSWORD FOR 'app'@'%' = PASSWORD('{v}');\n```\n")]),
    "sql-password": (PASSWORDS, [("a.sql", "CREATE ROLE app LOGIN PASSWORD '{v}';\n"), ("b.sql", "ALTER USER app WITH ENCRYPTED PASSWORD '{v}';\n"), ("c.sql", "create user app with password '{v}';\n"), ("d.sql", "CREATE LOGIN app WITH PASSWORD = N'{v}';\n"), ("a.go", "db.Exec(`CREATE USER app WITH PASSWORD '{v}'`)\n"), ("run.sh", "psql -c \"ALTER USER app WITH PASSWORD '{v}'\"\n")]),
    # Commands.
    "mysql-p": (PASSWORDS, shell("mysql -u app -p{v} shop", "mysqldump -h db1 -uapp -p'{v}' shop > a.sql")), "sshpass": (PASSWORDS, shell("sshpass -p {v} ssh app@acme.io", "sshpass -p '{v}' scp a app@acme.io:")), "redis-cli": (PASSWORDS, shell("redis-cli -h cache -a {v} ping")),
    "storepass": (PASSWORDS, shell("keytool -genkey -keystore a.jks -storepass {v} -keypass x", "jarsigner -keypass {v} a.jar key")), "pgpassword": (PASSWORDS, shell("PGPASSWORD={v} psql -h db1 -U app", "export PGPASSWORD='{v}'")), "mysql-pwd": (PASSWORDS, shell("MYSQL_PWD={v} mysql shop")),
    "curl-u": (PASSWORDS, shell("curl -u app:{v} https://acme.io", "curl --user 'app:{v}' https://acme.io")), "docker-login": (PASSWORDS, shell("docker login -u app -p {v} registry.acme.io", "docker login --username app --password {v}")), "wget": (PASSWORDS, shell("wget --user=app --password={v} https://acme.io/a")),
    "openssl-pass": (PASSWORDS, shell("openssl enc -aes-256-cbc -pass pass:{v} -in a", "openssl rsa -passin pass:{v} -in a.pem")), "mongo-p": (PASSWORDS, shell("mongosh -u app -p {v} --authenticationDatabase admin", "mongodump --username app --password {v}")), "chpasswd": (PASSWORDS, shell("echo 'app:{v}' | chpasswd", "echo app:{v} | sudo chpasswd")),
    "ldap-w": (PASSWORDS, shell("ldapsearch -x -D cn=admin,dc=acme -w {v} -b dc=acme", "ldapadd -x -D cn=admin -w '{v}' -f a.ldif")), "az-login": (PASSWORDS, shell("az login --service-principal -u app -p {v} --tenant acme", "az acr login --name acme --password {v}")), "sqlcmd": (PASSWORDS, shell("sqlcmd -S db1 -U sa -P '{v}' -Q x", "bcp shop out a -U sa -P {v}")),
    "zip-p": (PASSWORDS, shell("7z x -p{v} a.7z", "unzip -P {v} a.zip")), "echo-stdin": (PASSWORDS, shell("echo {v} | docker login -u app --password-stdin", "echo '{v}' | sudo -S apt update")), "helm-set": (PASSWORDS, shell("helm install shop . --set auth.password={v}", "helm upgrade shop . --set postgresql.auth.postgresPassword='{v}'")),
    "kubectl-literal": (PASSWORDS, shell("kubectl create secret generic shop --from-literal=password={v}", "kubectl create secret generic shop --from-literal=value='{v}'")), "vault-kv": (PASSWORDS, shell("vault kv put secret/shop password={v}")), "net-use": (PASSWORDS, [("run.bat", "net use z: \\\\srv\\a /user:app {v}\n"), ("run.cmd", "net user app {v} /add\n")]),
    "secure-string": (PASSWORDS, [("run.ps1", '$p = ConvertTo-SecureString "{v}" -AsPlainText -Force\n'), ("a.md", "```powershell\nConvertTo-SecureString -String '{v}' -AsPlainText -Force\n```\n")]), "header-curl": (KEY, shell("curl -H 'Authorization: Bearer {v}' acme.io", "curl -H \"X-Api-Key: {v}\" acme.io", "curl -H 'PRIVATE-TOKEN: {v}' acme.io", "curl -H 'Authorization: token {v}' acme.io")),
    # Configuration of servers and tools.
    "requirepass": (PASSWORDS, [("redis.conf", "port 6379\nrequirepass {v}\n"), ("b/redis.conf", 'requirepass "{v}"\n'), ("run.sh", "redis-server --requirepass {v}\n"), ("docker-compose.yml", "    command: redis-server --requirepass {v}\n"), ("sentinel.conf", "sentinel auth-pass mymaster {v}\n"), ("c/redis.conf", "masterauth {v}\n")]),
    "bindpw": (PASSWORDS, [("ldap.conf", "binddn cn=app\nbindpw {v}\n"), ("nslcd.conf", "bindpw {v}\n"), ("sssd.conf", "ldap_default_authtok = {v}\n"), ("slapd.conf", "rootdn cn=admin\nrootpw {v}\n"), ("auth.ini", "bind_password = {v}\n"), ("a.xml", '<Ldap bindPassword="{v}"/>\n'), ("a.yaml", "bindPW: {v}\n")]),
    "snmp": (PASSWORDS, [("snmpd.conf", "createUser app SHA {v} AES {v}\n")]), "cisco": (PASSWORDS, [("router.cfg", "username app privilege 15 secret 0 {v}\n"), ("b.cfg", "enable secret {v}\n"), ("c.conf", "enable password {v}\n")]), "wifi-psk": (PASSWORDS, [("wpa_supplicant.conf", 'network={\n  ssid="acme"\n  psk="{v}"\n}\n'), ("a.nmconnection", "[wifi-security]\npsk={v}\n"), ("hostapd.conf", "wpa_passphrase={v}\n"), ("ipsec.secrets", ': PSK "{v}"\n')]),
    "htpasswd-bcrypt": (bcrypt, [("users.txt", "app:{v}\n"), ("conf/htpasswd", "app:{v}\n"), ("a.yaml", "basic_auth_users:\n  app: {v}\n"), ("traefik.toml", 'users = ["app:{v}"]\n'), ("ingress.yml", "data:\n  auth: app:{v}\n")]), "htpasswd-apr1": (apr1, [("users.txt", "app:{v}\n"), ("conf/htpasswd", "app:{v}\n"), ("traefik.toml", 'users = ["app:{v}"]\n')]),
    "shadow": (crypt512, [("etc/shadow", "app:{v}:19000:0:99999:7:::\n"), ("preseed.cfg", "d-i passwd/user-password-crypted password {v}\n"), ("ks.cfg", "rootpw --iscrypted {v}\n"), ("user-data.yaml", "users:\n  - name: app\n    passwd: {v}\n")]), "kickstart": (PASSWORDS, [("ks.cfg", "rootpw --plaintext {v}\n"), ("ks2.cfg", "rootpw {v}\n"), ("preseed.cfg", "d-i passwd/root-password password {v}\n")]),
    "smtp": (PASSWORDS, [("sasl_passwd", "[smtp.acme.io]:587 app@acme.io:{v}\n"), ("settings.py", 'EMAIL_HOST_PASSWORD = "{v}"\n'), ("msmtprc", "account a\nuser app\npassword {v}\n"), ("gitlab.rb", "gitlab_rails['smtp_password'] = \"{v}\"\n")]), "netrc": (PASSWORDS, [("netrc.txt", "machine api.acme.io login app password {v}\n"), ("a.md", "```\nmachine api.acme.io\n  login app\n  password {v}\n```\n")]),
    "pgpass": (PASSWORDS, [("pgpass.txt", "db1.acme.io:5432:shop:app:{v}\n"), ("run.sh", "echo 'db1.acme.io:5432:shop:app:{v}' > ~/.pgpass\n")]), "npmrc": (uuid, [("conf/.npmrc", "//registry.acme.io/:_authToken={v}\n"), ("run.sh", "npm config set //registry.acme.io/:_authToken {v}\n"), ("a.md", "Add `//registry.acme.io/:_authToken={v}`.\n")]),
    "maven-settings": (PASSWORDS, [("settings.xml", "<settings><servers><server><id>acme</id><username>app</username><password>{v}</password></server></servers></settings>\n")]), "gradle": (PASSWORDS, [("gradle.properties", "mavenPassword={v}\n"), ("gradle2.properties", "signing.password={v}\n"), ("build.gradle", "signingConfigs {\n  release {\n    storePassword '{v}'\n    keyPassword \"{v}\"\n  }\n}\n"), ("build.gradle.kts", 'storePassword = "{v}"\n'), ("build2.gradle", "credentials {\n    username 'app'\n    password '{v}'\n}\n")]),
    "tomcat-users": (PASSWORDS, [("tomcat-users.xml", '<user username="app" password="{v}" roles="manager-gui"/>\n'), ("context.xml", '<Resource name="jdbc/shop" username="app" password="{v}" />\n'), ("server.xml", '<Connector keystorePass="{v}" />\n')]), "spring-xml": (PASSWORDS, [("beans.xml", '<property name="password" value="{v}"/>\n'), ("hibernate.cfg.xml", '<property name="hibernate.connection.password">{v}</property>\n'), ("persistence.xml", '<property name="javax.persistence.jdbc.password" value="{v}"/>\n')]),
    "define": (of(LETTERS + DIGITS + "!@#%^&*()-_=+[]{}|;:,.<>?~", 64), [("config.php", "<?php\ndefine('AUTH_KEY',         '{v}');\n"), ("b/config.php", "<?php\ndefine( 'SECURE_AUTH_SALT', '{v}' );\n"), ("c/config.php", "<?php\ndefine('LOGGED_IN_KEY', '{v}');\n")]), "define-password": (PASSWORDS, [("config.php", "<?php\ndefine('DB_PASSWORD', '{v}');\n"), ("config.h", '#define WIFI_PASSWORD "{v}"\n'), ("b.h", '#define AP_PSK "{v}"\n')]),
    "joomla": (PASSWORDS, [("configuration.php", "<?php\nclass JConfig {\n  public $password = '{v}';\n}\n")]), "drupal": (PASSWORDS, [("settings.php", "<?php\n$databases['default'] = array('username' => 'app', 'password' => '{v}');\n")]), "laravel-app-key": (lambda r: drawn(r, BASE64, 43) + "=", [("app.php", "<?php\nreturn ['key' => 'base64:{v}'];\n"), ("a.md", "APP_KEY=base64:{v}\n"), ("docker-compose.yml", "      APP_KEY: base64:{v}\n")]),
    "django-key": (of(string.ascii_lowercase + DIGITS + "!@#%^&*(-_=+)", 50), [("settings.py", "SECRET_KEY = 'django-insecure-{v}'\n"), ("b/settings.py", "SECRET_KEY = '{v}'\n")]), "rails-key-base": (of(HEX, 128), [("config/secrets.yml", "production:\n  secret_key_base: {v}\n"), ("a.rb", "config.secret_key_base = '{v}'\n"), ("b.rb", "Shop::Application.config.secret_token = '{v}'\n")]),
    # Files of clouds and clusters.
    "docker-auth": (encoded(alnum(12, 18)), [("config.json", '{"auths": {"registry.acme.io": {"auth": "{v}"}}}\n'), ("home/.docker/config.json", '{"auths": {"registry.acme.io": {"auth": "{v}"}}}\n'), ("a.md", '```json\n{\n  "auths": {\n    "https://index.docker.io/v1/": {\n      "auth": "{v}"\n    }\n  }\n}\n```\n')]),
    "dockerconfigjson": (lambda r: base64.b64encode(json.dumps({"auths": {"acme.io": {"username": "app", "password": signed(r), "auth": encoded(signed)(r)}}}).encode()).decode(), [("pull.yaml", "apiVersion: v1\nkind: Secret\ntype: kubernetes.io/dockerconfigjson\ndata:\n  .dockerconfigjson: {v}\n"), ("values.yaml", "imagePullSecret:\n  .dockerconfigjson: {v}\n")]),
    "kubeconfig-key": (of(BASE64, 800), [("kubeconfig", "users:\n- user:\n    client-key-data: {v}\n"), ("cluster.yaml", "users:\n- name: a\n  user:\n    client-key-data: {v}\n"), ("a.md", "```\nclient-key-data: {v}\n```\n")]), "kubeconfig-token": (of(LETTERS + DIGITS, 32), [("kubeconfig", "users:\n- user:\n    token: {v}\n"), ("cluster.yaml", "users:\n- name: a\n  user:\n    token: {v}\n")]),
    "k8s-data": (encoded(signed, ""), kubernetes("password") + kubernetes("database")), "k8s-data-words": (encoded(phrase, ""), kubernetes("DB_CONNECTION") + kubernetes("value")), "k8s-string-data": (PASSWORDS, [(p, t.replace("data:", "stringData:").replace('"data"', '"stringData"')) for p, t in kubernetes("db") + kubernetes("config")]),
    "sealed-in-helm": (PASSWORDS, [("values.yaml", "postgresql:\n  auth:\n    postgresPassword: {v}\n"), ("b/values.yaml", "global:\n  redis:\n    password: \"{v}\"\n"), ("c/values.yaml", "rootUser:\n  pass: {v}\n"), ("d/values.yaml", "rabbitmq:\n  erlangCookie: {v}\n")]),
    "terraform-variable": (PASSWORDS, [("variables.tf", 'variable "db_password" {\n  type    = string\n  default = "{v}"\n}\n'), ("v.tf", 'variable "admin_password" {\n  description = "the password"\n  sensitive = true\n  default = "{v}"\n}\n'), ("a.tf", 'resource "aws_db_instance" "a" {\n  password = "{v}"\n}\n'), ("prod.auto.tfvars", 'db_password = "{v}"\n'), ("b.tf", 'resource "random_thing" "x" {\n  master_password = "{v}"\n}\n')]),
    "terraform-state": (PASSWORDS, [("terraform.tfstate", '{"resources": [{"type": "random_password", "instances": [{"attributes": {"result": "{v}", "length": 16}}]}]}\n'), ("b.tfstate", '{"resources": [{"instances": [{"attributes": {"password": "{v}"}}]}]}\n'), ("state.json", '{"outputs": {"db_password": {"value": "{v}", "type": "string", "sensitive": true}}}\n'), ("c.tfstate", '{"outputs": {"connection": {"sensitive": true, "type": "string", "value": "{v}"}}}\n'), ("d.tfstate.backup", '{"attributes": {"admin_password": "{v}"}}\n')]),
    "cloudformation": (PASSWORDS, [("stack.yaml", "Parameters:\n  DBPassword:\n    Type: String\n    NoEcho: true\n    Default: {v}\n"), ("b.yaml", "    Properties:\n      MasterUserPassword: {v}\n"), ("p.json", '[{"ParameterKey": "DBPassword", "ParameterValue": "{v}"}]\n')]), "ansible": (PASSWORDS, [("hosts.ini", "[web]\nweb1 ansible_user=app ansible_ssh_pass={v}\n"), ("hosts", "web1 ansible_become_password={v}\n"), ("group.yml", "ansible_password: {v}\nmysql_root_password: \"{v}\"\n"), ("play.yml", "- mysql_user: name=app password={v} priv=*.*:ALL\n")]),
    "aws-pair": (of(BASE64, 40), [("a.py", 's = Session("AK" "IAQ3EGRZ7WLNXO2VYK", "{v}")\n'.replace('" "', "")), ("a.md", "Key: `AK" "IAQ3EGRZ7WLNXO2VYK` / `{v}`\n"), ("keys.csv", "User,Access key ID,Secret access key\napp,AK" "IAQ3EGRZ7WLNXO2VYK,{v}\n"), ("a.txt", "AK" "IAQ3EGRZ7WLNXO2VYK\n{v}\n"), ("A.java", 'new BasicAWSCredentials("AK" "IAQ3EGRZ7WLNXO2VYK", "{v}");\n'.replace('" "', "")), ("a.js", "  accessKeyId: 'AK" "IAQ3EGRZ7WLNXO2VYK', secretAccessKey: '{v}'\n"), ("a.go", 'credentials.NewStaticCredentials("AK" "IAQ3EGRZ7WLNXO2VYK", "{v}", "")\n'.replace('" "', ""))]),
    "gcp-hmac": (of(BASE64, 40), [(".boto", "[Credentials]\ngs_access_key_id = GOOG1EX\ngs_secret_access_key = {v}\n"), ("a.yaml", "gs_secret_access_key: {v}\n")]), "ibm-cos-hmac": (of(HEX, 48), [("a.json", '{"cos_hmac_keys": {"access_key_id": "a1", "secret_access_key": "{v}"}}\n'), ("a.py", 'secret_access_key = "{v}"\n')]), "cloudant": (of(HEX, 64), literals("https://app:{v}@app.cloudant.com")), "softlayer": (of(HEX, 64), [("a.py", 'softlayer_api_key = "{v}"\n'), ("a.md", "https://api.softlayer.com/soap/v3/{v}\n")]),
    "azure-client-secret": (of(LETTERS + DIGITS + "~._-", 34), [("a.json", '{"clientSecret": "{v}"}\n'), ("a.tf", 'client_secret = "{v}"\n'), ("run.sh", "export ARM_CLIENT_SECRET={v}\n")]), "cosmos": (lambda r: drawn(r, BASE64, 86) + "==", literals("AccountEndpoint=https://acme.documents.azure.com:443/;AccountKey={v};")),
    # Mobile, keys in other forms, and the rest.
    "android-strings": (KEY, [("strings.xml", '<resources>\n  <string name="api_key">{v}</string>\n</resources>\n'), ("b/strings.xml", '<string name="google_maps_key" translatable="false">{v}</string>\n'), ("c/strings.xml", '<string name="facebook_client_token">{v}</string>\n'), ("AndroidManifest.xml", '<meta-data android:name="com.acme.API_KEY" android:value="{v}" />\n')]),
    "plist": (KEY, [("Info.plist", "<dict>\n\t<key>ApiKey</key>\n\t<string>{v}</string>\n</dict>\n"), ("a.plist", "<key>API_KEY</key><string>{v}</string>\n"), ("b.plist", "<key>ClientSecret</key>\n<string>{v}</string>\n")]), "plist-password": (PASSWORDS, [("a.plist", "\t<key>Password</key>\n\t<string>{v}</string>\n")]),
    "openvpn-static": (openvpn, [("ta.key", "#\n# 2048 bit OpenVPN static key\n#\n-----BEGIN OpenVPN Static key V1-----\n{v}\n-----END OpenVPN Static key V1-----\n"), ("client.ovpn", "remote vpn.acme.io\n<tls-auth>\n-----BEGIN OpenVPN Static key V1-----\n{v}\n-----END OpenVPN Static key V1-----\n</tls-auth>\n")]), "wireguard": (lambda r: drawn(r, BASE64, 43) + "=", [("wg0.conf", "[Interface]\nPrivateKey = {v}\n"), ("b.conf", "[Peer]\nPresharedKey = {v}\n"), ("a.md", "```\nPrivateKey = {v}\n```\n")]),
    "vault-unseal": (lambda r: drawn(r, BASE64, 43) + "=", [("init.txt", "Unseal Key 1: {v}\nInitial Root Token: s.abc\n"), ("a.md", "vault operator unseal {v}\n"), ("run.sh", "vault operator unseal {v}\n"), ("init.json", '{"unseal_keys_b64": ["{v}"], "root_token": "x"}\n')]), "vault-token-old": (lambda r: "s." + alnum(24, 25)(r), [("init.txt", "Initial Root Token: {v}\n"), ("run.sh", "export VAULT_TOKEN={v}\n"), ("run2.sh", "vault login {v}\n"), ("a.json", '{"root_token": "{v}"}\n')]),
    "ansible-vault": (lambda r: "\n".join(drawn(r, DIGITS, 80) for _ in range(4)), []), "jwk-d": (of(URL, 43), [("jwk.json", '{"kty": "EC", "crv": "P-256", "x": "f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU", "y": "x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0", "d": "{v}"}\n'), ("a.js", "const key = {kty: 'EC', crv: 'P-256', d: '{v}'};\n"), ("a.yaml", "kty: OKP\ncrv: Ed25519\nd: {v}\n"), ("a.py", "k = {'kty': 'RSA', 'n': 'abc', 'e': 'AQAB', 'd': '{v}'}\n")]),
    "jwk-k": (of(URL, 43), [("jwk.json", '{"kty": "oct", "alg": "HS256", "k": "{v}"}\n'), ("jwks.json", '{"keys": [{\n  "kty": "oct",\n  "kid": "a",\n  "k": "{v}"\n}]}\n'), ("a.py", "JWK(kty='oct', k='{v}')\n")]), "mnemonic-12": (mnemonic(12), [("a.py", 'MNEMONIC = "{v}"\n'), ("hardhat.config.js", "accounts: { mnemonic: '{v}' },\n"), ("wallet.txt", "seed phrase: {v}\n"), ("run.sh", "export MNEMONIC=\"{v}\"\n"), ("a.json", '{"seed": "{v}"}\n'), ("a.yaml", "mnemonic: {v}\n")]),
    "mnemonic-24": (mnemonic(24), [("a.ts", 'const mnemonic = "{v}";\n'), ("a.md", "Seed: `{v}`\n"), ("truffle.js", "new HDWalletProvider('{v}', url)\n")]), "eth-key": (lambda r: "0x" + drawn(r, HEX, 64), [("hardhat.config.js", 'accounts: ["{v}"],\n'), ("a.py", 'PRIVATE_KEY = "{v}"\n'), ("run.sh", "export PRIVATE_KEY={v}\n"), ("a.ts", "const wallet = new ethers.Wallet('{v}')\n")]),
    "totp": (of("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567", 32), [("a.py", 'TOTP_SECRET = "{v}"\n'), ("a.md", "otpauth://totp/acme:app?secret={v}&issuer=acme\n"), ("a.js", "const otpSecret = '{v}'\n")]), "pem-ec-literal": (of(BASE64, 160), [("a.go", "const k = `-----BEGIN EC PRIVATE " "KEY-----\n{v}\n-----END EC PRIVATE " "KEY-----`\n")]), "pgp": (of(BASE64, 256), [("a.asc", "-----BEGIN PGP PRIVATE " "KEY BLOCK-----\n\n{v}\n=abcd\n-----END PGP PRIVATE " "KEY BLOCK-----\n")]),
    "basic-header": (encoded(alnum(12, 18)), [("a.py", "headers = {'Authorization': 'Basic {v}'}\n"), ("a.http", "Authorization: Basic {v}\n"), ("a.js", "xhr.setRequestHeader('Authorization', 'Basic {v}')\n"), ("a.md", "`Authorization: Basic {v}`\n")]), "bearer-header": (KEY, [("a.py", "h = {'Authorization': 'Bearer {v}'}\n"), ("a.http", "Authorization: Bearer {v}\n"), ("a.java", 'r.header("Authorization", "Bearer {v}");\n'), ("a.yaml", "authorization: Bearer {v}\n"), ("postman.json", '{"key": "Authorization", "value": "Bearer {v}"}\n')]),
    "api-key-header": (KEY, [("a.http", "X-Api-Key: {v}\n"), ("a.py", "h = {'x-api-key': '{v}'}\n"), ("a.js", "headers.set('X-Auth-Token', '{v}')\n"), ("postman.json", '{"key": "x-api-key", "value": "{v}"}\n'), ("a.java", 'r.addHeader("X-API-KEY", "{v}");\n')]), "call-argument": (PASSWORDS, [("a.py", "db.connect(host='db1', user='app', password='{v}')\n"), ("A.java", 'ds.setPassword("{v}");\n'), ("B.java", 'DriverManager.getConnection("jdbc:mysql://db1/shop", "app", "{v}");\n'), ("a.js", "mysql.createConnection({host: 'db1', user: 'app', password: '{v}'})\n"), ("a.php", "<?php\n$c = mysqli_connect('db1', 'app', '{v}', 'shop');\n"), ("b.php", "<?php\nnew PDO($dsn, 'app', '{v}');\n"), ("A.cs", 'new NetworkCredential("app", "{v}");\n'), ("a.rb", "Mysql2::Client.new(username: 'app', password: '{v}')\n"), ("b.py", "requests.get(url, auth=('app', '{v}'))\n"), ("c.py", "smtp.login('app@acme.io', '{v}')\n")]),
    "comparison": (PASSWORDS, [("a.js", "if (password === '{v}') {\n"), ("a.py", "if password == '{v}':\n"), ("A.java", 'if (password.equals("{v}")) {\n'), ("a.php", "<?php\nif ($_POST['password'] == '{v}') {\n")]), "default-value": (PASSWORDS, [("a.py", 'password = os.getenv("DB_PASSWORD", "{v}")\n'), ("a.js", "const password = process.env.DB_PASSWORD || '{v}';\n"), ("a.php", "<?php\n'password' => env('DB_PASSWORD', '{v}'),\n"), ("application.yml", "password: ${DB_PASSWORD:{v}}\n"), ("docker-compose.yml", "      DB_PASSWORD: ${DB_PASSWORD:-{v}}\n"), ("a.rb", "password = ENV.fetch('DB_PASSWORD', '{v}')\n"), ("run.sh", 'DB_PASSWORD="${DB_PASSWORD:-{v}}"\n'), ("A.java", '@Value("${db.password:{v}}")\n')]),
    "csv": (PASSWORDS, [("users.csv", "name,username,password\nMe,app,{v}\n")]), "comment": (PASSWORDS, [("a.py", "# password: {v}\n"), ("A.java", "// the password is {v}\n"), ("a.js", "/* pass: {v} */\n"), ("a.md", "Log in with app / {v}.\n"), ("b.md", "**Password:** {v}\n"), ("c.md", "| Password | {v} |\n"), ("d.md", "Username: `app`, password: `{v}`\n")]),
}
KINDS = {kind: (draws if isinstance(draws, list) else [draws], files) for kind, (draws, files) in KINDS.items() if files}


def plant(random):
    """Every kind in each of its files: path, text, kind, secret; each in a folder of its own."""
    for kind, (draws, files) in KINDS.items():
        for number, (path, template) in enumerate(files):
            for turn, draw in enumerate(draws):
                secret = draw(random)
                yield f"{kind}/{number}-{turn}/{path}", template.replace("{v}", secret), kind, secret
