// The npm client's part of scripts/gateway-clients: node gateway-clients.mjs BASE_URL KEY MODEL scripted|real
import assert from "node:assert";
import OpenAI from "openai";

const [baseURL, apiKey, model, kind] = process.argv.slice(2);
const client = new OpenAI({ baseURL, apiKey });
const messages = [{ role: "user", content: "where is verify_token" }];
const tools = [{ type: "function", function: { name: "weather", parameters: { type: "object", properties: { city: { type: "string" } } } } }];
const results = [
  { content: "def total(prices): return sum(prices)", file: "src/cart.py", score: 0.8, line_start: 1, line_end: 1 },
  { content: "def verify_token(token): return check(token)", file: "src/auth.py", score: 0.7, line_start: 3, line_end: 3 },
];

const answer = await client.chat.completions.create({ model, messages, max_tokens: 8 });
assert(typeof answer.choices[0].message.content === "string");

const words = [];
for await (const chunk of await client.chat.completions.create({ model, messages, max_tokens: 24, stream: true })) {
  words.push(chunk.choices[0]?.delta?.content ?? "");
}
assert(words.filter(Boolean).length > 2, "a stream comes in pieces");

const { response } = await client.chat.completions
  .create({ model, messages, max_tokens: 8, semantic_results: results, rerank: true })
  .withResponse();
assert(["voyage", "cache"].includes(response.headers.get("x-craig-rerank")));
assert(response.headers.get("x-craig-context").startsWith("src/auth.py:3-3"));

if (kind === "scripted") {
  const call = await client.chat.completions.create({ model: "tools", messages, tools });
  assert.deepEqual(JSON.parse(call.choices[0].message.tool_calls[0].function.arguments), { city: "Oslo" });
  let streamed = "";
  for await (const chunk of await client.chat.completions.create({ model: "tools", messages, tools, stream: true })) {
    streamed += chunk.choices[0].delta.tool_calls?.[0]?.function?.arguments ?? "";
  }
  assert.deepEqual(JSON.parse(streamed), { city: "Oslo" });
  const json = await client.chat.completions.create({ model: "json", messages, response_format: { type: "json_object" } });
  assert.deepEqual(JSON.parse(json.choices[0].message.content), { answer: 42 });
  await assert.rejects(client.chat.completions.create({ model: "error-400", messages }), OpenAI.BadRequestError);
  await assert.rejects(async () => {
    for await (const _ of await client.chat.completions.create({ model: "die", messages, stream: true }));
  }, /ended before it was complete/);
  const aborting = await client.chat.completions.create({ model: "slow", messages, stream: true });
  for await (const _ of aborting) break;
}

if (kind === "real") {
  const turn = (id, city, said) => [
    { role: "user", content: `What is the weather in ${city}?` },
    { role: "assistant", content: null, tool_calls: [{ id, type: "function", function: { name: "weather", arguments: JSON.stringify({ city }) } }] },
    { role: "tool", tool_call_id: id, content: said },
  ];
  const asked = {
    model, tools, tool_choice: "required", parallel_tool_calls: false, max_tokens: 40, temperature: 0,
    messages: [...turn("call_1", "Rome", "sunny"), ...turn("call_2", "Bergen", "rain"), { role: "user", content: "What is the weather in Oslo?" }],
  };
  const call = await client.chat.completions.create(asked);
  assert.deepEqual(JSON.parse(call.choices[0].message.tool_calls[0].function.arguments), { city: "Oslo" });
  let streamed = "";
  for await (const chunk of await client.chat.completions.create({ ...asked, stream: true })) {
    // llama.cpp may go on with a second call, whatever it was told.
    const first = chunk.choices[0]?.delta?.tool_calls?.find((part) => part.index === 0);
    streamed += first?.function?.arguments ?? "";
  }
  assert.deepEqual(JSON.parse(streamed), { city: "Oslo" });
  const schema = { type: "object", properties: { answer: { type: "integer" } }, required: ["answer"], additionalProperties: false };
  const json = await client.chat.completions.create({
    model, messages, max_tokens: 60, temperature: 0, response_format: { type: "json_schema", json_schema: { name: "answer", strict: true, schema } },
  });
  assert(Number.isInteger(JSON.parse(json.choices[0].message.content).answer));
}

const vectors = await client.embeddings.create({ model: "craig", input: "fn main() {}" });
assert.equal(vectors.data[0].embedding.length, 256);
console.log("npm client passed");
