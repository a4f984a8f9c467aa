import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  openSync,
  readFileSync,
  readlinkSync,
} from "node:fs";
import { join } from "node:path";
import { systemErrorCode } from "../system/system-error.ts";

/**
 * The patch that makes a file, as git writes it for files that it knows. A file that is no text, or has more
 * than `maxBytes`, is named only. Empty when there is nothing to show: the file is gone or a repository.
 */
export function newFilePatch(root: string, path: string, maxBytes: number): string {
  const found = readNewFile(join(root, path), maxBytes);
  if (found === undefined) return "";
  const [before, after] = [quote(`a/${path}`), quote(`b/${path}`)];
  const head = `diff --git ${before} ${after}\nnew file mode ${found.mode}\n`;
  if (found.text === "") return head;
  if (found.text === undefined) return `${head}Binary files /dev/null and ${after} differ\n`;
  const lines = found.text.split("\n");
  const isEnded = lines.at(-1) === "";
  if (isEnded) lines.pop();
  const range = lines.length === 1 ? "1" : `1,${lines.length}`;
  // Git ends a name with spaces with a tab, so that tools do not take what follows for a date.
  const name = after.includes(" ") ? `${after}\t` : after;
  const body = lines.map((line) => `+${line}\n`).join("");
  const end = isEnded ? "" : "\\ No newline at end of file\n";
  return `${head}--- /dev/null\n+++ ${name}\n@@ -0,0 +${range} @@\n${body}${end}`;
}

interface NewFile {
  readonly mode: string;
  /** Undefined when it is no text. */
  readonly text: string | undefined;
}

function readNewFile(path: string, maxBytes: number): NewFile | undefined {
  try {
    if (lstatSync(path).isSymbolicLink()) return { mode: "120000", text: readlinkSync(path) };
    const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants;
    const handle = openSync(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
    try {
      const stat = fstatSync(handle);
      if (!stat.isFile()) return undefined;
      const mode = (stat.mode & 0o100) === 0 ? "100644" : "100755";
      return { mode, text: stat.size > maxBytes ? undefined : textOf(readFileSync(handle)) };
    } finally {
      closeSync(handle);
    }
  } catch (error) {
    // It may go away, or be forbidden, while it is looked at.
    if (systemErrorCode(error) === undefined) throw error;
    return undefined;
  }
}

function textOf(bytes: Buffer): string | undefined {
  if (bytes.includes(0)) return undefined;
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    // No UTF-8: no text that could be shown.
    return undefined;
  }
}

/** A path as git writes it: in quotes with escapes if it has characters that would mislead. */
function quote(path: string): string {
  if (!/["\\\p{Cc}]/u.test(path)) return path;
  const escaped = path.replace(
    /["\\\p{Cc}]/gu,
    (character) => ESCAPES.get(character) ?? octal(character),
  );
  return `"${escaped}"`;
}

const ESCAPES: ReadonlyMap<string, string> = new Map([
  ['"', '\\"'],
  ["\\", "\\\\"],
  ["\n", "\\n"],
  ["\t", "\\t"],
  ["\r", "\\r"],
]);

function octal(character: string): string {
  return [...Buffer.from(character)]
    .map((byte) => `\\${byte.toString(8).padStart(3, "0")}`)
    .join("");
}
