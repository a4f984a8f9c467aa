import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import type { Machine } from "../../../src/app/machine/machine.ts";
import { resolveTarget } from "../../../src/app/runs/resolve-target.ts";
import type { JournalEvent } from "../../../src/contracts/events/event.ts";
import { createFileMachine, recordedRun, writeRun } from "../file-machine.ts";

let machine: Machine;
beforeEach(async () => {
  machine = createFileMachine();
  await add("run_aaaaaa", "pr-1");
  await add("run_bbbbbb", "pr-2", 20);
  await add("run_abcdef", "pr-1");
});

/** A run of the workflow `crash`, whose agents are worker, failer, thinker and others. */
async function add(run: string, instance: string, eventCount?: number): Promise<void> {
  const recorded = recordedRun(run, eventCount);
  const renamed = (event: JournalEvent) =>
    event.type === "run-created" ? { ...event, instance } : event;
  await writeRun(machine, { ...recorded, events: recorded.events.map(renamed) });
}

function resolved(given: string): string {
  const { run, agent } = resolveTarget(machine, given);
  return agent === undefined ? run : `${run} ${agent}`;
}

test.each([
  ["run_aaaaaa", "run_aaaaaa"],
  ["run_b", "run_bbbbbb"],
  ["bbb", "run_bbbbbb"],
  ["@last", "run_abcdef"],
  ["@pr-1", "run_abcdef"],
  ["@pr-2", "run_bbbbbb"],
  ["crash", "run_bbbbbb"],
  ["crash@pr-1", "run_abcdef"],
  ["thinker@pr-1", "run_abcdef thinker"],
  ["THINKER@pr-1", "run_abcdef thinker"],
  ["@thinker@pr-1", "run_abcdef thinker"],
  ["@thinker", "run_bbbbbb thinker"],
  ["thinker@run_aaa", "run_aaaaaa thinker"],
])("%s names %s [CLI-1]", (given, expected) => {
  expect(resolved(given)).toBe(expected);
});

test("an agent of several live runs is ambiguous, and all are named [CLI-1]", async () => {
  await add("run_cccccc", "pr-3", 20);
  await add("run_dddddd", "pr-4", 20);
  expect(() => resolved("thinker")).toThrow(
    expect.objectContaining({
      code: "RUN_AMBIGUOUS",
      details: {
        given: "thinker",
        matches: [
          "thinker@pr-4 (run_dddddd)",
          "thinker@pr-3 (run_cccccc)",
          "thinker@pr-2 (run_bbbbbb)",
        ],
      },
      hint: expect.stringContaining("agent@instance"),
    }),
  );
  expect(resolved("thinker@pr-4")).toBe("run_dddddd thinker");
  expect(resolved("thinker@run_ccc")).toBe("run_cccccc thinker");
});

test("the name of a live agent is meant rather than an id that happens to begin so [CLI-1]", async () => {
  await add("run_thinker", "pr-5");
  expect(resolved("thinker")).toBe("run_bbbbbb thinker");
  expect(resolved("think")).toBe("run_thinker");
});

test("an instance and an agent that share a name are told apart or listed [CLI-1]", async () => {
  await add("run_cccccc", "thinker", 20);
  expect(() => resolved("@thinker")).toThrow(expect.objectContaining({ code: "RUN_AMBIGUOUS" }));
  expect(resolved("thinker@thinker")).toBe("run_cccccc thinker");
});

test.each(["@", "@@", "thinker@"])("%s names nothing [CLI-1]", (given) => {
  expect(() => resolved(given)).toThrow(expect.objectContaining({ code: "RUN_NOT_FOUND" }));
});

test.each([
  ["thinkr", 'did you mean "thinker"?'],
  ["@pr-9", 'did you mean "@pr-1"?'],
  ["run_aaaaab", 'did you mean "run_aaaaaa"?'],
  ["thinker@pr-9", ""],
])("%s is not found, and near names are told [CLI-1]", (given, hint) => {
  expect(() => resolved(given)).toThrow(
    expect.objectContaining({ code: "RUN_NOT_FOUND", hint: expect.stringContaining(hint) }),
  );
});

test("a beginning that fits several ids is ambiguous [CLI-1]", () => {
  expect(() => resolved("run_a")).toThrow(expect.objectContaining({ code: "RUN_AMBIGUOUS" }));
});

test("the newest run is found without opening those that are older [CLI-1]", () => {
  const opened = new Set<string>();
  const { store } = machine;
  const watched = {
    ...store,
    open: (run: string, mode: "read" | "write") => {
      opened.add(run);
      return store.open(run, mode);
    },
  };
  expect(resolveTarget({ ...machine, store: watched }, "@last")).toEqual({ run: "run_abcdef" });
  expect([...opened]).toEqual(["run_abcdef"]);
});

test("a run is found by its whole id without a look at the others, and a damaged one is found as well [CLI-1]", () => {
  const { store } = machine;
  const listed: string[] = [];
  const list = () => {
    listed.push("all");
    return store.list();
  };
  const watched = { ...machine, store: { ...store, list } };
  expect([resolveTarget(watched, "run_aaaaaa"), listed]).toEqual([{ run: "run_aaaaaa" }, []]);
  writeFileSync(join(machine.project.runsDirectory, "run_bbbbbb", "journal.db"), "no database");
  expect([resolveTarget(watched, "run_bbbbbb"), listed]).toEqual([{ run: "run_bbbbbb" }, ["all"]]);
});
