import { type FailureSource, outputCommand, toFailureRecord } from "../../contracts/failure.ts";
import type { Host } from "../../contracts/host.ts";
import type { Context } from "../../contracts/ports/context.ts";
import type { VerificationSpec } from "../../contracts/step.ts";
import type { FailureRecord } from "../../contracts/step-facts.ts";
import { type ErrorReport, toErrorReport } from "../../foundation/errors.ts";
import { type Json, toJson } from "../../foundation/json.ts";
import { endOfOutput } from "../../foundation/output-end.ts";
import { present } from "../../foundation/present.ts";
import { outputTooLarge, verificationFailed } from "../errors.ts";
import { readJsonSchema } from "../json-schema/json-schema.ts";
import { compileRegex } from "../language/regex.ts";
import type { PlaceOfWork } from "./gates/work-place.ts";
import { runWithFailure } from "./step-command.ts";

/** How checks reach the world, and how their texts are filled in; each shape of workflow has its own variables. */
export interface CheckScope {
  readonly context: Context;
  text(template: string): Promise<string> | string;
  command(command: Command): Promise<CheckCommand> | CheckCommand;
}

type Command = string | readonly string[];

/** A command with its variables in its arguments, or in an environment of their own. */
interface CheckCommand {
  readonly command: Command;
  readonly env: { readonly [name: string]: string };
}

/** The work that is to be checked. */
export interface CheckedWork {
  readonly step: string;
  readonly place: PlaceOfWork;
  readonly output: string;
  readonly outputTruncated: boolean;
  /** All that was said, without what was given. Absent: the output. */
  readonly text?: string;
  /** State of the working tree before the step; undefined outside a repository. */
  readonly gitBefore: string | undefined;
}

const DEFAULT_TIMEOUT_MS = 300_000;
const MAX_FOUND_CHARS = 4000;
// More than failures keep: terminal sequences are dropped from it.
const MAX_KEPT_CHARS = 131_072;

/** What a check found: nothing wrong, or the end of what it says. */
type Finding =
  | { readonly holds: true }
  | { readonly holds: false; readonly found: string; readonly failure?: FailureRecord };

/** Runs the checks one after another; resolves with the first failure, or undefined when all hold. */
export async function verify(
  scope: CheckScope,
  checks: readonly VerificationSpec[],
  work: CheckedWork,
): Promise<ErrorReport | undefined> {
  const { context } = scope;
  for (const check of checks) {
    const label = labelOf(check);
    if (check.kind === "jsonSchema" && work.outputTruncated)
      return toErrorReport(outputTooLarge({ step: work.step }));
    const finding = await runCheck(scope, check, work);
    if (finding.holds) context.note({ type: "verification-passed", step: work.step, check: label });
    else {
      context.note({
        type: "verification-failed",
        step: work.step,
        check: label,
        output: finding.found,
        ...present({ failure: finding.failure }),
      });
      const { found: output, failure } = finding;
      const failed = { step: work.step, check: label, output, ...present({ failure }) };
      return toErrorReport(verificationFailed(failed));
    }
  }
  return undefined;
}

/** A check in a few words: `npm test`, `fileExists report.md`. */
function labelOf(check: VerificationSpec): string {
  switch (check.kind) {
    case "command":
      return `\`${typeof check.command === "string" ? check.command : check.command.join(" ")}\``;
    case "fileExists":
      return `fileExists ${check.path}`;
    case "outputMatches":
      return `outputMatches ${check.pattern}`;
    case "jsonSchema":
      return "jsonSchema";
    case "gitChanged":
      return `gitChanged ${check.changed}`;
  }
}

function runCheck(
  scope: CheckScope,
  check: VerificationSpec,
  work: CheckedWork,
): Promise<Finding> | Finding {
  switch (check.kind) {
    case "command":
      return checkCommand(scope, check, work);
    case "fileExists":
      return checkFile(scope, check.path, work);
    case "outputMatches":
      return checkMatch(
        check.pattern,
        check.in === "text" ? (work.text ?? work.output) : work.output,
      );
    case "jsonSchema":
      return checkSchema(check.schema, work.output);
    case "gitChanged":
      return checkGit(scope.context, check.changed, work);
  }
}

async function checkCommand(
  scope: CheckScope,
  check: Extract<VerificationSpec, { kind: "command" }>,
  work: CheckedWork,
): Promise<Finding> {
  const { command, env } = await scope.command(check.command);
  const { passEnv } = check;
  const timeoutMs = check.timeoutMs ?? DEFAULT_TIMEOUT_MS;
  const ran = await scope.context.step(
    `verify ${work.step}`,
    async (call) => {
      const { cwd } = await work.place.find(call);
      const { host, signal } = call;
      const all = outputCommand(scope.context.run.id, work.step);
      const from = { all, of: labelOf(check) };
      const { expectExit } = check;
      const asked = { command, env, passEnv, cwd, timeoutMs, from, expectExit };
      return runCommand(host, asked, signal);
    },
    { given: () => toJson({ command, env }, "the command of a check") },
  );
  const { exitCode, timedOut, said } = ran;
  const kept = present({ failure: toFailureRecord(ran.failure) });
  if (timedOut)
    return {
      holds: false,
      found: `it did not end within ${timeoutMs} ms\n${said}`.trim(),
      ...kept,
    };
  if (exitCode === check.expectExit) return { holds: true };
  return {
    holds: false,
    found: `exit ${exitCode ?? "by a signal"}, expected ${check.expectExit}\n${said}`.trim(),
    ...kept,
  };
}

async function runCommand(
  host: Host,
  {
    command,
    env,
    passEnv,
    cwd,
    timeoutMs,
    from,
    expectExit,
  }: CheckCommand & {
    readonly passEnv: readonly string[] | undefined;
    readonly cwd: string;
    readonly timeoutMs: number;
    readonly from: FailureSource;
    readonly expectExit: number;
  },
  signal: AbortSignal,
) {
  const request = {
    command,
    cwd,
    env: host.commandEnv(env, passEnv),
    timeoutMs,
    maxOutputChars: MAX_KEPT_CHARS,
    stdin: "",
  };
  const { exitCode, timedOut, stdout, stderr, failure } = await runWithFailure(host, request, {
    from,
    signal,
    expectExit,
  });
  return {
    exitCode,
    timedOut,
    said: [stdout, stderr]
      .map((text) => endOfOutput(text, MAX_FOUND_CHARS).text.trim())
      .filter(Boolean)
      .join("\n")
      .slice(-MAX_FOUND_CHARS),
    ...(failure === undefined ? {} : { failure: toJson(failure, "the failure of a check") }),
  };
}

async function checkFile(scope: CheckScope, written: string, work: CheckedWork): Promise<Finding> {
  const path = await scope.text(written);
  const exists = await scope.context.step(
    `verify ${work.step}`,
    async (call) => {
      const { cwd } = await work.place.find(call);
      return call.host.workspace(cwd).exists(path);
    },
    { given: () => path },
  );
  return exists ? { holds: true } : { holds: false, found: `there is no ${path}` };
}

function checkMatch(pattern: string, text: string): Finding {
  if (compileRegex(pattern).isFoundIn(text)) return { holds: true };
  return { holds: false, found: `the output is ${JSON.stringify(text.slice(-200))}` };
}

function checkSchema(schema: { readonly [key: string]: unknown }, output: string): Finding {
  let value: Json;
  try {
    value = toJson(JSON.parse(output), "the output");
  } catch (error) {
    return {
      holds: false,
      found: `the output is no JSON: ${error instanceof Error ? error.message : String(error)}`,
    };
  }
  const found = readJsonSchema(schema).mismatchOf(value);
  return found === undefined ? { holds: true } : { holds: false, found };
}

async function checkGit(context: Context, expected: boolean, work: CheckedWork): Promise<Finding> {
  const now = await context.step(`verify ${work.step}`, async (call) => {
    const { cwd } = await work.place.find(call);
    return (await call.host.git.fingerprint(cwd)) ?? null;
  });
  if (now === null) return { holds: false, found: `${work.place.name} is in no git repository` };
  const changed = now !== work.gitBefore;
  return changed === expected
    ? { holds: true }
    : { holds: false, found: changed ? "files changed" : "nothing changed" };
}
