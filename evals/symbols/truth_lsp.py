#!/usr/bin/env python3
"""Records the truth about symbols of a repository: who defines them, who mentions them, what they reach.

    truth_lsp.py definitions --language python --root CHECKOUT --out definitions.json
    truth_lsp.py truth --language python --root CHECKOUT --repository encode/httpx --set dev --seed 7 \\
        --tool "pyright 1.1.414" --out httpx.json

A language server answers (documentSymbol, references, definition); tree-sitter says what each mention does (`syntax.py`);
`draw.py` picks the symbols. `--adapter FILE.py` loads a language that is not built in: a module with `ADAPTER`, an
instance of `Adapter`. Needs `pip install tree-sitter tree-sitter-python …`.
"""

import argparse
import fnmatch
import importlib.util
import json
import os
import pathlib
import queue
import re
import subprocess
import sys
import threading
import time
import urllib.parse

import draw
import syntax

FILE, MODULE, NAMESPACE, PACKAGE, CLASS, METHOD, PROPERTY, FIELD, CONSTRUCTOR, ENUM, INTERFACE, FUNCTION, VARIABLE, CONSTANT = range(1, 15)
ENUM_MEMBER, STRUCT, TYPE_PARAMETER = 22, 23, 26
TYPES = (CLASS, ENUM, INTERFACE, STRUCT)
IDENTIFIER = re.compile(r"[^\W\d][\w$]*[?!]?$")


class Client:
    """A language server over stdin and stdout."""

    def __init__(self, command, root, settings=None, options=None, capabilities=None):
        self.root = os.path.realpath(root)
        self.settings = settings or {}
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, cwd=self.root)
        self.lock = threading.Lock()
        self.answers, self.last_id = {}, 0
        self.active, self.last_event, self.log = set(), time.time(), []
        threading.Thread(target=self._read, daemon=True).start()
        self.info = self.request("initialize", {
            "processId": os.getpid(),
            "rootUri": self.uri(""),
            "rootPath": self.root,
            "workspaceFolders": [{"uri": self.uri(""), "name": "root"}],
            "initializationOptions": options or {},
            "capabilities": {
                "general": {"positionEncodings": ["utf-16"]},
                "window": {"workDoneProgress": True},
                "workspace": {"symbol": {"symbolKind": {"valueSet": list(range(1, 27))}}, "configuration": True, "workspaceFolders": True, "didChangeConfiguration": {}},
                "textDocument": {
                    "synchronization": {"didSave": True},
                    "documentSymbol": {"hierarchicalDocumentSymbolSupport": True, "symbolKind": {"valueSet": list(range(1, 27))}},
                    "references": {},
                    "definition": {"linkSupport": False},
                    "declaration": {"linkSupport": False},
                    "implementation": {"linkSupport": False},
                },
                **(capabilities or {}),
            },
        }, timeout=300)
        self.notify("initialized", {})
        self.notify("workspace/didChangeConfiguration", {"settings": self.settings})

    def uri(self, path):
        return pathlib.Path(self.root, path).as_uri()

    def path(self, uri):
        """The path inside the repository, or None for one outside of it."""
        full = os.path.realpath(urllib.parse.unquote(urllib.parse.urlparse(uri).path))
        return os.path.relpath(full, self.root) if full.startswith(self.root + os.sep) else None

    def _send(self, message):
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        with self.lock:
            self.process.stdin.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
            self.process.stdin.flush()

    def notify(self, method, params):
        self._send({"method": method, "params": params})

    def request(self, method, params, timeout=600):
        with self.lock:
            self.last_id += 1
            number = self.last_id
            self.answers[number] = box = queue.Queue()
        self._send({"id": number, "method": method, "params": params})
        answer = box.get(timeout=timeout)
        del self.answers[number]
        if "error" in answer:
            raise RuntimeError(f"{method}: {answer['error'].get('message')}")
        return answer.get("result")

    def _read(self):
        stream = self.process.stdout
        while True:
            length = 0
            while line := stream.readline().strip():
                if line.lower().startswith(b"content-length:"):
                    length = int(line.split(b":")[1])
            if not length:
                for box in list(self.answers.values()):
                    box.put({"error": {"message": "the server has ended"}})
                return
            message = json.loads(stream.read(length))
            self.last_event = time.time()
            if "method" not in message:
                if box := self.answers.get(message["id"]):
                    box.put(message)
            elif "id" in message:
                self._send({"id": message["id"], "result": self._serve(message["method"], message.get("params") or {})})
            elif message["method"] == "$/progress":
                value = message["params"]["value"]
                token = str(message["params"]["token"])
                (self.active.add if value["kind"] == "begin" else self.active.discard if value["kind"] == "end" else lambda _: None)(token)
                self.log.append(value)
            elif message["method"] in ("window/logMessage", "window/showMessage", "language/status"):
                self.log.append(message["params"])

    def _serve(self, method, params):
        if method == "workspace/configuration":
            return [self._section(item.get("section")) for item in params["items"]]
        if method == "workspace/workspaceFolders":
            return [{"uri": self.uri(""), "name": "root"}]
        return None

    def _section(self, section):
        value = self.settings
        for part in (section or "").split("."):
            value = value.get(part, {}) if part and isinstance(value, dict) else value
        return value if value != {} else None if section else value

    def wait_idle(self, quiet=5, limit=900):
        """Waits until no progress is reported and nothing has been said for `quiet` seconds."""
        end = time.time() + limit
        while time.time() < end:
            time.sleep(0.5)
            if not self.active and time.time() - self.last_event > quiet:
                return
        raise RuntimeError("the server is still busy")

    def close(self):
        try:
            self.request("shutdown", None, timeout=10)
            self.notify("exit", None)
            self.process.wait(10)
        except Exception:
            self.process.kill()


class Adapter:
    """What a language needs to be asked about. Subclasses say only what differs."""

    language = ""
    command = []
    grammars = {}  # suffix → grammar of syntax.py
    language_ids = {}  # suffix → LSP's languageId (the grammar's name where missing)
    settings, options = {}, {}
    separator = "."
    quiet = 5  # seconds of silence after which the server is ready
    open_first = 0  # files to open before the server is waited for
    keep_open = 60
    always_check = False  # whether references are known to be incomplete: see Repository.check

    def prepare(self, repository):
        """Before the server starts."""

    def ready(self, repository):
        """After the server has started: waits until everything is indexed."""
        repository.client.wait_idle(self.quiet)

    def name(self, symbol, containers):
        """(qualified name, last name) of a document symbol."""
        last = symbol["name"]
        return self.separator.join([*containers, last]), last

    def kind(self, symbol, containers, repository, path):
        """One of draw.KINDS, or None for what is no definition. `containers` are kinds of document symbols."""
        number = symbol["kind"]
        if number in TYPES:
            return "type"
        if number in (METHOD, CONSTRUCTOR):
            return "method"
        if number == FUNCTION:
            return "function"
        if number in (FIELD, PROPERTY, ENUM_MEMBER):
            return "field"
        if number in (VARIABLE, CONSTANT):
            return "field" if containers and containers[-1] in TYPES else "constant"
        return None

    def adjust(self, name, last, text, column, kind):
        """(name, column, kind) of a definition whose line the tool's document symbols do not tell the whole of."""
        return name, column, kind

    def hides(self, symbol, repository, path):
        """Whether what is defined in a symbol is local to it, beside functions and methods."""
        return False

    def is_definition(self, symbol, kind, repository, path):
        """False for a mere declaration (a C prototype), which is recorded but not drawn."""
        return True

    def more_definitions(self, repository, path):
        """Definitions that the tool's document symbols lack (C's macros): (name, line, column, kind, last line)."""
        return []

    def knows(self, repository, d):
        """Whether the tool takes the name for a symbol of its own."""
        return bool(repository.mentions(d["path"], d["line"], d["column"]))

    def definitions(self, repository, d):
        """[[path, line], …] that the tool gives for a definition."""
        found = {(d["path"], d["line"])}
        for method in self.definition_requests:
            found |= set(repository.locations(method, d["path"], d["line"], d["column"]))
        return found

    definition_requests = ("textDocument/definition",)

    def is_code(self, repository, place):
        """Whether a mention is code, and not a link in a comment."""
        return True

    def exports(self, repository, mention):
        """Whether a mention exports the symbol, so that what resolves to the mention resolves to the symbol."""
        return False

    def doubtful(self, repository, d):
        """{(path, line)} that may or may not mention a definition."""
        return set()

    def certain(self, repository, path, line, column):
        """Whether the tool's answer to textDocument/definition there is more than a guess from the text."""
        return True

    def references(self, repository, d):
        """{(path, line, column)} of all mentions of a definition, declarations included."""
        return repository.mentions(d["path"], d["line"], d["column"])


class Repository:
    """A checkout with its server."""

    def __init__(self, root, adapter, skip=()):
        self.root, self.adapter, self.skip = os.path.realpath(root), adapter, list(skip)
        self.texts, self.trees, self.opened, self.symbols_of = {}, {}, [], {}
        listed = subprocess.run(["git", "ls-files"], cwd=self.root, capture_output=True, text=True, check=True).stdout.splitlines()
        self.files = [p for p in listed if os.path.splitext(p)[1] in adapter.grammars and os.path.isfile(os.path.join(self.root, p))
                      and not self.skipped(p)]
        self.files = [p for p in self.files if not draw.left_out(p, self.text(p))]
        adapter.prepare(self)
        self.client = Client(adapter.command, self.root, adapter.settings, adapter.options)
        for path in self.files[: adapter.open_first]:
            self.open(path)
        adapter.ready(self)
        self.read_symbols()

    def skipped(self, path):
        return any(fnmatch.fnmatch(path, glob) for glob in self.skip)

    def text(self, path):
        if path not in self.texts:
            with open(os.path.join(self.root, path), encoding="utf-8", errors="replace", newline="") as file:
                self.texts[path] = file.read()
        return self.texts[path]

    def lines(self, path):
        if ("lines", path) not in self.texts:
            self.texts["lines", path] = re.split("\r\n|\n|\r", self.text(path))
        return self.texts["lines", path]

    def tree(self, path):
        if path not in self.trees:
            self.trees[path] = syntax.parse(self.grammar(path), self.text(path).encode())
        return self.trees[path]

    def grammar(self, path):
        return self.adapter.grammars[os.path.splitext(path)[1]]

    def open(self, path):
        if path in self.opened:
            self.opened.remove(path)
        else:
            suffix = os.path.splitext(path)[1]
            self.client.notify("textDocument/didOpen", {"textDocument": {
                "uri": self.client.uri(path), "version": 1, "text": self.text(path),
                "languageId": self.adapter.language_ids.get(suffix, self.grammar(path)),
            }})
        self.opened.append(path)
        while len(self.opened) > self.adapter.keep_open:
            self.client.notify("textDocument/didClose", {"textDocument": {"uri": self.client.uri(self.opened.pop(0))}})

    def at(self, path, line, column):
        """Position parameters; `line` counts from 1, `column` in UTF-16 units from 0."""
        self.open(path)
        return {"textDocument": {"uri": self.client.uri(path)}, "position": {"line": line - 1, "character": column}}

    def places(self, method, params):
        """{(path, line, column)} inside the repository that a request answers."""
        try:
            answer = self.client.request(method, params) or []
        except RuntimeError as error:
            if "ended" in str(error):
                raise
            print("  ", error, file=sys.stderr)
            return set()
        found = set()
        for place in [answer] if isinstance(answer, dict) else answer:
            path = self.client.path(place.get("uri") or place["targetUri"])
            start = (place.get("range") or place["targetSelectionRange"])["start"]
            found.add((path, start["line"] + 1, start["character"]))
        return found

    def locations(self, method, path, line, column):
        return {(p, n) for p, n, _ in self.places(method, self.at(path, line, column)) if p in self.known}

    def mentions(self, path, line, column, declaration=True):
        params = {**self.at(path, line, column), "context": {"includeDeclaration": declaration}}
        found = {place for place in self.places("textDocument/references", params) if place[0] in self.known}
        return {place for place in found if self.adapter.is_code(self, place)}

    def read_symbols(self):
        """All definitions, and the extents of functions, methods and types."""
        self.known, self.taken = set(self.files), set()
        self.all, self.extents, self.by_name = [], {}, None
        for path in self.files:
            self.extents[path] = []
            self.open(path)
            answer = self.client.request("textDocument/documentSymbol", {"textDocument": {"uri": self.client.uri(path)}}) or []
            self.walk(path, answer, [], [], False)
            for name, line, column, kind, end in self.adapter.more_definitions(self, path):
                self.extents[path].append((line, end, self.add(path, name, name, line, column, kind, True)))
        defined = {d["name"] for d in self.all if d["complete"]}
        self.drawable = [d for d in self.all if d["complete"] or d["name"] not in defined]

    def walk(self, path, symbols, names, kinds, in_function):
        for symbol in symbols:
            if "location" in symbol:
                symbol = {**symbol, "range": symbol["location"]["range"], "selectionRange": symbol["location"]["range"], "children": []}
                names, kinds = [symbol["containerName"]] if symbol.get("containerName") else [], []
            name, last = self.adapter.name(symbol, names)
            kind = self.adapter.kind(symbol, kinds, self, path)
            good = kind is not None and IDENTIFIER.match(last) is not None and not in_function
            if good:
                start = symbol["selectionRange"]["start"]
                line, column = start["line"] + 1, start["character"]
                text = self.lines(path)[line - 1]
                if text[column : column + len(last)] != last and last in text:
                    column = text.index(last)
                name, column, kind = self.adapter.adjust(name, last, text, column, kind)
                if kind is not None and text[column : column + len(last)] == last:
                    complete = self.adapter.is_definition(symbol, kind, self, path)
                    d = self.add(path, name, last, line, column, kind, complete)
                    if kind in ("function", "method", "type"):
                        self.extents[path].append((symbol["range"]["start"]["line"] + 1, symbol["range"]["end"]["line"] + 1, d))
            inner = in_function or self.adapter.hides(symbol, self, path) or (kind in ("function", "method")) or (not good and symbol["kind"] in (FUNCTION, METHOD, CONSTRUCTOR))
            self.walk(path, symbol.get("children") or [], [*names, last] if good else names,
                      [*kinds, symbol["kind"]] if good else kinds, inner)

    def add(self, path, name, last, line, column, kind, complete):
        d = {"name": name, "last": last, "path": path, "line": line, "column": column, "kind": kind, "complete": complete}
        self.all.append(d)
        return d

    def named(self, last):
        """All definitions with a last name."""
        if self.by_name is None:
            self.by_name = {}
            for d in self.all:
                self.by_name.setdefault(d["last"], []).append(d)
        return self.by_name.get(last, [])

    def enclosing(self, path, line):
        """The innermost function, method or type around a line that is not itself inside a function."""
        best = None
        for start, end, d in self.extents.get(path, ()):
            if start <= line <= end and (best is None or end - start <= best[0]):
                best = (end - start, d)
        return best and best[1]

    def node(self, path, line, column):
        """The leaf of the syntax tree at a mention (which may be an alias: another name)."""
        utf16 = self.lines(path)[line - 1].encode("utf-16-le")
        start = len(utf16[: column * 2].decode("utf-16-le", "replace").encode())
        return syntax.leaf(self.tree(path), line - 1, start, start + 1)

    def place(self, path, node):
        row, start = node.start_point
        before = self.lines(path)[row].encode()[:start].decode("utf-8", "replace")
        return path, row + 1, len(before.encode("utf-16-le")) // 2

    def role(self, path, line, column, d):
        if any((path, line, column) == (other["path"], other["line"], other["column"]) for other in self.named(d["last"])):
            return "override"
        node = self.node(path, line, column)
        if node.type == "preproc_arg":  # the body of a macro
            after = self.lines(path)[line - 1][column + len(d["last"]) :].lstrip()
            return "type" if d["kind"] == "type" else "call" if after[:1] == "(" else "write" if re.match("=[^=]", after) else "read"
        return syntax.ROLES[self.grammar(path)](self.node(path, line, column), d["kind"])

    def resolved(self, d):
        """(definitions, mentions) of a definition: {(path, line)}, {(path, line, column)}; kept, since impact asks again."""
        key = d["path"], d["line"], d["column"]
        if key not in self.symbols_of:
            definitions, mentions = self.adapter.definitions(self, d), self.adapter.references(self, d)
            if self.adapter.always_check:
                missed, _ = self.check(d, definitions, mentions, 150)
                mentions |= self.adapter.closure(self, missed)
            mentions = {m for m in mentions if (m[0], m[1]) not in definitions}
            self.symbols_of[key] = definitions, mentions
        return self.symbols_of[key]

    def referenced(self, d):
        """How many mentions there are; None where the tool does not know the symbol, where it finds no mention but there
        are identifiers of that name that it cannot resolve, where there are more than 400, and for another definition of a
        symbol that has been drawn."""
        if (d["path"], d["line"]) in self.taken or not self.adapter.knows(self, d):
            return None
        definitions, mentions = self.resolved(d)
        if not mentions:
            missed, unresolved = self.check(d, definitions, mentions)
            mentions |= missed
            if unresolved != [] and not mentions:
                return None
        if mentions:
            self.taken |= definitions
        return len(mentions) if len(mentions) <= 400 else None

    def impact(self, d, steps=3, most=300):
        files, seen, frontier = set(), {(d["path"], d["line"])}, [d]
        for step in range(steps):
            following = []
            for current in frontier:
                for path, line, column in self.resolved(current)[1]:
                    files.add(path)
                    around = self.enclosing(path, line)
                    if around is not None and (around["path"], around["line"]) not in seen:
                        seen.add((around["path"], around["line"]))
                        following.append(around)
                if len(seen) > most + 1:
                    return None
            frontier = following
        return sorted(files)

    def occurrences(self, last):
        """Every identifier of the repository that reads `last`: (path, line, column in UTF-16 units)."""
        if not hasattr(self, "words"):
            self.words = {}
            for path in self.files:
                lines = self.lines(path)
                for text, row, start in syntax.identifiers(self.tree(path)):
                    if row < len(lines):
                        column = len(lines[row].encode()[:start].decode("utf-8", "replace").encode("utf-16-le")) // 2
                        self.words.setdefault(text, []).append((path, row + 1, column))
        return self.words.get(last, [])

    def check(self, d, definitions, mentions, most=400):
        """Asks for the definition of every other identifier of the same name: (mentions that were missed, unresolved lines).

        A mention is missed if its definition is the symbol's; unresolved if the tool knows none. None: too many to ask.
        """
        lines = {(p, n) for p, n, _ in mentions} | definitions
        targets = definitions | {(m[0], m[1]) for m in mentions if self.adapter.exports(self, m)}
        columns = {c for p, n, c in mentions if (p, n) in definitions}
        rest = [o for o in self.occurrences(d["last"]) if (o[0], o[1]) not in lines]
        if len(rest) > most:
            return set(), None
        missed, unresolved = set(), self.adapter.doubtful(self, d) - lines
        defined = {(x["path"], x["line"]) for x in self.named(d["last"])}
        for path, line, column in rest:
            if (path, line) in defined:
                continue
            places = self.places("textDocument/definition", self.at(path, line, column))
            if places and not self.adapter.certain(self, path, line, column):
                places = set()
            # Not a parameter that has the name of its function and stands on the same line.
            if any((p, n) in targets and ((p, n) not in definitions or not columns or c in columns) for p, n, c in places):
                missed.add((path, line, column))
            elif not places:
                unresolved.add((path, line))
            elif {(p, n) for p, n, _ in places} <= unresolved:
                unresolved.add((path, line))  # a local that is bound to an unresolved one of the same name
        return missed, sorted(unresolved)

    def truth(self, d):
        definitions, mentions = self.resolved(d)
        missed, unresolved = self.check(d, definitions, mentions)
        mentions |= missed
        entry = {
            "name": d["name"], "path": d["path"], "line": d["line"], "kind": d["kind"], "namesakes": d["namesakes"],
            "definitions": sorted(map(list, definitions)),
            "references": sorted({(p, n, self.role(p, n, c, d)) for p, n, c in mentions}),
            "unresolved": unresolved,
            "impact": self.impact(d),
        }
        return entry, missed


# ---------------------------------------------------------------------------------------------------------------- languages

TOOLS = os.environ.get("TRUTH_TOOLS", "")


def tool(name):
    """A program from the folder $TRUTH_TOOLS, or from PATH."""
    for folder in ("venv/bin", "npm/node_modules/.bin", "bin"):
        if TOOLS and os.path.exists(os.path.join(TOOLS, folder, name)):
            return os.path.join(TOOLS, folder, name)
    return name


class Python(Adapter):
    language = "python"
    command = [tool("pyright-langserver"), "--stdio"]
    grammars = {".py": "python"}
    settings = {"python": {"analysis": {"autoSearchPaths": True, "useLibraryCodeForTypes": True, "diagnosticMode": "openFilesOnly",
                                        "indexing": True}}}
    keep_open = 400

    def prepare(self, repository):
        interpreter = os.environ.get("TRUTH_PYTHON")
        if interpreter:
            self.settings["python"]["pythonPath"] = interpreter

    def kind(self, symbol, containers, repository, path):
        if symbol["kind"] == VARIABLE and symbol["name"].startswith("__") and symbol["name"] != "__all__":
            return None if not containers else "field"
        return super().kind(symbol, containers, repository, path)

    def definitions(self, repository, d):
        # pyright takes every assignment for a declaration: of a variable, only the drawn line is its definition.
        if d["kind"] in ("field", "constant") and not self.is_property(repository, d):
            return {(d["path"], d["line"])}
        return super().definitions(repository, d)

    def is_property(self, repository, d):
        return re.match(r"\s*(async\s+)?def\b", repository.lines(d["path"])[d["line"] - 1]) is not None


class Go(Adapter):
    language = "go"
    command = [tool("gopls"), "serve"]
    grammars = {".go": "go"}
    quiet = 10
    keep_open = 30

    def name(self, symbol, containers):
        match = re.match(r"\(\*?(\w+)(?:\[[^\]]*\])?\)\.(\w+)$", symbol["name"])
        if match:
            return f"{match[1]}.{match[2]}", match[2]
        return super().name(symbol, containers)

    def kind(self, symbol, containers, repository, path):
        number = symbol["kind"]
        if symbol["name"] in ("init", "_"):
            return None
        start = symbol["selectionRange"]["start"]
        text = repository.lines(path)[start["line"]]
        if not containers and re.match(r"\s*type\b", text) or (number not in (FIELD, METHOD, FUNCTION, VARIABLE, CONSTANT)):
            return "type" if number not in (FIELD,) else "field"
        return super().kind(symbol, containers, repository, path)


class Script(Adapter):
    """JavaScript and TypeScript."""

    command = [tool("typescript-language-server"), "--stdio"]
    options = {"tsserver": {"path": os.path.join(TOOLS, "npm/node_modules/typescript/lib") if TOOLS else ""},
               "maxTsServerMemory": 6000, "disableAutomaticTypingAcquisition": True}
    keep_open = 20
    open_first = 1

    def hides(self, symbol, repository, path):
        start = symbol["selectionRange"]["start"]
        declarator = repository.node(path, start["line"] + 1, start["character"]).parent
        value = declarator and declarator.type == "variable_declarator" and declarator.child_by_field_name("value")
        return bool(value) and value.type in ("arrow_function", "function_expression")

    def kind(self, symbol, containers, repository, path):
        kind = super().kind(symbol, containers, repository, path)
        if kind == "constant" and self.hides(symbol, repository, path):
            kind = "function"
        end = symbol["selectionRange"]["end"]
        rest = repository.lines(path)[end["line"]][end["character"] :].strip()
        start = symbol["selectionRange"]["start"]
        node = repository.node(path, start["line"] + 1, start["character"])
        around = [a.type for a in syntax.ancestors(node)]
        if "ambient_declaration" in around and "module" in around or symbol["name"] == "default":
            return None  # declare module 'library' { … } adds to what is defined elsewhere
        if kind == "constant" and around[:1] == ["type_alias_declaration"]:
            return "type"
        if kind == "constant" and ("export_specifier" in around or syntax.role_javascript(node, "constant") == "import"):
            return None
        if kind == "constant" and containers:
            return None  # a local of a function that is bound to a name
        if kind == "field" and not (containers and containers[-1] in TYPES) and rest[:1] in ("", ",", "}"):
            return None  # { name }: a mention
        return kind

    def adjust(self, name, last, text, column, kind):
        if kind == "constant" and re.search(r"=\s*(await\s+)?(require|import)\s*\(", text):
            return name, column, None  # an import
        assigned = re.match(r"(?:\s|.*[=\s])?([\w$.]+)\." + re.escape(last) + r"\s*=[^=]", text)
        if assigned and kind == "function" and ".prototype" in assigned[1]:
            kind = "method"
        if assigned and kind in ("function", "method", "field", "constant") and "." not in name:
            owner = re.sub(r"\.prototype$", "", assigned[1])
            column = assigned.end(1) + 1
            if not re.match(r"(module\.)?exports$|this$", owner):
                name, kind = f"{owner}.{last}", "method" if kind == "function" else kind
        return name, column, kind

    def is_code(self, repository, place):
        return repository.node(*place).type != "comment"

    def knows(self, repository, d):
        # A property of a literal may be that of an interface elsewhere: `get` of a property descriptor.
        places = repository.places("textDocument/definition", repository.at(d["path"], d["line"], d["column"]))
        return any((path, line) == (d["path"], d["line"]) for path, line, _ in places)

    def references(self, repository, d):
        found = super().references(repository, d)
        definitions = self.definitions(repository, d)
        for other in repository.named(d["last"]):  # a type and a constant of one name
            if other is not d and (other["path"], other["line"]) in definitions:
                found |= repository.mentions(other["path"], other["line"], other["column"])
        return self.closure(repository, found)

    def closure(self, repository, found):
        """Also what names that are bound to `require(…)` stand for: tsserver often stops at the binding."""
        found, asked = set(found), set()
        while bindings := [b for b in (self.binding(repository, m) for m in found) if b is not None and b not in asked]:
            for binding in bindings:
                asked.add(binding)
                found |= repository.mentions(*binding)
        return found

    def exports(self, repository, mention):
        return "exports" in repository.text(mention[0]) and syntax.export_javascript(repository.node(*mention)) is not None

    def binding(self, repository, mention):
        """Where the name stands that a mention gets when it is exported or imported: `module.exports = { a: mention }`,
        `exports.a = mention`, `const { mention: a } = require(…)`, `const a = require(…).mention`."""
        path, line, _ = mention
        if not re.search(r"\brequire\b|\bexports\b", repository.text(path)):
            return None
        node = repository.node(*mention)
        if exported := syntax.export_javascript(node):
            return repository.place(path, exported)
        if syntax.role_javascript(node, "constant") != "import":
            return None
        if syntax.is_field(node, "key") and node.parent.type == "pair_pattern":
            node = node.parent.child_by_field_name("value")
        elif node.parent is not None and node.parent.type == "member_expression":
            declarator = next((a for a in syntax.ancestors(node) if a.type == "variable_declarator"), None)
            node = declarator and declarator.child_by_field_name("name")
        if node is None or "identifier" not in node.type:
            return None
        return repository.place(path, node)


class JavaScript(Script):
    language = "javascript"
    always_check = True
    grammars = {".js": "javascript", ".cjs": "javascript", ".mjs": "javascript", ".ts": "typescript"}


class TypeScript(Script):
    language = "typescript"
    grammars = {".ts": "typescript", ".mts": "typescript", ".cts": "typescript", ".tsx": "tsx", ".js": "javascript",
                ".mjs": "javascript", ".cjs": "javascript"}
    language_ids = {".tsx": "typescriptreact"}


class C(Adapter):
    language = "c"
    command = [tool("clangd"), "--background-index", "-j=2", "--log=error", "--limit-references=0", "--limit-results=0",
               "--header-insertion=never", "--clang-tidy=0"]
    grammars = {".c": "c", ".h": "c"}
    quiet = 20
    open_first = 1
    keep_open = 12
    definition_requests = ("textDocument/definition", "textDocument/declaration")

    def __init__(self):
        self.bodies, self.pasted = {}, {}

    def name(self, symbol, containers):
        if symbol["kind"] in TYPES or symbol["kind"] == ENUM_MEMBER:
            containers = []  # C does not nest them
        return super().name(symbol, containers)

    def kind(self, symbol, containers, repository, path):
        kind = "constant" if symbol["kind"] == ENUM_MEMBER else super().kind(symbol, containers, repository, path)
        text = self.extent(symbol, repository, path)
        if kind == "type" and "{" not in text and (symbol["kind"] != CLASS or "typedef" not in text):
            return None  # struct name;
        return kind

    def extent(self, symbol, repository, path):
        start, end = symbol["range"]["start"]["line"], symbol["range"]["end"]["line"]
        return "\n".join(repository.lines(path)[start : end + 1])

    def is_definition(self, symbol, kind, repository, path):
        return kind != "function" or "{" in self.extent(symbol, repository, path)

    def more_definitions(self, repository, path):
        lines, before = repository.lines(path), ""
        for number, line in enumerate(lines, 1):
            if match := re.match(r"\s*#\s*define\s+(\w+)(\(?)", line):
                guard = re.match(r"\s*#\s*(ifndef\s+|if\s+!\s*defined\W+)" + match[1] + r"\b", before)
                end = number
                while end < len(lines) and lines[end - 1].rstrip().endswith("\\"):
                    end += 1
                if not guard or number > 60 or not path.endswith(".h"):
                    self.bodies.setdefault(match[1], []).append((path, number, end, match.end(1)))
                    yield match[1], number, match.start(1), "function" if match[2] else "constant", end
            before = line

    def definitions(self, repository, d):
        place = d["path"], d["line"], d["column"]
        declarations = repository.mentions(*place) - repository.mentions(*place, declaration=False)
        found = super().definitions(repository, d) | {(path, line) for path, line, _ in declarations}
        found |= {(other["path"], other["line"]) for other in self.twins(repository, d)}
        return {(path, line) for path, line in found if re.search(rf"\b{d['last']}\b", repository.lines(path)[line - 1])}

    def twins(self, repository, d):
        """The structure of `typedef struct name name`, or this typedef of a structure: one type to a reader."""
        def is_typedef(t):
            return re.search(rf"typedef\s+(struct|union|enum)\s+{t['last']}\b", repository.lines(t["path"])[t["line"] - 1]) is not None

        return [other for other in repository.named(d["last"]) if d["kind"] == other["kind"] == "type" and other is not d
                and is_typedef(d) != is_typedef(other) and (d["path"] == other["path"] or d["path"].endswith(".h") or other["path"].endswith(".h"))]

    def certain(self, repository, path, line, column):
        # clangd guesses in code that the preprocessor leaves out, but says nothing on hovering there.
        return repository.client.request("textDocument/hover", repository.at(path, line, column)) is not None

    def references(self, repository, d):
        found = super().references(repository, d)
        for other in self.twins(repository, d):
            found |= repository.mentions(other["path"], other["line"], other["column"])
        # Where a macro is expanded that has the name in its body, the mention is in the body.
        named, pasted = set(), set()
        for path, line, column in found:
            word = re.match(r"\w*", repository.lines(path)[line - 1][column:])[0]
            if word == d["last"]:
                named.add((path, line, column))
            elif inside := self.in_macro(repository, word, d["last"]):
                named |= inside
            else:
                pasted.add((path, line))
        self.pasted[d["path"], d["line"]] = pasted
        return named

    def in_macro(self, repository, macro, last, depth=4):
        """Where `last` stands in the body of a macro, or of one that it expands."""
        found = set()
        for path, start, end, after in self.bodies.get(macro, ()):
            for number in range(start, end + 1):
                text = repository.lines(path)[number - 1]
                for word in re.finditer(r"\w+", text):
                    if number == start and word.start() < after:
                        continue
                    if word[0] == last:
                        found.add((path, number, word.start()))
                    elif depth and word[0] != macro and word[0] in self.bodies:
                        found |= self.in_macro(repository, word[0], last, depth - 1)
        return found

    def doubtful(self, repository, d):
        """Expansions that paste the name together, and bodies of macros with the name that are never expanded."""
        found = set(self.pasted.get((d["path"], d["line"]), ()))
        for macro in self.bodies:
            found |= {(path, line) for path, line, _ in self.in_macro(repository, macro, d["last"], 0)}
        return found


ADAPTERS = {a.language: a for a in (Python, Go, JavaScript, TypeScript, C)}


# --------------------------------------------------------------------------------------------------------------------- main

def write(path, record):
    """JSON with one symbol a block and one reference a line, keys sorted."""
    symbols = record["symbols"]
    head = json.dumps({**record, "symbols": []}, indent=1, sort_keys=True, ensure_ascii=False)
    blocks = []
    for symbol in symbols:
        parts = []
        for key in sorted(symbol):
            value = symbol[key]
            if key == "references" and value:
                text = "[\n" + ",\n".join("    " + json.dumps(list(r), ensure_ascii=False) for r in value) + "\n   ]"
            else:
                text = json.dumps(value, ensure_ascii=False)
            parts.append(f"   {json.dumps(key)}: {text}")
        blocks.append("  {\n" + ",\n".join(parts) + "\n  }")
    body = head.replace('"symbols": []', '"symbols": [\n' + ",\n".join(blocks) + "\n ]")
    with open(path, "w", encoding="utf-8") as file:
        file.write(body + "\n")


def load_adapter(args):
    if not args.adapter:
        return ADAPTERS[args.language]()
    spec = importlib.util.spec_from_file_location("adapter", args.adapter)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.ADAPTER


def main():
    args = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    args.add_argument("what", choices=["definitions", "truth"])
    args.add_argument("--language", default="")
    args.add_argument("--adapter", help="a Python file with ADAPTER")
    args.add_argument("--root", required=True)
    args.add_argument("--out", required=True)
    args.add_argument("--repository", default="")
    args.add_argument("--tool", default="")
    args.add_argument("--set", default="dev", choices=["dev", "held-out"])
    args.add_argument("--seed", type=int, default=7)
    args.add_argument("--count", type=int, default=30)
    args.add_argument("--skip", action="append", default=[], metavar="GLOB", help="files that are no part of the truth (repeatable)")
    args.add_argument("--skipped", default="", help="the reason, in words")
    args = args.parse_args()

    began = time.time()
    adapter = load_adapter(args)
    repository = Repository(args.root, adapter, args.skip)
    print(f"{len(repository.files)} files, {len(repository.drawable)} definitions, {time.time() - began:.0f} s", file=sys.stderr)
    if args.what == "definitions":
        with open(args.out, "w") as file:
            json.dump(repository.drawable, file, indent=1)
        return repository.client.close()

    def referenced(d):
        return repository.referenced(d)

    drawn = draw.draw(repository.drawable, args.seed, referenced, args.count)
    symbols, gaps = [], 0
    for number, d in enumerate(drawn, 1):
        entry, missed = repository.truth(d)
        symbols.append(entry)
        gaps += len(missed)
        print(f"{number:3} {d['kind']:9} {d['name']:50} {len(entry['references']):5} references, "
              f"unresolved {len(entry['unresolved']) if entry['unresolved'] is not None else 'many'}, "
              f"impact {len(entry['impact']) if entry['impact'] is not None else 'too wide'}", file=sys.stderr)
        for m in sorted(missed):
            print("      MISSED", *m, file=sys.stderr)
    commit = subprocess.run(["git", "rev-parse", "HEAD"], cwd=args.root, capture_output=True, text=True, check=True).stdout.strip()
    write(args.out, {"repository": args.repository, "commit": commit, "language": adapter.language, "tool": args.tool,
                     "set": args.set, "skipped": args.skipped, "skip": args.skip, "seed": args.seed, "symbols": symbols})
    print(f"{len(symbols)} symbols, {gaps} missed mentions, {time.time() - began:.0f} s", file=sys.stderr)
    repository.client.close()


if __name__ == "__main__":
    main()
