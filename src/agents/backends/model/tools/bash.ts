import { z } from "zod";
import type { CommandRequest, CommandResult } from "../../../../contracts/host.ts";
import { createBoundedOutput } from "../../../../foundation/bounded-output.ts";
import { present } from "../../../../foundation/present.ts";
import { findProgram } from "../../../../host/system/find-program.ts";
import { type CutText, cutBefore, MAX_REST_CHARS } from "../files/cut-text.ts";
import { ToolFailure } from "../files/tool-failure.ts";
import { MAX_SHOWN_CHARS } from "./background-jobs.ts";
import { defineModelTool, type ToolPlace } from "./model-tool.ts";

const DEFAULT_TIMEOUT_MS = 120_000;
const MAX_TIMEOUT_MS = 600_000;

const input = z.object({
  command: z.string().min(1),
  timeout: z
    .int()
    .min(1)
    .max(MAX_TIMEOUT_MS)
    .optional()
    .describe("In milliseconds. Default: 120000, at most 600000."),
  description: z.string().optional().describe("What it does, in a few words, for people."),
  run_in_background: z
    .boolean()
    .optional()
    .describe("Returns at once; TaskOutput reads what it prints, TaskStop ends it."),
});

/** Runs a command for the shell. */
export const bashTool = defineModelTool({
  name: "Bash",
  description:
    "Runs a shell command in the working directory and returns what it prints, at most the last 30,000 characters. Each call has a shell of its own. Read, Edit, Grep and Glob are better for files.",
  hasEffect: true,
  input,
  prepare: async ({ command, timeout, description, run_in_background }, place) => {
    const isBackground = run_in_background ?? false;
    const request = toRequest(command, place);
    return {
      asks: { command, ...present({ timeout, description, run_in_background }) },
      run: async ({ signal }) => {
        if (isBackground) {
          const limit = timeout === undefined ? {} : { timeoutMs: timeout };
          const id = place.jobs.start({ ...request, ...limit });
          return `It runs in the background as ${id}.`;
        }
        return runCommand({ ...request, timeoutMs: timeout ?? DEFAULT_TIMEOUT_MS }, place, signal);
      },
    };
  },
});

function toRequest(command: string, { session, env }: ToolPlace): CommandRequest {
  const { cwd, confine, limits, logFile } = session;
  const shell = findProgram("bash", env, cwd);
  // One stream, so that what is printed is in its order.
  const script = `exec 2>&1; ${command}`;
  return {
    // A shell whose input is a socket takes itself for a remote one, and would read what is meant for people.
    command: shell === undefined ? script : [shell, "--norc", "--noprofile", "-c", script],
    cwd,
    env,
    stdin: "",
    ...present({ confine, limits, logFile }),
  };
}

async function runCommand(
  request: CommandRequest,
  { host }: ToolPlace,
  signal: AbortSignal,
): Promise<string | CutText> {
  const output = createBoundedOutput(MAX_REST_CHARS);
  const onOutput = (_: "stdout" | "stderr", chunk: Uint8Array) => output.push(chunk);
  const result = await host.run({ ...request, maxOutputChars: 0, onOutput }, signal);
  const printed = output.read();
  const problem = problemOf(result, request.timeoutMs);
  if (problem === undefined)
    return printed.text === "" ? "(it printed nothing)" : cutBefore(printed, MAX_SHOWN_CHARS);
  const told = `${printed.text === "" ? "" : "\n"}(${problem})`;
  throw new ToolFailure(cutBefore(printed, MAX_SHOWN_CHARS, told));
}

function problemOf(
  { exitCode, signal, timedOut }: CommandResult,
  timeoutMs: number | undefined,
): string | undefined {
  if (timedOut) return `it was ended after ${timeoutMs} ms`;
  if (signal !== null) return `it was ended by ${signal}`;
  return exitCode === 0 ? undefined : `it exited with ${exitCode}`;
}
