import { createMachineAt, type Machine } from "../../src/app/machine/machine.ts";
import { carryOut } from "../../src/app/run/carry-out.ts";
import type { CarryOutOptions, RunToCarryOut } from "../../src/app/run/owner/carry-out-options.ts";
import { resumeOnMachine } from "../../src/app/run/resume-run.ts";
import { writeRecipe } from "../../src/app/workflow/shapes/run-recipe.ts";
import type { PatternDefinition } from "../../src/contracts/definition.ts";
import type { Context } from "../../src/contracts/ports/context.ts";
import type { Program } from "../../src/contracts/ports/program.ts";
import type { Json } from "../../src/foundation/json.ts";
import { defineTestWorkflow } from "../../src/testing/define-test-workflow.ts";

/** What a program of a test asks people for; what it returns is the metadata of its result. */
export type Asking = (context: Context) => Promise<{ readonly [key: string]: Json }>;

const WAITING = { suspendsWhenWaiting: true } satisfies CarryOutOptions;
const DEFINITION = defineTestWorkflow({ name: "asking", agents: [] });

/**
 * Starts a run of a program in a project and lets go of it when only people can go on; resolves with its id. As if the
 * program of that mark had started it, if one is given.
 */
export async function startWaiting(
  cwd: string,
  asking: Asking,
  startedBelow?: string,
): Promise<string> {
  const machine = createMachineAt({ cwd });
  const journal = machine.store.create(machine.newRunId());
  const recipe = { definition: DEFINITION };
  const { text: definitionText, hash: definitionHash } = writeRecipe(recipe);
  const program = programOf(asking);
  const event = {
    type: "run-created",
    workflow: DEFINITION.name,
    instance: "default",
    definitionHash,
    program: program.name,
    seed: machine.newKey(),
    troupe: "0.0.0",
    cwd,
    limits: {},
    ...(startedBelow === undefined ? {} : { startedBelow }),
  } as const;
  const { workflow, instance } = event;
  const toCarryOut: RunToCarryOut = {
    ...{ journal, recipe, program, identity: { id: journal.run, workflow, instance } },
    beginning: { created: { event, definitionText }, limits: undefined },
    ...{ budget: {}, childLimits: undefined },
  };
  const run = await carryOut(machine, toCarryOut, WAITING);
  await run.parted;
  return run.id;
}

/** Goes on with that run; resolves with what the program returned. */
export async function finishWaiting(cwd: string, asking: Asking): Promise<unknown> {
  const machine: Machine = createMachineAt({ cwd });
  const program = programOf(asking);
  const resumption = await resumeOnMachine(machine, "@last", { ...WAITING, program });
  if (resumption.status === "over") throw new Error("the run is over");
  return (await resumption.run.result).metadata;
}

function programOf(asking: Asking): Program<PatternDefinition> {
  return {
    name: "test/asking",
    run: async (context) => ({
      outcome: "completed",
      reason: "done",
      metadata: await asking(context),
    }),
  };
}
