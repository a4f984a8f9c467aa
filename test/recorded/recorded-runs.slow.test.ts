import { cpSync, existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createMachineAt } from "../../src/app/machine/machine.ts";
import { readEvents } from "../../src/app/runs/run-events.ts";
import type { JournalEvent } from "../../src/contracts/events/event.ts";
import { call, createProject, stable } from "../cli/fake-io.ts";
import { KILLS, RECIPES } from "./recipes.ts";
import {
  exportFile,
  type RecordedRun,
  recordedIn,
  type ShownRun,
  shownThen,
  writeRuns,
} from "./recorded-run.ts";

// Runs of every shape as earlier code made them: record-runs-program.ts says how.
const names = RECIPES.map(({ name }) => name);
const killed = names.flatMap((name) => KILLS.map((when) => [name, when] as const));
const all = [...names.map((name) => [name, "whole"] as const), ...killed];

test.each(all)(
  "the recorded run %s.%s is taken in and shown as it was then [P3, ENG-16]",
  async (name, when) => {
    const cwd = createProject({});
    const shown = shownThen(`${name}.${when}`);
    expect(await call(cwd, ["import", exportFile(`${name}.${when}`)])).toMatchObject({
      exitCode: 0,
    });
    expect(await call(cwd, ["import", topOf(shown).run.id, "--yes"])).toMatchObject({
      exitCode: 0,
    });
    for (const then of shown) {
      const now = await call(cwd, ["show", then.run.id, "--json"]);
      expect(JSON.parse(now.out)).toEqual(then);
    }
  },
);

test.each(names)(
  "the recorded run %s replays to its end without doing anything again [P3, ENG-16]",
  async (name) => {
    const project = projectWithCommands();
    const [top, ...below] = recordedIn(project, `${name}.whole`);
    if (top === undefined) throw new Error("the recording is empty");
    const cut = { ...top, events: top.events.slice(0, -1) };
    await resume(project, [cut, ...below]);
    const added = readEvents(createMachineAt({ cwd: project }), top.run).slice(cut.events.length);
    expect(added.map(({ type }) => type)).toEqual(["run-resumed", "run-ended"]);
    const { error, ...ended } = Object(comparable(added.at(-1)));
    expect(ended).toEqual(comparable(top.events.at(-1)));
    // Ends tell the error that led to them since then; the recorded ones have only its words.
    if (error !== undefined) expect(ended.reason).toContain(error.message);
    expect(effectsIn(project)).toEqual([]);
  },
);

test.each(killed)(
  "the recorded run %s.%s goes on to the end of the whole one, and does nothing twice [P3, ENG-16, REP-1.one]",
  async (name, when) => {
    const project = projectWithCommands();
    const runs = recordedIn(project, `${name}.${when}`);
    await resume(project, runs);
    const done = runs.flatMap(({ run, events }) => completed(events).map((key) => `${run}/${key}`));
    expect(effectsIn(project).filter((key) => done.includes(key))).toEqual([]);
    const { out } = await call(project, ["show", runs[0]?.run ?? "", "--json"]);
    expect(outcomeOf(JSON.parse(out))).toEqual(outcomeOf(topOf(shownThen(`${name}.whole`))));
  },
);

function topOf<Item>([top]: readonly Item[]): Item {
  if (top === undefined) throw new Error("the recording is empty");
  return top;
}

/** Where the commands of the recorded workflows work. */
function projectWithCommands(): string {
  const project = createProject({});
  cpSync(join(import.meta.dirname, "workflows/work.sh"), join(project, "work.sh"));
  return project;
}

/** Goes on with the first of these runs, as a person would, until it is over. */
async function resume(project: string, runs: readonly RecordedRun[]): Promise<void> {
  await writeRuns(createMachineAt({ cwd: project }), runs);
  const resumed = await call(project, ["resume", topOf(runs).run, "--approve", "all", "--json"]);
  expect(resumed.err).toBe("");
}

/** Keys of the steps whose command began here. */
function effectsIn(project: string): readonly string[] {
  const file = join(project, "effects.txt");
  if (!existsSync(file)) return [];
  return readFileSync(file, "utf8")
    .trim()
    .split("\n")
    .map((line) => line.slice(line.indexOf(" ") + 1));
}

function completed(events: readonly JournalEvent[]): readonly string[] {
  return events.flatMap((event) =>
    event.type === "step-completed" ? [`${event.path}#${event.execution}`] : [],
  );
}

/** A value without ids, places in the journal, times and durations. */
function comparable(value: unknown): unknown {
  const text = stable(JSON.stringify({ ...Object(value), at: 0 }))
    .replaceAll(/"seq":\d+/g, '"seq":0')
    .replaceAll(/(?<="waitedMs":)\d+|(?<="waited )[0-9a-z]+/g, "0")
    .replaceAll(/"[0-9A-HJKMNP-TV-Z]{26}"/g, '"ULID"');
  return JSON.parse(text);
}

/** What a run came to, whatever way it took there. */
function outcomeOf({ run, steps }: ShownRun): unknown {
  const ends = steps.map((step) => ({ ...step, attempts: 0 }));
  return comparable({ outcome: run.outcome, steps: ends.toSorted(byPath) });
}

function byPath(left: ShownRun["steps"][number], right: ShownRun["steps"][number]): number {
  return left.path.localeCompare(right.path) || left.execution - right.execution;
}
