import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { createMachineAt } from "../../../src/app/machine/machine.ts";
import { createDayBudget } from "../../../src/app/runs/day-spending.ts";
import { systemClock } from "../../../src/foundation/clock.ts";
import { call } from "../../cli/fake-io.ts";

const PAID = `version: "1.0"
name: paid
pattern: pipeline
agents: [{ id: writer, backend: script }]
steps: [{ id: one, agent: writer, prompt: go }, { id: two, agent: writer, prompt: go on }]
`;
const TURNS = `version: 1
agents: { writer: [{ do: [{ usage: { costUsd: 1.5 } }], say: "DONE: written" }] }
repeat: last
`;
const DAY_MS = 86_400_000;

/** Projects of one user, in each of which a run has cost 3 USD today. */
async function createUser(names: readonly string[]) {
  const root = mkdtempSync(join(tmpdir(), "troupe-day-"));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  const env = { TROUPE_HOME: join(root, "home"), HOME: root, PATH: process.env["PATH"] ?? "" };
  for (const name of names) {
    mkdirSync(join(root, name, ".troupe"), { recursive: true });
    writeFileSync(join(root, name, "paid.yaml"), PAID);
    writeFileSync(join(root, name, "turns.yaml"), TURNS);
    const args = ["run", "paid.yaml", "--cassette", "turns.yaml"];
    expect((await call(join(root, name), args, { env })).exitCode).toBe(0);
  }
  const machine = (name: string, laterMs = 0) =>
    createMachineAt({
      cwd: join(root, name),
      env,
      clock: { ...systemClock, now: () => Date.now() + laterMs },
    });
  return { machine };
}

test("a day is what the journals of its runs say, and one's own turns that are not there yet [LIM-day]", async () => {
  const { machine } = await createUser(["one"]);
  const own = createDayBudget(machine("one"), "run_new", { project: 4 });
  expect(own?.spentAt(0.9)).toBeUndefined();
  expect(own?.spentAt(1)).toEqual({ limit: 4, spent: 4, of: "project" });
  // A run that goes on counts once, by what whoever carries it out knows.
  const [run = ""] = machine("one").store.list();
  expect(createDayBudget(machine("one"), run, { project: 4 })?.spentAt(3)).toBeUndefined();
});

test("the next day begins with nothing spent, also for a run of the day before [LIM-day]", async () => {
  const { machine } = await createUser(["one"]);
  const [run = ""] = machine("one").store.list();
  const tomorrow = createDayBudget(machine("one", DAY_MS), run, { project: 1 });
  expect(tomorrow?.spentAt(3.5)).toBeUndefined();
  expect(tomorrow?.spentAt(4)).toEqual({ limit: 1, spent: 1, of: "project" });
  let laterMs = 0;
  const clock = { ...systemClock, now: () => Date.now() + laterMs };
  const night = createDayBudget({ ...machine("one"), clock }, run, { project: 4 });
  expect(night?.spentAt(5)).toMatchObject({ spent: 5 });
  laterMs = DAY_MS;
  expect(night?.spentAt(5)).toBeUndefined();
  expect(night?.spentAt(9)).toMatchObject({ spent: 4 });
  const other = createDayBudget(machine("one", DAY_MS), "run_new", { project: 0.1 });
  expect(other?.spentAt(0)).toBeUndefined();
});

test("what the user's own file says counts the runs of all projects that it has seen [LIM-day]", async () => {
  const { machine } = await createUser(["one", "two"]);
  for (const name of ["one", "two"])
    expect(createDayBudget(machine(name), "run_new", { user: 1000 })?.spentAt(0)).toBeUndefined();
  const all = createDayBudget(machine("two"), "run_new", { user: 6, project: 6 });
  expect(all?.spentAt(0)).toEqual({ limit: 6, spent: 6, of: "user" });
  expect(createDayBudget(machine("two"), "run_new", {})).toBeUndefined();
});
