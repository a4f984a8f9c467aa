import { existsSync, readFileSync, realpathSync, statSync } from "node:fs";
import { dirname, relative, resolve } from "node:path";
import { sha256 } from "../../../foundation/hash.ts";
import { isInside } from "../../../workflows/resolve/resolve-paths.ts";
import type { AgentFile } from "../../machine/trust/agent-files.ts";

const MAX_MODULES = 200;
const MAX_BYTES = 1_048_576;
const RELATIVE_IMPORT = /\b(?:from|import|require)\s*\(?\s*["'`](\.{1,2}\/[^"'`\n]+)["'`]/g;

/**
 * The files of a project that a module is made of: itself and what it imports by relative paths, from there on.
 * Packages are not among them. What lies outside of the project, is too large or too much has no hash.
 */
export function modulesOf(file: string, root: string): readonly AgentFile[] {
  const found = new Map<string, AgentFile>();
  const waiting = [file];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if (found.has(next)) continue;
    const path = relative(root, next);
    const text = found.size < MAX_MODULES ? textOf(next, root) : undefined;
    found.set(next, { path, hash: text === undefined ? undefined : sha256(text) });
    if (found.size > MAX_MODULES) break;
    for (const [, specifier = ""] of (text ?? "").matchAll(RELATIVE_IMPORT)) {
      const target = resolve(dirname(next), specifier);
      // An import of what is not there fails by itself.
      if (existsSync(target)) waiting.push(target);
    }
  }
  return [...found.values()].sort((left, right) => (left.path < right.path ? -1 : 1));
}

function textOf(file: string, root: string): string | undefined {
  try {
    const info = statSync(file);
    // Whoever opens a pipe waits for its other end.
    if (!info.isFile() || info.size > MAX_BYTES) return undefined;
    if (!isInside(realpathSync(file), realpathSync(root))) return undefined;
    return readFileSync(file, "latin1");
  } catch {
    // Unreadable or gone: it cannot be trusted, and the import says why it fails.
    return undefined;
  }
}
