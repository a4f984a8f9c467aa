import type { StepSpec } from "../../contracts/step.ts";
import { type GateFiles, gatePaths, rememberGates } from "./gate-files.ts";
import type { VariableSources } from "./step-variables.ts";

/** What the checks of a step compare with: the agent's directory before the step. */
export interface StepBaseline {
  /** Absolute directory of the agent. */
  readonly cwd: string;
  readonly gates: GateFiles;
  /** State of the working tree; undefined outside a repository, or when no check asks for it. */
  readonly gitBefore: string | undefined;
}

/** Looks at a directory before an agent works there. */
export async function readBaseline(
  { context }: VariableSources,
  step: StepSpec,
  cwd: string,
): Promise<StepBaseline> {
  const gates = await rememberGates(context, cwd, gatePaths(step.verify));
  const checksGit = step.verify.some((check) => check.kind === "gitChanged");
  if (!checksGit) return { cwd, gates, gitBefore: undefined };
  const found = await context.step(
    "git state",
    async ({ host }) => (await host.git.fingerprint(cwd)) ?? null,
  );
  return { cwd, gates, gitBefore: found ?? undefined };
}
