import type { TurnRequest } from "../../../contracts/backend.ts";
import { taskTooLarge } from "../errors.ts";
import type { TaskFile } from "./task-file.ts";

/** Largest task that goes into an argument or the environment, in bytes. */
const MAX_INLINE_BYTES = 64 * 1024;

const TASK = "{task}";

/**
 * The command of a turn. In argv `{task}` becomes the task's text, part of that one element; a string
 * is for the shell and stays as it is. Raises BACKEND_TASK_TOO_LARGE.
 */
export function toCommandLine(
  command: string | readonly string[],
  { agent, task }: Pick<TurnRequest, "agent" | "task">,
): string | readonly string[] {
  if (typeof command === "string" || !command.some((part) => part.includes(TASK))) return command;
  const sizeBytes = Buffer.byteLength(task);
  if (sizeBytes > MAX_INLINE_BYTES)
    throw taskTooLarge({ agent, sizeBytes, maxBytes: MAX_INLINE_BYTES });
  // A function as replacement: in a text `$&` and its like would be replaced again.
  return command.map((part) => part.replaceAll(TASK, () => withoutNul(task)));
}

/** The variables that tell a command what it works on. */
export function toTurnEnv(
  request: TurnRequest,
  { path, messagesPath }: Pick<TaskFile, "path" | "messagesPath">,
): { readonly [name: string]: string } {
  const { run, agent, key, step, stepAttempt, previousError, task } = request;
  return {
    TROUPE_RUN: run,
    TROUPE_AGENT: agent,
    TROUPE_ATTEMPT: String(stepAttempt ?? 1),
    TROUPE_IDEMPOTENCY_KEY: key,
    TROUPE_TASK_FILE: path,
    ...(messagesPath === undefined ? {} : { TROUPE_MESSAGES_FILE: messagesPath }),
    ...(step === undefined ? {} : { TROUPE_STEP: step }),
    ...(previousError === undefined ? {} : { TROUPE_PREVIOUS_ERROR: shortened(previousError) }),
    ...(Buffer.byteLength(task) > MAX_INLINE_BYTES ? {} : { TROUPE_TASK: withoutNul(task) }),
  };
}

function shortened(text: string): string {
  // Four bytes per character at the most, so this many always fit.
  return withoutNul(text.slice(0, MAX_INLINE_BYTES / 4).toWellFormed());
}

function withoutNul(text: string): string {
  return text.replaceAll("\0", "\uFFFD");
}
