import { writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { type Clock, systemClock } from "../../../../src/foundation/clock.ts";
import { scriptText } from "../../../clients/model-server/script.ts";
import { createMemoryRecord } from "./memory-record.ts";
import { modelRun, resultsOf } from "./model-run.ts";

/** A clock whose waits are over at once. */
const hurried: Clock = {
  ...systemClock,
  startTimer: (_delayMs, fire) => systemClock.startTimer(0, fire),
};

test.each(["anthropic", "responses", "chat", "google"] as const)(
  "%s: what fails on the way is asked for again, and whoever watches knows [LOOP-5]",
  async (dialect) => {
    const run = await modelRun({ dialect, clock: hurried });
    const updates = await run.turn([{ fail: { status: 500, times: 2 }, text: "back" }]);
    expect(updates.at(-1)).toMatchObject({ type: "stop", text: "back" });
    expect(updates.filter(({ type }) => type === "retrying")).toEqual([
      { type: "retrying", reason: "server-error", delayMs: expect.any(Number) },
      { type: "retrying", reason: "server-error", delayMs: expect.any(Number) },
    ]);
    expect(run.server.calls()).toHaveLength(3);
  },
);

test.each(["anthropic", "responses", "chat", "google"] as const)(
  "%s: an answer whose stream breaks off is none, and fails the turn after nine tries [LOOP-5]",
  async (dialect) => {
    const run = await modelRun({ dialect, clock: hurried });
    const record = await run.turn([{ text: "half of it and more of it", ending: "cut" }]);
    expect(record.at(-1)).toMatchObject({
      type: "error",
      error: { code: "BACKEND_PROVIDER_FAILED" },
    });
    expect(run.server.calls()).toHaveLength(9);
  },
);

test("a server that cannot be reached fails the turn with its address kept out of the run's business [LOOP-5]", async () => {
  const run = await modelRun({ clock: hurried, settings: { baseUrl: "http://127.0.0.1:1/v1" } });
  expect((await run.turn([{ text: "x" }])).at(-1)).toMatchObject({
    type: "error",
    error: { code: "BACKEND_PROVIDER_FAILED" },
  });
});

test("a turn that is cut off closes the connection to its model [LOOP-1.reports, AGT-2]", async () => {
  const silent = await silentServer();
  const run = await modelRun({ settings: { baseUrl: `${silent.url}/v1` } });
  const abort = new AbortController();
  const turn = run.turn([], { prompt: "x", signal: abort.signal });
  await silent.asked;
  abort.abort();
  expect((await turn).at(-1)).toEqual({ type: "stop", reason: "cancelled" });
  await silent.closed;
});

test("after a turn that was cut off its words stay, and its open calls are answered as cancelled [LOOP-11]", async () => {
  const record = createMemoryRecord();
  const run = await modelRun({ record });
  const abort = new AbortController();
  const steps = [{ text: "I begin.", calls: [{ shell: "sleep 60" }, { tool: "LS" }] }];
  const turn = run.turn(steps, {
    signal: abort.signal,
    client: {
      ...(await stoppingClient(abort)),
    },
  });
  expect((await turn).at(-1)).toEqual({ type: "stop", reason: "cancelled" });
  const updates = await run.turn([{ text: "all right" }], { turn: 2 });
  expect(updates.at(-1)).toMatchObject({ type: "stop", text: "all right" });
  const { messages } = JSON.parse(run.server.calls().at(-1)?.body ?? "");
  const text = JSON.stringify(messages);
  expect(text).toContain("I begin.");
  expect(text.match(/cancelled/g)).toHaveLength(2);
});

test("what is put into a turn is told the model before it is asked again [LOOP-11]", async () => {
  const run = await modelRun({});
  const client = await stoppingClient(undefined, () => run.steer("look at b.txt too"));
  await run.turn([{ calls: [{ tool: "LS" }] }, { text: "done" }], { client });
  expect(run.server.calls().at(-1)?.body).toContain("look at b.txt too");
  expect(await run.steer("too late")).toBe(false);
});

test("a context that is nearly full is made shorter: what is new stays, a summary by the same model stands for the rest, and the record keeps all [LOOP-4.compaction, LOOP-13.old]", async () => {
  const record = createMemoryRecord();
  const script = scriptText(
    { text: "reading", calls: [{ tool: "Read", args: { file_path: "a.txt" } }] },
    { text: "again", calls: [{ tool: "Read", args: { file_path: "a.txt" } }] },
    { text: "done" },
  );
  const run = await modelRun({
    record,
    spec: { settings: { systemPrompt: script } },
    settings: { contextWindow: 30_000 },
  });
  await writeFile(join(run.cwd, "a.txt"), `${"x".repeat(120)}\n`.repeat(1200));
  const updates = await run.turn([], { prompt: "an old word" });
  expect(updates.at(-1)).toMatchObject({ type: "stop" });
  const facts = record.kept.map(({ fact }) => fact.type);
  expect(facts).toContain("context-compacted");
  const compacted = record.kept.find(({ fact }) => fact.type === "context-compacted");
  expect(compacted?.fact).toMatchObject({ before: expect.any(Number), after: expect.any(Number) });
  const last = run.server.calls().at(-1)?.body ?? "";
  expect(last).not.toContain("an old word");
  expect(last).toContain("This is a summary of it");
  expect(new Set(run.server.calls().map(({ request }) => request?.model))).toEqual(
    new Set(["scripted"]),
  );
  expect(JSON.stringify(record.kept[0]?.entry)).toContain("an old word");
});

test("a context that the provider finds too long is made shorter once, and then fails the turn [LOOP-13.full]", async () => {
  const server = await tooLongServer();
  const record = createMemoryRecord();
  const run = await modelRun({ record, settings: { baseUrl: `${server}/v1` } });
  const updates = await run.turn([], { prompt: "much too long" });
  expect(updates.at(-1)).toMatchObject({ type: "error", error: { code: "AGENT_CONTEXT_FULL" } });
  expect(record.kept.map(({ fact }) => fact.type)).not.toContain("model-called");
});

test("calls that only look run side by side, those with an effect alone and in order [LOOP-4.parallel]", async () => {
  const run = await modelRun({});
  const seen: string[] = [];
  const together = Promise.withResolvers<void>();
  const client = await stoppingClient(undefined, async (tool) => {
    seen.push(tool);
    if (seen.length === 3) together.resolve();
    // Were they made one after the other, the first would wait for ever.
    if (seen.length <= 3) await together.promise;
  });
  const look = [{ tool: "LS" }, { tool: "Glob", args: { pattern: "*" } }, { tool: "LS" }];
  const change = [{ shell: "sleep 0.05; echo x > f" }, { shell: "cat f; rm f" }, { tool: "LS" }];
  const updates = await run.turn([{ calls: [...look, ...change] }, { text: "done" }], { client });
  expect(seen.slice(3)).toEqual(["Bash", "Bash", "LS"]);
  expect(resultsOf(updates).slice(3)).toEqual(["(it printed nothing)", "x\n", expect.any(String)]);
  expect(new Set(seen.slice(0, 3))).toEqual(new Set(["LS", "Glob"]));
});

test("what is denied goes back to the model with the comment, and nothing happens [AGT-10]", async () => {
  const run = await modelRun({});
  const client = await stoppingClient(undefined, undefined, { decision: "denied", comment: "no" });
  const updates = await run.turn(
    [{ calls: [{ shell: "touch made" }] }, { calls: [{ tool: "LS" }] }, { text: "ok" }],
    { client },
  );
  expect(resultsOf(updates)[0]).toBe("error: denied: no");
  expect(updates.at(-1)).toMatchObject({ type: "stop" });
});

/** A client that allows, does something when it is asked, and may end the turn by it. */
async function stoppingClient(
  abort: AbortController | undefined,
  onAsked?: (tool: string) => unknown,
  ruling: { readonly decision: "allowed" | "denied"; readonly comment?: string } = {
    decision: "allowed",
  },
) {
  const { createRecordingClient } = await import("../../../../src/testing/turn-request.ts");
  return createRecordingClient({
    requestPermission: async (tool) => {
      await onAsked?.(tool);
      abort?.abort();
      return ruling;
    },
  });
}

async function silentServer() {
  const asked = Promise.withResolvers<void>();
  const closed = Promise.withResolvers<void>();
  const server = createServer((request, response) => {
    response.once("close", () => closed.resolve());
    request.resume();
    asked.resolve();
  });
  return { url: await listening(server), asked: asked.promise, closed: closed.promise };
}

async function tooLongServer(): Promise<string> {
  const message = "prompt is too long: 250000 tokens > 200000 maximum";
  const body = JSON.stringify({ type: "error", error: { type: "invalid_request_error", message } });
  const server = createServer((request, response) => {
    request.resume();
    response.writeHead(400, { "content-type": "application/json" }).end(body);
  });
  return listening(server);
}

async function listening(server: Server): Promise<string> {
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("it has no port");
  return `http://127.0.0.1:${address.port}`;
}
