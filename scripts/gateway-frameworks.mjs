// The npm clients' part of scripts/gateway-frameworks: node gateway-frameworks.mjs URL KEY NAMES; prints a line of JSON for each client.
import assert from "node:assert";
import { readFileSync } from "node:fs";
import { createAnthropic } from "@ai-sdk/anthropic";
import { createOpenAI } from "@ai-sdk/openai";
import { ChatAnthropic } from "@langchain/anthropic";
import { HumanMessage, ToolMessage } from "@langchain/core/messages";
import { tool as langchainTool } from "@langchain/core/tools";
import { ChatOpenAI } from "@langchain/openai";
import { generateText, Output, stepCountIs, streamText, tool } from "ai";
import { z } from "zod";

// Warnings are no result.
globalThis.AI_SDK_LOG_WARNINGS = false;
const [url, apiKey, names] = process.argv.slice(2);
const PROVIDERS = ["chat", "responses", "messages"];
// It asks for structured output only from models that it knows.
const ANTHROPICS_NAMES = JSON.parse(names);
const QUESTION = "where is verify_token?";
const ASKED = `You asked: ${QUESTION}`;
const TOOL_OUTPUT = 'The tool output: "rain".';
const PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
const CITY = z.object({ city: z.string() });
const NUMBER = z.object({ answer: z.number().int() });

const aiSdk = (model, providerOptions) => {
  const asked = { model, maxRetries: 0, providerOptions };
  const weather = tool({ description: "The weather of a city.", inputSchema: CITY, execute: async () => "rain" });
  return {
    text: async () => assert.equal((await generateText({ ...asked, prompt: QUESTION })).text, ASKED),
    stream: async () => {
      const stream = streamText({ ...asked, prompt: QUESTION, onError: () => {} });
      let text = "";
      for await (const piece of stream.textStream) text += piece;
      assert.equal(text, ASKED);
      assert((await stream.usage).outputTokens > 1);
    },
    tools: async () => {
      const stream = streamText({ ...asked, prompt: QUESTION, tools: { weather }, stopWhen: stepCountIs(2), onError: () => {} });
      const [first] = await stream.steps;
      assert.deepEqual(first.toolCalls[0].input, { city: "Oslo" });
      assert.equal(await stream.text, TOOL_OUTPUT);
    },
    images: async () => {
      const content = [{ type: "image", image: Buffer.from(PIXEL, "base64") }, { type: "text", text: "what?" }];
      assert.match((await generateText({ ...asked, messages: [{ role: "user", content }] })).text, /^You sent 1 image/);
    },
    structured: async () => assert.deepEqual((await generateText({ ...asked, prompt: QUESTION, output: Output.object({ schema: NUMBER }) })).output, { answer: 42 }),
    cancel: async () => {
      const abort = new AbortController();
      for await (const _ of streamText({ ...asked, prompt: QUESTION, abortSignal: abort.signal }).textStream) break;
      abort.abort();
    },
  };
};

const langchain = (llm) => ({
  text: async () => assert.equal((await llm.invoke(QUESTION)).text, ASKED),
  stream: async () => {
    let whole;
    for await (const chunk of await llm.stream(QUESTION)) whole = whole ? whole.concat(chunk) : chunk;
    assert.equal(whole.text, ASKED);
    assert(whole.usage_metadata.output_tokens > 1);
  },
  tools: async () => {
    const bound = llm.bindTools([langchainTool(() => "rain", { name: "weather", description: "The weather of a city.", schema: CITY })]);
    const call = await bound.invoke(QUESTION);
    assert.deepEqual(call.tool_calls[0].args, { city: "Oslo" });
    const result = new ToolMessage({ content: "rain", tool_call_id: call.tool_calls[0].id });
    assert.equal((await bound.invoke([new HumanMessage(QUESTION), call, result])).text, TOOL_OUTPUT);
  },
  images: async () => {
    const content = [{ type: "image_url", image_url: { url: `data:image/png;base64,${PIXEL}` } }, { type: "text", text: "what?" }];
    assert.match((await llm.invoke([new HumanMessage({ content })])).text, /^You sent 1 image/);
  },
  structured: async () => assert.deepEqual(await llm.withStructuredOutput(NUMBER, { method: "jsonSchema" }).invoke(QUESTION), { answer: 42 }),
  cancel: async () => {
    const abort = new AbortController();
    for await (const _ of await llm.stream(QUESTION, { signal: abort.signal })) break;
    abort.abort();
  },
});

const openai = createOpenAI({ baseURL: `${url}/v1`, apiKey });
const anthropic = createAnthropic({ baseURL: `${url}/v1`, apiKey });
const configuration = { baseURL: `${url}/v1` };
const clients = [
  ["@ai-sdk/openai", "chat", (model) => aiSdk(openai.chat(model))],
  ["@ai-sdk/openai", "responses", (model) => aiSdk(openai.responses(model), { openai: { store: false } })],
  ["@ai-sdk/anthropic", "messages", (_, provider) => aiSdk(anthropic(ANTHROPICS_NAMES[provider]))],
  ["@langchain/openai", "chat", (model) => langchain(new ChatOpenAI({ model, apiKey, configuration, maxRetries: 0 }))],
  ["@langchain/openai", "responses", (model) => langchain(new ChatOpenAI({ model, apiKey, configuration, maxRetries: 0, useResponsesApi: true, zdrEnabled: true }))],
  ["@langchain/anthropic", "messages", (model) => langchain(new ChatAnthropic({ model, apiKey, anthropicApiUrl: url, maxRetries: 0 }))],
];
for (const [name, protocol, make] of clients) {
  const routes = {};
  const faults = [];
  for (const provider of PROVIDERS) {
    routes[provider] = [];
    for (const [work, run] of Object.entries(make(`${provider}-only`, provider))) {
      try {
        await run();
        routes[provider].push(work);
      } catch (error) {
        faults.push(`${work} at ${provider}: ${error.name}: ${String(error.message).slice(0, 300)} ${String(error.responseBody ?? "").slice(0, 300)}`);
      }
    }
  }
  const { version } = JSON.parse(readFileSync(`node_modules/${name}/package.json`, "utf8"));
  console.log(JSON.stringify([`${name} ${version}`, protocol, routes, faults]));
}
