import { expect, test } from "vitest";
import type { WorkflowRun } from "../../../../src/app/run/owner/workflow-run.ts";
import type { EventData, EventOf, JournalEvent } from "../../../../src/contracts/events/event.ts";
import type { RunCommand } from "../../../../src/contracts/events/run-events.ts";
import { createMemoryStore } from "../../../../src/journal/memory-store.ts";
import { resumeKickoff, runKickoff } from "../../../programs/kickoff/kickoff-run.ts";

const TEAM = "name: team\ncontext:\nagents: { a: {}, b: {} }\nkickoff: go @a\n";
const MINUTE = { a: [{ after: "10s", say: "done at last" }] };
const FOR_EVER = { a: [{ hang: true }] };

test("an agent that is stopped may finish its turn, and the others go on [KCK-4]", async () => {
  const end = await runTeam(MINUTE, {
    [whenWorking]: { kind: "release", agent: "a" },
    [whenExited("a")]: { kind: "release", agent: "b" },
  });
  expect(end.outcome).toBe("completed");
  expect(end.said).toContain("a: done at last");
  expect(exits(end.events)).toEqual(["a", "b"]);
  expect(secondsUntilExit(end.events, "a")).toBe(10);
});

test("an agent that is forced to stop is cut off at once [KCK-4]", async () => {
  const end = await runTeam(MINUTE, { [whenWorking]: { kind: "stop", force: true } });
  expect(end.outcome).toBe("completed");
  expect(end.said).not.toContain("a: done at last");
  expect(secondsUntilExit(end.events, "a")).toBe(0);
});

test("an agent whose turn does not end is cut off after 30 seconds [KCK-4, P12]", async () => {
  const end = await runTeam(FOR_EVER, { [whenWorking]: { kind: "stop" } });
  expect(end.outcome).toBe("completed");
  expect(secondsUntilExit(end.events, "a")).toBe(30);
});

test("whoever cannot wait any more hurries an agent that is being stopped [KCK-4]", async () => {
  const end = await runTeam(FOR_EVER, {
    [whenWorking]: { kind: "release", agent: "a" },
    [whenReceived]: { kind: "stop", force: true },
  });
  expect(secondsUntilExit(end.events, "a")).toBe(0);
  expect(end.outcome).toBe("completed");
});

test("a run that ends by itself is cancelled when it is stopped as a whole [KCK-4, ENG-11]", async () => {
  const end = await runKickoff(TEAM, {
    turns: FOR_EVER,
    onEvent: (event, run) => obey(event, run, { [whenWorking]: { kind: "stop" } }),
  });
  expect(end).toMatchObject({ outcome: "cancelled", reason: "it was stopped" });
});

test("what was to be stopped when its owner let go of the run is stopped by the next one [KCK-4, ENG-19]", async () => {
  const store = createMemoryStore({ isGone: () => true });
  const first = await runKickoff(TEAM, {
    until: "stopped",
    turns: FOR_EVER,
    store,
    onEvent: (event, run) => {
      obey(event, run, { [whenWorking]: { kind: "stop" } });
      if (whenReceived === keyOf(event)) run.suspend().catch(() => {});
    },
  });
  expect(first.state.phase).toMatchObject({ status: "suspended" });
  const end = await resumeKickoff(first.id, store);
  expect(end.outcome).toBe("completed");
});

test("an agent that is gone or was never there cannot be stopped [KCK-8]", async () => {
  const codes: string[] = [];
  await runKickoff(TEAM, {
    until: "stopped",
    turns: FOR_EVER,
    onEvent: (event, run) => {
      obey(event, run, { [whenWorking]: { kind: "release", agent: "a", force: true } });
      if (keyOf(event) !== whenExited("a")) return;
      for (const agent of ["a", "nobody"])
        run.command({ kind: "release", agent }).catch(({ code }) => codes.push(code));
      run.command({ kind: "stop" }).catch(() => {});
    },
  });
  expect(codes).toEqual(["AGENT_GONE", "AGENT_UNKNOWN"]);
});

type Orders = { readonly [when: string]: RunCommand };

const whenWorking = "turn-started a";
const whenReceived = "command-received";
const whenExited = (agent: string) => `agent-exited ${agent}`;

function runTeam(turns: typeof MINUTE | typeof FOR_EVER, orders: Orders) {
  return runKickoff(TEAM, {
    until: "stopped",
    turns,
    onEvent: (event, run) => obey(event, run, orders),
  });
}

const obeyed = new WeakMap<WorkflowRun, Set<string>>();

/** Gives each command the first time that its event is there. */
function obey(event: JournalEvent, run: WorkflowRun, orders: Orders): void {
  const done = obeyed.get(run) ?? new Set();
  obeyed.set(run, done);
  const key = keyOf(event);
  const command = orders[key];
  if (command === undefined || done.has(key)) return;
  done.add(key);
  run.command(command).catch(() => {});
}

function keyOf(event: JournalEvent): string {
  return "agent" in event ? `${event.type} ${event.agent}` : event.type;
}

function exits(events: readonly JournalEvent[]): readonly string[] {
  return all(events, "agent-exited").map(({ agent }) => agent);
}

function secondsUntilExit(events: readonly JournalEvent[], agent: string): number {
  const exit = all(events, "agent-exited").find((event) => event.agent === agent);
  const [command] = all(events, "command-received");
  return Math.round(((exit?.at ?? Number.NaN) - (command?.at ?? 0)) / 1000);
}

function all<Type extends EventData["type"]>(events: readonly JournalEvent[], type: Type) {
  return events.filter((event): event is JournalEvent & EventOf<Type> => event.type === type);
}
