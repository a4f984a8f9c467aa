import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { createFunctionBackend } from "../../../src/agents/backends/function/function-backend.ts";
import type { AgentFunction, AgentFunctionInput } from "../../../src/contracts/agent-function.ts";
import type { TurnRequest, TurnUpdate } from "../../../src/contracts/backend.ts";
import { defineError } from "../../../src/foundation/errors.ts";
import { createRecordingClient, createTurnRequest } from "../../../src/testing/turn-request.ts";

const importNothing = async (): Promise<unknown> => ({});
const spec = { id: "worker", backend: "function" };

interface Options {
  readonly parts?: Partial<TurnRequest>;
  readonly logFile?: string;
}

async function call(run: AgentFunction, { parts, logFile }: Options = {}): Promise<TurnUpdate[]> {
  const functions = new Map([["worker", run]]);
  const backend = createFunctionBackend({ functions, importModule: importNothing });
  const request = { run: "run_aaaaaa", session: "worker", cwd: "/", env: { A: "1" }, spec };
  const session = await backend.open(logFile === undefined ? request : { ...request, logFile });
  const updates: TurnUpdate[] = [];
  for await (const update of session.prompt(createTurnRequest(parts))) updates.push(update);
  return updates;
}

describe("a function agent", () => {
  test.each([
    ["a text", "hello", "hello"],
    ["an object", { b: [1, null] }, '{"b":[1,null]}'],
    ["a number", 42, "42"],
    ["nothing", undefined, ""],
  ])("that returns %s answers with its text or JSON [AGT-3.function]", async (_, answer, text) => {
    expect(await call(() => answer)).toEqual([{ type: "stop", reason: "end_turn", text }]);
  });

  test("that returns a text and signals gives these as by a tool, each before the answer [SIG-2]", async () => {
    const client = createRecordingClient();
    const signals = [
      { kind: "vote", value: "approve", reason: "it is small" },
      { kind: "done", confidence: 0.4 },
    ];
    const updates = await call(() => ({ text: "I agree", signals }), { parts: { client } });
    expect(updates).toEqual([{ type: "stop", reason: "end_turn", text: "I agree" }]);
    expect(client.calls).toEqual([
      { method: "signal", input: signals[0] },
      { method: "signal", input: { kind: "done", value: "", confidence: 0.4 } },
    ]);
  });

  test.each([
    ["a signal without a kind", [{ value: "x" }], "kind"],
    ["a signal with another key", [{ kind: "vote", vote: "approve" }], "vote"],
    ["no signal", ["DONE"], "signals"],
  ])("that returns %s fails with BACKEND_ANSWER_INVALID", async (_, signals, problem) => {
    expect(await call(() => ({ text: "hi", signals }))).toMatchObject([
      {
        type: "error",
        error: { code: "BACKEND_ANSWER_INVALID", message: expect.stringContaining(problem) },
      },
    ]);
  });

  test("that returns signals among other keys returns data", async () => {
    const data = { text: "hi", signals: [], more: 1 };
    expect(await call(() => data)).toMatchObject([{ text: JSON.stringify(data) }]);
  });

  test("acts as its agent and reports as it goes [AGT-2]", async () => {
    const client = createRecordingClient();
    const updates = await call(
      async (input) => {
        await input.post({ text: "hi" });
        await input.giveSignal({ kind: "done", value: "ok" });
        input.reportUsage({ inputTokens: 3 });
        input.stream("part");
        return input.ask("really?");
      },
      { parts: { client } },
    );
    expect(client.calls.map(({ method }) => method)).toEqual(["post", "signal", "ask"]);
    expect(updates).toEqual([
      { type: "usage", usage: { inputTokens: 3 } },
      { type: "text-delta", text: "part" },
      { type: "stop", reason: "end_turn", text: "yes" },
    ]);
  });

  test("that throws fails with BACKEND_FUNCTION_FAILED, a TroupeError with its own code", async () => {
    const busy = defineError("MY_BUSY", { message: () => "busy", about: "busy", retryable: true });
    const fail = (error: unknown) => () => {
      throw error;
    };
    expect(await call(fail(new Error("broken")))).toMatchObject([
      {
        type: "error",
        error: {
          code: "BACKEND_FUNCTION_FAILED",
          message: 'the function of agent "worker" failed: broken',
        },
      },
    ]);
    expect(await call(fail(busy({})))).toEqual([
      {
        type: "error",
        error: { code: "MY_BUSY", message: "busy", retryable: true, details: {} },
      },
    ]);
  });

  test("that returns what is no JSON fails", async () => {
    expect(await call(() => ({ big: 1n }))).toMatchObject([
      { type: "error", error: { code: "VALUE_NOT_JSON" } },
    ]);
  });

  test("that ignores the cancellation is left behind, which its log records", async () => {
    const directory = await mkdtemp(join(tmpdir(), "troupe-function-"));
    const logFile = join(directory, "worker.log");
    const controller = new AbortController();
    const client = createRecordingClient();
    let later: AgentFunctionInput | undefined;
    const updates = await call(
      (input) => {
        later = input;
        controller.abort();
        return new Promise(() => {});
      },
      { parts: { signal: controller.signal, client }, logFile },
    );
    expect(updates).toEqual([{ type: "stop", reason: "cancelled" }]);
    expect(await readFile(logFile, "utf8")).toBe(
      'the function of agent "worker" was still running when its turn 1 was cancelled; it goes on without its agent\n',
    );
    await expect(later?.post({ text: "too late" })).rejects.toMatchObject({ name: "AbortError" });
    expect(client.calls).toEqual([]);
    await rm(directory, { recursive: true });
  });

  test("cannot act for its agent after its turn", async () => {
    const client = createRecordingClient();
    let later: AgentFunctionInput | undefined;
    await call(
      (input) => {
        later = input;
      },
      { parts: { client } },
    );
    await expect(later?.post({ text: "too late" })).rejects.toMatchObject({ name: "AbortError" });
    expect(client.calls).toEqual([]);
  });
});

describe("the module of a function agent", () => {
  const problems = async (module: string | undefined, exported: unknown = {}) => {
    const importModule = async (path: string) => {
      if (path === "/gone.ts") throw new Error("no such file");
      return exported;
    };
    const backend = createFunctionBackend({ functions: new Map(), importModule });
    const settings = module === undefined ? {} : { module };
    const found = await backend.check({ ...spec, settings });
    return found.map(({ message }) => message);
  };

  test("must exist and export the function, which is checked before the run [AGT-3.function]", async () => {
    expect(await problems("/a.ts#run", { run: () => "" })).toEqual([]);
    expect(await problems("/a.ts#run", { other: () => "" })).toEqual([
      'agent "worker": /a.ts#run exports no function "run"',
    ]);
    expect(await problems("/a.ts#toString", {})).toEqual([
      'agent "worker": /a.ts#toString exports no function "toString"',
    ]);
    expect(await problems("/gone.ts#run")).toEqual([
      'agent "worker": /gone.ts#run cannot be loaded: no such file',
    ]);
    expect(await problems("/a.ts")).toEqual(['agent "worker": /a.ts names no export']);
    expect(await problems(undefined)).toEqual(['agent "worker": expected `module: path#export`']);
  });

  test("that is invalid is refused at opening", async () => {
    const backend = createFunctionBackend({ functions: new Map(), importModule: importNothing });
    const settings = { module: "/a.ts#run" };
    const request = { run: "r", session: "s", cwd: "/", env: {}, spec: { ...spec, settings } };
    await expect(backend.open(request)).rejects.toMatchObject({ code: "BACKEND_MODULE_INVALID" });
  });
});
