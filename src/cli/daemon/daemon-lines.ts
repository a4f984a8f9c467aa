import type { BackgroundRun } from "../../app/background/background-runs.ts";
import type { DaemonStatus, HeldRunReport } from "../../control/daemon-protocol.ts";
import { toPrintable } from "../../foundation/printable.ts";
import { alignColumns } from "../terminal/table.ts";

/** The daemon for people; `waiting` is what the next one goes on with when none runs. */
export function daemonLines(
  status: DaemonStatus | undefined,
  waiting: readonly BackgroundRun[],
): readonly string[] {
  if (status === undefined) {
    const runs = waiting.map((run) => ({
      ...run,
      state: run.status === "given-up" ? "given up" : "waits",
    }));
    return ["the daemon is not running", ...runLines(runs)];
  }
  const { pid, version, startedAt, runs, givenUp, isDraining } = status;
  const word = isDraining ? "lets go of its runs" : "is running";
  return [
    `the daemon ${word}: pid ${pid}, troupe ${toPrintable(version)}, since ${toPrintable(startedAt)}`,
    ...runLines([...runs, ...givenUp]),
  ];
}

function runLines(runs: readonly HeldRunReport[]): readonly string[] {
  if (runs.length === 0) return [];
  const rows = runs.map(({ run, workflow, instance, state, project, problem }) => [
    run,
    `${workflow}@${instance}`,
    state,
    problem ?? project,
  ]);
  return alignColumns([["RUN", "INSTANCE", "STATE", "PROJECT"], ...rows]);
}
