import { expect, test } from "vitest";
import { settle } from "../../../src/testing/manual-clock.ts";
import { gate, playedBackend, said } from "../agents-run.ts";
import { castBackend, type Part, runCast, says } from "./collab-run.ts";

const echo: Part = async (_call, { prompt }) => prompt;

/** Spawns a worker, waits for it, and keeps what `wait` says. */
const spawnsAndWaits =
  (answers: unknown[]): Part =>
  async (call) => {
    await call("spawn_agent", { prompt: "work" });
    answers.push((await call("wait", {}))["statuses"]);
    return "done";
  };

test.each([
  { what: "a turn that ends", end: says("found it"), status: "completed", text: "found it" },
  { what: "DONE", end: says("DONE: found it"), status: "completed", text: "DONE: found it" },
  { what: "FAILED", end: says("FAILED: no way"), status: "errored", text: "no way" },
  { what: "BLOCKED", end: says("BLOCKED: no key"), status: "errored", text: "no key" },
  {
    what: "an error",
    end: () => Promise.reject(new Error("boom")),
    status: "errored",
    text: expect.stringContaining("boom"),
  },
])("$what is $status [COL-2, COL-11]", async ({ end, status, text }) => {
  const answers: unknown[] = [];
  const run = runCast({ lead: [spawnsAndWaits(answers)], "worker-1": [end] });
  await expect.poll(() => answers).toEqual([{ "worker-1": { status, text } }]);
  await run.stop();
});

test("a turn that stops at a limit of its model has failed, and is not given its input again [COL-11]", async () => {
  const answers: unknown[] = [];
  const cast = castBackend({ lead: [spawnsAndWaits(answers)] });
  const backend = playedBackend(async function* (request, session) {
    if (request.agent === "lead") yield* (await cast.open(session)).prompt(request);
    else yield { type: "stop", reason: "max_turns", text: "half" };
  });
  const run = runCast({}, { backend });
  await expect
    .poll(() => answers)
    .toEqual([{ "worker-1": { status: "errored", text: "stopped: max_turns\nhalf" } }]);
  await settle();
  expect(run.owned.state.agents.get("worker-1")?.lastTurn).toBe(1);
  await run.stop();
});

test("agents that have completed or failed take new input, in order, in their session [COL-2, COL-4]", async () => {
  const answers: unknown[] = [];
  const run = runCast({
    lead: [
      async (call) => {
        await call("spawn_agent", { prompt: "one", name: "ann" });
        answers.push((await call("wait", { ids: ["ann"] }))["statuses"]);
        answers.push(await call("send_input", { id: "ann", prompt: "two" }));
        await call("send_input", { thread_id: "ann", prompt: "three" });
        answers.push((await call("wait", { thread_ids: ["ann"] }))["statuses"]);
        return "done";
      },
    ],
    ann: [() => Promise.reject(new Error("boom")), echo, echo],
  });
  await expect.poll(() => answers.length).toBe(3);
  expect(answers).toEqual([
    { ann: { status: "errored", text: expect.stringContaining("boom") } },
    { id: "ann", name: "ann", status: "running" },
    { ann: { status: "completed", text: expect.stringContaining("> three") } },
  ]);
  expect(
    run.backend.prompts.filter(({ agent: id }) => id === "ann").map(({ task }) => task),
  ).toEqual(["one", "two", "three"]);
  expect(run.backend.opened.filter(({ spec }) => spec.id === "ann")).toHaveLength(1);
  await run.stop();
});

test("input that interrupts cuts the turn off first, and the next one has both [COL-4]", async () => {
  const working = gate();
  const answers: unknown[] = [];
  const run = runCast({
    lead: [
      async (call) => {
        await call("spawn_agent", { prompt: "dig here" });
        await working.opened;
        answers.push(
          await call("send_input", { id: "worker-1", prompt: "dig there", interrupt: true }),
        );
        answers.push((await call("wait"))["statuses"]);
        return "done";
      },
    ],
    "worker-1": [
      async (_call, { signal }) => {
        working.open();
        await new Promise((resolve) => signal.addEventListener("abort", resolve));
        return "";
      },
      async (_call, { prompt }) => prompt,
    ],
  });
  await expect.poll(() => answers.length).toBe(2);
  expect(answers[1]).toEqual({
    "worker-1": { status: "completed", text: expect.stringMatching(/> dig here.*> dig there/s) },
  });
  expect(run.all("turn-interrupted").map(({ agent }) => agent)).toEqual(["worker-1"]);
  await run.stop();
});

test("a text that is too long is cut, and resource_read has the rest of it [COL-11]", async () => {
  const long = `${"é".repeat(20_000)}END`;
  const seen: { text?: string; rest?: string } = {};
  const run = runCast({
    lead: [
      async (call) => {
        await call("spawn_agent", { prompt: "tell all" });
        const { statuses } = await call("wait");
        const told = Reflect.get(Object(statuses), "worker-1");
        seen.text = told.text;
        const { ref, offset } = told.resource;
        seen.rest = String(
          (await call("resource_read", { ref, offset, limit: 60_000 }))["content"],
        );
        return "done";
      },
    ],
    "worker-1": [says(long)],
  });
  await expect.poll(() => seen.rest).toBeDefined();
  expect(Buffer.byteLength(seen.text ?? "")).toBe(16_384);
  expect(`${seen.text}${seen.rest}`).toBe(long);
  await run.stop();
});

test("a backend that takes no messages is told of its task all the same [COL-1]", async () => {
  const tasks: string[] = [];
  const cast = castBackend({
    lead: [
      async (call) => {
        await call("spawn_agent", { prompt: "the task" });
        await call("wait");
        return "done";
      },
    ],
  });
  const backend = playedBackend(
    async function* (request, session) {
      if (request.agent === "lead") return yield* (await cast.open(session)).prompt(request);
      tasks.push(request.task);
      yield said("ok");
    },
    { takesMessages: false },
  );
  const run = runCast({}, { backend });
  await expect.poll(() => tasks).toEqual(["the task"]);
  await run.stop();
});
