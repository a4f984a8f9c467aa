import { drawGraph } from "../../app/history/draw-graph.ts";
import { planRun } from "../../app/plan/plan-run.ts";
import type { RunPlan } from "../../app/plan/run-plan.ts";
import { didYouMean } from "../../foundation/near-names.ts";
import type { ActionOf } from "../command/command.ts";
import { usageInvalid } from "../command/errors.ts";
import { EXIT } from "../command/exit-codes.ts";
import { lookAtMachine } from "../command/open-machine.ts";
import type { planCommand } from "../commands/plan.ts";
import { tellConfig } from "../config/tell-config.ts";
import { graphTextOptions } from "../graph/graph-text-options.ts";
import { planLines } from "../plan/plan-lines.ts";
import { prepareRun } from "../prepare/prepare-run.ts";
import type { Settings } from "../terminal/settings.ts";

/** `troupe plan` and `troupe run --dry-run`: what a run would do; starts nothing and writes nothing. */
export const planAction: ActionOf<typeof planCommand> = async (invocation) => {
  const { io, settings } = invocation;
  const { step: wanted, json } = invocation.options;
  const machine = lookAtMachine(invocation);
  if ((await tellConfig(machine, invocation)) === undefined) return EXIT.usage;
  const prepared = await prepareRun(machine, invocation);
  if (prepared === undefined) return EXIT.usage;
  const plan = await planRun(machine, prepared);
  for (const step of wanted ?? []) assertStep(step, plan);
  const text = json
    ? JSON.stringify(withSteps(plan, wanted))
    : (await toLines(plan, wanted, settings)).join("\n");
  io.stdout.write(`${text}\n`);
  return plan.agents.every(({ isReady }) => isReady) ? EXIT.completed : EXIT.backend;
};

async function toLines(
  plan: RunPlan,
  wanted: readonly string[] | undefined,
  settings: Settings,
): Promise<readonly string[]> {
  const { workflow, pattern, graph } = plan;
  const document = { v: 1, workflow, pattern, run: null, ...graph } as const;
  return planLines(plan, {
    settings,
    graph: await drawGraph(document, "ascii", graphTextOptions(settings)),
    ...(wanted === undefined ? {} : { wanted: new Set(wanted) }),
  });
}

function assertStep(step: string, { workflow, steps }: RunPlan): void {
  const known = steps.map(({ id }) => id);
  if (known.includes(step)) return;
  const problem = `${workflow} has no step "${step}"`;
  const hint = didYouMean(step, known, "steps");
  throw usageInvalid({ problem, ...(hint === undefined ? {} : { hint }) });
}

function withSteps(plan: RunPlan, wanted: readonly string[] | undefined): RunPlan {
  if (wanted === undefined) return plan;
  const isWanted = (step: string | null) => step !== null && wanted.includes(step);
  return {
    ...plan,
    steps: plan.steps.filter(({ id }) => isWanted(id)),
    prompts: plan.prompts.filter(({ step }) => isWanted(step)),
  };
}
