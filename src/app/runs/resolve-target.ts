import { runNotFound } from "../../journal/errors.ts";
import type { Machine } from "../machine/machine.ts";
import { runAmbiguous } from "./errors.ts";
import { type ListedRun, readRunList } from "./run-index.ts";
import { resolveRun } from "./run-lookup.ts";

/** What a target names: a run, and in it an agent if the target names one. */
export interface Target {
  readonly run: string;
  readonly agent?: string;
}

// Whose agents are looked up among runs that are over; their journals are read for it once.
const MAX_SEARCHED_RUNS = 100;

/**
 * The run that a target names: its id or the beginning of one, `@last`, `@failed`, `@instance`, `agent`,
 * `@agent`, `agent@instance`, `agent@run_id`; the name of a workflow may stand where an agent's does. Runs
 * that are not over come first, in them agents that are alive; of what is over, the newest is meant. Raises
 * RUN_NOT_FOUND, RUN_AMBIGUOUS.
 */
export function resolveTarget(machine: Machine, given: string): Target {
  if (isId(given)) return { run: resolveRun(machine.store, given) };
  const ids = machine.store.list();
  if (ids.includes(given)) return { run: given };
  const readings = readingsOf(given);
  const recent = new Set(ids.slice(0, MAX_SEARCHED_RUNS));
  const { runs } = readRunList(machine, ({ run, outcome }) => outcome === null || recent.has(run));
  const found = runs.flatMap((run) => match(run, readings) ?? []);
  for (const rank of ["live", "resting"] as const) {
    const [first, ...others] = found.filter((each) => each.rank === rank);
    if (first === undefined) continue;
    if (others.length === 0) return first.target;
    throw runAmbiguous({ given, matches: [first, ...others].map(({ name }) => name) });
  }
  // A name that is in use is meant rather than an id that happens to begin so.
  if (isBeginning(given, ids)) return { run: resolveRun(machine.store, given) };
  const [newest] = found;
  if (newest !== undefined) return newest.target;
  throw runNotFound({ run: given, known: [...ids, ...namesOf(runs)] });
}

/** Whether a text can only be meant as an id. */
function isId(given: string): boolean {
  return ["", "@last", "@failed"].includes(given) || given.startsWith("run_");
}

function isBeginning(given: string, ids: readonly string[]): boolean {
  return ids.some((id) => id.startsWith(given) || id.startsWith(`run_${given}`));
}

/** One way to read a target. */
interface Reading {
  /** Of an agent or a workflow; empty for an instance alone. */
  readonly name: string;
  /** Or the beginning of a run's id. */
  readonly instance: string | undefined;
}

/** `@name` is an instance, or an agent as messages mention it. */
function readingsOf(given: string): readonly Reading[] {
  const bare = given.replace(/^@/, "");
  const at = bare.indexOf("@");
  if (at >= 0) return [{ name: bare.slice(0, at), instance: bare.slice(at + 1) }];
  const named = { name: bare, instance: undefined };
  return bare === given ? [named] : [named, { name: "", instance: bare }];
}

interface Match {
  readonly target: Target;
  /** `resting`: an agent whose life is over in a run that is not. */
  readonly rank: "live" | "resting" | "over";
  /** For people who have to choose. */
  readonly name: string;
}

function match(run: ListedRun, readings: readonly Reading[]): Match | undefined {
  const matches = readings.flatMap((reading) => matchOne(run, reading) ?? []);
  // An agent says more than its instance, which may have its name.
  return matches.find(({ target }) => target.agent !== undefined) ?? matches[0];
}

function matchOne(run: ListedRun, { name, instance }: Reading): Match | undefined {
  if (name === "" && (instance ?? "") === "") return undefined;
  if (instance !== undefined && !isOfInstance(run, instance)) return undefined;
  const rank = run.outcome === null && run.foreign === null ? "live" : "over";
  const agent = run.roster?.agents.find((each) => each.name.toLowerCase() === name.toLowerCase());
  if (name !== "" && agent !== undefined) {
    const isResting = rank === "live" && agent.status === "exited";
    return {
      target: { run: run.run, agent: agent.name },
      rank: isResting ? "resting" : rank,
      name: `${agent.name}@${run.instance} (${run.run})`,
    };
  }
  if (name !== "" && name !== run.workflow) return undefined;
  return { target: { run: run.run }, rank, name: `${run.workflow}@${run.instance} (${run.run})` };
}

function isOfInstance(run: ListedRun, instance: string): boolean {
  return instance === run.instance || (instance.startsWith("run_") && run.run.startsWith(instance));
}

function namesOf(runs: readonly ListedRun[]): readonly string[] {
  const names = runs.flatMap(({ instance, roster, workflow }) => [
    `@${instance}`,
    workflow,
    ...(roster?.agents ?? []).map((agent) => agent.name),
  ]);
  return [...new Set(names)];
}
