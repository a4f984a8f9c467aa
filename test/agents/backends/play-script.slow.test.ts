import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { parseCassette } from "../../../src/agents/backends/script/load-cassette.ts";
import { createScriptBackend } from "../../../src/agents/backends/script/script-backend.ts";
import type { AgentSession, TurnRequest, TurnUpdate } from "../../../src/contracts/backend.ts";
import type { Json } from "../../../src/foundation/json.ts";
import { createManualClock } from "../../../src/testing/manual-clock.ts";
import { createRecordingClient, createTurnRequest } from "../../../src/testing/turn-request.ts";
import { createTestHost } from "./test-host.ts";

const { PATH = "" } = process.env;
let cwd = "";
beforeEach(async () => {
  cwd = await mkdtemp(join(tmpdir(), "troupe-script-"));
});
afterEach(() => rm(cwd, { recursive: true, force: true }));

const clock = createManualClock();

interface Given {
  readonly cassette?: string;
  readonly script?: Json;
}

async function open({ cassette, script }: Given): Promise<AgentSession> {
  const backend = createScriptBackend({
    host: createTestHost(),
    clock,
    ...(cassette === undefined ? {} : { cassette: parseCassette(cassette, "c.yaml") }),
  });
  const spec = { id: "worker", backend: "script" };
  const env = { PATH };
  const session = { run: "run_aaaaaa", session: "worker", cwd, env };
  return backend.open({
    ...session,
    spec: script === undefined ? spec : { ...spec, settings: { script } },
  });
}

async function play(given: Given, parts: Partial<TurnRequest> = {}): Promise<TurnUpdate[]> {
  const session = await open(given);
  const updates: TurnUpdate[] = [];
  for await (const update of session.prompt(createTurnRequest(parts))) updates.push(update);
  return updates;
}

const turn = (entry: Json): Given => ({ script: [entry] });

describe("a scripted agent", () => {
  test("without any script says that it is done [AGT-4]", async () => {
    expect((await play({})).at(-1)).toEqual({
      type: "stop",
      reason: "end_turn",
      text: "DONE: worker done",
    });
  });

  test("plays the script of its own before the cassette", async () => {
    const cassette = "version: 1\nagents: { worker: [ { say: from the cassette } ] }";
    expect((await play({ cassette })).at(-1)).toMatchObject({ text: "from the cassette" });
    const script = [{ say: "from the agent" }];
    expect((await play({ cassette, script })).at(-1)).toMatchObject({ text: "from the agent" });
  });

  test("does everything that a cassette can ask for, in order [AGT-2, AGT-3.script, AGT-4]", async () => {
    const cassette = await readFile(new URL("every-key.yaml", import.meta.url), "utf8");
    const client = createRecordingClient();
    const playing = play({ cassette }, { agent: "planner", prompt: "write a todo app", client });
    await clock.advance(20);
    expect(await playing).toEqual([
      { type: "file-change", path: "plan.md", kind: "create" },
      { type: "tool-call", call: "call_1_1", tool: "Bash", input: { command: "echo hi > f.txt" } },
      { type: "tool-result", call: "call_1_1", tool: "Bash", isError: false, result: "" },
      { type: "tool-call", call: "call_1_2", tool: "Bash", input: {} },
      { type: "tool-call", call: "call_1_3", tool: "Bash", input: { command: "ls" } },
      { type: "tool-result", call: "call_1_3", tool: "Bash", isError: false, result: "ok" },
      { type: "tool-call", call: "call_1_4", tool: "channel_read", input: { limit: 3 } },
      {
        type: "tool-result",
        call: "call_1_4",
        tool: "channel_read",
        isError: false,
        result: '{"ok":true}',
      },
      { type: "file-change", path: "src/a.ts", kind: "edit" },
      { type: "usage", usage: { inputTokens: 1200, outputTokens: 300, costUsd: 0.004 } },
      { type: "thinking", text: "hmm" },
      { type: "text-delta", text: "partial text " },
      { type: "stop", reason: "end_turn", text: "DONE: plan ready" },
    ]);
    expect(client.calls).toEqual([
      { method: "post", input: { to: ["coder"], text: "start with the schema" } },
      { method: "post", input: { channel: "plans", text: "to a channel" } },
      { method: "post", input: { channel: "plans", text: "to a channel" } },
      {
        method: "signal",
        input: { kind: "vote", value: "approve", reason: "small", confidence: 0.9 },
      },
      { method: "callTool", input: { name: "channel_read", input: { limit: 3 } } },
      {
        method: "editDocument",
        input: { kind: "append", text: "finding 1\n", name: "notes" },
      },
      { method: "requestPermission", input: { tool: "Bash", input: { command: "rm -rf build" } } },
      { method: "ask", input: "Which database?" },
    ]);
    expect(await readFile(join(cwd, "plan.md"), "utf8")).toBe("the plan\n");
    expect(await readFile(join(cwd, "f.txt"), "utf8")).toBe("hi\n");
  });

  test("posts to the main channel when neither addressee nor channel is given", async () => {
    const client = createRecordingClient();
    await play(turn({ do: [{ send: { text: "hello" } }], say: "x" }), { client });
    expect(client.calls).toEqual([{ method: "post", input: { text: "hello" } }]);
  });

  test("fails for good when its prompt lacks the expected text [AGT-4]", async () => {
    const [end, ...more] = await play(turn({ expect: "todo app", say: "x" }), { prompt: "a game" });
    expect(more).toEqual([]);
    expect(end).toEqual({
      type: "error",
      error: {
        code: "BACKEND_SCRIPT_MISMATCH",
        message:
          'agent "worker", turn 1 of script: the prompt does not contain "todo app"; it says "a game"',
        hint: "change `expect` in the cassette, or what the agent is told",
        details: {
          agent: "worker",
          entry: "turn 1 of script",
          expected: "todo app",
          prompt: "a game",
        },
      },
    });
  });

  test("waits as long as the script says, and not after an abort [AGT-3.script]", async () => {
    const controller = new AbortController();
    const playing = play(turn({ after: "1h", say: "late" }), { signal: controller.signal });
    await clock.advance(3_599_000);
    expect(clock.timerCount).toBe(1);
    controller.abort();
    expect(await playing).toEqual([{ type: "stop", reason: "cancelled" }]);
    expect(clock.timerCount).toBe(0);
  });

  test("leaves the rest out after a refused permission, unless told to go on [AGT-4]", async () => {
    const client = createRecordingClient({
      requestPermission: async () => ({ decision: "denied" as const }),
    });
    const permission = { tool: "Bash", input: {} };
    const rest = { thinking: "after" };
    const skipped = await play(turn({ do: [{ permission }, rest], say: "end" }), { client });
    expect(skipped.map(({ type }) => type)).toEqual(["text-delta", "stop"]);
    const going = { permission: { ...permission, onDeny: "continue" } };
    const continued = await play(turn({ do: [going, rest], say: "end" }), { client });
    expect(continued.map(({ type }) => type)).toEqual(["thinking", "text-delta", "stop"]);
  });

  test.each(["max_turns", "max_tokens", "refusal"])("can stop with %s [AGT-2]", async (stop) => {
    const updates = await play(turn({ say: "so far", stop }));
    expect(updates.at(-1)).toEqual({ type: "stop", reason: stop, text: "so far" });
  });

  test("fails with the code that the script names [AGT-3.script]", async () => {
    const fail = { code: "OVERLOADED", retryable: true, message: "busy" };
    expect(await play(turn({ fail }))).toEqual([{ type: "error", error: fail }]);
  });

  test("that crashes has lost its session, which takes no further turn", async () => {
    const session = await open(turn({ crash: true }));
    const codes: unknown[] = [];
    for (let count = 0; count < 2; count += 1)
      for await (const update of session.prompt(createTurnRequest()))
        if (update.type === "error") codes.push([update.error.code, update.sessionLost]);
    expect(codes).toEqual([
      ["BACKEND_CRASHED", true],
      ["BACKEND_SESSION_CLOSED", true],
    ]);
  });

  test("goes on after a command or tool that failed, which is reported [AGT-2]", async () => {
    const client = createRecordingClient({
      callTool: async () => {
        throw new Error("no such tool");
      },
    });
    const script = {
      do: [{ run: "echo no >&2; exit 3" }, { call: { tool: "x" } }],
      say: "went on",
    };
    const updates = await play(turn(script), { client });
    expect(updates.filter(({ type }) => type === "tool-result")).toMatchObject([
      { isError: true, result: "no\n(exit 3)" },
      { isError: true, result: "INTERNAL: no such tool" },
    ]);
    expect(updates.at(-1)).toMatchObject({ type: "stop", text: "went on" });
  });

  test("fails when a message cannot be sent", async () => {
    const client = createRecordingClient({
      post: async () => {
        throw new Error("nobody there");
      },
    });
    const updates = await play(turn({ do: [{ send: { to: "x", text: "y" } }] }), { client });
    expect(updates).toMatchObject([{ type: "error", error: { message: "nobody there" } }]);
  });

  test("does not wait for an answer after an abort", async () => {
    const controller = new AbortController();
    const client = createRecordingClient({
      ask: () => {
        controller.abort();
        return new Promise(() => {});
      },
    });
    const given = turn({ do: [{ ask: "anyone?" }], say: "x" });
    const updates = await play(given, { client, signal: controller.signal });
    expect(updates).toEqual([{ type: "stop", reason: "cancelled" }]);
  });

  test("fails after its last turn when the list does not repeat", async () => {
    const script = { repeat: "fail", turns: [{ say: "only" }] };
    const updates = await play({ script }, { turnsBefore: { "": 1 } });
    expect(updates).toMatchObject([{ type: "error", error: { code: "BACKEND_SCRIPT_EXHAUSTED" } }]);
  });

  test("cannot write outside its directory", async () => {
    const write = { path: "../escaped.txt", content: "x" };
    const updates = await play(turn({ do: [{ write }], say: "x" }));
    expect(updates).toMatchObject([{ type: "error", error: { code: "HOST_PATH_OUTSIDE" } }]);
  });

  test("with a malformed script is refused before the run and at opening", async () => {
    const backend = createScriptBackend({ host: createTestHost(), clock });
    const spec = { id: "a", backend: "script", settings: { script: [{ sya: "x" }] } };
    expect(await backend.check(spec)).toMatchObject([{ message: expect.stringContaining("sya") }]);
    const request = { run: "r", spec, session: "a", cwd, env: {} };
    await expect(backend.open(request)).rejects.toMatchObject({ code: "BACKEND_SETTINGS_INVALID" });
  });

  test("cannot resume a session that is not its own", async () => {
    const backend = createScriptBackend({ host: createTestHost(), clock });
    const spec = { id: "a", backend: "script" };
    const request = { run: "r", spec, session: "a", cwd, env: {}, resume: "nonsense" };
    await expect(backend.open(request)).rejects.toMatchObject({ code: "BACKEND_SESSION_UNKNOWN" });
  });
});

test("10,000 open scripted sessions take at most 10 KB of memory each", async () => {
  setFlagsFromString("--expose-gc");
  const collect: unknown = runInNewContext("gc");
  if (typeof collect !== "function") throw new Error("no gc");
  const backend = createScriptBackend({ host: createTestHost(), clock });
  const openOne = (id: string) =>
    backend.open({
      run: "r",
      session: id,
      cwd,
      env: {},
      spec: { id, backend: "script", settings: { script: [{ say: "DONE: x" }] } },
    });
  const sessions = [await openOne("first")];
  collect();
  const before = process.memoryUsage().heapUsed;
  for (let index = 0; index < 10_000; index += 1) sessions.push(await openOne(`agent-${index}`));
  collect();
  expect((process.memoryUsage().heapUsed - before) / sessions.length).toBeLessThan(10_240);
});
