import type { Context } from "../../contracts/context.ts";
import type { VerificationSpec } from "../../contracts/step.ts";

const INTERPRETERS: ReadonlySet<string> = new Set([
  "sh",
  "bash",
  "zsh",
  "dash",
  "node",
  "deno",
  "bun",
  "tsx",
  "python",
  "python3",
  "ruby",
  "perl",
]);
const MAX_GATE_CHARS = 262_144;

/** Gate files by path with their content before the step; null for one that did not exist. */
export type GateFiles = { readonly [path: string]: string | null };

/**
 * The scripts that verification commands run: a path as first word, or the first argument of an
 * interpreter. A step must not be able to pass by changing what checks it.
 */
export function gatePaths(checks: readonly VerificationSpec[]): readonly string[] {
  const paths = new Set<string>();
  for (const check of checks) {
    if (check.kind !== "command") continue;
    for (const words of commandsOf(check.command)) {
      const path = gatePath(words);
      if (path !== undefined) paths.add(path);
    }
  }
  return [...paths];
}

/** Remembers the gate files of a step as they are now. */
export async function rememberGates(
  context: Context,
  cwd: string,
  paths: readonly string[],
): Promise<GateFiles> {
  if (paths.length === 0) return {};
  return context.step("remember gates", async ({ host }) => {
    const workspace = host.workspace(cwd);
    const files: { [path: string]: string | null } = {};
    for (const path of paths) {
      const text = (await workspace.exists(path)) ? await workspace.readText(path) : null;
      // A gate too large to keep in the journal cannot be restored, so it is not claimed to be protected.
      if (text === null || text.length <= MAX_GATE_CHARS) files[path] = text;
    }
    return files;
  });
}

/** Puts changed gate files back; resolves with their paths. */
export async function restoreGates(
  context: Context,
  cwd: string,
  gates: GateFiles,
): Promise<readonly string[]> {
  const existing = Object.entries(gates).flatMap(([path, text]) =>
    text === null ? [] : [{ path, text }],
  );
  if (existing.length === 0) return [];
  return context.step("restore gates", async ({ host }) => {
    const workspace = host.workspace(cwd);
    const changed: string[] = [];
    for (const { path, text } of existing) {
      const isSame = (await workspace.exists(path)) && (await workspace.readText(path)) === text;
      if (isSame) continue;
      await workspace.writeText(path, text);
      changed.push(path);
    }
    return changed;
  });
}

function commandsOf(command: string | readonly string[]): readonly (readonly string[])[] {
  if (typeof command !== "string") return [command];
  return command.split(/&&|\|\||[;|\n]/).map((part) => part.trim().split(/\s+/));
}

// Files outside of the agent's directory cannot be watched from it.
function isInside(path: string): boolean {
  return /^[\w./-]+$/.test(path) && !path.startsWith("/") && !path.split("/").includes("..");
}

function gatePath(words: readonly string[]): string | undefined {
  const [program = "", ...rest] = words;
  const candidate = INTERPRETERS.has(program)
    ? rest.find((word) => !word.startsWith("-"))
    : program;
  if (candidate === undefined || !isInside(candidate)) return undefined;
  return INTERPRETERS.has(program) || candidate.includes("/") ? candidate : undefined;
}
