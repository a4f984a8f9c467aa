import { existsSync } from "node:fs";
import type { Machine } from "../machine/machine.ts";
import { readRunList } from "../runs/run-index.ts";
import type { Check, Finding } from "./finding.ts";

const RUNS = "runs";

/** Runs that wait, were let go, or cannot be read. */
export function checkRuns(machine: Machine): Check {
  return {
    subject: RUNS,
    look: async () => {
      if (!existsSync(`${machine.project.runsDirectory}/.`))
        return [{ subject: RUNS, status: "ok", text: "no runs yet" }];
      const { runs, problems } = readRunList(machine);
      const count = (...states: readonly string[]) =>
        runs.filter(({ state, foreign }) => foreign === null && states.includes(state)).length;
      const foreign = runs.filter((run) => run.foreign !== null).length;
      return [
        { subject: RUNS, status: "ok", text: `${runs.length} run(s), ${count("running")} running` },
        ...note(count("waiting"), "wait for a person", "troupe inbox"),
        ...note(
          count("paused", "suspended"),
          "are not over",
          "troupe runs --status suspended --status paused, then troupe resume RUN",
        ),
        ...note(
          foreign,
          "were not made by you here",
          "troupe runs marks them; troupe import RUN makes one yours",
        ),
        ...note(problems.length, "cannot be read", "troupe show RUN says why"),
      ];
    },
  };
}

function note(count: number, what: string, hint: string): readonly Finding[] {
  return count === 0
    ? []
    : [{ subject: RUNS, status: "note", text: `${count} run(s) ${what}`, hint }];
}
