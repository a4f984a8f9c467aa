import type { AgentBackend } from "../contracts/backend.ts";
import type { PatternDefinition } from "../contracts/definition.ts";
import { toErrorReport } from "../foundation/errors.ts";
import { preflightFailed } from "./errors.ts";

interface AgentProblem {
  readonly agent: string;
  readonly message: string;
  readonly hint?: string;
}

/** Checks that every agent can run here, all at once and before anything starts. Raises BACKEND_PREFLIGHT_FAILED. */
export async function preflight(
  definition: PatternDefinition,
  backend: (name: string) => AgentBackend,
): Promise<void> {
  const found = await Promise.all(
    definition.agents.map(async (spec): Promise<readonly AgentProblem[]> => {
      try {
        const problems = await backend(spec.backend).check(spec);
        return problems.map((problem) => ({ agent: spec.id, ...problem }));
      } catch (error) {
        const { message, hint } = toErrorReport(error);
        return [{ agent: spec.id, message, ...(hint === undefined ? {} : { hint }) }];
      }
    }),
  );
  const problems = found.flat();
  if (problems.length > 0) throw preflightFailed({ problems });
}
