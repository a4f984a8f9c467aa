import { knownMachines } from "../../app/machine/known-machines.ts";
import type { Machine } from "../../app/machine/machine.ts";
import { type FamilyRun, inFamilies } from "../../app/runs/families/run-families.ts";
import type { RunListing } from "../../app/runs/run-heads.ts";
import { readState } from "../../app/runs/run-lookup.ts";
import { RUN_STATUSES } from "../../contracts/run.ts";
import { resultOutput } from "../../fold/result-output.ts";
import { TroupeError } from "../../foundation/errors.ts";
import { didYouMean } from "../../foundation/near-names.ts";
import { present } from "../../foundation/present.ts";
import type { ActionOf, Invocation, OptionsOf } from "../command/command.ts";
import { usageInvalid } from "../command/errors.ts";
import { EXIT } from "../command/exit-codes.ts";
import { openMachine } from "../command/open-machine.ts";
import { readLimit } from "../command/read-count.ts";
import { reportWarning } from "../command/report-error.ts";
import type { runsCommand } from "../commands/runs.ts";
import { listRuns } from "../runs/list-runs.ts";
import { toRunEntry } from "../runs/run-entry.ts";
import { runsLines } from "../runs/runs-table.ts";
import { writeLines } from "../terminal/write-lines.ts";

const STATES: readonly string[] = RUN_STATUSES;

type RunsOptions = OptionsOf<typeof runsCommand>;

/** `troupe runs` */
export const runsAction: ActionOf<typeof runsCommand> = async (invocation) => {
  const { options } = invocation;
  const isWanted = toFilter(options);
  const limit = readLimit(options.limit);
  const machine = await openMachine(invocation);
  const { runs: all, projectOf } = findRuns(machine, invocation);
  const wanted = all.filter(isWanted);
  const roots = new Set([...new Set(wanted.map(({ root }) => root))].slice(0, limit));
  const runs = wanted.filter(({ root }) => roots.has(root));
  const { settings, io } = invocation;
  const toEntry = (run: FamilyRun) => ({
    ...toRunEntry(run),
    ...present({ project: projectOf(run) }),
  });
  const isFiltered = [options.status, options.workflow, options.search].some(
    (each) => each !== undefined,
  );
  if (options.json) io.stdout.write(`${JSON.stringify({ v: 1, runs: runs.map(toEntry) })}\n`);
  else
    await writeLines(
      invocation,
      runsLines(runs, { nowMs: machine.clock.now(), settings, isFiltered, projectOf }),
    );
  return EXIT.completed;
};

interface FoundRuns {
  readonly runs: readonly FamilyRun[];
  /** The root of the project of a run, where several are listed. */
  projectOf(run: FamilyRun): string | undefined;
}

/** The runs of this project or of all, those with the sought text if one is. */
function findRuns(machine: Machine, invocation: Invocation<RunsOptions>): FoundRuns {
  const { allProjects: isOfAll, search } = invocation.options;
  const { io, settings } = invocation;
  const { machines, problems } = isOfAll
    ? knownMachines(machine)
    : { machines: [machine], problems: [] };
  for (const problem of problems) reportWarning(problem, io, settings);
  const projects = new Map<FamilyRun, string>();
  const runs = machines.flatMap((one) => {
    const own = inFamilies(listRuns(one, invocation)).filter(
      ({ run }) => search === undefined || hasText(one, run, search),
    );
    for (const run of isOfAll ? own : []) projects.set(run, one.project.root);
    return own;
  });
  return { runs, projectOf: (run) => projects.get(run) };
}

/** `--workflow` takes a name, or `name@instance` as the table shows it. */
function toFilter({ status, workflow: wanted }: RunsOptions): (run: RunListing) => boolean {
  const states = status?.flatMap((text) => text.split(","));
  for (const state of states ?? []) assertState(state);
  return ({ state, workflow, instance }) =>
    (states?.includes(state) ?? true) &&
    (wanted === undefined || wanted === workflow || wanted === `${workflow}@${instance}`);
}

function assertState(state: string): void {
  if (STATES.includes(state)) return;
  const hint = didYouMean(state, STATES, "states") ?? "";
  throw usageInvalid({ problem: `no run is ever "${state}"`, hint });
}

/** Whether a run has a text, in any case of letters: in its task, its messages, what its steps came to or its result. */
function hasText({ store }: Pick<Machine, "store">, run: string, wanted: string): boolean {
  const sought = wanted.toLowerCase();
  return textsOf({ store }, run).some((text) => text.toLowerCase().includes(sought));
}

/** What a person may remember of a run; nothing of one that cannot be read. */
function textsOf({ store }: Pick<Machine, "store">, run: string): readonly string[] {
  try {
    const state = readState(store, run);
    const { workflow, instance, task = "", input } = state.run;
    const steps = [...state.steps.byPath.values()].flatMap((step) =>
      step.status === "completed" ? [step.output, step.text] : [],
    );
    const said = state.messages.recent.map(({ text }) => text);
    const given = input === undefined ? "" : JSON.stringify(input);
    return [workflow, instance, task, given, ...steps, ...said, resultOutput(state)];
  } catch (error) {
    if (error instanceof TroupeError) return [];
    throw error;
  }
}
