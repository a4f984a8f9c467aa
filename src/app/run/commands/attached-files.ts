import { realpathSync, statSync } from "node:fs";
import { relative, resolve } from "node:path";
import { isBelow } from "../../../host/sandbox/sandbox-mounts.ts";
import { renderDataBlocks } from "../../../programs/patterns/conventions/marked-text.ts";
import type { Machine } from "../../machine/machine.ts";
import { readTextFile } from "../../machine/place/read-text-file.ts";
import { attachedOutside, attachedRefused } from "./errors.ts";

const MAX_BYTES = 262_144;
const MOST_FILES = 20;
// What ends a sentence ends no path.
const MENTION = /(?<=^|\s)@([\w./~-]*[\w/-])/g;

/**
 * A text with the files that it names as `@path` behind it, as data. What does not exist, or is a directory, stays a word.
 * Raises RUN_ATTACHED_OUTSIDE for files beyond the project, RUN_ATTACHED_REFUSED for devices and more than 20 files,
 * FILE_INPUT_TOO_LARGE beyond 256 KiB, FILE_NOT_TEXT.
 */
export async function withAttachedFiles({ project }: Machine, text: string): Promise<string> {
  const names = [...new Set([...text.matchAll(MENTION)].map(([, name = ""]) => name))];
  const files = names.filter((name) => isFile(name, project.cwd));
  const [extra] = files.slice(MOST_FILES);
  if (extra !== undefined)
    throw attachedRefused({ file: extra, problem: `the message names ${files.length} files` });
  if (files.length === 0) return text;
  const blocks = await Promise.all(
    files.map(async (name) => {
      const path = realpathSync(resolve(project.cwd, name));
      const root = realpathSync(project.root);
      if (!isBelow(path, root)) throw attachedOutside({ file: name, root });
      return { label: `file ${relative(root, path)}`, text: await readTextFile(path, MAX_BYTES) };
    }),
  );
  return `${text}\n\n${renderDataBlocks(blocks)}`;
}

/** What a person wrote of a message with files and results behind it. */
export function withoutAttachments(text: string): string {
  const [own = ""] = text.split(/\n\n<<<data_[0-9a-f]{32} /);
  return own;
}

/** A text with results behind it, as data. */
export function withResults(
  text: string,
  results: readonly { readonly label: string; readonly text: string }[],
): string {
  return results.length === 0 ? text : `${text}\n\n${renderDataBlocks(results)}`;
}

/** Raises RUN_ATTACHED_REFUSED for what is neither a file nor a directory. */
function isFile(name: string, cwd: string): boolean {
  const found = statSync(resolve(cwd, name), { throwIfNoEntry: false });
  if (found === undefined || found.isDirectory()) return false;
  if (!found.isFile()) throw attachedRefused({ file: name, problem: "it is not an ordinary file" });
  return true;
}
