import type { Context } from "../../contracts/context.ts";
import type { VerificationSpec } from "../../contracts/step.ts";
import { type ErrorReport, toErrorReport } from "../../foundation/errors.ts";
import { gateChanged } from "../errors.ts";
import { type GateFiles, gatePaths, rememberGates, restoreGates } from "./gate-files.ts";

/** What the checks of a step compare with: the directory where it works, before it did. */
export interface StepBaseline {
  /** Absolute. */
  readonly cwd: string;
  readonly gates: GateFiles;
  /** State of the working tree; undefined outside a repository, or when no check asks for it. */
  readonly gitBefore: string | undefined;
}

/** Looks at a directory before a step with these checks works there. */
export async function readBaseline(
  context: Context,
  checks: readonly VerificationSpec[],
  cwd: string,
): Promise<StepBaseline> {
  const gates = await rememberGates(context, cwd, gatePaths(checks));
  const checksGit = checks.some((check) => check.kind === "gitChanged");
  if (!checksGit) return { cwd, gates, gitBefore: undefined };
  const found = await context.step(
    "git state",
    async ({ host }) => (await host.git.fingerprint(cwd)) ?? null,
  );
  return { cwd, gates, gitBefore: found ?? undefined };
}

/** Puts back what checks a step; resolves with the breach, which is noted, if the step had changed some of it. */
export async function restoreBaseline(
  context: Context,
  step: string,
  { cwd, gates }: StepBaseline,
): Promise<ErrorReport | undefined> {
  const files = await restoreGates(context, cwd, gates);
  if (files.length === 0) return undefined;
  const error = toErrorReport(gateChanged({ step, files }));
  context.note({
    type: "verification-failed",
    step,
    check: "protected files",
    output: error.message,
  });
  return error;
}
