import { join } from "node:path";
import { expect, test } from "vitest";
import { createFork } from "../../../src/app/again/fork/fork-run.ts";
import { createRerun } from "../../../src/app/again/rerun/rerun-run.ts";
import { startRun } from "../../../src/app/run/start-run.ts";
import { readEvents } from "../../../src/app/runs/run-events.ts";
import { readListing } from "../../../src/app/runs/run-heads.ts";
import { inspectRun } from "../../../src/app/runs/run-lookup.ts";
import type { PatternDefinition } from "../../../src/contracts/definition.ts";
import { damageEvent } from "../../journal/alter-journal.ts";
import { createFileMachine } from "../file-machine.ts";
import { endOf, goOnToEnd, runToEnd, sixSteps, Worker } from "./six-steps.ts";

test("a fork before any step, with nothing set, ends as its run did and repeats nothing before [ENG-15]", async () => {
  const machine = createFileMachine();
  const run = await runToEnd(machine, new Worker());
  const expected = endOf(inspectRun(machine, run));
  for (const { id } of sixSteps.steps) {
    const worker = new Worker();
    const fork = await createFork(machine, run, { at: id });
    const shared = readEvents(machine, run).slice(0, fork.from.seq);
    expect(readEvents(machine, fork.run).slice(0, fork.from.seq)).toEqual(shared);
    expect(endOf(await goOnToEnd(machine, worker, fork.run))).toEqual(expected);
    const done = shared.flatMap((event) => (event.type === "step-completed" ? [event.path] : []));
    expect(worker.calls).toContain(id);
    expect(worker.calls.filter((step) => done.includes(step))).toEqual([]);
  }
});

test("what nothing has used yet can be set: a param, an output; all that is after it follows [ENG-15]", async () => {
  const machine = createFileMachine();
  const run = await runToEnd(machine, new Worker());
  const changes = [
    { path: "params.target", text: "lib" },
    { path: "steps.d.output", text: "mine" },
  ];
  const fork = await createFork(machine, run, { at: "e", changes });
  const worker = new Worker();
  const state = await goOnToEnd(machine, worker, fork.run);
  expect(worker.calls).toEqual(["e"]);
  expect(state.steps.byPath.get("e")).toMatchObject({ output: "<mine in lib>" });
  expect(state.steps.byPath.get("d")).toMatchObject({ output: "mine" });
  expect(state.run.params).toEqual({ target: "lib" });
  const again = await createFork(machine, fork.run, { at: "e", changes: [] });
  const copied = await goOnToEnd(machine, new Worker(), again.run);
  expect(copied.steps.byPath.get("e")).toMatchObject({ output: "<mine in lib>" });
});

test("a rerun can be forked at a step that it took over [ENG-15]", async () => {
  const machine = createFileMachine();
  const run = await runToEnd(machine, new Worker());
  const rerun = await createRerun(machine, run, { kind: "only", step: "e" });
  await goOnToEnd(machine, new Worker(), rerun.run);
  const changes = [{ path: "steps.c.output", text: "mine" }];
  const fork = await createFork(machine, rerun.run, { at: "d", changes });
  const worker = new Worker();
  const { steps } = await goOnToEnd(machine, worker, fork.run);
  expect(worker.calls).toEqual(["d", "e"]);
  expect(steps.byPath.get("d")).toMatchObject({ output: expect.stringContaining("mine") });
});

test("what something has used cannot be set any more, and the earliest use is named [ENG-15]", async () => {
  const machine = createFileMachine();
  const run = await runToEnd(machine, new Worker());
  const before = machine.store.list();
  const late = { at: "e", changes: [{ path: "task", text: "later" }] };
  const first = readEvents(machine, run).find(
    (event) => event.type === "step-started" && event.path === "a",
  );
  const scheduled = readEvents(machine, run).find(
    (event) => event.type === "operation-scheduled" && event.kind === "turn",
  );
  await expect(createFork(machine, run, late)).rejects.toMatchObject({
    code: "ENGINE_FORK_TOO_LATE",
    details: { path: "task", seq: scheduled?.seq },
  });
  expect(scheduled?.seq).toBeGreaterThan(first?.seq ?? 0);
  const used = { at: "e", changes: [{ path: "context.a", text: "other" }] };
  await expect(createFork(machine, run, used)).rejects.toMatchObject({
    code: "ENGINE_FORK_TOO_LATE",
  });
  expect(machine.store.list()).toEqual(before);
});

test("a fork that cannot be made says why, and nothing is left of it [ENG-15]", async () => {
  const machine = createFileMachine();
  const run = await runToEnd(machine, new Worker());
  const fork = (at: string, path?: string) =>
    createFork(machine, run, { at, changes: path === undefined ? [] : [{ path, text: "x" }] });
  await expect(fork("aa")).rejects.toMatchObject({
    code: "RUN_FORK_POINT_UNKNOWN",
    hint: expect.stringContaining('did you mean "a"?'),
  });
  await expect(fork("0")).rejects.toMatchObject({ code: "RUN_FORK_POINT_UNKNOWN" });
  await expect(fork("99999")).rejects.toMatchObject({ code: "RUN_FORK_POINT_UNKNOWN" });
  for (const path of [
    "nothing",
    "params",
    "context.e",
    "context.nope",
    "steps.a.text",
    "__proto__",
  ])
    await expect(fork("e", path)).rejects.toMatchObject({ code: "RUN_FORK_CHANGE_INVALID" });
  await expect(fork("e", "params.nope")).rejects.toMatchObject({ code: "WORKFLOW_PARAM_UNKNOWN" });
  expect(machine.store.list()).toEqual([run]);
});

test("a fork is a run of its own: its seed, its keys, its cost and where it comes from [ENG-15]", async () => {
  const machine = createFileMachine();
  const run = await runToEnd(machine, new Worker());
  const fork = await createFork(machine, run, { at: "d" });
  expect(readListing(machine.store, fork.run, () => true)).toMatchObject({
    state: "suspended",
    resumable: true,
    forkedFrom: { run, seq: fork.from.seq },
  });
  await goOnToEnd(machine, new Worker(), fork.run);
  const own = readEvents(machine, fork.run).slice(fork.from.seq);
  expect(own[0]).toMatchObject({ type: "run-forked", source: fork.from });
  const keys = own.flatMap((event) => (event.type === "turn-started" ? [event.key] : []));
  expect(keys.length).toBeGreaterThan(0);
  for (const key of keys) expect(key.startsWith(`${fork.run}/`)).toBe(true);
  const state = inspectRun(machine, fork.run);
  expect(state.run.seed).toBe(inspectRun(machine, run).run.seed);
  expect(state.run.laterSeeds).toHaveLength(1);
  expect(state.budget.run.turns).toBe(keys.length);
});

test("agents of a fork begin new sessions that are told what they did before [ENG-15, AGT-4]", async () => {
  const machine = createFileMachine();
  const definition: PatternDefinition = {
    ...sixSteps,
    agents: [{ id: "worker", backend: "script", session: "keep" }],
    steps: sixSteps.steps.slice(0, 2),
  };
  const source =
    'version: 1\nagents:\n  worker: [{ say: "DONE: first" }, { say: "DONE: second" }]\n';
  const started = await startRun(machine, definition, {
    task: "now",
    cassette: { file: "cassette.yaml", source },
  });
  await started.parted;
  const fork = await createFork(machine, started.id, { at: "b" });
  const own = readEvents(machine, fork.run).slice(fork.from.seq);
  expect(own).toMatchObject([
    { type: "run-forked" },
    {
      type: "session-ended",
      agent: "worker",
      reason: "replaced",
      handOver:
        "This is what you did before:\nYou were asked:\n> begin now\nYou answered:\n> DONE: first",
    },
  ]);
  const state = await goOnToEnd(machine, new Worker(), fork.run);
  expect(state.steps.byPath.get("b")).toMatchObject({ output: "second" });
  const ready = readEvents(machine, fork.run).filter((event) => event.type === "agent-ready");
  expect(ready).toHaveLength(2);
});

test("a run that is damaged further on can be forked where it is intact [ENG-15]", async () => {
  const machine = createFileMachine();
  const run = await runToEnd(machine, new Worker());
  const { from } = await createFork(machine, run, { at: "e" });
  const { lastSeq } = inspectRun(machine, run);
  const file = join(machine.project.runsDirectory, run, "journal.db");
  const intact = damageEvent(file, lastSeq);
  expect(intact).toBeGreaterThan(from.seq);
  expect(() => readEvents(machine, run)).toThrow(
    expect.objectContaining({ code: "STORE_CORRUPT" }),
  );
  const fork = await createFork(machine, run, { at: "e" });
  const worker = new Worker();
  const state = await goOnToEnd(machine, worker, fork.run);
  expect(worker.calls).toEqual(["e"]);
  expect(state.phase).toMatchObject({ status: "ended", outcome: "completed" });
  const beyond = String(intact + 1);
  await expect(createFork(machine, run, { at: beyond })).rejects.toMatchObject({
    code: "RUN_FORK_POINT_UNKNOWN",
    details: { lastSeq: intact },
  });
});

test("a fork of a run that is still going leaves that alone [ENG-15]", async () => {
  const machine = createFileMachine();
  const gate = Promise.withResolvers<void>();
  const slow = new Map([
    [
      "worker",
      async ({ step = "", task }: { readonly step?: string; readonly task: string }) => {
        if (step === "d") await gate.promise;
        return `<${task}>`;
      },
    ],
  ]);
  const params = { target: "src" };
  const live = await startRun(machine, sixSteps, { task: "now", params, functions: slow });
  let at = 0;
  for await (const event of live.events) {
    at = event.seq;
    if (event.type === "turn-started" && event.step?.path === "d") break;
  }
  const fork = await createFork(machine, live.id, { at: `${at}` });
  const worker = new Worker();
  expect(await goOnToEnd(machine, worker, fork.run)).toMatchObject({
    phase: { outcome: "completed" },
  });
  expect(worker.calls).toEqual(["d", "e"]);
  for (const event of readEvents(machine, fork.run).slice(fork.from.seq))
    if (event.type === "turn-started") expect(event.key.startsWith(`${fork.run}/`)).toBe(true);
  gate.resolve();
  expect((await live.parted).event).toMatchObject({ outcome: "completed" });
});
