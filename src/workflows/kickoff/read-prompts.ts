import { readdirSync } from "node:fs";
import { dirname, resolve } from "node:path";
import type { CheckContext } from "../checks/check-context.ts";
import { workflowPathOutside } from "../checks/errors.ts";
import { type LocatedText, labelOf, textAt } from "../checks/file-view.ts";
import { isInside, realLocation } from "../resolve/resolve-paths.ts";
import { readTextBounded } from "../source/read-text-bounded.ts";
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
    report(workflowPathOutside({ place, path, root }), written.node);
    return undefined;
  }
  const read = readTextBounded(file, MAX_BYTES);
  if (typeof read === "string") return read;
  const near = read.isMissing ? neighbours(file) : [];
  report(promptUnreadable({ place, path, near, ...read }), written.node);
  return undefined;
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
