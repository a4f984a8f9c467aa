import type { Context } from "../../contracts/ports/context.ts";
import type { VerificationSpec } from "../../contracts/step.ts";
import { type ErrorReport, toErrorReport } from "../../foundation/errors.ts";
import { namedFiles } from "../../foundation/named-files.ts";
import { gateChanged } from "../errors.ts";
import { parseShell, toCommand } from "../language/shell/shell-commands.ts";
import { type Gates, rememberGates, restoreGates } from "./gates/gate-files.ts";
import { type GateReference, gateReferences } from "./gates/gate-references.ts";
import { type PlaceOfWork, placeAt } from "./gates/work-place.ts";
import { type CheckedWork, type CheckScope, verify } from "./verification.ts";

const MOST_TOLD = 100;

/** A step with what checks it. */
export interface CheckedStep {
  readonly step: string;
  readonly checks: readonly VerificationSpec[];
  readonly place: PlaceOfWork;
}

/** The checks of a step that has not begun to work. */
export interface StepChecks {
  readonly place: PlaceOfWork;
  /** What checks it, as it was. */
  readonly gates: Gates;
  /**
   * Puts back what the step changed of that which checks it, whatever it came to; then checks what it has done,
   * unless it failed. Resolves with the first thing that does not hold.
   */
  judge(done: DoneOutput | undefined): Promise<ErrorReport | undefined>;
}

type DoneOutput = Pick<CheckedWork, "output" | "outputTruncated" | "text">;

/**
 * Looks at the place of a step before it works there (WF-11). `first` is what the first attempt in the same place found:
 * what an earlier attempt put there is no gate of a later one.
 */
export async function beginChecks(
  scope: CheckScope,
  { step, checks, place }: CheckedStep,
  first?: Gates,
): Promise<StepChecks> {
  const { context } = scope;
  const now = await rememberGates(context, place, {
    references: await referencesOf(scope, checks),
    protects: checks.flatMap(({ protect = [] }) => protect),
    tellsTests: checks.some((check) => check.kind === "command" && check.tellsTests === true),
  });
  const gates = first ?? now;
  const gitBefore = await gitStateFor(context, checks, place);
  const isFormer = gates.isPlaced === false || gitBefore.isPlaced === false;
  const judged = isFormer ? placeAt(place.formerly) : place;
  return {
    place,
    gates,
    judge: async (done) => {
      const breach = await putBack(context, step, { place: judged, gates });
      if (done === undefined || breach !== undefined) return breach;
      const work = { step, place: judged, ...done, gitBefore: gitBefore.print };
      return verify(scope, checks, work);
    },
  };
}

/** State of a working tree. */
interface GitBefore {
  /** Undefined outside a repository, or when no check asks for it. */
  readonly print: string | undefined;
  /** False for what an earlier version has looked at; undefined when nobody has looked. */
  readonly isPlaced: boolean | undefined;
}

async function gitStateFor(
  context: Context,
  checks: readonly VerificationSpec[],
  place: PlaceOfWork,
): Promise<GitBefore> {
  if (!checks.some((check) => check.kind === "gitChanged"))
    return { print: undefined, isPlaced: undefined };
  const found = await context.step("git state", async (call): Promise<string | null | [string]> => {
    const { cwd } = await place.find(call);
    const print = await call.host.git.fingerprint(cwd);
    // The list tells it from what earlier versions have written down.
    return print === undefined ? null : [print];
  });
  if (typeof found === "string") return { print: found, isPlaced: false };
  return { print: found?.[0], isPlaced: found === null ? undefined : true };
}

/** Resolves with the breach, which is noted, if the step had changed some of it. */
async function putBack(
  context: Context,
  step: string,
  { place, gates }: Pick<StepChecks, "place" | "gates">,
): Promise<ErrorReport | undefined> {
  const { restored, left, tests } = await restoreGates(context, place, gates);
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
