import type { KickoffDefinition, SetupTask } from "../../contracts/definition.ts";
import {
  keptFailure,
  outputCommand,
  toFailureRecord,
  withoutFailure,
} from "../../contracts/failure.ts";
import type { Context } from "../../contracts/ports/context.ts";
import { elapsedMs, formatDuration } from "../../foundation/duration.ts";
import { type ErrorReport, toErrorReport } from "../../foundation/errors.ts";
import { type Json, toJson } from "../../foundation/json.ts";
import { present } from "../../foundation/present.ts";
import { setupFailed } from "../errors.ts";
import { renderShell } from "../language/templates/render-command.ts";
import { runWithFailure } from "../step/step-command.ts";
import { type KickoffValues, lookupOf } from "./kickoff-variables.ts";

/** What the setup came to: all values, or the first failure. */
export type SetupEnd =
  | { readonly status: "done"; readonly values: KickoffValues }
  | { readonly status: "failed"; readonly error: ErrorReport };

const DEFAULT_TIMEOUT_MS = 300_000;
const MAX_STDERR_CHARS = 2000;

/** Runs the setup commands one after another; the first that fails is the last (KCK-1). */
export async function runSetup(
  context: Context,
  definition: KickoffDefinition,
  values: KickoffValues,
): Promise<SetupEnd> {
  let known = values;
  for (const [index, task] of definition.setup.entries()) {
    const step = `setup-${index + 1}`;
    const place = { step, path: step, execution: 1, attempt: 1 };
    context.note({ type: "step-started", ...place });
    const startedAt = context.now();
    const end = await runTask(context, { step, task, directory: definition.setupDirectory, known });
    const durationMs = elapsedMs(startedAt, context.now());
    if (end.status === "failed") {
      const error = withoutFailure(end.error);
      const kept = keptFailure(end.error);
      context.note({ type: "step-failed", ...place, error, durationMs, ...kept });
      return end;
    }
    const { output, isCut } = end;
    const cut = isCut ? { outputTruncated: true } : {};
    if (isCut)
      context.log("warning", `the output of ${step} has more than 1 MiB, and only its end counts`);
    context.note({ type: "step-completed", ...place, output, ...cut, reason: "exit", durationMs });
    if (task.as !== undefined) known = { ...known, [task.as]: output };
  }
  return { status: "done", values: known };
}

interface TaskParts {
  readonly step: string;
  readonly task: SetupTask;
  readonly directory: string;
  readonly known: KickoffValues;
}

/** What a command is given besides its environment. */
function givenTo(shell: string, known: KickoffValues): Json {
  const lookup = lookupOf(known, () => "");
  return toJson(renderShell(shell, lookup, "dollar"), "the command of a setup");
}

type TaskEnd =
  | { readonly status: "done"; readonly output: string; readonly isCut: boolean }
  | { readonly status: "failed"; readonly error: ErrorReport };

async function runTask(
  context: Context,
  { step, task, directory, known }: TaskParts,
): Promise<TaskEnd> {
  const { shell, timeoutMs = DEFAULT_TIMEOUT_MS } = task;
  try {
    const ran = await context.step(
      step,
      async ({ host, signal }) => {
        // Here and not before: a value of the environment goes to the command and not into the journal.
        const lookup = lookupOf(known, (name) => host.variable(name));
        const { command, env } = renderShell(shell, lookup, "dollar");
        const request = {
          command,
          cwd: directory,
          env: host.callerEnv(env),
          timeoutMs,
          stdin: "",
        };
        const all = outputCommand(context.run.id, step);
        const ended = await runWithFailure(host, request, { from: { all }, signal });
        const { exitCode, timedOut, stdout, stdoutTruncated, stderr, failure } = ended;
        const kept =
          failure === undefined ? {} : { failure: toJson(failure, "the failure of a setup") };
        const said = stderr.trim().slice(-MAX_STDERR_CHARS).toWellFormed();
        return { exitCode, timedOut, output: stdout.trim(), isCut: stdoutTruncated, said, ...kept };
      },
      { given: () => givenTo(shell, known) },
    );
    if (ran.exitCode === 0 && !ran.timedOut)
      return { status: "done", output: ran.output, isCut: ran.isCut };
    const problem = ran.timedOut
      ? `did not end within ${formatDuration(timeoutMs)}`
      : `ended with ${ran.exitCode === null ? "a signal" : `exit ${ran.exitCode}`}`;
    const error = setupFailed({
      step,
      command: shell,
      problem,
      stderr: ran.said,
      ...present({ failure: toFailureRecord(ran.failure) }),
    });
    return { status: "failed", error: toErrorReport(error) };
  } catch (error) {
    const report = toErrorReport(error);
    if (report.code === "ENGINE_CANCELLED") throw error;
    return { status: "failed", error: report };
  }
}
