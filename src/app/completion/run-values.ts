import { statSync } from "node:fs";
import { join } from "node:path";
import type { RunStore } from "../../contracts/store.ts";
import { foldAll } from "../../fold/fold.ts";
import { systemClock } from "../../foundation/clock.ts";
import { isRecord } from "../../foundation/json.ts";
import { createSqliteStore } from "../../journal/sqlite-store.ts";
import { type Environment, findProject } from "../project.ts";
import type { Candidate } from "./candidate.ts";

// Answers while somebody waits for a key, so it reads the store without the machine around it.

/** Whose runs are looked at. */
interface Where {
  readonly cwd: string;
  readonly env: Environment;
}

// What is larger takes longer to read than anybody waits for a key.
const MAX_JOURNAL_BYTES = 4_194_304;
const MAX_LOOKED_AT = 20;

/** What a run has of one kind, for `--agent` and `--step`; of the newest run when none is named. */
export function partValues(
  where: Where,
  kind: "agent" | "step",
  given = "@last",
): readonly Candidate[] {
  const { runsDirectory } = findProject(where.cwd, where.env);
  const store = openStore(runsDirectory);
  const run = findRun(store, given);
  if (run === undefined) return [];
  if (statSync(join(runsDirectory, run, "journal.db")).size > MAX_JOURNAL_BYTES) return [];
  const journal = store.open(run, "read");
  try {
    const { agents, steps } = foldAll(run, journal.read());
    const names = kind === "agent" ? agents.keys() : steps.byPath.keys();
    return [...names].map((value) => ({ value }));
  } finally {
    journal.close();
  }
}

/** The ids of what waits for a person in the newest runs. */
export function itemValues({ cwd, env }: Where): readonly Candidate[] {
  const store = openStore(findProject(cwd, env).runsDirectory);
  return store
    .list()
    .slice(0, MAX_LOOKED_AT)
    .flatMap((run) => waitingIn(store, run));
}

function openStore(runsDirectory: string): RunStore {
  // Nothing is written, so whether owners live does not matter.
  return createSqliteStore(runsDirectory, { clock: systemClock, isGone: () => false });
}

function findRun(store: RunStore, given: string): string | undefined {
  const runs = store.list();
  if (given === "@last") return runs[0];
  if (given === "@failed")
    return runs.slice(0, MAX_LOOKED_AT).find((run) => headOf(store, run)["state"] === "failed");
  return runs.find((run) => run.startsWith(given));
}

function waitingIn(store: RunStore, run: string): readonly Candidate[] {
  const { waitingFor } = headOf(store, run);
  return (Array.isArray(waitingFor) ? waitingFor : []).filter(isRecord).flatMap((item) => {
    const { id, kind, text } = item;
    return typeof id === "string" && kind !== "pause"
      ? [{ value: id, about: `${kind}: ${text}` }]
      : [];
  });
}

/** The summary of a run as it is stored; empty for one that cannot be read, which hides no other. */
function headOf(store: RunStore, run: string): Readonly<Record<string, unknown>> {
  try {
    const journal = store.open(run, "read");
    try {
      const head = journal.head();
      return isRecord(head) ? head : {};
    } finally {
      journal.close();
    }
  } catch {
    return {};
  }
}
