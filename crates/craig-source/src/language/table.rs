//! The table of languages, with one row for each.

use super::{CommentSyntax, FileKind};

/// What is known of one language.
pub(super) struct Facts {
    pub(super) language: Language,
    pub(super) kind: FileKind,
    pub(super) comments: CommentSyntax,
    pub(super) id: &'static str,
    pub(super) label: &'static str,
    pub(super) extensions: &'static [&'static str],
    pub(super) file_names: &'static [&'static str],
    pub(super) interpreters: &'static [&'static str],
    pub(super) aliases: &'static [&'static str],
}

/// Writes the enum and its table from the same rows, so that they cannot disagree.
///
/// Extensions and file names are lower case. `Facts` are found by `language as usize`: rows keep the order of the enum.
macro_rules! languages {
    ($($variant:ident $kind:ident $comments:ident $id:literal $label:literal
        [$($ext:literal)*] $(named [$($name:literal)*])? $(run_by [$($interpreter:literal)*])?
        $(or [$($alias:literal)*])?;)*) => {
        /// Language of a text file. Serialized as its [`id`](Language::id).
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[non_exhaustive]
        pub enum Language {
            $(#[doc = concat!($label, ".")] $variant,)*
        }

        pub(super) const TABLE: &[Facts] = &[
            $(Facts {
                language: Language::$variant,
                kind: FileKind::$kind,
                comments: CommentSyntax::$comments,
                id: $id,
                label: $label,
                extensions: &[$($ext),*],
                file_names: &[$($($name),*)?],
                interpreters: &[$($($interpreter),*)?],
                aliases: &[$($($alias),*)?],
            },)*
        ];
    };
}

languages! {
    TypeScript Code C "typescript" "TypeScript" ["ts" "mts" "cts"] run_by ["ts-node" "tsx" "deno" "bun"] or ["ts"];
    Tsx Code C "typescriptreact" "TypeScript JSX" ["tsx"] or ["tsx"];
    JavaScript Code C "javascript" "JavaScript" ["js" "mjs" "cjs" "jsx" "es6"] named ["jakefile"]
        run_by ["node" "nodejs"] or ["js" "jsx" "mjs" "cjs" "javascriptreact" "ecmascript"];
    Python Code HASH "python" "Python" ["py" "pyi" "pyw" "pyx" "pxd"] named ["sconstruct" "sconscript" "wscript"]
        run_by ["python" "pypy" "uv"] or ["py" "python3"];
    Java Code C "java" "Java" ["java"] run_by ["jshell"];
    Go Code C "go" "Go" ["go"] or ["golang"];
    Rust Code C "rust" "Rust" ["rs"] run_by ["rust-script"] or ["rs"];
    C Code C "c" "C" ["c" "h"] or ["h"];
    Cpp Code C "cpp" "C++" ["cpp" "cc" "cxx" "c++" "hpp" "hh" "hxx" "h++" "ipp" "inl" "tpp" "cppm" "ixx" "ino"]
        or ["c++" "cc" "cxx" "hpp" "cplusplus"];
    Cuda Code C "cuda-cpp" "CUDA" ["cu" "cuh"] or ["cuda" "cu"];
    ObjectiveC Code C "objective-c" "Objective-C" ["m" "mm"] or ["objc" "objectivec" "objective-cpp" "obj-c"];
    CSharp Code C "csharp" "C#" ["cs" "csx"] or ["c#" "cs" "c-sharp"];
    FSharp Code FSHARP "fsharp" "F#" ["fs" "fsx" "fsi"] or ["f#" "fs" "f-sharp"];
    VisualBasic Code QUOTE "vb" "Visual Basic" ["vb" "bas" "vbs"] or ["visualbasic" "vb.net"];
    Ruby Code HASH "ruby" "Ruby" ["rb" "rake" "gemspec" "ru" "podspec" "jbuilder" "rbi" "thor"]
        named ["gemfile" "rakefile" "guardfile" "podfile" "vagrantfile" "brewfile" "capfile" "fastfile" "appraisals"
            "dangerfile" ".irbrc" ".pryrc" ".simplecov"]
        run_by ["ruby" "jruby" "rake"] or ["rb"];
    Erb Code MARKUP "erb" "ERB" ["erb" "rhtml"] or ["html.erb"];
    Php Code C "php" "PHP" ["php" "phtml" "php5" "php7" "phpt" "inc"] named ["artisan"] run_by ["php"];
    Kotlin Code C "kotlin" "Kotlin" ["kt" "kts" "ktm"] run_by ["kotlin" "kscript"] or ["kt" "kts"];
    Swift Code C "swift" "Swift" ["swift"] run_by ["swift"];
    Scala Code C "scala" "Scala" ["scala" "sc" "sbt"] run_by ["scala" "scala-cli" "amm"];
    Groovy Code C "groovy" "Groovy" ["groovy" "gradle" "gvy" "jenkinsfile"] named ["jenkinsfile"] run_by ["groovy"]
        or ["gradle"];
    Lua Code LUA "lua" "Lua" ["lua" "luau" "rockspec"] run_by ["lua" "luajit" "texlua"];
    Elixir Code HASH "elixir" "Elixir" ["ex" "exs" "heex" "leex" "eex"] run_by ["elixir" "iex"] or ["ex" "exs"];
    Erlang Code PERCENT "erlang" "Erlang" ["erl" "hrl" "escript" "app.src"] named ["rebar.config"] run_by ["escript"]
        or ["erl"];
    Haskell Code HASKELL "haskell" "Haskell" ["hs" "lhs" "hsc" "hs-boot"] run_by ["runhaskell" "runghc" "stack"] or ["hs"];
    PureScript Code HASKELL "purescript" "PureScript" ["purs"];
    Elm Code HASKELL "elm" "Elm" ["elm"];
    OCaml Code ML "ocaml" "OCaml" ["ml" "mli" "mll" "mly" "eliom"] run_by ["ocaml"] or ["ml"];
    ReScript Code C "rescript" "ReScript" ["res" "resi" "re" "rei"] or ["reason" "reasonml"];
    Clojure Code SEMICOLON "clojure" "Clojure" ["clj" "cljs" "cljc" "edn" "bb"] run_by ["clojure" "clj" "bb"]
        or ["clj" "clojurescript"];
    CommonLisp Code SEMICOLON "commonlisp" "Common Lisp" ["lisp" "lsp" "asd" "cl"] run_by ["sbcl" "clisp"] or ["lisp"];
    EmacsLisp Code SEMICOLON "emacs-lisp" "Emacs Lisp" ["el"] named [".emacs"] or ["elisp"];
    Scheme Code SEMICOLON "scheme" "Scheme" ["scm" "ss" "sld"] run_by ["guile" "chicken"];
    Racket Code SEMICOLON "racket" "Racket" ["rkt"] run_by ["racket"];
    Zig Code C "zig" "Zig" ["zig" "zon"];
    Nim Code HASH "nim" "Nim" ["nim" "nims" "nimble"];
    Crystal Code HASH "crystal" "Crystal" ["cr"] run_by ["crystal"];
    D Code C "d" "D" ["d" "di"] run_by ["rdmd"] or ["dlang"];
    Dart Code C "dart" "Dart" ["dart"] run_by ["dart"];
    R Code HASH "r" "R" ["r" "rmd" "rprofile"] named [".rprofile"] run_by ["rscript"] or ["rlang"];
    Julia Code HASH "julia" "Julia" ["jl"] run_by ["julia"] or ["jl"];
    Matlab Code PERCENT "matlab" "MATLAB" ["mlx"] run_by ["octave"] or ["octave"];
    Fortran Code BANG "fortran" "Fortran" ["f90" "f95" "f03" "f08" "f" "for"];
    Pascal Code PASCAL "pascal" "Pascal" ["pas" "dpr" "lpr"] or ["delphi"];
    Ada Code DASH "ada" "Ada" ["adb" "ads"];
    Cobol Code COBOL "cobol" "COBOL" ["cob" "cbl" "cpy"];
    Perl Code HASH "perl" "Perl" ["pl" "pm" "t" "pod" "psgi"] named ["cpanfile" "makefile.pl"] run_by ["perl"] or ["pl"];
    Raku Code HASH "raku" "Raku" ["raku" "rakumod" "p6" "pm6"] run_by ["raku" "perl6"] or ["perl6"];
    Tcl Code HASH "tcl" "Tcl" ["tcl" "tk"] run_by ["tclsh" "wish" "expect"];
    Awk Code HASH "awk" "AWK" ["awk"] run_by ["awk" "gawk" "mawk"];
    Bash Code HASH "shellscript" "Shell" ["sh" "bash" "zsh" "bats" "ksh" "ash" "command" "ebuild"]
        named [".bashrc" ".bash_profile" ".bash_aliases" ".profile" ".zshrc" ".zshenv" ".zprofile" "pkgbuild" "apkbuild"
            "gradlew" "mvnw" "configure"]
        run_by ["sh" "bash" "zsh" "dash" "ksh" "ash" "bats"] or ["bash" "sh" "zsh" "shell"];
    Fish Code HASH "fish" "Fish" ["fish"] run_by ["fish"];
    PowerShell Code HASH "powershell" "PowerShell" ["ps1" "psm1" "psd1"] run_by ["pwsh" "powershell"] or ["ps1" "pwsh"];
    Batch Code BATCH "bat" "Batch" ["bat" "cmd"] or ["batch" "cmd"];
    Nushell Code HASH "nushell" "Nushell" ["nu"] run_by ["nu"] or ["nu"];
    Vim Code VIM "viml" "Vim script" ["vim" "vimrc"] named [".vimrc" ".gvimrc" "_vimrc"] or ["vim" "vimscript"];
    Sql Code SQL "sql" "SQL" ["sql" "ddl" "dml" "pgsql" "psql" "plsql" "mysql" "hql" "cql"] or ["postgresql" "mysql"];
    Prisma Code C "prisma" "Prisma" ["prisma"];
    GraphQl Code HASH "graphql" "GraphQL" ["graphql" "gql" "graphqls"] or ["gql"];
    Proto Code C "proto" "Protocol Buffers" ["proto" "proto3"] or ["protobuf" "proto3"];
    Thrift Code C "thrift" "Thrift" ["thrift"];
    CapnProto Code HASH "capnp" "Cap'n Proto" ["capnp"];
    FlatBuffers Code C "flatbuffers" "FlatBuffers" ["fbs"];
    Wit Code C "wit" "WIT" ["wit"];
    Solidity Code C "solidity" "Solidity" ["sol"] or ["sol"];
    Move Code C "move" "Move" ["move"];
    Cairo Code C "cairo" "Cairo" ["cairo"];
    Gdscript Code HASH "gdscript" "GDScript" ["gd"] or ["gd"];
    Gleam Code C "gleam" "Gleam" ["gleam"];
    Odin Code C "odin" "Odin" ["odin"];
    Vlang Code C "v" "V" ["vv" "vsh"] or ["vlang"];
    Mojo Code HASH "mojo" "Mojo" ["mojo"];
    Haxe Code C "haxe" "Haxe" ["hx"];
    Apex Code C "apex" "Apex" ["cls" "trigger" "apex"];
    Prolog Code PERCENT "prolog" "Prolog" ["prolog" "pro"] run_by ["swipl"];
    Lean Code LEAN "lean4" "Lean" ["lean"] or ["lean"];
    Coq Code ML "coq" "Coq" ["coq"] or ["rocq"];
    Agda Code HASKELL "agda" "Agda" ["agda"];
    Idris Code HASKELL "idris" "Idris" ["idr"];
    Assembly Code SEMICOLON "asm" "Assembly" ["s" "asm" "nasm"] or ["assembly" "nasm" "gas"];
    Llvm Code SEMICOLON "llvm" "LLVM IR" ["ll"];
    Wat Code SEMICOLON "wat" "WebAssembly text" ["wat" "wast"];
    Verilog Code C "verilog" "Verilog" ["v" "vh"];
    SystemVerilog Code C "systemverilog" "SystemVerilog" ["sv" "svh"];
    Vhdl Code DASH "vhdl" "VHDL" ["vhd" "vhdl"];
    Glsl Code C "glsl" "GLSL" ["glsl" "vert" "frag" "geom" "comp" "tesc" "tese"];
    Hlsl Code C "hlsl" "HLSL" ["hlsl" "fx" "cginc"];
    Wgsl Code C "wgsl" "WGSL" ["wgsl"];
    Metal Code C "metal" "Metal" ["metal"];
    OpenCl Code C "opencl" "OpenCL" ["opencl"];
    Html Code MARKUP "html" "HTML" ["html" "htm" "xhtml" "shtml"] or ["htm"];
    Css Code CSS "css" "CSS" ["css" "pcss" "postcss"];
    Scss Code C "scss" "SCSS" ["scss" "sass"] or ["sass"];
    Less Code C "less" "Less" ["less"];
    Stylus Code C "stylus" "Stylus" ["styl"];
    Vue Code MARKUP "vue" "Vue" ["vue"];
    Svelte Code MARKUP "svelte" "Svelte" ["svelte"];
    Astro Code MARKUP "astro" "Astro" ["astro"];
    Notebook Code HASH "jupyter" "Jupyter Notebook" ["ipynb"] or ["ipynb" "notebook"];
    Razor Code MARKUP "razor" "Razor" ["cshtml" "razor"];
    Handlebars Code HANDLEBARS "handlebars" "Handlebars" ["hbs" "handlebars" "mustache"] or ["hbs" "mustache"];
    Jinja Code TEMPLATE "jinja" "Jinja" ["jinja" "jinja2" "j2" "njk"] or ["jinja2" "j2" "nunjucks"];
    Liquid Code LIQUID "liquid" "Liquid" ["liquid"];
    Twig Code TEMPLATE "twig" "Twig" ["twig"];
    Pug Code C "jade" "Pug" ["pug" "jade"] or ["pug"];
    Haml Code NONE "haml" "Haml" ["haml"];
    Slim Code NONE "slim" "Slim" ["slim"];
    Ejs Code MARKUP "ejs" "EJS" ["ejs"];
    CoffeeScript Code HASH "coffeescript" "CoffeeScript" ["coffee" "litcoffee"] named ["cakefile"] run_by ["coffee"]
        or ["coffee"];
    Makefile Code HASH "makefile" "Makefile" ["mk" "mak" "make"] named ["makefile" "gnumakefile" "makefile.am" "makefile.in"]
        run_by ["make"] or ["make"];
    Just Code HASH "just" "Just" ["just"] named ["justfile" ".justfile"] run_by ["just"];
    CMake Code HASH "cmake" "CMake" ["cmake"] named ["cmakelists.txt"];
    Meson Code HASH "meson" "Meson" [] named ["meson.build" "meson_options.txt" "meson.options"];
    Ninja Config HASH "ninja" "Ninja" ["ninja"];
    Starlark Code HASH "starlark" "Starlark" ["bzl" "star" "bazel"] named ["build" "workspace" "buck" "tiltfile"]
        or ["bazel" "bzl"];
    Nix Code HASH "nix" "Nix" ["nix"];
    Puppet Code HASH "puppet" "Puppet" ["pp"];
    Autoconf Code M4 "m4" "M4" ["m4" "ac"] named ["configure.ac" "configure.in"] or ["autoconf"];
    Dockerfile Config HASH "dockerfile" "Dockerfile" ["dockerfile" "containerfile"] named ["dockerfile" "containerfile"]
        or ["docker"];
    Terraform Config HASH "terraform" "Terraform" ["tf" "tfvars" "hcl" "tofu"] or ["tf" "hcl"];
    Bicep Config C "bicep" "Bicep" ["bicep"];
    Cue Config C "cue" "CUE" ["cue"];
    Jsonnet Config C "jsonnet" "Jsonnet" ["jsonnet" "libsonnet"];
    Rego Config HASH "rego" "Rego" ["rego"];
    Dhall Config HASKELL "dhall" "Dhall" ["dhall"];
    Json Config NONE "json" "JSON" ["json" "jsonl" "ndjson" "geojson" "webmanifest" "avsc" "har" "map" "tfstate"]
        named [".babelrc" ".prettierrc" ".eslintrc" ".swcrc" "composer.lock" "pipfile.lock" "flake.lock"] or ["jsonl"];
    Jsonc Config C "jsonc" "JSON with comments" ["jsonc" "json5" "code-workspace"] or ["json5"];
    Yaml Config HASH "yaml" "YAML" ["yaml" "yml" "cff" "sublime-syntax"]
        named [".clang-format" ".clang-tidy" ".clangd"] or ["yml"];
    Toml Config HASH "toml" "TOML" ["toml"] named ["cargo.lock" "poetry.lock" "pdm.lock" "uv.lock" "pipfile"];
    Ini Config SEMICOLON "ini" "INI" ["ini" "cfg" "conf" "cnf" "config" "desktop" "service" "editorconfig" "reg"]
        named [".editorconfig" ".gitconfig" ".gitmodules" ".npmrc" ".flake8" ".pylintrc"] or ["cfg" "conf"];
    Properties Config HASH "properties" "Properties" ["properties"];
    DotEnv Config HASH "dotenv" "dotenv" ["env"] named [".env" ".envrc"] or ["env"];
    Ignore Config HASH "ignore" "Ignore rules" []
        named [".gitignore" ".ignore" ".pukuignore" ".dockerignore" ".npmignore" ".gitattributes"];
    Nginx Config HASH "nginx" "nginx" ["nginx" "nginxconf"] named ["nginx.conf"];
    GoMod Config C "go.mod" "Go module" [] named ["go.mod" "go.work"];
    Requirements Config HASH "pip-requirements" "pip requirements" []
        named ["requirements.txt" "constraints.txt" "requirements-dev.txt" "dev-requirements.txt" "requirements.in"];
    Xml Config MARKUP "xml" "XML"
        ["xml" "xsd" "xsl" "xslt" "wsdl" "plist" "csproj" "fsproj" "vbproj" "vcxproj" "props" "targets" "resx" "xaml"
            "axaml" "nuspec" "storyboard" "xib" "ui" "qrc" "rss" "atom" "xlf" "xliff" "jelly" "pom" "dtd" "iml"];
    Csv Config NONE "csv" "CSV" ["csv" "tsv" "psv"] or ["tsv"];
    Diff Config NONE "diff" "Diff" ["diff" "patch"] or ["patch"];
    Http Config HASH "http" "HTTP requests" ["http" "rest"];
    Markdown Docs MARKUP "markdown" "Markdown" ["md" "mdx" "markdown" "mdown" "mkd" "mdc" "qmd"] or ["md" "mdx"];
    ReStructuredText Docs RST "restructuredtext" "reStructuredText" ["rst" "rest.txt"] or ["rst"];
    AsciiDoc Docs NONE "asciidoc" "AsciiDoc" ["adoc" "asciidoc" "asc"] or ["adoc"];
    Org Docs HASH "org" "Org" ["org"];
    Latex Docs PERCENT "latex" "LaTeX" ["tex" "sty" "ltx" "bib"] or ["tex" "bibtex"];
    Typst Docs C "typst" "Typst" ["typ"];
    Man Docs NONE "troff" "Manual page" ["man" "roff" "1" "3" "5" "7" "8"] or ["man" "roff"];
    Text Docs NONE "plaintext" "Text" ["txt" "text" "log" "rdoc"]
        named ["readme" "license" "licence" "copying" "notice" "authors" "contributors" "changelog" "changes" "todo"
            "install" "news" "version" "codeowners" "gemfile.lock" "yarn.lock" "go.sum" "mix.lock"]
        or ["text" "txt" "plain"];
}
