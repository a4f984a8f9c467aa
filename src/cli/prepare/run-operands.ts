import { statSync } from "node:fs";
import { resolve } from "node:path";
import { backendTraits } from "../../app/machine/backends/backend-state.ts";
import type { Invocation } from "../command/command.ts";
import { usageInvalid } from "../command/errors.ts";

/** What is to be run: a workflow, or one agent of a backend. */
export type RunSubject =
  | { readonly kind: "workflow"; readonly file: string }
  | { readonly kind: "agent"; readonly backend: string; readonly argv: readonly string[] };

/** What the operands of `run` come to. */
export interface RunOperands {
  readonly subject: RunSubject;
  readonly task: string | undefined;
}

const WORKFLOW_ENDING = /\.(?:ya?ml|jsonc?)$/i;

/** Tells operands apart: `FILE [TASK]`, or with `--agent` `[TASK] [-- ARGV...]`. Raises USAGE_INVALID. */
export function readOperands(
  { args, rest, settings }: Invocation,
  backend: string | undefined,
): RunOperands {
  if (backend === undefined) {
    const [file, task, ...more] = args;
    if (file === undefined)
      throw usageInvalid({
        problem: "missing required argument 'file'",
        hint: "troupe help run shows what it takes; --agent NAME runs one agent without a file",
      });
    assertNoMore(more);
    return { subject: { kind: "workflow", file }, task };
  }
  const [task, ...more] = args.slice(0, args.length - rest.length);
  assertNoMore(more);
  assertTask(task, settings.cwd);
  assertArgv(backend, rest);
  return { subject: { kind: "agent", backend, argv: rest }, task };
}

/** Whether a word names the file of a workflow: it ends as one, or there is such a file. */
export function isWorkflowFile(word: string, cwd: string): boolean {
  const isThere = statSync(resolve(cwd, word), { throwIfNoEntry: false })?.isFile() ?? false;
  return WORKFLOW_ENDING.test(word) || isThere;
}

function assertNoMore(more: readonly string[]): void {
  if (more.length === 0) return;
  throw usageInvalid({
    problem: `too many arguments for 'run': ${more.map((text) => JSON.stringify(text)).join(" ")}`,
    hint: "put the task into quotes; troupe help run shows what it takes",
  });
}

function assertTask(task: string | undefined, cwd: string): void {
  if (task === "-")
    throw usageInvalid({
      problem: "--agent runs without a workflow file, so there is none to read",
      hint: "to read the task from standard input: --task-file -",
    });
  if (task === undefined || !WORKFLOW_ENDING.test(task)) return;
  if (!statSync(resolve(cwd, task), { throwIfNoEntry: false })?.isFile()) return;
  throw usageInvalid({
    problem: `${task} is a file, and --agent runs without a workflow file`,
    hint: `to run the file: troupe run ${task}; to give its text as the task: --task-file ${task}`,
  });
}

/** Raises USAGE_INVALID for a program that its backend does not take, and for one that is missing. */
export function assertArgv(backend: string, argv: readonly string[]): void {
  const { worker, takes = [] } = backendTraits(backend) ?? {};
  if (takes.includes("module"))
    throw usageInvalid({
      problem: "an agent that is a function has no place on the command line",
      hint: "name its module in a workflow file: backend: function, module: ./agents.ts#name",
    });
  const isProgram = worker === "program";
  if (isProgram && argv.length === 0)
    throw usageInvalid({
      problem: "--agent command needs the program to run",
      hint: "write it after --: troupe run --agent command -- npm test",
    });
  if (!isProgram && argv.length > 0)
    throw usageInvalid({
      problem: `an agent of backend ${backend} takes no program after --`,
      hint: "only --agent command does; put a task with dashes into quotes before any --",
    });
}
