import { statSync } from "node:fs";
import { join } from "node:path";
import type { RunStore } from "../../../contracts/ports/store.ts";
import { foldAll } from "../../../fold/fold.ts";
import type { RunState } from "../../../fold/state/run-state.ts";
import { systemClock } from "../../../foundation/clock.ts";
import { isRecord } from "../../../foundation/json.ts";
import { createSqliteStore } from "../../../journal/sqlite-store.ts";
import { type Environment, findProject } from "../../machine/place/project.ts";
import { agentAddress } from "../../runs/agent-address.ts";
import { STANDALONE_PROGRAM } from "../../workflow/shapes/standalone.ts";
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
  if (!isShort(runsDirectory, run)) return [];
  const { agents, steps } = readRun(store, run);
  const names = kind === "agent" ? agents.keys() : steps.byPath.keys();
  return [...names].map((value) => ({ value }));
}

/** The ids of what waits for a person in the newest runs. */
export function itemValues({ cwd, env }: Where): readonly Candidate[] {
  const store = openStore(findProject(cwd, env).runsDirectory);
  return store
    .list()
    .slice(0, MAX_LOOKED_AT)
    .flatMap((run) => waitingIn(store, run));
}

/** Agents of live runs, as commands take them, their instances and their runs; the newest runs first. */
export function targetValues({ cwd, env }: Where): readonly Candidate[] {
  const { runsDirectory } = findProject(cwd, env);
  const store = openStore(runsDirectory);
  const live = store
    .list()
    .slice(0, MAX_LOOKED_AT)
    .filter((run) => headOf(store, run)["outcome"] === null && isShort(runsDirectory, run))
    .map((run) => readRun(store, run));
  const agents = live.flatMap(({ run, agents: members }) => {
    const isStandalone = run.program === STANDALONE_PROGRAM;
    return [...members.values()]
      .filter(({ exit }) => exit === undefined)
      .map(({ id: name, status }) => ({
        value: agentAddress({ name, instance: run.instance, isStandalone }),
        about: `agent, ${status}`,
      }));
  });
  const instances = new Set(live.map(({ run }) => `@${run.instance}`));
  return [
    ...agents,
    ...[...instances].map((value) => ({ value, about: "instance" })),
    ...live.map(({ run }) => ({ value: run.id, about: `run of ${run.workflow}` })),
  ];
}

function openStore(runsDirectory: string): RunStore {
  // Nothing is written, so whether owners live does not matter.
  return createSqliteStore(runsDirectory, { clock: systemClock, isGone: () => false });
}

function isShort(runsDirectory: string, run: string): boolean {
  return statSync(join(runsDirectory, run, "journal.db")).size <= MAX_JOURNAL_BYTES;
}

function readRun(store: RunStore, run: string): RunState {
  const journal = store.open(run, "read");
  try {
    return foldAll(run, journal.read());
  } finally {
    journal.close();
  }
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
