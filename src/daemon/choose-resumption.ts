import type { BackgroundRun } from "../app/background/background-runs.ts";
import type { RunState } from "../fold/state/run-state.ts";
import { isStill } from "../fold/waiting.ts";

/** What a starting daemon finds of a run that an earlier one carried out. */
export type RunLook =
  | { readonly status: "missing"; readonly problem: string }
  | { readonly status: "unreadable"; readonly problem: string }
  | { readonly status: "owned" }
  | { readonly status: "free"; readonly state: RunState };

/** What a starting daemon does with it. */
export type ResumptionChoice =
  | { readonly status: "resume"; readonly deaths: number; readonly finished: number }
  | { readonly status: "forget"; readonly reason: string }
  | { readonly status: "give-up"; readonly deaths: number; readonly problem: string };

/** Daemons that may die over a run in a row before it is given up. */
const MAX_DEATHS = 3;

/**
 * Decides on a run that is on the list. What a person paused stays paused, what is over stays over. A run is
 * blamed for the death of a daemon if it was being taken or had work under way then; one that finished
 * something since it was taken last starts from nothing again.
 */
export function chooseResumption(entry: BackgroundRun, look: RunLook): ResumptionChoice {
  switch (look.status) {
    case "missing":
      return { status: "forget", reason: look.problem };
    case "unreadable":
      return { status: "give-up", deaths: entry.deaths, problem: look.problem };
    case "owned":
      return { status: "forget", reason: "another process carries it out" };
    case "free":
      return chooseForFree(entry, look.state);
  }
}

/** How much has happened in a run: turns and operations that have ended, and calls of tools in turns that have not. */
export function finishedWork({ turnsEnded, toolCalls, operations }: RunState): number {
  const { ok, error, cancelled } = operations.settled;
  return turnsEnded + toolCalls + ok + error + cancelled;
}

function chooseForFree(entry: BackgroundRun, state: RunState): ResumptionChoice {
  const { phase } = state;
  if (phase.status === "ended") return { status: "forget", reason: "it is over" };
  if (phase.status === "suspended" && phase.reason === "paused")
    return { status: "forget", reason: "it was paused" };
  const finished = finishedWork(state);
  if (entry.status === "given-up")
    return { status: "give-up", deaths: entry.deaths, problem: entry.problem ?? "unknown" };
  // A daemon that let go of its runs in order has written so into each of them.
  const wasCutOff = phase.status === "running" && !isStill(state);
  const isBlamed = entry.status === "taking" || wasCutOff;
  const before = finished > entry.finished ? 0 : entry.deaths;
  const deaths = isBlamed ? before + 1 : before;
  if (deaths < MAX_DEATHS) return { status: "resume", deaths, finished };
  const problem = `the daemon died ${deaths} times in a row while it carried it out`;
  return { status: "give-up", deaths, problem };
}
