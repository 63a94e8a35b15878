//! Packages that manifests declare: names, versions of lock files, scopes, and the files that use them.

use expect_test::{Expect, expect};

use crate::analysis;

/// Lists declared packages by manifest, then undeclared ones.
fn check(fixture: &str, expect: Expect) {
    let found = analysis(fixture).dependencies();
    let mut out = String::new();
    let mut manifest = "";
    for package in &found.external {
        if package.manifest != manifest {
            manifest = &package.manifest;
            out.push_str(&format!("{manifest}\n"));
        }
        let version = package.version.as_deref().unwrap_or("-");
        let used = if package.used_in.is_empty() {
            String::new()
        } else {
            format!(" in {}", package.used_in.join(" "))
        };
        out.push_str(&format!("  {} {version} {}{used}\n", package.name, package.scope.as_str()));
    }
    for package in &found.undeclared {
        out.push_str(&format!("undeclared {} in {}\n", package.name, package.used_in.join(" ")));
    }
    expect.assert_eq(&out);
}

#[test]
fn npm_with_each_section_and_lock_file() {
    check(
        r##"
//- /a/package.json
{ "name": "a",
  "dependencies": { "react": "^18.0.0", "b": "workspace:*", "from-git": "github:x/y" },
  "optionalDependencies": { "fsevents": "*" },
  "peerDependencies": { "vue": ">=3", "react": ">=17" },
  "devDependencies": { "vue": "3.4.0", "@types/node": "^20" } }
//- /a/package-lock.json
{ "packages": { "": {}, "node_modules/react": { "version": "18.2.0" }, "node_modules/x/node_modules/react": { "version": "17.0.0" } } }
//- /a/index.ts
import React from "react"
import { createApp } from "vue/dist/vue"
import fs from "fs"
import path from "node:path"
import undeclared from "undeclared-thing/deep"
import scoped from "@scope/undeclared/deep"
//- /b/package.json
{ "name": "b", "dependencies": { "left-pad": "^1.0.0", "@scope/kit": "~2.0.0" } }
//- /b/yarn.lock
# yarn lockfile v1

"@scope/kit@~2.0.0":
  version "2.0.9"

left-pad@^1.0.0, left-pad@^1.1.0:
  version "1.3.0"
//- /c/package.json
{ "name": "c", "dependencies": { "zod": "^3.0.0" } }
//- /c/pnpm-lock.yaml
lockfileVersion: '6.0'

dependencies:
  zod:
    specifier: ^3.0.0
    version: 3.22.4(peer@1.0.0)
//- /d/package.json
{ "name": "d", "dependencies": { "hono": "^4" } }
//- /d/bun.lock
{ "packages": { "hono": ["hono@4.1.2", "", {}] } }
//- /e/package.json
{ "name": "e", "dependencies": { "old": "1" } }
//- /e/npm-shrinkwrap.json
{ "dependencies": { "old": { "version": "1.0.5" } } }
"##,
        expect![[r#"
            a/package.json
              @types/node ^20 dev
              from-git github:x/y runtime
              fsevents * optional
              react 18.2.0 runtime in a/index.ts
              vue >=3 peer in a/index.ts
            b/package.json
              @scope/kit 2.0.9 runtime
              left-pad 1.3.0 runtime
            c/package.json
              zod 3.22.4 runtime
            d/package.json
              hono 4.1.2 runtime
            e/package.json
              old 1.0.5 runtime
            undeclared @scope/undeclared in a/index.ts
            undeclared undeclared-thing in a/index.ts
        "#]],
    );
}

#[test]
fn pnpm_workspaces_have_a_version_for_each_importer() {
    check(
        r##"
//- /pnpm-lock.yaml
lockfileVersion: '9.0'

importers:

  .:
    devDependencies:
      typescript:
        specifier: ^5.0.0
        version: 5.4.2

  packages/a:
    dependencies:
      zod:
        specifier: ^3.0.0
        version: 3.22.4
//- /package.json
{ "name": "root", "devDependencies": { "typescript": "^5.0.0" } }
//- /packages/a/package.json
{ "name": "a", "dependencies": { "zod": "^3.0.0" } }
"##,
        expect![[r#"
            package.json
              typescript 5.4.2 dev
            packages/a/package.json
              zod 3.22.4 runtime
        "#]],
    );
}

#[test]
fn cargo_with_workspaces_targets_and_renamed_crates() {
    check(
        r##"
//- /Cargo.toml
[workspace]
members = ["app"]
[workspace.dependencies]
serde = { version = "1.0", features = ["derive"] }
json = { package = "serde_json", version = "1" }
//- /Cargo.lock
[[package]]
name = "serde"
version = "1.0.203"
[[package]]
name = "rand"
version = "0.7.3"
[[package]]
name = "rand"
version = "0.8.5"
//- /app/Cargo.toml
[package]
name = "app"
[dependencies]
serde = { workspace = true }
json.workspace = true
rand = "0.8"
forked = { git = "https://example.com/forked", rev = "abc" }
maybe = { version = "2", optional = true }
[dev-dependencies]
proptest = "1"
[build-dependencies]
cc = "1.0"
[target.'cfg(windows)'.dependencies]
winapi = "0.3"
//- /app/src/main.rs
use json::Value;
use rand::Rng;
fn main() { winapi::x(); unknown_crate::y(); }
"##,
        expect![[r#"
            app/Cargo.toml
              cc 1.0 build
              forked abc runtime
              maybe 2 optional
              proptest 1 dev
              rand 0.8.5 runtime in app/src/main.rs
              serde 1.0.203 runtime
              serde_json 1 runtime in app/src/main.rs
              winapi 0.3 runtime in app/src/main.rs
        "#]],
    );
}

#[test]
fn python_in_all_of_its_manifests() {
    check(
        r##"
//- /poetry/pyproject.toml
[tool.poetry]
name = "shop"
[tool.poetry.dependencies]
python = "^3.11"
requests = "^2.31"
extra = { version = "1.0", optional = true }
[tool.poetry.group.dev.dependencies]
pytest = "*"
[tool.poetry.group.docs.dependencies]
sphinx = "7"
[build-system]
requires = ["poetry-core>=1"]
//- /poetry/poetry.lock
[[package]]
name = "requests"
version = "2.31.0"
//- /uv/pyproject.toml
[project]
name = "u"
dependencies = ["httpx>=0.27 ; python_version > '3.8'", "rich[jupyter] (>=13)"]
[dependency-groups]
lint = ["ruff"]
other = ["attrs"]
[tool.uv]
dev-dependencies = ["mypy==1.0"]
[tool.pdm.dev-dependencies]
x = ["black"]
//- /cfg/setup.cfg
[metadata]
name = cfg-package
[options]
install_requires =
    flask>=2
    # a comment
    click
setup_requires = setuptools
tests_require = nose
[options.extras_require]
test = tox
fast = uvloop
//- /py/setup.py
from setuptools import setup
setup(
    install_requires=["numpy>=1.20", 'scipy'],
    extras_require={"plot": ["matplotlib"], "dev": ["flake8"]},
    tests_require=["coverage"],
)
//- /pip/Pipfile
[packages]
django = "==4.2"
celery = { version = "*", extras = ["redis"] }
[dev-packages]
ipython = "*"
//- /pip/Pipfile.lock
{ "default": { "django": { "version": "==4.2.11" } }, "develop": { "ipython": { "version": "==8.0.0" } } }
//- /req/requirements.txt
# comment
fastapi==0.110.0  # trailing
uvicorn[standard]>=0.20 \
    --hash=sha256:abc
-r other.txt
git+https://example.com/x.git
./local
//- /req/requirements/dev.txt
pytest-cov
//- /req/app.py
import fastapi
import yaml
from PIL import Image
"##,
        expect![[r#"
            cfg/setup.cfg
              click - runtime
              flask >=2 runtime
              nose - dev
              setuptools - build in py/setup.py
              tox - dev
              uvloop - optional
            pip/Pipfile
              celery * runtime
              django 4.2.11 runtime
              ipython 8.0.0 dev
            poetry/pyproject.toml
              extra 1.0 optional
              poetry-core >=1 build
              pytest * dev
              requests 2.31.0 runtime
              sphinx 7 dev
            py/setup.py
              coverage - dev
              flake8 - optional
              matplotlib - optional
              numpy >=1.20 runtime
              scipy - runtime
            req/requirements.txt
              fastapi ==0.110.0 runtime in req/app.py
              uvicorn >=0.20 runtime
            req/requirements/dev.txt
              pytest-cov - dev
            uv/pyproject.toml
              attrs - dev
              black - dev
              httpx >=0.27 runtime
              mypy ==1.0 dev
              rich >=13 runtime
              ruff - dev
            undeclared PIL in req/app.py
            undeclared yaml in req/app.py
        "#]],
    );
}

#[test]
fn imports_find_packages_of_other_names() {
    check(
        r##"
//- /requirements.txt
PyYAML
Pillow
beautifulsoup4
scikit-learn
python-dateutil
google-cloud-storage
opencv-python
attrs
//- /app.py
import yaml
from PIL import Image
from bs4 import BeautifulSoup
import sklearn.svm
import dateutil.parser
from google.cloud import storage
import cv2
import attr
"##,
        expect![[r#"
            requirements.txt
              Pillow - runtime in app.py
              PyYAML - runtime in app.py
              attrs - runtime in app.py
              beautifulsoup4 - runtime in app.py
              google-cloud-storage - runtime
              opencv-python - runtime in app.py
              python-dateutil - runtime in app.py
              scikit-learn - runtime in app.py
            undeclared google in app.py
        "#]],
    );
}

#[test]
fn go_modules_with_blocks_and_single_lines() {
    check(
        r##"
//- /go.mod
module example.com/shop

go 1.22

toolchain go1.22.1

require github.com/single/line v1.0.0

require (
	github.com/spf13/cobra v1.8.0 // a comment
	golang.org/x/text v0.14.0 // indirect
	"github.com/quoted/name" v1.1.0
)

replace github.com/spf13/cobra => ../cobra

exclude github.com/bad/one v0.1.0
//- /main.go
package main

import (
	"github.com/single/line/deep"
	"github.com/not/declared/x"
)
"##,
        expect![[r#"
            go.mod
              github.com/quoted/name v1.1.0 runtime
              github.com/single/line v1.0.0 runtime in main.go
              github.com/spf13/cobra v1.8.0 runtime
              golang.org/x/text v0.14.0 indirect
            undeclared github.com/not/declared in main.go
        "#]],
    );
}

#[test]
fn maven_with_parents_managed_versions_and_properties() {
    check(
        r##"
//- /pom.xml
<project>
  <groupId>com.shop</groupId><artifactId>parent</artifactId><version>1.0</version>
  <properties><jackson>2.17.0</jackson></properties>
  <dependencyManagement><dependencies>
    <dependency><groupId>org.slf4j</groupId><artifactId>slf4j-api</artifactId><version>2.0.1</version></dependency>
  </dependencies></dependencyManagement>
</project>
//- /app/pom.xml
<project>
  <parent><groupId>com.shop</groupId><artifactId>parent</artifactId><version>1.0</version></parent>
  <artifactId>app</artifactId>
  <dependencies>
    <dependency><groupId>org.slf4j</groupId><artifactId>slf4j-api</artifactId></dependency>
    <dependency><groupId>com.shop</groupId><artifactId>lib</artifactId><version>${project.version}</version></dependency>
    <dependency><groupId>jakarta.servlet</groupId><artifactId>jakarta.servlet-api</artifactId><version>6</version><scope>provided</scope></dependency>
    <dependency><groupId>org.junit.jupiter</groupId><artifactId>junit-jupiter</artifactId><version>5</version><scope>test</scope></dependency>
    <dependency><groupId>org.extra</groupId><artifactId>extra</artifactId><version>1</version><optional>true</optional></dependency>
  </dependencies>
  <build><plugins><plugin><dependencies>
    <dependency><groupId>org.plugin</groupId><artifactId>helper</artifactId><version>3</version></dependency>
  </dependencies></plugin></plugins></build>
</project>
//- /app/src/main/java/com/shop/App.java
package com.shop;
import org.slf4j.Logger;
import org.junit.jupiter.api.Test;
class App {}
"##,
        expect![[r#"
            app/pom.xml
              com.shop:lib 1.0 runtime
              jakarta.servlet:jakarta.servlet-api 6 provided
              org.extra:extra 1 optional
              org.junit.jupiter:junit-jupiter 5 dev in app/src/main/java/com/shop/App.java
              org.plugin:helper 3 build
              org.slf4j:slf4j-api 2.0.1 runtime in app/src/main/java/com/shop/App.java
        "#]],
    );
}

#[test]
fn artifacts_of_java_are_matched_if_it_is_certain_which() {
    check(
        r##"
//- /pom.xml
<project><groupId>com.shop</groupId><artifactId>parent</artifactId></project>
//- /app/pom.xml
<project>
  <artifactId>app</artifactId>
  <dependencies>
    <dependency><groupId>io.quarkus</groupId><artifactId>quarkus-arc</artifactId></dependency>
    <dependency><groupId>io.quarkus</groupId><artifactId>quarkus-junit5</artifactId></dependency>
    <dependency><groupId>io.quarkus</groupId><artifactId>quarkus-test-vertx</artifactId></dependency>
    <dependency><groupId>io.quarkus</groupId><artifactId>quarkus-info</artifactId></dependency>
    <dependency><groupId>io.grpc</groupId><artifactId>grpc-services</artifactId></dependency>
    <dependency><groupId>org.assertj</groupId><artifactId>assertj-core</artifactId></dependency>
    <dependency><groupId>org.springframework</groupId><artifactId>spring-core</artifactId></dependency>
    <dependency><groupId>org.springframework</groupId><artifactId>spring-web</artifactId></dependency>
    <dependency><groupId>org.mapstruct</groupId><artifactId>mapstruct</artifactId></dependency>
  </dependencies>
</project>
//- /app/src/main/java/com/shop/App.java
package com.shop;
import io.quarkus.arc.Arc;
import io.quarkus.logging.Log;
import io.quarkus.test.junit.QuarkusTest;
import io.grpc.Server;
import jakarta.inject.Inject;
import org.assertj.core.api.Assertions;
import org.mapstruct.Mapper;
import org.springframework.stereotype.Service;
import org.springframework.web.client.RestTemplate;
class App {}
//- /other/src/main/java/com/shop/Other.java
package com.shop;
import org.mapstruct.Mapper;
class Other {}
//- /Shop.csproj
<Project><ItemGroup><PackageReference Include="Microsoft.EntityFrameworkCore.Tools" Version="10.0.1" /></ItemGroup></Project>
//- /Shop.cs
using Microsoft.EntityFrameworkCore;
class Shop {}
"##,
        expect![[r#"
            Shop.csproj
              Microsoft.EntityFrameworkCore.Tools 10.0.1 runtime
            app/pom.xml
              io.grpc:grpc-services - runtime
              io.quarkus:quarkus-arc - runtime in app/src/main/java/com/shop/App.java
              io.quarkus:quarkus-info - runtime
              io.quarkus:quarkus-junit5 - runtime in app/src/main/java/com/shop/App.java
              io.quarkus:quarkus-test-vertx - runtime
              org.assertj:assertj-core - runtime in app/src/main/java/com/shop/App.java
              org.mapstruct:mapstruct - runtime in app/src/main/java/com/shop/App.java
              org.springframework:spring-core - runtime
              org.springframework:spring-web - runtime in app/src/main/java/com/shop/App.java
        "#]],
    );
}

#[test]
fn gradle_in_groovy_kotlin_and_catalogs() {
    check(
        r##"
//- /build.gradle
ext { versions = [ jackson: "2.17.0" ] }
ext.libs = [ jackson: "com.fasterxml.jackson.core:jackson-databind:$versions.jackson" ]
dependencies {
    classpath "org.plugin:gradle-plugin:1.0"
    implementation 'com.google.guava:guava:33.0-jre@jar'
    api group: 'org.slf4j', name: 'slf4j-api', version: '2.0.1'
    compileOnly "org.projectlombok:lombok:1.18"
    annotationProcessor("org.projectlombok:lombok:1.18")
    testImplementation libs.jackson
    jmhImplementation "org.openjdk.jmh:jmh-core:1.37"
    runtimeOnly project(":core")
    // implementation "com.commented:out:1"
}
//- /app/build.gradle.kts
dependencies {
    implementation(libs.okhttp.core)
    implementation(platform(libs.bom))
    testImplementation(kotlin("test"))
    ksp(libs.room.compiler)
    androidTestImplementation("androidx.test:runner:1.5.2")
}
//- /gradle/libs.versions.toml
[versions]
okhttp = "4.12.0"
room = { strictly = "2.6.1" }
[libraries]
okhttp-core = { module = "com.squareup.okhttp3:okhttp", version.ref = "okhttp" }
room-compiler = { group = "androidx.room", name = "room-compiler", version.ref = "room" }
bom = "com.example:bom:1.0"
//- /app/src/main/kotlin/Main.kt
import okhttp3.OkHttpClient
import com.google.common.collect.Lists
fun main() {}
"##,
        expect![[r#"
            app/build.gradle.kts
              androidx.room:room-compiler 2.6.1 build
              androidx.test:runner 1.5.2 dev
              com.example:bom 1.0 runtime
              com.squareup.okhttp3:okhttp 4.12.0 runtime in app/src/main/kotlin/Main.kt
            build.gradle
              com.google.guava:guava 33.0-jre runtime in app/src/main/kotlin/Main.kt
              org.openjdk.jmh:jmh-core 1.37 runtime
              org.plugin:gradle-plugin 1.0 build
              org.projectlombok:lombok 1.18 provided
              org.slf4j:slf4j-api 2.0.1 runtime
        "#]],
    );
}

#[test]
fn dotnet_projects_with_central_versions() {
    check(
        r##"
//- /Directory.Packages.props
<Project><ItemGroup><PackageVersion Include="Serilog" Version="3.1.1" /></ItemGroup></Project>
//- /src/App.csproj
<Project Sdk="Microsoft.NET.Sdk"><ItemGroup>
  <PackageReference Include="Serilog" />
  <PackageReference Include="Newtonsoft.Json"><Version>13.0.3</Version></PackageReference>
  <PackageReference Include="StyleCop.Analyzers" Version="1.1" PrivateAssets="all" />
  <PackageReference Include="$(Computed)" Version="1" />
  <PackageReference Include="Shared.Version" Version="$(SharedVersion)" />
</ItemGroup></Project>
//- /tests/App.Tests.csproj
<Project><ItemGroup><PackageReference Include="xunit" Version="2.7.0" /></ItemGroup></Project>
//- /old/packages.config
<packages><package id="EntityFramework" version="6.4.4" /></packages>
//- /fs/Lib.fsproj
<Project><ItemGroup><PackageReference Include="FSharp.Core" Version="8" /></ItemGroup></Project>
//- /src/App.cs
using Serilog;
using Newtonsoft.Json.Linq;
namespace App { class A {} }
"##,
        expect![[r#"
            fs/Lib.fsproj
              FSharp.Core 8 runtime
            old/packages.config
              EntityFramework 6.4.4 runtime
            src/App.csproj
              Newtonsoft.Json 13.0.3 runtime in src/App.cs
              Serilog 3.1.1 runtime in src/App.cs
              Shared.Version - runtime
              StyleCop.Analyzers 1.1 build
            tests/App.Tests.csproj
              xunit 2.7.0 dev
        "#]],
    );
}

#[test]
fn ruby_gems_groups_and_specifications() {
    check(
        r##"
//- /Gemfile
source "https://rubygems.org"
gem "rails", "~> 7.1", ">= 7.1.2"
gem 'puma'
group :development, :test do
  gem "rspec-rails"
end
gem "bootsnap", require: false
gem "sidekiq", group: :production
# gem "commented"
//- /Gemfile.lock
GEM
  remote: https://rubygems.org/
  specs:
    puma (6.4.0)
      nio4r (~> 2.0)
    rails (7.1.3)
//- /gem/shop.gemspec
Gem::Specification.new do |spec|
  spec.name = "shop"
  spec.add_dependency "json", ">= 2"
  spec.add_runtime_dependency("rack")
  spec.add_development_dependency 'rake', "~> 13"
end
//- /app.rb
require "rails/all"
require "rack"
"##,
        expect![[r#"
            Gemfile
              bootsnap - runtime
              puma 6.4.0 runtime
              rails 7.1.3 runtime in app.rb
              rspec-rails - dev
              sidekiq - optional
            gem/shop.gemspec
              json >= 2 runtime
              rack - runtime in app.rb
              rake ~> 13 dev
        "#]],
    );
}

#[test]
fn php_composer_with_its_lock_and_autoload_prefixes() {
    check(
        r##"
//- /composer.json
{ "name": "shop/app", "require": { "php": ">=8.1", "ext-json": "*", "monolog/monolog": "^3.0", "ramsey/uuid": "^4" },
  "require-dev": { "phpunit/phpunit": "^10" }, "replace": { "shop/legacy": "self.version" } }
//- /composer.lock
{ "packages": [ { "name": "monolog/monolog", "version": "3.5.0", "autoload": { "psr-4": { "Monolog\\": "src/" } } },
                { "name": "ramsey/uuid", "version": "v4.7.5", "autoload": { "psr-4": { "Ramsey\\Uuid\\": "src/" } } } ],
  "packages-dev": [ { "name": "phpunit/phpunit", "version": "10.5.0" } ] }
//- /src/A.php
<?php
use Monolog\Logger;
use Ramsey\Uuid\Uuid;
use Unknown\Thing;
"##,
        expect![[r#"
            composer.json
              monolog/monolog 3.5.0 runtime in src/A.php
              phpunit/phpunit 10.5.0 dev
              ramsey/uuid 4.7.5 runtime in src/A.php
        "#]],
    );
}

#[test]
fn elixir_mix_with_its_lock() {
    check(
        r##"
//- /mix.exs
defmodule Shop.MixProject do
  def project do
    [
      app: :shop,
      version: "0.1.0"
    ]
  end
  defp deps do
    [
      {:phoenix, "~> 1.7"},
      {:ex_doc, "~> 0.30", only: :dev, runtime: false},
      {:jason, "~> 1.4", optional: true},
      {:esbuild, "~> 0.8", runtime: false},
      {:forked, git: "https://example.com/forked.git"},
      {:sibling, in_umbrella: true},
      # {:commented, "1.0"}
    ]
  end
end
//- /mix.lock
%{
  "phoenix": {:hex, :phoenix, "1.7.11", "abc", [:mix], [], "hexpm", "def"},
  "forked": {:git, "https://example.com/forked.git", "abc", []},
}
//- /lib/a.ex
defmodule Shop.A do
  use Phoenix.Controller
  alias Jason.Encoder
end
"##,
        expect![[r#"
            mix.exs
              esbuild ~> 0.8 build
              ex_doc ~> 0.30 dev
              forked - runtime
              jason ~> 1.4 optional in lib/a.ex
              phoenix 1.7.11 runtime in lib/a.ex
        "#]],
    );
}

#[test]
fn haskell_cabal_and_package_yaml() {
    check(
        r##"
//- /shop.cabal
name:          shop
version:       0.1
-- a comment
library
  build-depends:
      base >=4.7 && <5
    , containers
    , text ==2.0.*
  hs-source-dirs: src
executable shop
  build-depends: base, optparse-applicative
test-suite spec
  build-depends: hspec >=2, shop
benchmark bench
  build-depends: criterion
//- /hpack/package.yaml
name: other
dependencies:
- base >= 4
- bytestring
library:
  source-dirs: src
"##,
        expect![[r#"
            hpack/package.yaml
              base >= 4 runtime
              bytestring - runtime
            shop.cabal
              base >=4.7 && <5 runtime
              containers - runtime
              criterion - dev
              hspec >=2 dev
              optparse-applicative - runtime
              text ==2.0.* runtime
        "#]],
    );
}

#[test]
fn swift_packages_with_resolved_versions() {
    check(
        r##"
//- /Package.swift
let package = Package(
    name: "Shop",
    dependencies: [
        .package(url: "https://github.com/apple/swift-nio.git", from: "2.60.0"),
        .package(url: "https://github.com/vapor/vapor", .upToNextMajor(from: "4.0.0")),
        .package(name: "Named", url: "https://github.com/x/named.git", branch: "main"),
        .package(path: "../Local"),
    ]
)
//- /Package.resolved
{ "pins": [ { "identity": "swift-nio", "state": { "version": "2.62.0" } }, { "identity": "vapor", "state": { "revision": "abc", "version": "4.92.1" } } ], "version": 2 }
//- /Sources/main.swift
import NIO
import Vapor
"##,
        expect![[r#"
            Package.swift
              named main runtime
              swift-nio 2.62.0 runtime in Sources/main.swift
              vapor 4.92.1 runtime in Sources/main.swift
        "#]],
    );
}

#[test]
fn scala_sbt_with_variables() {
    check(
        r##"
//- /build.sbt
val circeVersion = "0.14.6"
libraryDependencies += "org.typelevel" %% "cats-core" % "2.10.0"
libraryDependencies ++= Seq(
  "io.circe" %% "circe-core" % circeVersion,
  "org.scalatest" %% "scalatest" % "3.2.18" % Test,
  "javax.servlet" % "servlet-api" % "2.5" % "provided",
)
//- /src/main/scala/A.scala
import cats.Monad
import io.circe.Json
object A
"##,
        expect![[r#"
            build.sbt
              io.circe:circe-core - runtime in src/main/scala/A.scala
              javax.servlet:servlet-api 2.5 provided
              org.scalatest:scalatest 3.2.18 dev
              org.typelevel:cats-core 2.10.0 runtime in src/main/scala/A.scala
        "#]],
    );
}

#[test]
fn yaml_in_every_way_to_write_it() {
    check(
        r##"
//- /a/pubspec.yaml
{ "name": a, dependencies: { http: ^1.2.0, "path": '>=1.8.0 <2.0.0' }, # one line
  dev_dependencies: {test: any} }
//- /b/pubspec.yaml
%YAML 1.2
---
name: "b"
x-shared: &shared
    intl: ^0.19.0   # a comment
    logging:
dependencies:
    <<: *shared
    ? meta
    : ^1.9.0
    from_git: {git: {url: "https://example.com/x.git", ref: main}}
    hosted:
      version: "1.10"
dev_dependencies: *shared
//- /b/pubspec.lock
packages:
    "intl": {dependency: direct main, version: "0.19.0"}
//- /c/package.json
{ "name": "c", "dependencies": { "zod": "^3.0.0", "react": "^18" } }
//- /c/pnpm-lock.yaml
---
lockfileVersion: '9.0'
importers: {}
---
importers:
    .: {dependencies: {zod: {specifier: ^3.0.0, version: 3.22.4(peer@1.0.0)}, 'react': {specifier: ^18, version: 18.2.0}}}
//- /d/package.json
{ "name": "d", "dependencies": { "left-pad": "^1.0.0" } }
//- /d/yarn.lock
# generated

__metadata:
  version: 8

"left-pad@npm:^1.0.0, left-pad@npm:^1.1.0":
  version: 1.3.0
//- /e/environment.yml
channels: [conda-forge]
dependencies:
- python=3.11
- conda-forge::numpy >=1.26,<2
- pandas=2.1
- pip
- pip: ["requests[socks] ~= 2.0", '-e .']
//- /e/run.py
import numpy, requests
//- /f/package.yaml
dependencies: [base >= 4.7, {name: text, version: ">= 2"}]
tests:
  spec: { dependencies: { hspec: "^>= 2.11" } }
//- /g/pubspec.yaml
name: g
dependencies:
  read: ^1.0.0
  broken: [
"##,
        expect![[r#"
            a/pubspec.yaml
              http ^1.2.0 runtime
              path >=1.8.0 <2.0.0 runtime
              test any dev
            b/pubspec.yaml
              from_git - runtime
              hosted 1.10 runtime
              intl 0.19.0 runtime
              logging - runtime
              meta ^1.9.0 runtime
            c/package.json
              react 18.2.0 runtime
              zod 3.22.4 runtime
            d/package.json
              left-pad 1.3.0 runtime
            e/environment.yml
              numpy >=1.26,<2 runtime in e/run.py
              pandas =2.1 runtime
              requests ~= 2.0 runtime in e/run.py
            f/package.yaml
              base >= 4.7 runtime
              hspec ^>= 2.11 dev
              text >= 2 runtime
            g/pubspec.yaml
              broken - runtime
              read ^1.0.0 runtime
        "#]],
    );
}

#[test]
fn yaml_cannot_use_up_memory_or_the_stack() {
    let mut bomb = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n".to_owned();
    for n in 1..12 {
        let alias = format!("*a{}", n - 1);
        bomb += &format!("a{n}: &a{n} [{}]\n", vec![alias; 10].join(", "));
    }
    bomb += "dependencies: {http: ^1.0.0}\n";
    let deep = "dependencies:\n  http: ^1.0.0\ndeep:\n  ".to_owned() + &"- ".repeat(20_000) + "x\n";
    let brackets = "dependencies: {http: ^1.0.0}\ndeep: ".to_owned() + &"[".repeat(200_000);
    let itself = "dependencies: {http: ^1.0.0}\nitself: &itself [*itself, *unknown]\n".to_owned();
    for text in [bomb, deep, brackets, itself] {
        let found = craig_insight::Analysis::from_texts([("pubspec.yaml", text.as_str())]).dependencies();
        let names: Vec<&str> = found.external.iter().map(|package| package.name.as_str()).collect();
        assert_eq!(names, ["http"], "{:.40}", text);
    }
}

#[test]
fn dart_pubspec_with_its_lock() {
    check(
        r##"
//- /pubspec.yaml
name: shop
environment:
  sdk: ^3.0.0
dependencies:
  flutter:
    sdk: flutter
  http: ^1.0.0
  path: any
dev_dependencies:
  test: ^1.24.0
//- /pubspec.lock
packages:
  http:
    dependency: "direct main"
    version: "1.2.1"
  test:
    dependency: "direct dev"
    version: "1.25.0"
//- /lib/a.dart
import 'package:http/http.dart';
import 'package:undeclared/x.dart';
"##,
        expect![[r#"
            pubspec.yaml
              flutter - runtime
              http 1.2.1 runtime in lib/a.dart
              path any runtime
              test 1.25.0 dev
            undeclared undeclared in lib/a.dart
        "#]],
    );
}

#[test]
fn c_and_cpp_in_all_of_their_manifests() {
    check(
        r##"
//- /vcpkg/vcpkg.json
{ "dependencies": [ "fmt", { "name": "boost-asio", "version>=": "1.84.0" } ] }
//- /conan/conanfile.txt
[requires]
zlib/1.3.1
openssl/3.2.0@user/channel
[tool_requires]
cmake/3.28.1
[test_requires]
gtest/1.14.0
[options]
shared/ignored=True
//- /cmake/CMakeLists.txt
find_package(Boost 1.80 REQUIRED COMPONENTS system)
find_package(Doxygen)
# find_package(Commented)
FetchContent_Declare(json GIT_REPOSITORY https://example.com/json.git GIT_TAG v3.11.3)
find_package(${COMPUTED})
//- /meson/meson.build
zlib = dependency('zlib', version : '>=1.2')
threads = dependency('threads')
declare_dependency(sources : 'x')
//- /conan/main.c
#include <zlib.h>
#include <openssl/ssl.h>
"##,
        expect![[r#"
            cmake/CMakeLists.txt
              Boost 1.80 runtime
              Doxygen - optional
              json v3.11.3 runtime
            conan/conanfile.txt
              cmake 3.28.1 build
              gtest 1.14.0 dev
              openssl 3.2.0 runtime in conan/main.c
              zlib 1.3.1 runtime in conan/main.c
            meson/meson.build
              threads - runtime
              zlib >=1.2 runtime
            vcpkg/vcpkg.json
              boost-asio 1.84.0 runtime
              fmt - runtime
        "#]],
    );
}

#[test]
fn manifests_that_cannot_be_read_declare_nothing() {
    for name in [
        "package.json",
        "Cargo.toml",
        "pyproject.toml",
        "pom.xml",
        "composer.json",
        "App.csproj",
        "vcpkg.json",
    ] {
        let found = analysis(&format!("//- /{name}\n{{ [ < broken\n")).dependencies();
        assert_eq!(found.external.len(), 0, "{name}");
    }
}

#[test]
fn vendored_and_own_packages_are_not_external() {
    check(
        r##"
//- /a/package.json
{ "name": "@shop/a", "dependencies": { "@shop/b": "1.0.0", "real": "1" } }
//- /b/package.json
{ "name": "@shop/b" }
//- /rust/Cargo.toml
[package]
name = "one"
[dependencies]
two = { path = "../two" }
//- /two/Cargo.toml
[package]
name = "two"
"##,
        expect![[r#"
            a/package.json
              real 1 runtime
        "#]],
    );
}
