// The npm clients' part of scripts/gateway-protocols: node gateway-protocols.mjs URL KEY MODEL
import assert from "node:assert";
import Anthropic from "@anthropic-ai/sdk";
import OpenAI from "openai";

const [url, apiKey, model] = process.argv.slice(2);
const openai = new OpenAI({ baseURL: `${url}/v1`, apiKey });
const anthropic = new Anthropic({ baseURL: url, apiKey });
const content = "where is verify_token?";
const semantic_results = [{ content: "def verify_token(token): ...", file: "src/auth.py", score: 0.7, line_start: 3, line_end: 3 }];
const parameters = { type: "object", properties: { city: { type: "string" } }, required: ["city"] };

const response = await openai.responses.create({ model, input: content, semantic_results });
assert.equal(response.output_text, `You asked: ${content}`);
let streamed = "";
for await (const event of await openai.responses.create({ model, input: content, stream: true })) {
  if (event.type === "response.output_text.delta") streamed += event.delta;
}
assert.equal(streamed, `You asked: ${content}`);
const call = await openai.responses.create({ model, input: content, tools: [{ type: "function", name: "weather", parameters, strict: true }] });
assert.deepEqual(JSON.parse(call.output[0].arguments), { city: "Oslo" });

const asked = { model, max_tokens: 2000, messages: [{ role: "user", content }] };
const message = await anthropic.messages.create({ ...asked, semantic_results });
assert.equal(message.content[0].text, `You asked: ${content}`);
const tools = [{ name: "weather", input_schema: parameters }];
const thinking = { type: "enabled", budget_tokens: 1024 };
const used = await anthropic.messages.stream({ ...asked, tools, thinking }).finalMessage();
assert.deepEqual(used.content.map((block) => block.type), ["thinking", "tool_use"]);
const result = { type: "tool_result", tool_use_id: used.content[1].id, content: "rain" };
const turns = [...asked.messages, { role: "assistant", content: used.content }, { role: "user", content: [result] }];
const answered = await anthropic.messages.create({ ...asked, messages: turns, tools, thinking, semantic_results });
assert.equal(answered.content.at(-1).text, 'The tool output: "rain".');
await assert.rejects(anthropic.messages.create({ ...asked, messages: [] }), Anthropic.BadRequestError);
const aborting = anthropic.messages.stream(asked);
for await (const _ of aborting) break;
aborting.abort();
assert((await anthropic.messages.countTokens({ model, messages: asked.messages })).input_tokens > 0);
// Providers of the other protocol only: what they answer is translated.
const chatTools = [{ type: "function", function: { name: "weather", parameters } }];
for (const served of ["responses-only", "messages-only"]) {
  const asked = { model: served, messages: [{ role: "user", content }] };
  const plain = await openai.chat.completions.create({ ...asked, semantic_results });
  assert.equal(plain.choices[0].message.content, `You asked: ${content}`);
  let text = "";
  for await (const chunk of await openai.chat.completions.create({ ...asked, stream: true })) text += chunk.choices[0]?.delta.content ?? "";
  assert.equal(text, `You asked: ${content}`);
  const final = await openai.chat.completions.stream({ ...asked, tools: chatTools }).finalMessage();
  assert.deepEqual(JSON.parse(final.tool_calls[0].function.arguments), { city: "Oslo" });
  const result = { role: "tool", tool_call_id: final.tool_calls[0].id, content: "rain" };
  const after = await openai.chat.completions.create({ ...asked, messages: [...asked.messages, final, result], tools: chatTools });
  assert.equal(after.choices[0].message.content, 'The tool output: "rain".');
  await assert.rejects(openai.chat.completions.create({ ...asked, n: 2 }), OpenAI.BadRequestError);
}
for (const served of ["chat-only", "messages-only"]) {
  const answer = await openai.responses.create({ model: served, input: content });
  assert.equal(answer.output_text, `You asked: ${content}`);
  const stream = openai.responses.stream({ model: served, input: content });
  assert.equal((await stream.finalResponse()).output_text, `You asked: ${content}`);
}
for (const served of ["chat-only", "responses-only"]) {
  const asked = { model: served, max_tokens: 2000, messages: [{ role: "user", content }] };
  assert.equal((await anthropic.messages.create(asked)).content[0].text, `You asked: ${content}`);
  const used = await anthropic.messages.stream({ ...asked, tools }).finalMessage();
  assert.deepEqual([used.stop_reason, used.content.at(-1).input], ["tool_use", { city: "Oslo" }]);
  const result = { type: "tool_result", tool_use_id: used.content.at(-1).id, content: "rain" };
  const turns = [...asked.messages, { role: "assistant", content: used.content }, { role: "user", content: [result] }];
  const answered = await anthropic.messages.create({ ...asked, messages: turns, tools });
  assert.equal(answered.content.at(-1).text, 'The tool output: "rain".');
  await assert.rejects(anthropic.messages.create({ ...asked, top_k: 5 }), Anthropic.BadRequestError);
}
console.log("npm clients passed");
