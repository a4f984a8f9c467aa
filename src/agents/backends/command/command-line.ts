import { mkdtemp, rm, rmdir, unlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TurnRequest } from "../../../contracts/backend.ts";
import { present } from "../../../foundation/present.ts";
import { outlastShortage } from "../../../foundation/shortage.ts";
import { taskTooLarge } from "../parts/errors.ts";

/** Largest task that goes into an argument or the environment, in bytes. */
const MAX_INLINE_BYTES = 64 * 1024;

const TASK = "{task}";

/** Offsets of `{task}` in each part of a command. */
export type TaskPlaces = readonly (readonly number[])[];

/**
 * The command of a turn. In argv `{task}` becomes the task's text, part of that one element; a string
 * is for the shell and stays as it is. `places` says where it is meant in each part, else it is wherever it stands. Raises BACKEND_TASK_TOO_LARGE.
 */
export function toCommandLine(
  command: string | readonly string[],
  { agent, task }: Pick<TurnRequest, "agent" | "task">,
  places: TaskPlaces = typeof command === "string" ? [] : command.map(placesIn),
): string | readonly string[] {
  if (typeof command === "string" || places.every((found) => found.length === 0)) return command;
  const sizeBytes = Buffer.byteLength(task);
  if (sizeBytes > MAX_INLINE_BYTES)
    throw taskTooLarge({ agent, sizeBytes, maxBytes: MAX_INLINE_BYTES });
  return command.map((part, index) => {
    const found = places[index] ?? [];
    // From the end, so that the places before stay where they are.
    return found.reduceRight(
      (text, at) => text.slice(0, at) + withoutNul(task) + text.slice(at + TASK.length),
      part,
    );
  });
}

/** Where `{task}` stands in a text. */
export function placesIn(text: string): readonly number[] {
  return [...text.matchAll(/\{task\}/g)].map(({ index }) => index);
}

/** Removes a directory with these files; looks what else is in it only if something is. */
async function removeFiles(directory: string, paths: readonly string[]): Promise<void> {
  try {
    for (const path of paths) await unlink(path);
    await rmdir(directory);
  } catch {
    await rm(directory, { recursive: true, force: true });
  }
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
    ...present({ TROUPE_MESSAGES_FILE: messagesPath, TROUPE_STEP: step }),
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

/** A file that only this user can read, gone with `remove`. */
export interface TaskFile {
  /** Absolute. */
  readonly path: string;
  /** The same for the messages behind the task, as JSON; absent when there are none. */
  readonly messagesPath?: string;
  remove(): Promise<void>;
}

/**
 * Writes a task, and the messages behind it, to files of mode 0600 in a new directory of mode 0700. Where too many files
 * are open it waits.
 */
export function createTaskFile(request: Pick<TurnRequest, "task" | "messages">): Promise<TaskFile> {
  return outlastShortage(() => writeTaskFile(request));
}

async function writeTaskFile({
  task,
  messages,
}: Pick<TurnRequest, "task" | "messages">): Promise<TaskFile> {
  // The pid tells whose it is, should this process die before it removes it.
  const directory = await mkdtemp(join(tmpdir(), `troupe-task-${process.pid}-`));
  const path = join(directory, "task.txt");
  const messagesPath = join(directory, "messages.json");
  const remove = () =>
    outlastShortage(() =>
      removeFiles(directory, messages === undefined ? [path] : [path, messagesPath]),
    );
  try {
    await writeFile(path, task, { mode: 0o600, flag: "wx" });
    if (messages === undefined) return { path, remove };
    await writeFile(messagesPath, JSON.stringify(messages), { mode: 0o600, flag: "wx" });
  } catch (error) {
    await remove();
    throw error;
  }
  return { path, messagesPath, remove };
}
