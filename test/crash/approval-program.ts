import type { RunToCarryOut } from "../../src/app/run/owner/carry-out-options.ts";
import { writeRecipe } from "../../src/app/workflow/shapes/run-recipe.ts";
import type { PatternDefinition } from "../../src/contracts/definition.ts";
import type { Program } from "../../src/contracts/ports/program.ts";
import { appendToLedger } from "./ledger.ts";

/** A program that does something, waits for a person, and does something else. */
export function approvalProgram(ledger: string): Program<PatternDefinition> {
  return {
    name: "crash/approval",
    run: async (context) => {
      const done = (step: string) =>
        context.step(step, ({ key, attempt }) => {
          appendToLedger(ledger, { mark: "start", key, step, attempt });
          appendToLedger(ledger, { mark: "end", key, step, attempt });
          return step;
        });
      await done("before");
      const decision = await context.approval({ message: "Deploy?", show: { version: 7 } });
      await done(decision.approved ? "deploy" : "abandon");
      return { outcome: "completed", reason: `decided by ${decision.by}`, metadata: {} };
    },
  };
}

/** The first event of a run of that program. */
export function createdWith(
  program: Program<PatternDefinition>,
  cwd: string,
): Omit<RunToCarryOut, "journal" | "program" | "identity"> {
  const recipe = { definition: DEFINITION };
  const { text: definitionText, hash: definitionHash } = writeRecipe(recipe);
  const event = {
    type: "run-created",
    workflow: DEFINITION.name,
    instance: "default",
    definitionHash,
    program: program.name,
    seed: "00112233445566778899aabbccddeeff",
    troupe: "0.0.0",
    cwd,
    limits: {},
  } as const;
  const beginning = { created: { event, definitionText }, limits: undefined };
  return { recipe, beginning, budget: {}, childLimits: undefined };
}

const DEFINITION: PatternDefinition = {
  format: 1,
  shape: "pattern",
  name: "approval",
  pattern: "dag",
  params: {},
  agents: [],
  steps: [],
  barriers: [],
  onFailure: "continue",
  channel: "main",
  options: {},
};
