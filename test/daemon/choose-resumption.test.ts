import { expect, test } from "vitest";
import type { BackgroundRun } from "../../src/app/background/background-runs.ts";
import { chooseResumption, type RunLook } from "../../src/daemon/choose-resumption.ts";
import { emptyRunState, type RunState } from "../../src/fold/state/run-state.ts";

const ENTRY: BackgroundRun = {
  run: "run_aaaaaa",
  cwd: "/p",
  project: "/p",
  troupeDirectory: "/p/.troupe",
  workflow: "team",
  instance: "x",
  status: "held",
  deaths: 0,
  finished: 3,
};

const SUSPENDED = { waitingFor: [], exitCode: 143, error: undefined, suspendedAt: 0 };

test.each([
  ["cut off by a crash", running(), { deaths: 1 }],
  ["cut off while nothing was under way", idle(), { deaths: 0 }],
  ["let go by a draining daemon", suspended("interrupted"), { deaths: 0 }],
  ["waiting for a person", suspended("waiting"), { deaths: 0 }],
])("a run that was %s is resumed [DMN-1]", (_title, look, { deaths }) => {
  expect(chooseResumption(ENTRY, look)).toEqual({ status: "resume", deaths, finished: 3 });
});

test.each([
  ["paused by a person", suspended("paused"), "it was paused"],
  ["over", ended(), "it is over"],
  ["owned by another process", { status: "owned" } as const, "another process carries it out"],
  ["gone", { status: "missing", problem: "it is gone" } as const, "it is gone"],
])("a run that is %s is not resumed [DMN-1]", (_title, look, reason) => {
  expect(chooseResumption(ENTRY, look)).toEqual({ status: "forget", reason });
});

test("a run over which three daemons died in a row without finishing anything is given up and shown [DMN-1, T14]", () => {
  const deaths = [0, 1, 2].map((before) =>
    chooseResumption({ ...ENTRY, deaths: before }, running()),
  );
  expect(deaths.map(({ status }) => status)).toEqual(["resume", "resume", "give-up"]);
  expect(deaths[2]).toMatchObject({ problem: expect.stringContaining("died 3 times in a row") });
});

test("a run that finished something since it was taken is blamed for one death only [DMN-1]", () => {
  const choice = chooseResumption({ ...ENTRY, deaths: 2, finished: 2 }, running());
  expect(choice).toEqual({ status: "resume", deaths: 1, finished: 3 });
});

test("a run during whose start the daemon died is blamed although nothing of it worked [DMN-1]", () => {
  const choice = chooseResumption({ ...ENTRY, status: "taking" }, idle());
  expect(choice).toMatchObject({ status: "resume", deaths: 1 });
});

test("a run that was given up stays so until a person takes it, unless it is over [DMN-1]", () => {
  const entry = { ...ENTRY, status: "given-up", deaths: 3, problem: "it died" } as const;
  expect(chooseResumption(entry, idle())).toMatchObject({ status: "give-up", problem: "it died" });
  expect(chooseResumption(entry, ended())).toMatchObject({ status: "forget" });
});

function idle(): RunLook {
  return { status: "free", state: stateOf({ status: "running" }) };
}

function running(): RunLook {
  const state = stateOf({ status: "running" });
  state.activity.runningTurns = 1;
  return { status: "free", state };
}

function suspended(reason: "interrupted" | "paused" | "waiting"): RunLook {
  return { status: "free", state: stateOf({ status: "suspended", reason, ...SUSPENDED }) };
}

function ended(): RunLook {
  const phase = {
    ...({ status: "ended", outcome: "completed", reason: "done", resumable: false } as const),
    ...{ exitCode: 0, durationMs: 1, result: null, error: undefined, endedAt: 0 },
  };
  return { status: "free", state: stateOf(phase) };
}

/** A run with three things finished. */
function stateOf(phase: RunState["phase"]): RunState {
  const state = emptyRunState(ENTRY.run);
  return {
    ...state,
    phase,
    turnsEnded: 2,
    operations: { ...state.operations, settled: { ok: 1, error: 0, cancelled: 0 } },
  };
}

test("a run in which tools were called since it was taken last starts from nothing again [ENG-23.deaths]", () => {
  const look = running();
  if (look.status !== "free") throw new Error("it is free");
  look.state.toolCalls = 9;
  expect(chooseResumption({ ...ENTRY, deaths: 2 }, look)).toMatchObject({
    status: "resume",
    deaths: 1,
  });
});
