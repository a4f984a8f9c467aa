import { beforeEach, expect, test } from "vitest";
import type { Machine } from "../../../src/app/machine/machine.ts";
import { defaultTarget } from "../../../src/app/runs/default-target.ts";
import { STANDALONE_PROGRAM } from "../../../src/app/workflow/shapes/standalone.ts";
import type { EventData } from "../../../src/contracts/events/event.ts";
import { created, ended, journal, posted, spawned, started } from "../../fold/journal-builder.ts";
import { createFileMachine, writeRun } from "../file-machine.ts";

let machine: Machine;
beforeEach(() => {
  machine = createFileMachine();
});

const at = (minutes: number, data: EventData) => [minutes * 60_000, data] as const;
const spawnedBy = (agent: string, parent: string): EventData => {
  const event = spawned(agent);
  if (event.type !== "agent-spawned") throw new Error("an agent comes otherwise");
  return { ...event, spec: { ...event.spec, spawnedBy: parent } };
};
const exited = (agent: string): EventData => ({ type: "agent-exited", agent, reason: "released" });

async function add(run: string, entries: Parameters<typeof journal>[0], program = "pattern/dag") {
  if (created.type !== "run-created") throw new Error("a journal begins otherwise");
  const begun = { ...created, program, instance: run.slice(4) };
  const events = journal([at(0, begun), at(0, started), ...entries]);
  await writeRun(machine, { run, definition: "{}", events });
}

test("without a name the only agent alive is meant, whatever is over [KCK-8]", async () => {
  await add("run_aaaaaa", [at(1, spawned("ann")), at(2, spawned("gone")), at(3, exited("gone"))]);
  await add("run_bbbbbb", [at(1, spawned("old")), at(9, ended)]);
  expect(defaultTarget(machine)).toEqual({ run: "run_aaaaaa", agent: "ann" });
});

test("an agent that another one has spawned does not make it unclear who is meant, and is meant when a person wrote to it and several are alive [KCK-8, KCK-9.participants]", async () => {
  await add("run_aaaaaa", [at(1, spawned("ann")), at(2, spawnedBy("kid", "ann"))]);
  expect(defaultTarget(machine)).toEqual({ run: "run_aaaaaa", agent: "ann" });
  await add("run_bbbbbb", [
    at(1, spawned("bob")),
    at(2, spawnedBy("kit", "bob")),
    at(4, posted("m1", ["kit"], "user")),
  ]);
  expect(defaultTarget(machine)).toEqual({ run: "run_bbbbbb", agent: "kit" });
});

test("of several the one that a person wrote to last is meant [KCK-8]", async () => {
  await add("run_aaaaaa", [
    at(1, spawned("ann")),
    at(1, spawned("bob")),
    at(5, posted("m1", ["bob"], "user")),
    at(6, posted("m2", ["ann"], "bob")),
    at(7, posted("m3", ["ann", "bob"], "user")),
  ]);
  await add("run_bbbbbb", [at(1, spawned("cid")), at(4, posted("m4", ["cid"], "user"))]);
  expect(defaultTarget(machine)).toEqual({ run: "run_aaaaaa", agent: "bob" });
});

test("a message that waits in the journal of a run counts as written [KCK-8]", async () => {
  const command = { kind: "send", text: "x", to: ["ann"], key: "k" } as const;
  await add("run_aaaaaa", [
    at(1, spawned("ann")),
    at(1, spawned("bob")),
    at(5, { type: "command-received", command, by: "user" }),
  ]);
  expect(defaultTarget(machine)).toEqual({ run: "run_aaaaaa", agent: "ann" });
});

test("a standalone agent that was made last is meant; agents of a workflow were not made by name [KCK-8]", async () => {
  await add("run_aaaaaa", [at(9, spawned("ann")), at(9, spawned("bob"))]);
  await add("run_bbbbbb", [at(1, spawned("helper"))], STANDALONE_PROGRAM);
  expect(defaultTarget(machine)).toEqual({ run: "run_bbbbbb", agent: "helper" });
});

test("where nothing says who is meant, all that are alive are listed [KCK-8]", async () => {
  const missing = (choices: readonly string[]) =>
    expect.objectContaining({ code: "RUN_TARGET_MISSING", details: { choices } });
  expect(() => defaultTarget(machine)).toThrow(missing([]));
  await add("run_aaaaaa", [at(1, spawned("ann")), at(1, spawned("bob"))]);
  expect(() => defaultTarget(machine)).toThrow(missing(["ann@aaaaaa", "bob@aaaaaa"]));
});
