"""Drives `craig lsp` as editors do: pytest-lsp (PyPI) with the capabilities that real editors declare.

Run by scripts/lsp-check, which installs it: CRAIG names the program, PROJECT a folder with documentation and code.
"""

import ast
import asyncio
import os
import pathlib
import time
import warnings

import pytest
import pytest_lsp
from lsprotocol import types
from pytest_lsp import ClientServerConfig, LanguageClient, LspSpecificationWarning, client_capabilities
from pytest_lsp.client import make_test_lsp_client

PROJECT = pathlib.Path(os.environ["PROJECT"])
EDITORS = ["neovim@v0.6", "neovim@v0.7", "neovim@v0.8", "neovim@v0.9", "neovim@v0.10", "neovim@v0.11", "emacs", "visual-studio-code"]
UNITS = {"utf-8": lambda text: len(text.encode()), "utf-16": lambda text: len(text.encode("utf-16-le")) // 2, "utf-32": len}
PATH = PROJECT / "lib" / "client.js"
URI = PATH.as_uri()
CODE = PATH.read_text()


def make_client():
    """A client that keeps what Craig tells of its folders, and the registrations that it asks for."""
    client = make_test_lsp_client()
    client.statuses, client.registered = [], []
    client.feature("$/craig/status")(lambda params: client.statuses.append(params))

    @client.feature(types.CLIENT_REGISTER_CAPABILITY)
    def register(params: types.RegistrationParams):
        client.registered.extend(params.registrations)

    return client


CONFIG = ClientServerConfig(server_command=[os.environ["CRAIG"], "lsp"], client_factory=make_client, server_env=dict(os.environ))


async def begin(client, capabilities, folders=(PROJECT,)):
    """Shakes hands, opens the file and waits until the documentation can be asked."""
    named = [types.WorkspaceFolder(uri=folder.as_uri(), name=folder.name) for folder in folders]
    params = types.InitializeParams(capabilities=capabilities, workspace_folders=named, root_uri=folders[0].as_uri())
    result = await client.initialize_session(params)
    item = types.TextDocumentItem(uri=URI, language_id="javascript", version=1, text=CODE)
    client.text_document_did_open(types.DidOpenTextDocumentParams(text_document=item))
    await until(lambda: len([s for s in client.statuses if s.state in ("ready", "inactive")]) >= len(folders))
    return result


async def until(holds, seconds=20):
    deadline = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < deadline, "it does not happen"
        await asyncio.sleep(0.01)


@pytest_lsp.fixture(params=EDITORS, config=CONFIG)
async def client(lsp_client: LanguageClient, request):
    lsp_client.answer = await begin(lsp_client, client_capabilities(request.param))
    yield
    await lsp_client.shutdown_session()
    assert lsp_client._server.returncode == 0


def place(line_of, column_of="", unit="utf-16", text=CODE):
    """The position of `column_of` in the first line that holds `line_of`."""
    number, line = next((n, line) for n, line in enumerate(text.splitlines()) if line_of in line)
    return types.Position(line=number, character=UNITS[unit](line[: line.index(column_of or line_of)]))


async def hover(client, position):
    document = types.TextDocumentIdentifier(uri=URI)
    return await client.text_document_hover_async(types.HoverParams(text_document=document, position=position))


async def symbols(client, query):
    found = await client.workspace_symbol_async(types.WorkspaceSymbolParams(query=query))
    return [(symbol.name, symbol.location.uri, symbol.location.range.start.line) for symbol in found]


async def execute(client, command, *arguments):
    return await client.workspace_execute_command_async(types.ExecuteCommandParams(command=command, arguments=list(arguments)))


def fields(answer):
    """An answer as a dictionary, however the client has read it."""
    return answer if isinstance(answer, dict) else answer._asdict()


@pytest.mark.asyncio
async def test_a_person_reads_code(client: LanguageClient):
    unit = client.answer.capabilities.position_encoding or "utf-16"
    # A name behind characters that take other numbers of units in each encoding.
    shown = await hover(client, place("/* é😀 */ request", "request", unit))
    lines = shown.contents.value.splitlines()
    assert "Performs a request" in lines[0] and 2 <= len(lines) <= 3, lines
    assert "docs/api/client.md" in lines[-1]
    assert await hover(client, place("flushInner")) is None

    selection = types.Range(start=place("request (options)", "/*"), end=place("flushInner"))
    params = types.CodeActionParams(
        text_document=types.TextDocumentIdentifier(uri=URI), range=selection, context=types.CodeActionContext(diagnostics=[]))
    (action,) = await client.text_document_code_action_async(params)
    # lsprotocol 2025.0.0 takes an action that has a command for that command, and its name for the text of both.
    command = ast.literal_eval(action.command)
    assert command["command"] == "craig.explain"
    explained = fields(await execute(client, command["command"], *command["arguments"]))
    assert explained["symbol"] == "request" and "docs/api/client.md" in explained["markdown"]
    if client.capabilities.window.show_document and client.capabilities.window.show_document.support:
        await until(lambda: client.shown_documents)
        page = pathlib.Path(client.shown_documents[0].uri.removeprefix("file://"))
        assert page.read_text() == explained["markdown"]
    else:
        await until(lambda: client.messages)
        assert "Performs a request" in client.messages[0].message
    other = types.CodeActionContext(diagnostics=[], only=[types.CodeActionKind.QuickFix])
    params = types.CodeActionParams(text_document=types.TextDocumentIdentifier(uri=URI), range=selection, context=other)
    assert not await client.text_document_code_action_async(params)

    assert ("client.close()", (PROJECT / "docs/api/client.md").as_uri(), 12) in await symbols(client, "close")
    progress = [report.kind for reports in client.progress_reports.values() for report in reports]
    assert progress[:1] == ["begin"] and progress.count("begin") == progress.count("end")


@pytest.mark.asyncio
async def test_a_person_types(client: LanguageClient):
    """Every change is a part of the text, in the units that were agreed; the last hover sees them all."""
    unit = client.answer.capabilities.position_encoding or "utf-16"
    text = CODE
    for number, (line_of, column_of, added) in enumerate([
        ("'use strict'", "'use", "// 😀é\n"), ("/* é😀 */ request", "request", "/* 😀 */ "), ("// 😀é", "é", "ü")]):
        at = place(line_of, column_of, unit, text)
        before = text.splitlines(keepends=True)
        index = before[at.line].index(column_of)
        before[at.line] = before[at.line][:index] + added + before[at.line][index:]
        text = "".join(before)
        change = types.TextDocumentContentChangePartial(range=types.Range(start=at, end=at), text=added)
        document = types.VersionedTextDocumentIdentifier(uri=URI, version=number + 2)
        client.text_document_did_change(types.DidChangeTextDocumentParams(text_document=document, content_changes=[change]))
    shown = await hover(client, place("/* é😀 */", "request", unit, text))
    assert "Performs a request" in shown.contents.value
    assert await hover(client, types.Position(line=10_000, character=10_000)) is None


@pytest.mark.asyncio
async def test_documentation_is_written_meanwhile(client: LanguageClient):
    page = PROJECT / "docs" / "inner.md"
    watched = client.capabilities.workspace.did_change_watched_files
    registers = bool(watched and watched.dynamic_registration)
    settings = client.capabilities.workspace.did_change_configuration
    announced = [("workspace/didChangeWatchedFiles", registers), ("workspace/didChangeConfiguration", settings and settings.dynamic_registration)]
    assert [r.method for r in client.registered] == [method for method, can in announced if can]
    try:
        page.write_text("# Inner\n\n## `client.flushInner()`\n\nWrites what is queued to the socket.\n")
        if registers:
            event = types.FileEvent(uri=page.as_uri(), type=types.FileChangeType.Created)
            client.workspace_did_change_watched_files(types.DidChangeWatchedFilesParams(changes=[event]))
        ready = lambda: [s for s in client.statuses if s.state == "ready"]
        await until(lambda: ready()[-1].files == 3)
        assert "Writes what is queued" in (await hover(client, place("flushInner"))).contents.value
    finally:
        page.unlink()


@pytest.mark.asyncio
async def test_code_is_searched(client: LanguageClient):
    found = fields(await execute(client, "craig.search", {"query": "flushInner", "limit": 3}))
    best = fields(found["hits"][0])
    assert best["uri"] == URI and 0 < best["score"] <= 1, best
    given = fields(await execute(client, "craig.context", {"message": "how does `request` work?", "minScore": 0, "uri": URI}))
    assert "request" in given["markdown"] and given["blocks"]
    # Definitions of code are symbols once it is ingested.
    assert ("flushInner", URI, place("flushInner").line) in await symbols(client, "flushin")
    for arguments in [{}, {"query": ""}, {"query": "x", "limit": "many"}, {"query": "x", "uri": "file:///elsewhere/a.js"}]:
        with pytest.raises(Exception):
            await execute(client, "craig.search", arguments)


@pytest.mark.asyncio
async def test_symbols_are_navigated(client: LanguageClient):
    """Only for languages that the settings name: other servers may answer for the rest."""
    unit = client.answer.capabilities.position_encoding or "utf-16"
    document, at = types.TextDocumentIdentifier(uri=URI), place("module.exports", "Client", unit)
    asks = lambda: client.text_document_definition_async(types.DefinitionParams(text_document=document, position=at))
    await execute(client, "craig.search", {"query": "flushInner"})
    assert not await asks()
    client.statuses.clear()
    client.workspace_did_change_configuration(types.DidChangeConfigurationParams(settings={"craig": {"lsp": {"languages": ["javascript"]}}}))
    await until(lambda: [s for s in client.statuses if s.state == "ready"])
    (found,) = await asks()
    assert (found.uri, found.range.start) == (URI, place("class Client", "Client", unit))
    context = types.ReferenceContext(include_declaration=False)
    params = types.ReferenceParams(text_document=document, position=found.range.start, context=context)
    assert [(one.uri, one.range.start) for one in await client.text_document_references_async(params)] == [(URI, at)]
    (outline,) = await client.text_document_document_symbol_async(types.DocumentSymbolParams(text_document=document))
    assert outline.name == "Client" and [child.name for child in outline.children] == ["request", "flushInner", "close"]
    marked = await client.text_document_document_highlight_async(types.DocumentHighlightParams(text_document=document, position=at))
    assert {mark.range.start.line for mark in marked} == {at.line, found.range.start.line}


@pytest.mark.asyncio
async def test_requests_are_cancelled(client: LanguageClient):
    """A cancelled request is answered once, as cancelled or with its answer, and the session goes on."""
    asked = [client.protocol.send_request_async("workspace/symbol", types.WorkspaceSymbolParams(query="c"), msg_id=f"s{n}") for n in range(20)]
    asked = [asyncio.ensure_future(one) for one in asked]
    await asyncio.sleep(0)
    for n in range(20):
        client.protocol.notify("$/cancelRequest", types.CancelParams(id=f"s{n}"))
    answers = await asyncio.wait_for(asyncio.gather(*asked, return_exceptions=True), 20)
    codes = {getattr(answer, "code", None) for answer in answers if isinstance(answer, Exception)}
    assert codes <= {-32800} and len(answers) == 20, codes
    unit = client.answer.capabilities.position_encoding or "utf-16"
    assert await hover(client, place("/* é😀 */ request", "request", unit)) is not None


@pytest_lsp.fixture(params=list(UNITS), config=CONFIG)
async def encoded(lsp_client: LanguageClient, request):
    capabilities = client_capabilities("visual-studio-code")
    capabilities.general.position_encodings = [types.PositionEncodingKind(request.param)]
    lsp_client.answer = await begin(lsp_client, capabilities)
    yield
    await lsp_client.shutdown_session()


@pytest.mark.asyncio
async def test_columns_count_in_any_encoding(encoded: LanguageClient, request):
    unit = encoded.answer.capabilities.position_encoding
    assert unit in request.node.name
    name = place("/* é😀 */ request", "request", unit)
    assert await hover(encoded, name) is not None
    # In units of another encoding the same number lies elsewhere on the line: before the name, where no name is.
    assert name.character == {"utf-8": 15, "utf-16": 12, "utf-32": 11}[unit]


@pytest_lsp.fixture(config=CONFIG)
async def two_folders(lsp_client: LanguageClient, tmp_path):
    """A project of scripts and one without, whose documentation is shown only to those who ask."""
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "tool.md").write_text(
        "# Tool\n\n## `run_tool(arguments)`\n\nRuns the tool with all its arguments. Call `run_tool` once.\n\n```python\nrun_tool([1])\n```\n"
    )
    (tmp_path / "tool.py").write_text("def run_tool(arguments):\n    return arguments\n")
    lsp_client.other = tmp_path
    await begin(lsp_client, client_capabilities("visual-studio-code"), (PROJECT, tmp_path))
    yield
    await lsp_client.shutdown_session()


@pytest.mark.asyncio
async def test_folders_are_apart(two_folders: LanguageClient):
    client, path = two_folders, two_folders.other / "tool.py"
    states = {pathlib.Path(s.folder).name: s.state for s in client.statuses}
    assert states == {PROJECT.name: "ready", client.other.name: "inactive"}
    item = types.TextDocumentItem(uri=path.as_uri(), language_id="python", version=1, text=path.read_text())
    client.text_document_did_open(types.DidOpenTextDocumentParams(text_document=item))
    document, at = types.TextDocumentIdentifier(uri=path.as_uri()), types.Position(line=0, character=5)
    asks = lambda: client.text_document_hover_async(types.HoverParams(text_document=document, position=at))
    assert await asks() is None and not (client.other / ".aidocs").exists()
    explained = fields(await execute(client, "craig.explain", {"uri": path.as_uri()}))
    assert "Runs the tool" in explained["explanation"]
    assert await asks() is None, "it is still shown only to those who ask"
    client.statuses.clear()
    client.workspace_did_change_configuration(types.DidChangeConfigurationParams(settings={"craig": {"explain": {"activation": "always"}}}))
    await until(lambda: [s for s in client.statuses if s.folder == str(client.other) and s.state == "ready"])
    assert "Runs the tool" in (await asks()).contents.value
    gone = types.WorkspaceFoldersChangeEvent(added=[], removed=[types.WorkspaceFolder(uri=client.other.as_uri(), name="x")])
    client.workspace_did_change_workspace_folders(types.DidChangeWorkspaceFoldersParams(event=gone))
    assert await asks() is None


@pytest.fixture(autouse=True)
def what_the_protocol_forbids_fails():
    with warnings.catch_warnings():
        warnings.simplefilter("error", LspSpecificationWarning)
        yield
