import { z } from "zod";
import { checkInput } from "../../app/check-input.ts";
import { type LoadedFile, loadFile } from "../../app/load-file.ts";
import type { Machine } from "../../app/machine.ts";
import { areHarmless } from "../../app/show-problems.ts";
import type { StartOptions } from "../../app/start-run.ts";
import type { PatternDefinition } from "../../contracts/definition.ts";
import { parseDuration } from "../../foundation/duration.ts";
import { INSTANCE_PATTERN } from "../../foundation/ids.ts";
import type { Invocation } from "../command.ts";
import { usageInvalid } from "../errors.ts";
import { reportError, reportWarning } from "../report-error.ts";
import { inputPath, readStdin } from "./read-input.ts";
import { readParams } from "./read-params.ts";
import { readTask } from "./read-task.ts";
import { tellProblems } from "./tell-problems.ts";

/** A run that can start. */
export interface PreparedRun {
  readonly definition: PatternDefinition;
  readonly start: Pick<
    StartOptions,
    "task" | "params" | "file" | "instance" | "cassette" | "timeoutMs"
  >;
}

const runInput = z.object({
  taskFile: z.string().exactOptional(),
  i: z.array(z.string()).default([]),
  input: z.string().exactOptional(),
  instance: z.string().exactOptional(),
  backend: z.string().exactOptional(),
  cassette: z.string().exactOptional(),
  timeout: z.string().exactOptional(),
  maxConcurrency: z.string().exactOptional(),
});

type RunInput = z.infer<typeof runInput>;

const MAX_FILE_BYTES = 1_048_576;

/**
 * Reads and checks all that a run is started with, before anything starts. Everything wrong is told on
 * standard error; then it resolves with undefined. Raises USAGE_INVALID, FILE_*, CASSETTE_INVALID,
 * DURATION_INVALID, BACKEND_UNKNOWN.
 */
export async function prepareRun(
  machine: Machine,
  invocation: Invocation,
): Promise<PreparedRun | undefined> {
  const input = runInput.parse(invocation.options);
  const [file = "", task] = invocation.args;
  if (file === "-" && input.taskFile === "-")
    throw usageInvalid({ problem: "standard input cannot be both the workflow and the task" });
  const bounds = readBounds(input);
  const given = {
    task: await readTask({ task, taskFile: input.taskFile }, invocation),
    params: await readParams(input, invocation),
  };
  const loaded = await load(machine, { file, input }, invocation);
  tellProblems(loaded, invocation);
  const { definition } = loaded;
  if (definition === undefined || !areHarmless(loaded.problems)) return undefined;
  const checked = checkInput(definition, {
    params: given.params,
    ...(given.task === undefined ? {} : { task: given.task }),
  });
  for (const error of checked.errors) reportError(error, invocation.io, invocation.settings);
  if (checked.errors.length > 0) return undefined;
  for (const warning of checked.warnings)
    reportWarning(warning, invocation.io, invocation.settings);
  const { maxConcurrency, ...start } = bounds;
  return {
    definition: maxConcurrency === undefined ? definition : { ...definition, maxConcurrency },
    start: {
      ...start,
      file,
      params: checked.params,
      ...(given.task === undefined ? {} : { task: given.task }),
      ...(loaded.cassette === undefined ? {} : { cassette: loaded.cassette }),
    },
  };
}

interface Bounds {
  readonly instance?: string;
  readonly timeoutMs?: number;
  readonly maxConcurrency?: number;
}

function readBounds({ instance, timeout, maxConcurrency }: RunInput): Bounds {
  if (instance !== undefined && !INSTANCE_PATTERN.test(instance))
    throw usageInvalid({
      problem: `"${instance}" cannot name an instance`,
      hint: "use letters, digits, dots, - and _, at most 64",
    });
  if (maxConcurrency !== undefined && !/^[1-9]\d{0,5}$/.test(maxConcurrency))
    throw usageInvalid({
      problem: `--max-concurrency must be a number from 1 on, got "${maxConcurrency}"`,
    });
  return {
    ...(instance === undefined ? {} : { instance }),
    ...(timeout === undefined ? {} : { timeoutMs: parseDuration(timeout) }),
    ...(maxConcurrency === undefined ? {} : { maxConcurrency: Number(maxConcurrency) }),
  };
}

async function load(
  machine: Machine,
  { file, input }: { readonly file: string; readonly input: RunInput },
  invocation: Invocation,
): Promise<LoadedFile> {
  const { backend, cassette } = input;
  return loadFile(machine, {
    ...(file === "-"
      ? { file: "<stdin>", text: await readStdin(invocation.io, MAX_FILE_BYTES) }
      : { file: inputPath(file, invocation.settings) }),
    ...(backend === undefined ? {} : { backend }),
    ...(cassette === undefined ? {} : { cassette: inputPath(cassette, invocation.settings) }),
  });
}
