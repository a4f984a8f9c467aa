import { describe, expect, test } from "vitest";
import type { TurnBody } from "../../../src/agents/backends/parts/turn-gate.ts";
import { TurnGate } from "../../../src/agents/backends/parts/turn-gate.ts";
import { createUpdateQueue } from "../../../src/agents/backends/parts/update-queue.ts";
import type { TurnUpdate } from "../../../src/contracts/backend.ts";
import { createTurnRequest } from "../../../src/testing/turn-request.ts";

const createGate = () => new TurnGate({ agent: "worker", session: "worker" });

async function collect(gate: TurnGate, body: TurnBody): Promise<TurnUpdate[]> {
  const updates: TurnUpdate[] = [];
  for await (const update of gate.run(createTurnRequest(), body)) updates.push(update);
  return updates;
}

const done: TurnBody = async () => ({ type: "stop", reason: "end_turn", text: "done" });

describe("the turns of a session", () => {
  test("run one at a time: a second one is refused, the first goes on [AGT-1]", async () => {
    const gate = createGate();
    const first = gate.run(createTurnRequest(), async ({ emit }) => {
      emit({ type: "text-delta", text: "busy" });
      expect(await collect(gate, done)).toMatchObject([
        { type: "error", error: { code: "BACKEND_SESSION_BUSY" } },
      ]);
      return { type: "stop", reason: "end_turn" };
    });
    const updates: TurnUpdate[] = [];
    for await (const update of first) updates.push(update);
    expect(updates.map(({ type }) => type)).toEqual(["text-delta", "stop"]);
  });

  test("may follow each other as soon as the end of one is seen", async () => {
    const gate = createGate();
    for await (const update of gate.run(createTurnRequest(), done))
      if (update.type === "stop") expect(await collect(gate, done)).toHaveLength(1);
    expect(await collect(gate, done)).toHaveLength(1);
  });

  test("say that too many files are open, and not that Troupe is at fault", async () => {
    const short = Object.assign(new Error("EMFILE: too many open files"), { code: "EMFILE" });
    const body = () => Promise.reject(new Error("the program did not end", { cause: short }));
    expect(await collect(createGate(), body)).toMatchObject([
      { type: "error", error: { code: "HOST_TOO_MANY_FILES", retryable: true } },
    ]);
  });

  test("emit nothing after their end", async () => {
    let late = (_: TurnUpdate) => {};
    const updates = await collect(createGate(), async (work) => {
      late = (update) => work.emit({ type: "thinking", text: update.type });
      return { type: "stop", reason: "end_turn" };
    });
    late({ type: "stop", reason: "end_turn" });
    expect(updates).toEqual([{ type: "stop", reason: "end_turn" }]);
  });

  test("stop listening to their request when they are over", async () => {
    const controller = new AbortController();
    let listeners = 0;
    const { signal } = controller;
    const { addEventListener, removeEventListener } = signal;
    signal.addEventListener = (...given: Parameters<typeof addEventListener>) => {
      listeners += 1;
      addEventListener.apply(signal, given);
    };
    signal.removeEventListener = (...given: Parameters<typeof removeEventListener>) => {
      listeners -= 1;
      removeEventListener.apply(signal, given);
    };
    const request = createTurnRequest({ signal });
    for await (const _ of createGate().run(request, done)) expect(listeners).toBe(0);
    expect(listeners).toBe(0);
  });
});

test("text that nobody reads is joined and keeps its last 256 Ki characters [AGT-6]", async () => {
  const queue = createUpdateQueue();
  for (let index = 0; index < 5000; index += 1)
    queue.push({ type: "text-delta", text: "x".repeat(100) });
  queue.push({ type: "text-delta", text: "the end" });
  queue.end();
  const update = await queue.next();
  expect(update?.type === "text-delta" && update.text.length).toBe(256 * 1024);
  expect(update?.type === "text-delta" && update.text.endsWith("the end")).toBe(true);
  expect(await queue.next()).toBeUndefined();
});
