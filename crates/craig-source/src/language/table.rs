//! The one table of languages: everything Craig knows of a language is a row here.

use crate::FileKind;

/// What is known of one language.
pub(super) struct Facts {
    pub(super) language: Language,
    pub(super) kind: FileKind,
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
    ($($variant:ident $kind:ident $id:literal $label:literal
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
    TypeScript Code "typescript" "TypeScript" ["ts" "mts" "cts"] run_by ["ts-node" "tsx" "deno" "bun"] or ["ts"];
    Tsx Code "typescriptreact" "TypeScript JSX" ["tsx"] or ["tsx"];
    JavaScript Code "javascript" "JavaScript" ["js" "mjs" "cjs" "jsx" "es6"] named ["jakefile"]
        run_by ["node" "nodejs"] or ["js" "jsx" "mjs" "cjs" "javascriptreact" "ecmascript"];
    Python Code "python" "Python" ["py" "pyi" "pyw" "pyx" "pxd"] named ["sconstruct" "sconscript" "wscript"]
        run_by ["python" "pypy" "uv"] or ["py" "python3"];
    Java Code "java" "Java" ["java"] run_by ["jshell"];
    Go Code "go" "Go" ["go"] or ["golang"];
    Rust Code "rust" "Rust" ["rs"] run_by ["rust-script"] or ["rs"];
    C Code "c" "C" ["c" "h"] or ["h"];
    Cpp Code "cpp" "C++" ["cpp" "cc" "cxx" "c++" "hpp" "hh" "hxx" "h++" "ipp" "inl" "tpp" "cppm" "ixx" "ino"]
        or ["c++" "cc" "cxx" "hpp" "cplusplus"];
    Cuda Code "cuda-cpp" "CUDA" ["cu" "cuh"] or ["cuda" "cu"];
    ObjectiveC Code "objective-c" "Objective-C" ["m" "mm"] or ["objc" "objectivec" "objective-cpp" "obj-c"];
    CSharp Code "csharp" "C#" ["cs" "csx"] or ["c#" "cs" "c-sharp"];
    FSharp Code "fsharp" "F#" ["fs" "fsx" "fsi"] or ["f#" "fs" "f-sharp"];
    VisualBasic Code "vb" "Visual Basic" ["vb" "bas" "vbs"] or ["visualbasic" "vb.net"];
    Ruby Code "ruby" "Ruby" ["rb" "rake" "gemspec" "ru" "podspec" "jbuilder" "rbi" "thor"]
        named ["gemfile" "rakefile" "guardfile" "podfile" "vagrantfile" "brewfile" "capfile" "fastfile" "appraisals"
            "dangerfile" ".irbrc" ".pryrc" ".simplecov"]
        run_by ["ruby" "jruby" "rake"] or ["rb"];
    Erb Code "erb" "ERB" ["erb" "rhtml"] or ["html.erb"];
    Php Code "php" "PHP" ["php" "phtml" "php5" "php7" "phpt" "inc"] named ["artisan"] run_by ["php"];
    Kotlin Code "kotlin" "Kotlin" ["kt" "kts" "ktm"] run_by ["kotlin" "kscript"] or ["kt" "kts"];
    Swift Code "swift" "Swift" ["swift"] run_by ["swift"];
    Scala Code "scala" "Scala" ["scala" "sc" "sbt"] run_by ["scala" "scala-cli" "amm"];
    Groovy Code "groovy" "Groovy" ["groovy" "gradle" "gvy" "jenkinsfile"] named ["jenkinsfile"] run_by ["groovy"]
        or ["gradle"];
    Lua Code "lua" "Lua" ["lua" "luau" "rockspec"] run_by ["lua" "luajit" "texlua"];
    Elixir Code "elixir" "Elixir" ["ex" "exs" "heex" "leex" "eex"] run_by ["elixir" "iex"] or ["ex" "exs"];
    Erlang Code "erlang" "Erlang" ["erl" "hrl" "escript" "app.src"] named ["rebar.config"] run_by ["escript"]
        or ["erl"];
    Haskell Code "haskell" "Haskell" ["hs" "lhs" "hsc" "hs-boot"] run_by ["runhaskell" "runghc" "stack"] or ["hs"];
    PureScript Code "purescript" "PureScript" ["purs"];
    Elm Code "elm" "Elm" ["elm"];
    OCaml Code "ocaml" "OCaml" ["ml" "mli" "mll" "mly" "eliom"] run_by ["ocaml"] or ["ml"];
    ReScript Code "rescript" "ReScript" ["res" "resi" "re" "rei"] or ["reason" "reasonml"];
    Clojure Code "clojure" "Clojure" ["clj" "cljs" "cljc" "edn" "bb"] run_by ["clojure" "clj" "bb"]
        or ["clj" "clojurescript"];
    CommonLisp Code "commonlisp" "Common Lisp" ["lisp" "lsp" "asd" "cl"] run_by ["sbcl" "clisp"] or ["lisp"];
    EmacsLisp Code "emacs-lisp" "Emacs Lisp" ["el"] named [".emacs"] or ["elisp"];
    Scheme Code "scheme" "Scheme" ["scm" "ss" "sld"] run_by ["guile" "chicken"];
    Racket Code "racket" "Racket" ["rkt"] run_by ["racket"];
    Zig Code "zig" "Zig" ["zig" "zon"];
    Nim Code "nim" "Nim" ["nim" "nims" "nimble"];
    Crystal Code "crystal" "Crystal" ["cr"] run_by ["crystal"];
    D Code "d" "D" ["d" "di"] run_by ["rdmd"] or ["dlang"];
    Dart Code "dart" "Dart" ["dart"] run_by ["dart"];
    R Code "r" "R" ["r" "rmd" "rprofile"] named [".rprofile"] run_by ["rscript"] or ["rlang"];
    Julia Code "julia" "Julia" ["jl"] run_by ["julia"] or ["jl"];
    Matlab Code "matlab" "MATLAB" ["mlx"] run_by ["octave"] or ["octave"];
    Fortran Code "fortran" "Fortran" ["f90" "f95" "f03" "f08" "f" "for"];
    Pascal Code "pascal" "Pascal" ["pas" "dpr" "lpr"] or ["delphi"];
    Ada Code "ada" "Ada" ["adb" "ads"];
    Cobol Code "cobol" "COBOL" ["cob" "cbl" "cpy"];
    Perl Code "perl" "Perl" ["pl" "pm" "t" "pod" "psgi"] named ["cpanfile" "makefile.pl"] run_by ["perl"] or ["pl"];
    Raku Code "raku" "Raku" ["raku" "rakumod" "p6" "pm6"] run_by ["raku" "perl6"] or ["perl6"];
    Tcl Code "tcl" "Tcl" ["tcl" "tk"] run_by ["tclsh" "wish" "expect"];
    Awk Code "awk" "AWK" ["awk"] run_by ["awk" "gawk" "mawk"];
    Bash Code "shellscript" "Shell" ["sh" "bash" "zsh" "bats" "ksh" "ash" "command" "ebuild"]
        named [".bashrc" ".bash_profile" ".bash_aliases" ".profile" ".zshrc" ".zshenv" ".zprofile" "pkgbuild" "apkbuild"
            "gradlew" "mvnw" "configure"]
        run_by ["sh" "bash" "zsh" "dash" "ksh" "ash" "bats"] or ["bash" "sh" "zsh" "shell"];
    Fish Code "fish" "Fish" ["fish"] run_by ["fish"];
    PowerShell Code "powershell" "PowerShell" ["ps1" "psm1" "psd1"] run_by ["pwsh" "powershell"] or ["ps1" "pwsh"];
    Batch Code "bat" "Batch" ["bat" "cmd"] or ["batch" "cmd"];
    Nushell Code "nushell" "Nushell" ["nu"] run_by ["nu"] or ["nu"];
    Vim Code "viml" "Vim script" ["vim" "vimrc"] named [".vimrc" ".gvimrc" "_vimrc"] or ["vim" "vimscript"];
    Sql Code "sql" "SQL" ["sql" "ddl" "dml" "pgsql" "psql" "plsql" "mysql" "hql" "cql"] or ["postgresql" "mysql"];
    Prisma Code "prisma" "Prisma" ["prisma"];
    GraphQl Code "graphql" "GraphQL" ["graphql" "gql" "graphqls"] or ["gql"];
    Proto Code "proto" "Protocol Buffers" ["proto" "proto3"] or ["protobuf" "proto3"];
    Thrift Code "thrift" "Thrift" ["thrift"];
    CapnProto Code "capnp" "Cap'n Proto" ["capnp"];
    FlatBuffers Code "flatbuffers" "FlatBuffers" ["fbs"];
    Wit Code "wit" "WIT" ["wit"];
    Solidity Code "solidity" "Solidity" ["sol"] or ["sol"];
    Move Code "move" "Move" ["move"];
    Cairo Code "cairo" "Cairo" ["cairo"];
    Gdscript Code "gdscript" "GDScript" ["gd"] or ["gd"];
    Gleam Code "gleam" "Gleam" ["gleam"];
    Odin Code "odin" "Odin" ["odin"];
    Vlang Code "v" "V" ["vv" "vsh"] or ["vlang"];
    Mojo Code "mojo" "Mojo" ["mojo"];
    Haxe Code "haxe" "Haxe" ["hx"];
    Apex Code "apex" "Apex" ["cls" "trigger" "apex"];
    Prolog Code "prolog" "Prolog" ["prolog" "pro"] run_by ["swipl"];
    Lean Code "lean4" "Lean" ["lean"] or ["lean"];
    Coq Code "coq" "Coq" ["coq"] or ["rocq"];
    Agda Code "agda" "Agda" ["agda"];
    Idris Code "idris" "Idris" ["idr"];
    Assembly Code "asm" "Assembly" ["s" "asm" "nasm"] or ["assembly" "nasm" "gas"];
    Llvm Code "llvm" "LLVM IR" ["ll"];
    Wat Code "wat" "WebAssembly text" ["wat" "wast"];
    Verilog Code "verilog" "Verilog" ["v" "vh"];
    SystemVerilog Code "systemverilog" "SystemVerilog" ["sv" "svh"];
    Vhdl Code "vhdl" "VHDL" ["vhd" "vhdl"];
    Glsl Code "glsl" "GLSL" ["glsl" "vert" "frag" "geom" "comp" "tesc" "tese"];
    Hlsl Code "hlsl" "HLSL" ["hlsl" "fx" "cginc"];
    Wgsl Code "wgsl" "WGSL" ["wgsl"];
    Metal Code "metal" "Metal" ["metal"];
    OpenCl Code "opencl" "OpenCL" ["opencl"];
    Html Code "html" "HTML" ["html" "htm" "xhtml" "shtml"] or ["htm"];
    Css Code "css" "CSS" ["css" "pcss" "postcss"];
    Scss Code "scss" "SCSS" ["scss" "sass"] or ["sass"];
    Less Code "less" "Less" ["less"];
    Stylus Code "stylus" "Stylus" ["styl"];
    Vue Code "vue" "Vue" ["vue"];
    Svelte Code "svelte" "Svelte" ["svelte"];
    Astro Code "astro" "Astro" ["astro"];
    Razor Code "razor" "Razor" ["cshtml" "razor"];
    Handlebars Code "handlebars" "Handlebars" ["hbs" "handlebars" "mustache"] or ["hbs" "mustache"];
    Jinja Code "jinja" "Jinja" ["jinja" "jinja2" "j2" "njk"] or ["jinja2" "j2" "nunjucks"];
    Liquid Code "liquid" "Liquid" ["liquid"];
    Twig Code "twig" "Twig" ["twig"];
    Pug Code "jade" "Pug" ["pug" "jade"] or ["pug"];
    Haml Code "haml" "Haml" ["haml"];
    Slim Code "slim" "Slim" ["slim"];
    Ejs Code "ejs" "EJS" ["ejs"];
    CoffeeScript Code "coffeescript" "CoffeeScript" ["coffee" "litcoffee"] named ["cakefile"] run_by ["coffee"]
        or ["coffee"];
    Makefile Code "makefile" "Makefile" ["mk" "mak" "make"] named ["makefile" "gnumakefile" "makefile.am" "makefile.in"]
        run_by ["make"] or ["make"];
    Just Code "just" "Just" ["just"] named ["justfile" ".justfile"] run_by ["just"];
    CMake Code "cmake" "CMake" ["cmake"] named ["cmakelists.txt"];
    Meson Code "meson" "Meson" [] named ["meson.build" "meson_options.txt" "meson.options"];
    Ninja Config "ninja" "Ninja" ["ninja"];
    Starlark Code "starlark" "Starlark" ["bzl" "star" "bazel"] named ["build" "workspace" "buck" "tiltfile"]
        or ["bazel" "bzl"];
    Nix Code "nix" "Nix" ["nix"];
    Puppet Code "puppet" "Puppet" ["pp"];
    Autoconf Code "m4" "M4" ["m4" "ac"] named ["configure.ac"] or ["autoconf"];
    Dockerfile Config "dockerfile" "Dockerfile" ["dockerfile" "containerfile"] named ["dockerfile" "containerfile"]
        or ["docker"];
    Terraform Config "terraform" "Terraform" ["tf" "tfvars" "hcl" "tofu"] or ["tf" "hcl"];
    Bicep Config "bicep" "Bicep" ["bicep"];
    Cue Config "cue" "CUE" ["cue"];
    Jsonnet Config "jsonnet" "Jsonnet" ["jsonnet" "libsonnet"];
    Rego Config "rego" "Rego" ["rego"];
    Dhall Config "dhall" "Dhall" ["dhall"];
    Json Config "json" "JSON" ["json" "jsonl" "ndjson" "geojson" "webmanifest" "ipynb" "avsc" "har" "map" "tfstate"]
        named [".babelrc" ".prettierrc" ".eslintrc" ".swcrc" "composer.lock" "pipfile.lock" "flake.lock"] or ["jsonl"];
    Jsonc Config "jsonc" "JSON with comments" ["jsonc" "json5" "code-workspace"] or ["json5"];
    Yaml Config "yaml" "YAML" ["yaml" "yml" "cff" "sublime-syntax"]
        named [".clang-format" ".clang-tidy" ".clangd"] or ["yml"];
    Toml Config "toml" "TOML" ["toml"] named ["cargo.lock" "poetry.lock" "pdm.lock" "uv.lock" "pipfile"];
    Ini Config "ini" "INI" ["ini" "cfg" "conf" "cnf" "config" "desktop" "service" "editorconfig" "reg"]
        named [".editorconfig" ".gitconfig" ".gitmodules" ".npmrc" ".flake8" ".pylintrc"] or ["cfg" "conf"];
    Properties Config "properties" "Properties" ["properties"];
    DotEnv Config "dotenv" "dotenv" ["env"] named [".env" ".envrc"] or ["env"];
    Ignore Config "ignore" "Ignore rules" []
        named [".gitignore" ".ignore" ".pukuignore" ".dockerignore" ".npmignore" ".gitattributes"];
    Nginx Config "nginx" "nginx" ["nginx" "nginxconf"] named ["nginx.conf"];
    GoMod Config "go.mod" "Go module" [] named ["go.mod" "go.work"];
    Requirements Config "pip-requirements" "pip requirements" []
        named ["requirements.txt" "constraints.txt" "requirements-dev.txt" "dev-requirements.txt"];
    Xml Config "xml" "XML"
        ["xml" "xsd" "xsl" "xslt" "wsdl" "plist" "csproj" "fsproj" "vbproj" "vcxproj" "props" "targets" "resx" "xaml"
            "axaml" "nuspec" "storyboard" "xib" "ui" "qrc" "rss" "atom" "xlf" "xliff" "jelly" "pom" "dtd" "iml"];
    Csv Config "csv" "CSV" ["csv" "tsv" "psv"] or ["tsv"];
    Diff Config "diff" "Diff" ["diff" "patch"] or ["patch"];
    Http Config "http" "HTTP requests" ["http" "rest"];
    Markdown Docs "markdown" "Markdown" ["md" "mdx" "markdown" "mdown" "mkd" "mdc" "qmd"] or ["md" "mdx"];
    ReStructuredText Docs "restructuredtext" "reStructuredText" ["rst" "rest.txt"] or ["rst"];
    AsciiDoc Docs "asciidoc" "AsciiDoc" ["adoc" "asciidoc" "asc"] or ["adoc"];
    Org Docs "org" "Org" ["org"];
    Latex Docs "latex" "LaTeX" ["tex" "sty" "ltx" "bib"] or ["tex" "bibtex"];
    Typst Docs "typst" "Typst" ["typ"];
    Man Docs "troff" "Manual page" ["man" "roff" "1" "3" "5" "7" "8"] or ["man" "roff"];
    Text Docs "plaintext" "Text" ["txt" "text" "log" "rdoc"]
        named ["readme" "license" "licence" "copying" "notice" "authors" "contributors" "changelog" "changes" "todo"
            "install" "news" "version" "codeowners" "gemfile.lock" "yarn.lock" "go.sum" "mix.lock"]
        or ["text" "txt" "plain"];
}
