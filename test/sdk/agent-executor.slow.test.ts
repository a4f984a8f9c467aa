import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createAnthropic } from "@ai-sdk/anthropic";
import { expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import {
  AgentExecutor,
  type AgentExecutorOptions,
  defineModel,
  defineTool,
  fanOut,
  loadWorkflow,
  runWorkflow,
  TroupeError,
} from "../../src/index.ts";
import { startModelServer } from "../clients/model-server/model-server.ts";
import { type Step, scriptText } from "../clients/model-server/script.ts";

const { PATH = "" } = process.env;

/** A scripted model that a program reaches by AI SDK, and a directory. */
async function place() {
  const server = await startModelServer();
  const cwd = await mkdtemp(join(tmpdir(), "troupe-executor-"));
  onTestFinished(async () => {
    await server.close();
    await rm(cwd, { recursive: true, force: true });
  });
  const baseURL = `${server.urlFor("agent")}/v1`;
  const model = createAnthropic({ baseURL, apiKey: "a-key" })("scripted");
  const env = { PATH, HOME: cwd, ANTHROPIC_API_KEY: "a-key" };
  const agent = (more: Partial<AgentExecutorOptions> = {}) =>
    new AgentExecutor({ model, cwd, env, ...more });
  return { server, cwd, env, model, baseURL, agent };
}

const look = (file_path: string): Step => ({ calls: [{ tool: "Read", args: { file_path } }] });

test("an agent works through a prompt alone and says what it came to; after its messages another one goes on [LOOP-1.alone, LOOP-15]", async () => {
  const { cwd, agent, server } = await place();
  await writeFile(join(cwd, "a.txt"), "blue");
  const first = await agent().run(scriptText(look("a.txt"), { text: "It is blue." }));
  expect(first).toMatchObject({
    finalText: "It is blue.",
    totalTokens: 2500,
    run: expect.stringMatching(/^run_/),
    toolUseCount: 1,
    stopReason: "end_turn",
  });
  expect(first.messages.map(({ role }) => role)).toEqual([
    "user",
    "assistant",
    "tool",
    "assistant",
  ]);
  expect(first.messages[2]).toMatchObject({
    isError: false,
    text: expect.stringContaining("blue"),
  });
  const again = await agent().run(scriptText({ text: "What?" }));
  expect(server.calls().at(-1)?.body).not.toContain("It is blue.");
  expect(again.messages).toHaveLength(2);
  const next = await agent().runWithContext(scriptText({ text: "Still." }), first.messages);
  const { messages } = JSON.parse(server.calls().at(-1)?.body ?? "");
  expect(messages).toHaveLength(5);
  expect(JSON.stringify(messages)).toContain("It is blue.");
  expect(next.messages.slice(0, 4)).toEqual(first.messages);
  expect(next.messages).toHaveLength(6);
});

test("the prompt is all that it is told, and the tools that it names all that it has [LOOP-15]", async () => {
  const { agent, server } = await place();
  await agent({ tools: ["Read", "Grep"], systemPrompt: "Be short." }).run("Say hello.");
  const { messages, tools, system } = JSON.parse(server.calls().at(-1)?.body ?? "");
  expect(messages).toEqual([
    { role: "user", content: [expect.objectContaining({ text: "Say hello." })] },
  ]);
  expect(tools.map(({ name }: { readonly name: string }) => name)).toEqual([
    "Read",
    "Grep",
    "resource_read",
  ]);
  expect(JSON.stringify(system)).toContain("Be short.");
  await agent().run("Say hello.");
  const all = JSON.parse(server.calls().at(-1)?.body ?? "").tools;
  const names = all.map(({ name }: { readonly name: string }) => name);
  expect(names).toEqual(expect.arrayContaining(["Read", "Bash", "Edit", "TodoWrite"]));
  for (const name of ["WebFetch", "Task", "channel_send", "signal"])
    expect(names).not.toContain(name);
});

const wordCount = defineTool({
  name: "word_count",
  description: "Counts words.",
  input: z.object({ text: z.string() }),
  isReadOnly: true,
  run: ({ text }) => text.split(/\s+/).length,
});

test("tools of one's own are offered with their schema; what does not fit or what they throw goes back to the model [LOOP-15]", async () => {
  const { agent, server } = await place();
  const keys: string[] = [];
  const failing = defineTool({
    name: "fails",
    description: "Fails.",
    input: z.object({}),
    isFree: true,
    run: (_input, { key, agent: by }) => {
      keys.push(`${by} ${key}`);
      throw new Error("no luck");
    },
  });
  const call = (tool: string, args: { readonly [name: string]: string | number }): Step => ({
    calls: [{ tool, args }],
  });
  const { messages, toolUseCount } = await agent({ tools: [wordCount, failing] }).run(
    scriptText(
      call("word_count", { text: "to be or not" }),
      call("word_count", { text: 7 }),
      call("fails", {}),
      { text: "done" },
    ),
  );
  const results = messages.flatMap((message) =>
    message.role === "tool" ? [[message.isError, message.text]] : [],
  );
  expect(results).toEqual([
    [false, "4"],
    [true, expect.stringContaining("text")],
    [true, "no luck"],
  ]);
  expect(toolUseCount).toBe(3);
  expect(keys).toEqual([expect.stringMatching(/^agent run_\w+\/agent\/1\.3\.1$/)]);
  const { tools } = JSON.parse(server.calls().at(-1)?.body ?? "");
  expect(tools[0]).toMatchObject({ name: "word_count", input_schema: { required: ["text"] } });
});

test("what is not allowed is denied unless permissionMode says otherwise; who is asked answers by the run [LOOP-15, AGT-10, SDK-7.decide]", async () => {
  const { cwd, agent } = await place();
  const script = scriptText({ calls: [{ shell: "echo x > made" }] }, { text: "done" });
  const { messages } = await agent().run(script);
  expect(messages[2]).toMatchObject({ isError: true, text: "denied" });
  const events: string[] = [];
  await agent({
    permissionMode: "ask",
    onEvent: (event, run) => {
      events.push(event.type);
      if (event.type === "permission-requested" && event.ruling === undefined)
        void run.approve(event.id);
    },
  }).run(script);
  expect(await readFile(join(cwd, "made"), "utf8")).toBe("x\n");
  expect(events).toContain("turn-started");
  expect(events.at(-1)).toBe("run-ended");
});

test("bounds end a prompt as they are called: by answers, by its caller, by the provider's words [LOOP-15]", async () => {
  const { agent } = await place();
  const long = scriptText({ calls: [{ tool: "LS" }] }, { calls: [{ tool: "LS" }] }, { text: "x" });
  expect(await agent({ maxTurns: 1 }).run(long)).toMatchObject({ stopReason: "max_turns" });
  const abort = new AbortController();
  const ended = agent({
    signal: abort.signal,
    onEvent: ({ type }) => {
      if (type === "turn-started") abort.abort();
    },
  }).run(scriptText({ ending: "hang" }));
  expect(await ended).toMatchObject({ stopReason: "cancelled", finalText: "" });
  const refused = agent().run(scriptText({ fail: { status: 401 } }));
  await expect(refused).rejects.toThrow(TroupeError);
  await expect(refused).rejects.toMatchObject({ code: "BACKEND_NOT_SIGNED_IN" });
  const late = agent({ timeoutMs: 200 }).run(scriptText({ ending: "hang" }));
  await expect(late).rejects.toMatchObject({ code: expect.stringMatching(/^(LIMIT|AGENT|RUN)_/) });
});

test.each([
  ["a model by its name", { model: "nobody/x" }, 'provider "nobody"'],
  ["what is no model", { model: JSON.parse('{"modelId":"x"}') }, "no model of AI SDK"],
  [
    "a model of an older SDK",
    { model: JSON.parse('{"specificationVersion":"v2","modelId":"x"}') },
    "speaks v2 of AI SDK's interface; troupe speaks v4",
  ],
  ["a tool that is none", { tools: [{ ...wordCount, name: "a b" }] }, '"a b"'],
  ["a tool like one of the loop", { tools: [{ ...wordCount, name: "Read" }] }, "another one has"],
] as const)(
  "%s that cannot be used is refused before anything starts, with what is wrong [LOOP-15]",
  async (_what, more, words) => {
    const { agent, server } = await place();
    const error: unknown = await agent(more)
      .run("go")
      .catch((thrown) => thrown);
    expect(error).toMatchObject({ code: "BACKEND_PREFLIGHT_FAILED" });
    expect(JSON.stringify(error) + String(error)).toContain(words);
    expect(server.calls()).toEqual([]);
  },
);

test("servers of MCP and plans are as in files [LOOP-15]", async () => {
  const { agent } = await place();
  const program = join(import.meta.dirname, "../agents/backends/model/mcp-program.ts");
  const { messages } = await agent({
    permissionMode: "bypass",
    autoApprovePlanMode: true,
    mcpServers: { issues: { command: process.execPath, args: [program] } },
  }).run(
    scriptText(
      { calls: [{ tool: "mcp__issues__echo", args: { text: "hear" } }] },
      { calls: [{ tool: "EnterPlanMode" }] },
      { calls: [{ tool: "ExitPlanMode", args: { plan: "just do it" } }] },
      { text: "done" },
    ),
  );
  const results = messages.filter(({ role }) => role === "tool");
  expect(results).toMatchObject([
    { isError: false, text: expect.stringContaining("hear") },
    { isError: false },
    { isError: false },
  ]);
});

test("a conversation that is none is refused [LOOP-15]", async () => {
  const { agent } = await place();
  const context = JSON.parse('[{"role":"system","text":"x"}]');
  await expect(agent().runWithContext("go", context)).rejects.toMatchObject({
    code: "BACKEND_SETTINGS_INVALID",
  });
});

test("an executor takes what defineModel made: its model, its tools beside others, and its window [LOOP-15]", async () => {
  const { model, agent, server } = await place();
  const house = defineModel({
    ...{ name: "house", tools: [wordCount], contextWindow: 2000, conventions: "text" },
    model: () => model,
  });
  const shout = defineTool({
    ...{ name: "shout", description: "Shouts.", input: z.object({}), isReadOnly: true },
    run: () => "x".repeat(9000),
  });
  const steps: readonly Step[] = [
    { calls: [{ tool: "word_count", args: { text: "one two" } }] },
    { calls: [{ tool: "shout" }] },
    { text: "done" },
  ];
  const { messages } = await agent({ model: house, tools: ["Read", "word_count", shout] }).run(
    scriptText(...steps),
  );
  const texts = messages.flatMap((message) => (message.role === "tool" ? [message.text] : []));
  expect(texts[0]).toBe("2");
  // What does not fit into a window of 2,000 tokens is cut.
  expect(texts[1]).toContain("do not fit into what you can be shown");
  const { tools } = JSON.parse(server.calls()[0]?.body ?? "");
  expect(tools.map(({ name }: { readonly name: string }) => name).toSorted()).toEqual([
    "Read",
    "resource_read",
    "shout",
    "word_count",
  ]);
  const all = await agent({ model: house }).run(scriptText({ text: "hello" }));
  expect(all.finalText).toBe("hello");
  expect(server.calls().at(-1)?.body).toContain('"word_count"');
  await expect(
    agent({ model: defineModel({ name: "bare", tools: [wordCount] }) }).run("go"),
  ).rejects.toMatchObject({ code: "BACKEND_PREFLIGHT_FAILED" });
});

test("a model of one's own is a backend: of tasks in code, and of agents in files that may name its tools [LOOP-15]", async () => {
  const { cwd, env, model } = await place();
  const house = defineModel({ name: "house", model: () => model, tools: [wordCount] });
  const task = scriptText(
    { calls: [{ tool: "word_count", args: { text: "one two" } }] },
    { text: "$RESULT words\nDONE: $RESULT words" },
  );
  const options = { cwd, env, store: "memory", backends: [house] } as const;
  const { output } = await fanOut([{ name: "a", task, backend: "house" }], options).result;
  expect(output).toContain("2 words");
  const file = join(cwd, "count.yaml");
  const agents = "agents: [{ id: a, backend: house, maxTurns: 5, tools: [word_count] }]";
  await writeFile(file, `version: "1.0"\nname: count\npattern: fan-out\n${agents}\n`);
  const workflow = await loadWorkflow(file, { cwd, env, backends: [house] });
  expect((await runWorkflow(workflow, task, options).result).output).toContain("2 words");
});
