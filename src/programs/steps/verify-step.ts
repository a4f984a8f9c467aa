import type { StepOutcome, StepRun } from "../../contracts/ports/step-type.ts";
import type { ErrorReport } from "../../foundation/errors.ts";
import type { Gates } from "../primitives/gates/gate-files.ts";
import { readBaseline, restoreBaseline } from "../primitives/step-baseline.ts";
import { verify } from "../primitives/verification.ts";
import { outputText } from "./parts/step-data.ts";

/** The checks of one attempt, which has begun. */
export interface StepChecks {
  /**
   * Puts back what the attempt changed of that which checks it, whatever it came to; then checks what it has done,
   * unless it failed. Resolves with the first thing that does not hold.
   */
  judge(outcome: StepOutcome | undefined): Promise<ErrorReport | undefined>;
}

/** What checks a step, as it was before its first attempt. */
export interface FirstGates {
  gates: Gates | undefined;
}

/** Looks at the place of a step's work before it begins (WF-11); undefined when nothing checks the step. */
export async function beginChecks(
  run: StepRun,
  first: FirstGates,
): Promise<StepChecks | undefined> {
  const { context, scope, step } = run;
  if (step.verify.length === 0) return undefined;
  const cwd = placeOfWork(run);
  const texts = { context, text: scope.text, command: scope.command };
  const now = await readBaseline(texts, step.verify, cwd);
  first.gates ??= now.gates;
  // What an earlier attempt put there is no gate of this one.
  const baseline = { ...now, gates: first.gates };
  return {
    judge: async (outcome) => {
      const breach = await restoreBaseline(context, step.id, baseline);
      if (outcome === undefined || outcome.error !== undefined) return undefined;
      if (breach !== undefined) return breach;
      const { outputTruncated = false } = outcome;
      return verify(texts, step.verify, {
        step: step.id,
        cwd,
        output: outputText(outcome),
        outputTruncated,
        gitBefore: baseline.gitBefore,
      });
    },
  };
}

/** The directory of the agent that the step names, else that of the run. */
function placeOfWork({ step, definition, context }: StepRun): string {
  const { agent } = step.settings;
  const id = typeof agent === "string" ? agent.toLowerCase() : undefined;
  const spec = definition.agents.find((candidate) => candidate.id.toLowerCase() === id);
  return spec?.cwd ?? context.run.cwd;
}
