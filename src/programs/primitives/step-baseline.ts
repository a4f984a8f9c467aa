import type { Context } from "../../contracts/ports/context.ts";
import type { VerificationSpec } from "../../contracts/step.ts";
import { type ErrorReport, toErrorReport } from "../../foundation/errors.ts";
import { namedFiles } from "../../foundation/named-files.ts";
import { gateChanged } from "../errors.ts";
import { parseShell, toCommand } from "../language/shell/shell-commands.ts";
import { type Gates, rememberGates, restoreGates } from "./gates/gate-files.ts";
import { type GateReference, gateReferences } from "./gates/gate-references.ts";
import type { CheckScope } from "./verification.ts";

const MOST_TOLD = 100;

/** What the checks of a step compare with: the directory where it works, before it did. */
export interface StepBaseline {
  /** Absolute. */
  readonly cwd: string;
  readonly gates: Gates;
  /** State of the working tree; undefined outside a repository, or when no check asks for it. */
  readonly gitBefore: string | undefined;
}

/** Looks at a directory before a step with these checks works there. */
export async function readBaseline(
  scope: Pick<CheckScope, "context" | "command">,
  checks: readonly VerificationSpec[],
  cwd: string,
): Promise<StepBaseline> {
  const { context } = scope;
  const gates = await rememberGates(context, cwd, {
    references: await referencesOf(scope, checks),
    protects: checks.flatMap(({ protect = [] }) => protect),
    tellsTests: checks.some((check) => check.kind === "command" && check.tellsTests === true),
  });
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
  const { restored, left, tests } = await restoreGates(context, cwd, gates);
  if (tests.length > 0) {
    context.note({ type: "tests-changed", step, ...firstOf(tests) });
  }
  if (restored.length + left.length === 0) return undefined;
  const parts = [
    ...(restored.length === 0 ? [] : [`${namedFiles(firstOf(restored))}; restored`]),
    ...(left.length === 0 ? [] : [`${namedFiles(firstOf(left))}; new or too large to be put back`]),
  ];
  const error = toErrorReport(gateChanged({ step, changed: parts.join(" · ") }));
  context.note({
    type: "verification-failed",
    step,
    check: "protected files",
    output: error.message,
  });
  return error;
}

function firstOf(paths: readonly string[]) {
  const files = paths.slice(0, MOST_TOLD);
  return { files, more: paths.length - files.length };
}

async function referencesOf(
  scope: Pick<CheckScope, "command">,
  checks: readonly VerificationSpec[],
): Promise<readonly GateReference[]> {
  const found: GateReference[] = [];
  for (const check of checks) {
    if (check.kind !== "command" || check.protect !== undefined) continue;
    const command = await filledIn(scope, check.command);
    const commands = typeof command === "string" ? parseShell(command) : [toCommand(command)];
    found.push(...gateReferences(commands));
  }
  return found;
}

/** What the check will run, as far as that is known before the step. */
async function filledIn(
  scope: Pick<CheckScope, "command">,
  command: string | readonly string[],
): Promise<string | readonly string[]> {
  const parts = typeof command === "string" ? [command] : command;
  if (!parts.some((part) => part.includes("{"))) return command;
  try {
    return (await scope.command(command)).command;
  } catch {
    // What it needs may come to be in the step; then the check itself tells what is wrong.
    return command;
  }
}
