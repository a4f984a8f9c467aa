import { expect, test } from "vitest";
import type { ReuseTable } from "../../src/contracts/events/reuse.ts";
import type { RunCreated } from "../../src/contracts/events/run-events.ts";
import type { Context } from "../../src/contracts/ports/context.ts";
import { TroupeError } from "../../src/foundation/errors.ts";
import { sha256 } from "../../src/foundation/hash.ts";
import type { Json } from "../../src/foundation/json.ts";
import { settle } from "../../src/testing/manual-clock.ts";
import { createTestRun, runResultOf } from "../../src/testing/test-run.ts";
import { codeOf } from "./program-parts.ts";

/** The result of asking one operation whose handler answers so, and what the handler was asked. */
async function ask(kind: string, outcome: Json, question: (context: Context) => Promise<unknown>) {
  let input: Json | undefined;
  const run = createTestRun(
    async (context) => {
      const answer = await question(context);
      return { answer: answer === undefined ? "nothing" : JSON.parse(JSON.stringify(answer)) };
    },
    {
      prepare: (driver) =>
        driver.register({
          kind,
          effect: "world",
          execute: (given) => {
            input = given;
            return outcome;
          },
        }),
    },
  );
  const { event } = await run.carryOut();
  return { input, event };
}

const handle = {
  id: "a",
  name: "A",
  backend: "mock",
  conventions: "text",
  demandsSignal: false,
  toolPrefix: "mcp__",
  directory: "/work",
} as const;

const turn = {
  agent: "a",
  turn: 1,
  text: "done",
  textTruncated: false,
  stopReason: "end_turn",
  signals: [{ kind: "done", value: "", reason: "r", confidence: 0.5, by: "text" }],
  usage: { inputTokens: 1, outputTokens: 2, cachedTokens: 3, costUsd: 4, estimatedUsd: 5 },
} as const;

const receipt = {
  id: "m",
  seq: 3,
  recipients: ["a"],
  unknownMentions: ["b"],
  refusedMentions: ["c"],
};

const child = {
  run: "run_child",
  outcome: "completed",
  reason: "done",
  result: { value: [1, null] },
  limit: { code: "X", message: "m" },
};

test.each<{
  kind: string;
  question: (context: Context) => Promise<unknown>;
  input: Json;
  outcome: Json;
}>([
  {
    kind: "spawn",
    question: (context) => context.spawn({ id: "a", backend: "mock" }, { isShared: true }),
    input: { spec: { id: "a", backend: "mock" }, isShared: true },
    outcome: handle,
  },
  {
    kind: "turn",
    question: (context) => context.turn("a", "work", { timeoutMs: 5 }),
    input: { agent: "a", prompt: "work", timeoutMs: 5 },
    outcome: turn,
  },
  {
    kind: "interrupt",
    question: (context) => context.interrupt("a"),
    input: { agent: "a" },
    outcome: "idle",
  },
  {
    kind: "release",
    question: (context) => context.release("a", "done"),
    input: { agent: "a", reason: "done" },
    outcome: "exited",
  },
  {
    kind: "post",
    question: (context) => context.post({ text: "hi" }),
    input: { text: "hi" },
    outcome: receipt,
  },
  {
    kind: "child",
    question: (context) => context.child({ workflow: "other", input: "task" }),
    input: { workflow: "other", input: "task" },
    outcome: child,
  },
])("$kind is asked as data, and what it came to is handed over whole [ENG-1]", async (row) => {
  const { input, event } = await ask(row.kind, row.outcome, row.question);
  expect(input).toEqual(row.input);
  expect(event).toMatchObject({ outcome: "completed" });
  expect(event).toHaveProperty("result", { answer: row.outcome });
});

test.each<{ kind: string; question: (context: Context) => Promise<unknown>; input: Json }>([
  {
    kind: "answer",
    question: (context) => context.answer("req", { ok: true }),
    input: { request: "req", value: { ok: true }, isError: false },
  },
  {
    kind: "answer",
    question: (context) => context.answer("req", "no", { isError: true }),
    input: { request: "req", value: "no", isError: true },
  },
  { kind: "woken", question: (context) => context.woken("a"), input: { agent: "a" } },
  {
    kind: "quiescent",
    question: (context) => context.quiescent({ quietMs: 5, agents: ["a"] }),
    input: { quietMs: 5, agents: ["a"] },
  },
])("$kind tells the program nothing but that it is over", async ({ kind, question, input }) => {
  const asked = await ask(kind, { seen: "by nobody" }, question);
  expect(asked.input).toEqual(input);
  expect(asked.event).toHaveProperty("result", { answer: "nothing" });
});

test.each<{ kind: string; question: (context: Context) => Promise<unknown> }>([
  { kind: "spawn", question: (context) => context.spawn({ id: "a", backend: "mock" }) },
  { kind: "turn", question: (context) => context.turn("a", "work") },
  { kind: "interrupt", question: (context) => context.interrupt("a") },
  { kind: "post", question: (context) => context.post({ text: "hi" }) },
  { kind: "child", question: (context) => context.child({ workflow: "other", input: null }) },
])("an outcome of $kind that has another form fails the program", async ({ kind, question }) => {
  const { event } = await ask(kind, { other: true }, question);
  expect(event).toMatchObject({ outcome: "failed" });
});

test("what is added to the trajectory is journaled in the name of the workflow, and refused when it does not fit", async () => {
  const run = createTestRun(async (context) => {
    context.record({ kind: "finding", text: "it is slow" });
    const refused = (async () => context.record(JSON.parse('{"kind":"finding"}')))();
    const { message } = await refused.catch((error: unknown) => Object(error));
    return { code: await codeOf(refused), message };
  });
  expect(runResultOf(await run.carryOut())).toEqual({
    code: "ENGINE_RECORD_INVALID",
    message: expect.stringMatching(/does not fit: .*text/s),
  });
  expect(run.events.filter(({ type }) => type === "record-added")).toMatchObject([
    { by: "test", record: { kind: "finding", text: "it is slow" } },
  ]);
});

const CREATED: RunCreated = {
  type: "run-created",
  workflow: "test",
  instance: "default",
  definitionHash: "0".repeat(64),
  program: "test",
  seed: "seed",
  troupe: "0.0.0",
  cwd: "/",
  limits: {},
};

const inputHash = "1".repeat(64);
const reusable = {
  inputHash,
  reusedFrom: { run: "run_before", seq: 7 },
  attempt: 2,
  output: "out",
  outputTruncated: true,
  text: "text",
  reason: "verified",
  durationMs: 5,
  agent: "a",
  outcome: "good",
  data: { n: 1 },
} as const;

/** What a run with this table answers about a step. */
function reuseOf(table: string | undefined) {
  const reuse = { run: "run_before", hash: sha256(table ?? "") };
  return createTestRun(
    async (context) => {
      const found = (path: string, execution: number, hash = inputHash): Json => {
        const step = context.reusable({ path, execution, inputHash: hash });
        return step === undefined ? null : JSON.parse(JSON.stringify(step));
      };
      return [found("a", 1), found("a", 2), found("b", 1), found("a", 1, "2".repeat(64))];
    },
    {
      events: [{ seq: 1, at: 1000, ...CREATED, reuse }],
      prepare: (driver) => {
        if (table !== undefined) driver.keepText(table);
      },
    },
  );
}

test("a run takes over the step of the same path, execution and input, and no other [ENG-15]", async () => {
  const table: ReuseTable = { v: 1, steps: [{ path: "a", execution: 1, ...reusable }] };
  const run = reuseOf(JSON.stringify(table));
  expect(runResultOf(await run.carryOut())).toEqual([reusable, null, null, null]);
  const without = createTestRun(async (context) => {
    const step = context.reusable({ path: "a", execution: 1, inputHash });
    return step === undefined;
  });
  expect(runResultOf(await without.carryOut())).toBe(true);
});

test.each([
  { name: "is missing", table: undefined, problem: "it is missing" },
  { name: "is of another version", table: '{"v":2,"steps":[]}', problem: "at v" },
  {
    name: "has steps of another form",
    table: '{"v":1,"steps":[{"path":"a"}]}',
    problem: "at steps[0]",
  },
])(
  "a run does not begin whose table of what it may take over $name [ENG-15]",
  async ({ table }) => {
    await expect(reuseOf(table).carryOut()).rejects.toMatchObject({ code: "ENGINE_REUSE_INVALID" });
  },
);

test("a fork draws the numbers of the shared past again and others from there on [ENG-15]", async () => {
  const program = async (context: Context) => {
    const drawn = [context.random(), context.random()];
    await context.step("shared", () => null);
    drawn.push(context.random());
    await context.step("own", () => null);
    drawn.push(context.random());
    return drawn;
  };
  const run = createTestRun(program);
  const numbers = Object(runResultOf(await run.carryOut()));
  const settledAt = run.events.findIndex(({ type }) => type === "operation-settled");
  const forkWith = async (seed: string) => {
    const source = { run: "run_other", seq: settledAt + 1 };
    const fork = createTestRun(program, {
      events: [
        ...run.events.slice(0, settledAt + 1),
        { type: "run-forked", seq: settledAt + 2, at: run.clock.now(), source, seed },
      ],
    });
    return Object(runResultOf(await fork.carryOut()));
  };
  const forks = [await forkWith("one"), await forkWith("two")];
  for (const drawn of forks) {
    expect(drawn.slice(0, 3)).toEqual(numbers.slice(0, 3));
    expect(drawn[3]).not.toBe(numbers[3]);
  }
  expect(forks[0][3]).not.toBe(forks[1][3]);
});

test("a fork is told what stands in place of what a step came to, the last word counts [ENG-15]", async () => {
  const revised = [
    { path: "a", execution: 1, output: "first" },
    { path: "a", execution: 1, output: "last" },
    { path: "b", execution: 2, output: "other" },
  ];
  const run = createTestRun(
    async (context) =>
      [
        { path: "a", execution: 1 },
        { path: "a", execution: 2 },
        { path: "b", execution: 2 },
        { path: "c", execution: 1 },
      ].map((step) => context.revised(step)?.output ?? null),
    {
      events: [
        { seq: 1, at: 1000, ...CREATED },
        {
          ...{ seq: 2, at: 1000, type: "run-forked", source: { run: "run_other", seq: 1 } },
          ...{ seed: "other", set: { steps: revised } },
        },
      ],
    },
  );
  expect(runResultOf(await run.carryOut())).toEqual(["last", null, "other", null]);
});

test("a program knows what its run is, and each scope where it stands", async () => {
  const parent = { run: "run_above", op: "child#1" };
  const program = async (context: Context) => {
    const { task = null, input = null, ...facts } = context.run;
    const inner = await context.scope("inner", async ({ path }) => path).result;
    return { ...facts, task, input, outer: context.path, inner };
  };
  const facts = {
    id: "run_test",
    workflow: "test",
    instance: "default",
    params: { n: 1 },
    cwd: "/",
  };
  const given = { task: "do it", params: { n: 1 } };
  const childRun = createTestRun(program, {
    events: [{ seq: 1, at: 1000, ...CREATED, ...given, parent }],
  });
  const places = { outer: "", inner: "inner" };
  expect(runResultOf(await childRun.carryOut())).toEqual({
    ...{ ...facts, ...places, task: "do it", input: null },
    isChild: true,
    isBraked: false,
  });
  expect(runResultOf(await createTestRun(program).carryOut())).toMatchObject({ isChild: false });
});

test("ids and numbers of a program are all different", async () => {
  const run = createTestRun(async (context) => {
    const ids = Array.from({ length: 50 }, () => context.newId("job"));
    const numbers = Array.from({ length: 50 }, () => context.random());
    return { ids, numbers };
  });
  const { ids, numbers } = Object(runResultOf(await run.carryOut()));
  expect(new Set(ids).size).toBe(50);
  expect(new Set(numbers).size).toBe(50);
  for (const id of ids) expect(id).toMatch(/^job_/);
});

test("a branch that fails before its deadline fails with its own error, one past it names the deadline [ENG-7.outer]", async () => {
  const run = createTestRun(async (context) => {
    const failed = (inner: Context) => Promise.reject(new Error(`no luck in ${inner.path}`));
    const early = context.scope("early", failed, { timeoutMs: 5000 });
    const late = context.scope("late", (inner) => inner.sleep(60_000), { timeoutMs: 5000 });
    const messageOf = (result: Promise<unknown>) =>
      result.then(
        () => "none",
        (error: unknown) => String(error),
      );
    return [await messageOf(early.result), await messageOf(late.result)];
  });
  const [early, late] = Object(runResultOf(await run.carryOut()));
  expect(early).toBe("Error: no luck in early");
  expect(late).toMatch(/late.*5000/);
});

test("a step of a run that is not to learn finds no lessons", async () => {
  const run = createTestRun(async (context) =>
    context.step("look", async ({ lessons }) => (await lessons("task")).length),
  );
  expect(runResultOf(await run.carryOut())).toBe(0);
});

test("what a program leaves open when it returns is cancelled, so that its run can end [ENG-6]", async () => {
  const reasons: unknown[] = [];
  const run = createTestRun(async (context) => {
    const waiting = context.step("forever", async ({ signal }) => {
      await new Promise((resolve) => signal.addEventListener("abort", resolve));
      reasons.push(signal.reason);
      return null;
    });
    waiting.catch(() => {});
    await context.sleep(10);
    return "done";
  });
  expect(runResultOf(await run.carryOut())).toBe("done");
  expect(reasons).toMatchObject([{ kind: "cancelled" }]);
});

test("what a program still says while its run is let go, or after its end, is not written down [ENG-18]", async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  const talk = async (context: Context) => {
    const scope = context.scope("beside", (inner) => inner.sleep(5000));
    scope.result.catch(() => {});
    await promise;
    context.log("info", "late");
    scope.cancel("late");
    await context.step("late", () => null);
  };
  const letGo = createTestRun(
    async (context) => {
      talk(context).catch(() => {});
      return context.sleep(1000).then(() => null);
    },
    { prepare: (driver) => driver.onStopping(() => settle()) },
  );
  const ended = createTestRun(
    async (context) => {
      talk(context).catch(() => {});
      return context.step("work", () => null);
    },
    { prepare: (driver) => driver.holdOpen(() => driver.state.logs.warning === 0) },
  );
  const [suspending, held] = [letGo.start(), ended.start()];
  await settle();
  suspending.suspend("interrupted", 130);
  resolve();
  await suspending.parted;
  await settle();
  held.append({ type: "log", note: "w", level: "warning", text: "released" });
  await held.parted;
  const said = ({ events }: typeof letGo) => JSON.stringify(events.slice(4));
  expect(said(letGo)).not.toContain("late");
  expect(said(ended)).not.toContain("late");
});

test("the time of a program begins with the run, and it hears what came since", async () => {
  const run = createTestRun(async (context) => ({
    now: context.now(),
    cursor: context.subscribe({ kinds: ["message"] }).cursor,
  }));
  await run.clock.advance(5000);
  const created = run.clock.now();
  expect(runResultOf(await run.carryOut())).toEqual({ now: created, cursor: 1 });
});

test("an effect knows in which scope it works, and that it was stopped before it first looked", async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  const seen: unknown[] = [];
  const run = createTestRun(
    async (context) => {
      const scope = context.scope("deep", (inner) => inner.woken("a"));
      await context.sleep(10);
      scope.cancel("enough");
      await context.sleep(10);
      resolve();
      return String(await scope.result.catch((error: unknown) => error));
    },
    {
      prepare: (driver) =>
        driver.register({
          kind: "woken",
          effect: "world",
          execute: async (_input, call) => {
            await promise;
            seen.push(call.scope, call.signal.aborted, call.signal.reason);
            return null;
          },
        }),
    },
  );
  expect(runResultOf(await run.carryOut())).toContain("enough");
  expect(seen).toEqual(["deep", true, { kind: "cancelled", reason: "enough" }]);
});

test("details of an error that have a JSON form reach the program [ENG-1]", async () => {
  const run = createTestRun(async (context) => {
    const step = context.step("bad", () => {
      throw new TroupeError({ code: "X_Y", message: "m", details: { n: 1 } });
    });
    const error: unknown = await step.catch((thrown: unknown) => thrown);
    return Object(error).details;
  });
  expect(runResultOf(await run.carryOut())).toEqual({ n: 1 });
});

test("what a cancelled scope is asked for is refused with the reason of its cancellation", async () => {
  const run = createTestRun(async (context) => {
    const { promise: held, resolve: letGo } = Promise.withResolvers<void>();
    const scope = context.scope("over", async (inner) => {
      await held;
      return inner.step("late", () => null);
    });
    scope.cancel("not needed");
    letGo();
    return String(await scope.result.catch((error: unknown) => error));
  });
  expect(runResultOf(await run.carryOut())).toContain("not needed");
});
