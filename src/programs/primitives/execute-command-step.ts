import type { StepCommand, StepSpec } from "../../contracts/step.ts";
import { sha256 } from "../../foundation/hash.ts";
import { canonicalJson, toJson } from "../../foundation/json.ts";
import { present } from "../../foundation/present.ts";
import { renderCommand } from "../language/templates/render-command.ts";
import { renderTemplate } from "../language/templates/render-template.ts";
import { parseTemplate } from "../language/templates/template.ts";
import type { StepTry } from "../step/execute-step.ts";
import {
  type Attempted,
  type ExecutionPlace,
  executeStep,
  type FailedTry,
  type StepEnd,
} from "../step/execute-step.ts";
import { placeAt } from "../step/gates/work-place.ts";
import { beginChecks, type StepChecks } from "../step/step-checks.ts";
import {
  commandEnd,
  commandFailure,
  type EndedCommand,
  printedOutput,
  readCommandEnd,
  runStepCommand,
  stepCommandEnv,
  withoutNul,
} from "../step/step-command.ts";
import { checkScope, evaluateWhen, prepareLookup, type VariableSources } from "./step-variables.ts";

/** A step that a command does. */
export interface StepByCommand extends StepSpec {
  readonly run: StepCommand;
}

/** Whether a command does a step, not an agent. */
export function isCommandStep(step: StepSpec): step is StepByCommand {
  return step.run !== undefined;
}

/** A step with a command, ready to be carried out. */
export interface CommandStepUnit {
  readonly step: StepByCommand;
  /** Agents whose work it goes on from. */
  readonly builtOn: readonly string[];
  readonly place: ExecutionPlace;
}

interface Execution extends CommandStepUnit {
  readonly sources: VariableSources;
  readonly cwd: string;
  /** From the moment the step has been prepared. */
  filled: FilledCommand;
  checks: StepChecks | undefined;
}

/** A command without variables, and the environment that its values travel in. */
interface FilledCommand extends Pick<StepCommand, "command"> {
  readonly env: { readonly [name: string]: string };
}

/** Carries out a step that is a command: values of its variables are arguments, or in its environment. */
export async function executeCommandStep(
  asked: VariableSources,
  { step, place, builtOn }: CommandStepUnit,
): Promise<StepEnd<undefined>> {
  const filled: FilledCommand = { command: [], env: {} };
  const cwd = step.run.cwd ?? asked.context.run.cwd;
  const work = { place: placeAt(cwd), builtOn };
  const sources = { ...asked, work };
  const execution: Execution = { sources, step, place, builtOn, cwd, filled, checks: undefined };
  const { maxAttempts, retryDelayMs } = step;
  return executeStep<undefined>({
    door: sources.context,
    place,
    when: step.when,
    tries: { agent: undefined, maxAttempts, retryDelayMs, others: [] },
    holds: (condition) => evaluateWhen(sources, condition),
    prepare: async () => {
      execution.filled = await fillCommand(sources, step.run);
      return hashOfCommand(execution);
    },
    reusable: (inputHash) => sources.context.reusable({ ...place, inputHash }),
    begin: async () => {
      const checked = { step: step.id, checks: step.verify, place: work.place };
      execution.checks = await beginChecks(checkScope(sources), checked);
    },
    attempt: (now, before) => attemptCommand(execution, now, before),
  });
}

/** Raises WORKFLOW_UNKNOWN_VARIABLE, WORKFLOW_VALUE_IN_CODE, WORKFLOW_VALUE_TOO_LARGE. */
async function fillCommand(
  sources: VariableSources,
  { command, env: own = {} }: StepCommand,
): Promise<FilledCommand> {
  const texts = [...[command].flat(), ...Object.values(own)];
  const lookup = await prepareLookup(
    sources,
    texts.map((text) => parseTemplate(text)),
  );
  const written = Object.entries(own).map(([name, text]) => [
    name,
    withoutNul(renderTemplate(parseTemplate(text), lookup)),
  ]);
  const { command: filled, env } = renderCommand(command, lookup);
  return { command: filled, env: { ...Object.fromEntries(written), ...env } };
}

/** The hash of all that decides what the command does. */
function hashOfCommand({ step, filled, cwd, sources }: Execution): string {
  const { verify } = step;
  const { passEnv, allowFailure } = step.run;
  const { task: runTask, params } = sources.context.run;
  // Checks are templates of their own.
  const { matrix } = sources;
  const seenByChecks =
    verify.length === 0 ? undefined : { runTask, params, ...present({ matrix }) };
  const given = { ...filled, cwd, passEnv, allowFailure, verify, seenByChecks };
  return sha256(canonicalJson(toJson(given, "the input of a step")));
}

async function attemptCommand(
  execution: Execution,
  { attempt }: StepTry,
  before: FailedTry | undefined,
): Promise<Attempted<undefined>> {
  const { checks, step } = execution;
  const ended = await runCommand(execution, attempt, before);
  const { output, outputTruncated = false } = printedOutput(ended);
  const isDone = step.run.allowFailure === true && !ended.timedOut;
  const { id, timeoutMs = 0 } = step;
  const command = commandEnd({ id, timeoutMs }, ended);
  const error = isDone ? undefined : commandFailure({ id, timeoutMs }, ended);
  const done = error === undefined ? { output, outputTruncated, text: output } : undefined;
  const breach = await checks?.judge(done);
  const failure = error ?? breach;
  if (failure !== undefined) return { status: "failed", error: failure, output, command };
  const reason = step.verify.length > 0 ? "verified" : "exit";
  const { stdout: _output, ...own } = command;
  const recorded = {
    ...(ended.exitCode === 0 ? {} : { outcome: endOf(ended) }),
    command: own,
  };
  const work = { output, outputTruncated, reason, agent: undefined, recorded } as const;
  return { status: "completed", work, done: undefined };
}

async function runCommand(
  { sources, step, place, filled, cwd }: Execution,
  attempt: number,
  before: FailedTry | undefined,
): Promise<EndedCommand> {
  const { context } = sources;
  const told = stepCommandEnv(
    context,
    { ...place, attempt },
    { definition: sources.definition, before },
  );
  const timed = step.timeoutMs === undefined ? {} : { timeoutMs: step.timeoutMs };
  const { command } = filled;
  const ended = await context.step(
    `command ${step.id}`,
    async ({ host, signal }) => {
      const env = host.commandEnv({ ...filled.env, ...told }, step.run.passEnv);
      const request = { command, cwd, env, stdin: "", ...timed };
      return runStepCommand(host, request, { run: context.run.id, step: place.path, signal });
    },
    { given: () => toJson(filled, "the command of a step") },
  );
  return readCommandEnd(ended);
}

function endOf({ exitCode, signal }: EndedCommand): string {
  return exitCode === null ? `signal ${signal ?? "unknown"}` : `exit ${exitCode}`;
}
