import { z } from "zod";
import type { Host } from "../../contracts/host.ts";
import type { StepOutcome, StepRun, StepType } from "../../contracts/ports/step-type.ts";
import { toErrorReport } from "../../foundation/errors.ts";
import { type Json, toJson } from "../../foundation/json.ts";
import {
  commandFailure,
  type EndedCommand,
  printedOutput,
  readCommandEnd,
  runStepCommand,
  stepCommandEnv,
  withoutNul,
} from "../step/step-command.ts";
import { directoryMissing, outputNotJson, variableTooLarge } from "./parts/errors.ts";
import { PLAIN_STEP } from "./parts/plain-step.ts";

const settings = z.strictObject({
  command: z
    .union([z.string().regex(/\S/), z.array(z.string()).min(1)])
    .describe(
      "A list of program and arguments, or a text for `sh -c`; a variable in a text is one quoted word.",
    ),
  cwd: z
    .string()
    .min(1)
    .optional()
    .describe("Where it runs: a path below the directory where the run was started."),
  env: z
    .record(z.string(), z.string())
    .optional()
    .describe("Further variables of its environment."),
  stdin: z
    .string()
    .optional()
    .describe("What it reads, with variables. Default: the whole input as one line of JSON."),
  parse: z
    .enum(["json"])
    .optional()
    .describe("`json`: what it prints to stdout is JSON, which is kept as `json` beside the rest."),
});

type ShellSettings = z.infer<typeof settings>;

const DEFAULT_TIMEOUT_MS = 60_000;
// Operating systems take some 128 KiB for one variable with its name.
const MAX_VARIABLE_BYTES = 65_536;
const VARIABLE_NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;

/** Runs a command; exit code, stdout and stderr are the data, as they were printed. */
export const shellStep = {
  ...PLAIN_STEP,
  name: "shell",
  summary: "Runs a command and keeps what it prints",
  settings,
  templates: ["command", "cwd", "env", "stdin"],
  environment: "env",
  deadline: "itself",
  defaultTimeoutMs: DEFAULT_TIMEOUT_MS,
  check,
  takesWholeInput: ({ stdin }) => stdin === undefined,
  run,
} as const satisfies StepType<ShellSettings>;

function check({
  command,
  cwd,
  env = {},
}: ShellSettings): ReturnType<NonNullable<StepType["check"]>> {
  const isNoProgram = typeof command !== "string" && command[0]?.trim() === "";
  const isOutside = cwd !== undefined && (cwd.startsWith("/") || cwd.split("/").includes(".."));
  return [
    ...(isNoProgram ? [{ key: "command", problem: "names no program" }] : []),
    ...(isOutside
      ? [
          {
            key: "cwd",
            problem: `cannot be ${JSON.stringify(cwd)}`,
            hint: "write a path below the directory where the run is started, without ..",
          },
        ]
      : []),
    ...Object.keys(env).flatMap((name) => {
      if (name.startsWith("TROUPE_"))
        return [{ key: "env", problem: `sets ${name}, and names with TROUPE_ are Troupe's own` }];
      return VARIABLE_NAME.test(name)
        ? []
        : [{ key: "env", problem: `has ${JSON.stringify(name)}, which is no name of a variable` }];
    }),
  ];
}

async function run(run: StepRun<ShellSettings>): Promise<StepOutcome> {
  const { context, step, settings: own } = run;
  const request = requestOf(run);
  const ended = await context.step(
    `shell ${step.id}`,
    async ({ host, signal }) => {
      const at = { step: step.id, root: context.run.cwd, cwd: request.cwd };
      const cwd = await directoryOf(host, at);
      const { command, stdin, timeoutMs } = request;
      const timed = timeoutMs === undefined ? {} : { timeoutMs };
      const env = host.commandEnv(request.env, step.passEnv);
      const asked = { command, cwd, env, stdin, ...timed };
      const { path } = run.address;
      return runStepCommand(host, asked, { run: context.run.id, step: path, signal });
    },
    { given: () => toJson(request, "the command of a step") },
  );
  return toOutcome(step, own, readCommandEnd(ended));
}

interface ShellRequest {
  readonly command: string | readonly string[];
  /** As written: relative to where the run was started. */
  readonly cwd: string;
  readonly env: { readonly [name: string]: string };
  readonly stdin: string;
  readonly timeoutMs: number | undefined;
}

function requestOf(asked: StepRun<ShellSettings>): ShellRequest {
  const { step, scope, settings: own, context, address, before } = asked;
  const { command, env } = scope.command(own.command);
  const { cwd, stdin } = own;
  return {
    command,
    cwd: cwd === undefined ? "." : scope.text(cwd),
    env: {
      ...ownEnv({ step, scope, settings: own }),
      ...env,
      ...stepCommandEnv(context, address, { definition: asked.definition, before }),
    },
    stdin: stdin === undefined ? `${JSON.stringify(scope.toInput())}\n` : scope.text(stdin),
    timeoutMs: step.timeoutMs,
  };
}

/** The variables of the file. Raises STEP_VARIABLE_TOO_LARGE. */
function ownEnv({
  step,
  scope,
  settings: { env = {} },
}: Pick<StepRun<ShellSettings>, "step" | "scope" | "settings">) {
  const entries = Object.entries(env).map(([name, template]) => {
    const text = withoutNul(scope.text(template));
    const sizeBytes = new TextEncoder().encode(text).length;
    if (sizeBytes > MAX_VARIABLE_BYTES)
      throw variableTooLarge({ step: step.id, name, sizeBytes, limitBytes: MAX_VARIABLE_BYTES });
    return [name, text];
  });
  return Object.fromEntries(entries);
}

/** Raises HOST_PATH_OUTSIDE, also when links lead out, and STEP_DIRECTORY_MISSING. */
async function directoryOf(
  host: Host,
  place: { readonly step: string; readonly root: string; readonly cwd: string },
): Promise<string> {
  const { root, cwd } = place;
  if (cwd === ".") return root;
  if (!(await host.workspace(root).exists(cwd))) throw directoryMissing(place);
  return `${root}/${cwd}`;
}

function toOutcome(
  step: StepRun["step"],
  { parse }: ShellSettings,
  ended: EndedCommand,
): StepOutcome {
  const { exitCode, stdout, stderr } = ended;
  const { id, timeoutMs = DEFAULT_TIMEOUT_MS } = step;
  const printed = printedOutput(ended);
  const data = { exitCode, stdout, stderr };
  const error = commandFailure({ id, timeoutMs }, ended);
  if (error !== undefined) return { ...printed, data, error };
  if (parse === undefined) return { ...printed, data };
  const read = readJson(ended);
  if (read.status === "ok") return { ...printed, data: { ...data, json: read.value } };
  const { problem } = read;
  return { ...printed, data, error: toErrorReport(outputNotJson({ step: step.id, problem })) };
}

type JsonReading =
  | { readonly status: "ok"; readonly value: Json }
  | { readonly status: "failed"; readonly problem: string };

function readJson({ stdout, stdoutTruncated }: EndedCommand): JsonReading {
  if (stdoutTruncated) return { status: "failed", problem: "it is over 1 MiB, or 2 MiB as JSON" };
  try {
    const value: unknown = JSON.parse(stdout);
    return { status: "ok", value: toJson(value, "stdout") };
  } catch (error) {
    const problem = error instanceof Error ? error.message : String(error);
    return { status: "failed", problem };
  }
}
