import { describe, expect, test } from "vitest";
import { scriptText } from "./model-server/script.ts";
import { anthropic } from "./raw-clients/anthropic.ts";
import { chat } from "./raw-clients/chat.ts";
import { gemini } from "./raw-clients/gemini.ts";
import type { Conversation, Heard, RawClient } from "./raw-clients/raw-client.ts";
import { responses } from "./raw-clients/responses.ts";
import { startedModel } from "./started-model.ts";

const rawClients = [anthropic, responses, chat, gemini];
const SHELL = "Bash";
const SEND = "mcp__troupe__channel_send";

function post(url: string, body: unknown, signal?: AbortSignal): Promise<Response> {
  const init = { method: "POST", body: JSON.stringify(body) };
  return fetch(url, signal === undefined ? init : { ...init, signal });
}

async function ask(base: string, client: RawClient, conversation: Conversation): Promise<Heard> {
  const response = await post(base + client.path(conversation), client.body(conversation));
  const text = await response.text();
  expect({ status: response.status, text }).toMatchObject({ status: 200 });
  if (!conversation.isStream) return client.hear(JSON.parse(text));
  const data = [...text.matchAll(/^data: (.*)$/gm)].map(([, line = ""]) => line);
  return client.hearStream(
    data.filter((line) => line !== "[DONE]").map((line) => JSON.parse(line)),
  );
}

/** Asks in the first protocol, whole. */
function message(prompt: string): unknown {
  return anthropic.body({ prompt, tools: [SHELL], isStream: false });
}

describe.each(
  rawClients.flatMap((client) => [true, false].map((isStream) => ({ client, isStream }))),
)("$client.protocol, streamed: $isStream", ({ client, isStream }) => {
  const tools = [SHELL, SEND];
  const prompt = scriptText(
    { text: "first", calls: [{ shell: "ls" }, { tool: "channel_send", args: { message: "hi" } }] },
    { calls: [{ tool: SEND, args: { message: "it said $RESULT" } }] },
    { text: "DONE: $RESULT" },
  );

  test("the number of batches of results chooses the step", async () => {
    const base = (await startedModel()).urlFor("alice");
    const conversation = { prompt: `Do it.\n> ${prompt}\nThanks`, tools, isStream };
    expect(await ask(base, client, conversation)).toEqual({
      text: "first",
      calls: [
        { name: SHELL, args: expect.objectContaining({ command: "ls" }) },
        { name: SEND, args: { message: "hi" } },
      ],
    });
    const second = { ...conversation, batches: [["one", "two $&"]] };
    expect(await ask(base, client, second)).toEqual({
      text: "",
      calls: [{ name: SEND, args: { message: "it said two $&" } }],
    });
    const third = { ...conversation, batches: [["one", "two"], [prompt]] };
    expect(await ask(base, client, third)).toEqual({ text: `DONE: ${prompt}`, calls: [] });
    const over = { ...conversation, batches: [["one"], ["two"], ["three"]] };
    expect(await ask(base, client, over)).toEqual({ text: "The script is over.", calls: [] });
  });

  test("a script in the instructions holds until the prompt brings one", async () => {
    const base = (await startedModel()).urlFor("alice");
    const instructions = scriptText({ text: "by role" });
    const conversation = { instructions, prompt: "go", tools, isStream };
    expect(await ask(base, client, conversation)).toEqual({ text: "by role", calls: [] });
    const told = { ...conversation, prompt: scriptText({ text: "by prompt" }) };
    expect(await ask(base, client, told)).toEqual({ text: "by prompt", calls: [] });
  });

  test("a request without tools gets plain text whatever is scripted", async () => {
    const base = (await startedModel()).urlFor("alice");
    const heard = await ask(base, client, { prompt, tools: [], isStream });
    expect(heard).toEqual({ text: "A title", calls: [] });
  });

  test("a refusal is in the protocol's own form", async () => {
    const server = await startedModel();
    const failing = scriptText({ fail: { status: 401 } });
    const conversation = { prompt: failing, tools, isStream };
    const url = server.urlFor("alice") + client.path(conversation);
    const response = await post(url, client.body(conversation));
    expect(response.status).toBe(401);
    expect(await response.text()).toMatch(/authentication_error|UNAUTHENTICATED/);
  });
});

test.for([
  [anthropic, '"stop_reason":"refusal"'],
  [responses, '"type":"refusal"'],
  [chat, '"finish_reason":"content_filter"'],
  [gemini, '"finishReason":"SAFETY"'],
] as const)(
  "a model declines in the words of its protocol: $0.protocol",
  async ([client, words]) => {
    const base = (await startedModel()).urlFor("alice");
    const prompt = scriptText({ text: "I will not.", declines: true });
    for (const isStream of [true, false]) {
      const conversation = { prompt, tools: [SHELL], isStream };
      const response = await post(base + client.path(conversation), client.body(conversation));
      const text = await response.text();
      expect(text).toContain(words);
      expect(text).toContain("I will not.".slice(0, 8));
    }
  },
);

test("a script that one agent sends to another is part of its own script", async () => {
  const base = (await startedModel()).urlFor("alice");
  const inner = scriptText({ text: "I am bob" });
  const outer = scriptText({ calls: [{ tool: "channel_send", args: { message: inner } }] });
  const conversation = { tools: [SEND], isStream: false };
  const heard = await ask(base, anthropic, { ...conversation, prompt: outer });
  expect(heard.calls).toEqual([{ name: SEND, args: { message: inner } }]);
  const bob = { ...conversation, prompt: `alice says: ${inner}` };
  expect(await ask(base, anthropic, bob)).toEqual({ text: "I am bob", calls: [] });
});

test("a step fails as often as it says, for every agent anew", async () => {
  const server = await startedModel();
  const failing = scriptText({ fail: { status: 429, times: 2, retryAfterSeconds: 3 }, text: "ok" });
  for (const agent of ["alice", "bob"]) {
    const url = `${server.urlFor(agent)}/v1/messages`;
    const answers = [
      await post(url, message(failing)),
      await post(url, message(failing)),
      await post(url, message(failing)),
    ];
    expect(answers.map(({ status }) => status)).toEqual([429, 429, 200]);
    expect(answers[0]?.headers.get("retry-after")).toBe("3");
  }
  expect(server.calls("bob").map(({ status }) => status)).toEqual([429, 429, 200]);
  expect(server.calls()).toHaveLength(6);
});

test.each([true, false])("a cut answer breaks off, streamed: %s", async (isStream) => {
  const base = (await startedModel()).urlFor("alice");
  const prompt = scriptText({ text: "a text of some length", ending: "cut" });
  const body = anthropic.body({ prompt, tools: [SHELL], isStream });
  const response = await post(`${base}/v1/messages`, body);
  expect(response.status).toBe(200);
  await expect(response.text()).rejects.toThrow("terminated");
});

test("a hanging answer begins, says nothing, and ends with its client or the server", async () => {
  const server = await startedModel();
  const url = `${server.urlFor("alice")}/v1/messages`;
  const prompt = scriptText({ text: "never said", ending: "hang", slowMs: 1 });
  const body = anthropic.body({ prompt, tools: [SHELL], isStream: true });
  const leaving = new AbortController();
  const left = await post(url, body, leaving.signal);
  const first = await left.body?.getReader().read();
  const begun = new TextDecoder().decode(first?.value);
  expect(begun).toContain("message_start");
  expect(begun).not.toContain("content_block");
  leaving.abort();
  const stayed = await post(url, body);
  await server.close();
  await expect(stayed.text()).rejects.toThrow("terminated");
});

test("a stalling answer says its first half", async () => {
  const base = (await startedModel()).urlFor("alice");
  const prompt = scriptText({ text: "a text of some length, as models say it", ending: "stall" });
  const body = anthropic.body({ prompt, tools: [SHELL], isStream: true });
  const leaving = new AbortController();
  const response = await post(`${base}/v1/messages`, body, leaving.signal);
  const reader = response.body?.getReader();
  let text = "";
  while (!text.includes("a text of so")) {
    const { value } = (await reader?.read()) ?? {};
    text += new TextDecoder().decode(value);
  }
  expect(text).not.toContain("message_stop");
  leaving.abort();
});

test("an answer comes no sooner than its delay", async () => {
  const base = (await startedModel()).urlFor("alice");
  const prompt = scriptText({ text: "late and slow", delayMs: 30, slowMs: 1 });
  const startedMs = performance.now();
  const heard = await ask(base, anthropic, { prompt, tools: [SHELL], isStream: true });
  expect(heard.text).toBe("late and slow");
  expect(performance.now() - startedMs).toBeGreaterThanOrEqual(29);
});

test.each([
  [
    scriptText({ calls: [{ tool: "fly" }] }),
    "the script calls fly, but the client offers only: Bash",
  ],
  ['<<model:{"steps":[{"txet":"a"}]}>>', "Unrecognized key"],
  ['<<model:{"steps":[', "no script is complete in"],
])("a script that cannot be followed is refused with the reason: %s", async (prompt, reason) => {
  const base = (await startedModel()).urlFor("alice");
  const response = await post(`${base}/v1/messages`, message(prompt));
  expect(response.status).toBe(400);
  expect(await response.text()).toContain(reason);
});

test("what is asked beside answers is answered, all else is 404 and recorded", async () => {
  const server = await startedModel();
  const base = server.urlFor("a/b");
  const get = async (path: string, method = "GET") => (await fetch(base + path, { method })).status;
  expect(await get("/v1/models")).toBe(200);
  expect(await get("/v1/messages/count_tokens", "POST")).toBe(200);
  expect(await get("/v1beta/models/any:countTokens", "POST")).toBe(200);
  expect(await get("/v1/messages")).toBe(404);
  expect(await get("/elsewhere?x=1")).toBe(404);
  expect(server.calls("a/b").at(-1)).toEqual({
    agent: "a/b",
    method: "GET",
    path: "/elsewhere",
    body: "",
    status: 404,
  });
});

test("the newest 200 calls are kept", async () => {
  const server = await startedModel();
  const base = server.urlFor("alice");
  for (let index = 0; index < 205; index += 1) await (await fetch(`${base}/${index}`)).text();
  expect(server.calls().map(({ path }) => path)).toEqual(
    Array.from({ length: 200 }, (_, index) => `/${index + 5}`),
  );
});
