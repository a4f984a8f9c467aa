import { type Costs, readCosts } from "../../app/history/cost/read-costs.ts";
import { type Spending, spendingBy, sumOf } from "../../app/history/cost/spending.ts";
import { knownMachines } from "../../app/machine/known-machines.ts";
import type { Machine } from "../../app/machine/machine.ts";
import { resolveTarget } from "../../app/runs/resolve-target.ts";
import type { CostDimension } from "../../contracts/cost-dimension.ts";
import { parseDuration } from "../../foundation/duration.ts";
import type { ActionOf } from "../command/command.ts";
import { usageInvalid } from "../command/errors.ts";
import { EXIT } from "../command/exit-codes.ts";
import { openMachine } from "../command/open-machine.ts";
import { readLimit } from "../command/read-count.ts";
import { reportWarning } from "../command/report-error.ts";
import type { costCommand } from "../commands/cost.ts";
import { costLines } from "../cost/cost-lines.ts";
import { writeLines } from "../terminal/write-lines.ts";

/** `troupe cost` */
export const costAction: ActionOf<typeof costCommand> = async (invocation) => {
  const { since, allProjects, json: isJson, ...options } = invocation.options;
  const { io, settings, args } = invocation;
  const [given] = args;
  if (given !== undefined && allProjects)
    throw usageInvalid({ problem: `"${given}" is of one project, --all-projects means them all` });
  const spanMs = since === undefined ? undefined : parseDuration(since, "--since");
  const machine = await openMachine(invocation);
  const sinceMs = spanMs === undefined ? undefined : machine.clock.now() - spanMs;
  const scope = {
    ...(given === undefined ? {} : resolveTarget(machine, given)),
    ...(sinceMs === undefined ? {} : { sinceMs }),
  };
  const costs = allProjects ? readAll(machine, scope) : readCosts(machine, scope);
  for (const problem of costs.problems) reportWarning(problem, io, settings);
  const isOneRun = given !== undefined;
  const limit = readLimit(invocation.options.limit);
  // A run with others below it is told run by run.
  const { by = isOneRun && costs.runs.length === 1 ? "agent" : "run" } = options;
  if (isJson) io.stdout.write(`${JSON.stringify(toCostDocument(costs, { by, sinceMs, limit }))}\n`);
  else await writeLines(invocation, costLines(costs, { by, isOneRun, limit, settings }));
  return EXIT.completed;
};

function readAll(machine: Machine, scope: { readonly sinceMs?: number }): Costs {
  const { machines, problems } = knownMachines(machine);
  const read = machines.map((one) => ({ project: one.project.root, costs: readCosts(one, scope) }));
  return {
    turns: read.flatMap(({ costs }) => costs.turns),
    runs: read.flatMap(({ project, costs }) => costs.runs.map((run) => ({ ...run, project }))),
    problems: [...problems, ...read.flatMap(({ costs }) => costs.problems)],
  };
}

/** What `cost --json` prints. */
function toCostDocument(
  { turns, runs }: Pick<Costs, "turns" | "runs">,
  {
    by,
    sinceMs,
    limit,
  }: {
    readonly by: CostDimension;
    readonly sinceMs: number | undefined;
    readonly limit: number;
  },
): object {
  return {
    v: 1,
    by,
    since: sinceMs === undefined ? null : new Date(sinceMs).toISOString(),
    rows: spendingBy(turns, by)
      .slice(0, limit)
      .map(({ name, ...spending }) => ({ name, ...toSums(spending) })),
    total: toSums(sumOf(turns)),
    runs: runs.map(({ run, workflow, instance, project, reservations, budget }) => ({
      ...{ id: run, workflow, instance },
      ...(project === undefined ? {} : { project }),
      reserved: {
        turns: reservations.length,
        costUsd: reservations.reduce((sum, { cost = 0 }) => sum + cost, 0),
        tokens: reservations.reduce((sum, { tokens = 0 }) => sum + tokens, 0),
      },
      budget: Object.fromEntries(
        budget.map(({ meter, limit, spent, reserved }) => [meter, { limit, spent, reserved }]),
      ),
    })),
  };
}

/** Null is unknown, not zero. */
function toSums({ turns, usage, unpricedTurns }: Spending): object {
  const { inputTokens, outputTokens, cachedTokens, costUsd, estimatedUsd = 0 } = usage;
  return {
    turns,
    inputTokens: inputTokens ?? null,
    outputTokens: outputTokens ?? null,
    cachedTokens: cachedTokens ?? null,
    costUsd: costUsd ?? null,
    estimatedUsd,
    unpricedTurns,
  };
}
