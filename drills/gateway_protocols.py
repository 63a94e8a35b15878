"""The gateway's protocols: what a provider of each sends, and how a client of each reads it. Whatever a client gets must be well formed."""

import json

PATHS = {"chat": "/v1/chat/completions", "responses": "/v1/responses", "messages": "/v1/messages"}
PROTOCOLS = list(PATHS)
PAIRS = [(client, provider) for client in PROTOCOLS for provider in PROTOCOLS if client != provider]


def protocol_of(path):
    return next((name for name, known in PATHS.items() if path.endswith(known.removeprefix("/v1"))), "chat")


def request(protocol, model, stream, text="hello"):
    turns = [{"role": "user", "content": text}]
    body = {"model": model, "stream": stream, ("input" if protocol == "responses" else "messages"): turns}
    return body | ({"max_tokens": 99} if protocol == "messages" else {})


# What a provider sends.

def event(protocol, data):
    name = "" if protocol == "chat" else f"event: {data['type']}\n"
    return f"{name}data: {json.dumps(data)}\n\n"


def chunk(**choice):
    return event("chat", {"choices": [{"index": 0, "delta": {}, "finish_reason": None, **choice}]})


def start(protocol):
    match protocol:
        case "chat":
            return []
        case "responses":
            return [event(protocol, {"type": "response.created", "response": {"id": "resp_1", "model": "m", "status": "in_progress"}})]
        case "messages":
            message = {"id": "msg_1", "type": "message", "role": "assistant", "model": "m", "content": [], "usage": {"input_tokens": 1}}
            text = {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}}
            return [event(protocol, {"type": "message_start", "message": message}), event(protocol, text)]


def piece(protocol, text):
    match protocol:
        case "chat":
            return chunk(delta={"content": text})
        case "responses":
            return event(protocol, {"type": "response.output_text.delta", "output_index": 0, "item_id": "i", "content_index": 0, "delta": text})
        case "messages":
            return event(protocol, {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": text}})


def end(protocol):
    match protocol:
        case "chat":
            return ["data: [DONE]\n\n"]
        case "responses":
            return [event(protocol, {"type": "response.completed", "response": json.loads(whole(protocol, "one two "))})]
        case "messages":
            return [event(protocol, {"type": "content_block_stop", "index": 0}),
                    event(protocol, {"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": {"output_tokens": 2}}),
                    event(protocol, {"type": "message_stop"})]


def failure(protocol, code):
    """An event with an error."""
    match protocol:
        case "chat":
            return event(protocol, {"error": {"message": "no", "code": code}})
        case "responses":
            return event(protocol, {"type": "error", "code": code, "message": "no"})
        case "messages":
            return event(protocol, {"type": "error", "error": {"type": "api_error", "message": "no", "code": code}})


def whole(protocol, text, arguments=None):
    """An answer, with a call of a tool if there are arguments for it."""
    match protocol:
        case "chat":
            calls = [{"id": "c", "type": "function", "function": {"name": "f", "arguments": arguments}}]
            message = {"role": "assistant", "content": text} | ({"tool_calls": calls} if arguments else {})
            answer = {"choices": [{"index": 0, "message": message, "finish_reason": "stop"}]}
        case "responses":
            output = [{"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": text}]}]
            output += [{"type": "function_call", "call_id": "c", "name": "f", "arguments": arguments}] * bool(arguments)
            answer = {"id": "resp_1", "object": "response", "model": "m", "status": "completed", "output": output}
        case "messages":
            content = [{"type": "text", "text": text}] + [{"type": "tool_use", "id": "c", "name": "f", "input": arguments}] * bool(arguments)
            answer = {"id": "msg_1", "type": "message", "role": "assistant", "model": "m", "content": content, "stop_reason": "end_turn"}
    return json.dumps(answer).encode()


# What a client sees.

def seen(answer, protocol="chat"):
    """The status, and the code of an error, or that a stream is complete, or that it is an answer; an assertion fails if it is malformed."""
    status, headers, text = answer
    if "text/event-stream" in headers.get("content-type", ""):
        return f"{status} {stream_end(protocol, text)}"
    body = json.loads(text)
    return f"{status} " + (error_code(protocol, body) if "error" in body and body["error"] else answered(protocol, body))


def error_code(protocol, body):
    error = body["error"]
    assert protocol != "messages" or body["type"] == "error", body
    assert isinstance(error["message"], str) and isinstance(error["type"], str), body
    return error["code"]


def answered(protocol, body):
    """Of another operation than an answer to a conversation, whose form is not looked at, if there is no protocol."""
    match protocol:
        case "chat":
            assert all(choice["message"]["role"] == "assistant" for choice in body["choices"]) and body["choices"], body
        case "responses":
            assert (body["object"], body["status"]) == ("response", "completed") and isinstance(body["output"], list), body
        case "messages":
            assert (body["type"], body["role"]) == ("message", "assistant") and body["content"] and body["stop_reason"], body
    return "answered"


def stream_end(protocol, text):
    events = [read_event(protocol, block) for block in text.replace("\r\n", "\n").replace("\r", "\n").split("\n\n") if data_lines(block)]
    return {"chat": chat_end, "responses": responses_end, "messages": messages_end}[protocol](events)


def data_lines(block):
    return [line for line in block.split("\n") if line.startswith("data:")]


def read_event(protocol, block):
    names = [line[6:].strip() for line in block.split("\n") if line.startswith("event:")]
    [line] = data_lines(block)
    data = line[5:].strip()
    if data == "[DONE]":
        return data
    data = json.loads(data)
    assert protocol == "chat" or names == [data["type"]], block
    return data


def chat_end(events):
    *chunks, last = events
    assert all(isinstance(chunk, dict) and chunk["choices"] is not None for chunk in chunks), events
    return "complete" if last == "[DONE]" else last.get("error", {}).get("code", "cut off")


def responses_end(events):
    numbers = [event["sequence_number"] for event in events]
    assert numbers == list(range(len(events))), numbers
    assert events[0]["type"] in ("response.created", "error"), events[0]
    if events[-1]["type"] == "error":
        return events[-1]["code"]
    return "complete" if events[-1]["type"] == "response.completed" else "cut off"


def messages_end(events):
    kinds = [event["type"] for event in events]
    if kinds[-1] == "error":
        return events[-1]["error"]["code"]
    blocks = [(event["type"], event["index"]) for event in events if event["type"] in ("content_block_start", "content_block_stop")]
    wanted = [(kind, index) for index in range(len(blocks) // 2) for kind in ("content_block_start", "content_block_stop")]
    assert kinds[0] == "message_start" and blocks == wanted, kinds
    return "complete" if kinds[-2:] == ["message_delta", "message_stop"] else "cut off"
