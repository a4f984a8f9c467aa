import { closeSync, constants, fstatSync, openSync, readdirSync, readSync } from "node:fs";
import { dirname, resolve } from "node:path";
import type { CheckContext } from "../checks/check-context.ts";
import { pathOutside } from "../checks/errors.ts";
import { type LocatedText, labelOf, textAt } from "../checks/file-view.ts";
import { isInside, realLocation } from "../resolve/resolve-paths.ts";
import { promptUnreadable } from "./errors.ts";

/** A system prompt and where it is written. */
export interface Prompt {
  /** Its text, that of the file if it names one. */
  readonly text: string;
  readonly written: LocatedText;
  /** The file that it came from, as it was named. */
  readonly path?: string;
}

/** The system prompts of a file by the ids of their agents, without those that could not be read. */
export type Prompts = ReadonlyMap<string, Prompt>;

const PATH_PATTERN = /^\S.*\.(?:md|txt)$/i;
const MAX_BYTES = 262_144;

/** Reads the system prompts of a file, and the files that they name (KCK-5). */
export function readPrompts(context: CheckContext): Prompts {
  const { view } = context;
  const prompts = view.agents.flatMap((agent): (readonly [string, Prompt])[] => {
    const written = textAt(agent.node, "system_prompt");
    if (agent.id === undefined || written === undefined) return [];
    const path = written.text.trim();
    if (!PATH_PATTERN.test(path)) return [[agent.id, { text: written.text, written }]];
    const place = `agents.${labelOf(agent, view.agents)}.system_prompt`;
    const text = readPrompt(context, { place, path, written });
    return text === undefined ? [] : [[agent.id, { text, written, path }]];
  });
  return new Map(prompts);
}

interface NamedPrompt {
  readonly place: string;
  readonly path: string;
  readonly written: LocatedText;
}

function readPrompt(
  { options, report }: CheckContext,
  { place, path, written }: NamedPrompt,
): string | undefined {
  const root = options.projectRoot;
  const file = resolve(options.fileDirectory ?? options.cwd ?? root, path);
  if (!isInside(file, root) || !isInside(realLocation(file), realLocation(root))) {
    report(pathOutside({ place, path, root }), written.node);
    return undefined;
  }
  const read = readBounded(file);
  if (typeof read === "string") return read;
  const near = read.isMissing ? neighbours(file) : [];
  report(promptUnreadable({ place, path, near, ...read }), written.node);
  return undefined;
}

interface Unreadable {
  readonly problem: string;
  readonly isMissing: boolean;
}

function readBounded(file: string): string | Unreadable {
  let handle: number;
  try {
    // Without O_NONBLOCK opening a pipe would wait for its writer for ever.
    handle = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK);
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : String(error);
    return code === "ENOENT"
      ? { problem: "there is no such file", isMissing: true }
      : { problem: code, isMissing: false };
  }
  try {
    if (!fstatSync(handle).isFile())
      return { problem: "it is not a regular file", isMissing: false };
    return decode(handle);
  } finally {
    closeSync(handle);
  }
}

function decode(handle: number): string | Unreadable {
  const buffer = new Uint8Array(MAX_BYTES + 1);
  let sizeBytes = 0;
  for (let count = -1; count !== 0 && sizeBytes < buffer.length; sizeBytes += count)
    count = readSync(handle, buffer, sizeBytes, buffer.length - sizeBytes, null);
  if (sizeBytes > MAX_BYTES) return { problem: "it has more than 256 KiB", isMissing: false };
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(buffer.subarray(0, sizeBytes));
  } catch {
    return { problem: "it is not UTF-8 text", isMissing: false };
  }
}

function neighbours(file: string): readonly string[] {
  try {
    return readdirSync(dirname(file))
      .filter((name) => PATH_PATTERN.test(name))
      .sort();
  } catch {
    return [];
  }
}
