import { basename, delimiter, isAbsolute, join, relative, sep } from "node:path";
import { toPrintable } from "../../foundation/printable.ts";

/** What of a process tells how it was called. */
export interface CalledProcess {
  readonly argv: readonly string[];
  readonly env: { readonly [name: string]: string | undefined };
}

/** How Troupe was called in this process: what every command that it suggests begins with. */
export const TROUPE: string = calledAs(process, process.cwd());

/**
 * What a person in `cwd` types to call Troupe once more as a process called it: `troupe`, `npx troupe`,
 * `node bin/troupe.js`. A wrapper says what it is called in TROUPE_CALLED_AS.
 */
export function calledAs({ argv: [, program = ""], env }: CalledProcess, cwd: string): string {
  const told = toPrintable(env["TROUPE_CALLED_AS"] ?? "");
  if (told !== "") return told;
  const name = basename(program);
  if (!isAbsolute(program) || !["troupe", "troupe.js"].includes(name)) return "troupe";
  if (name === "troupe.js") return `node ${toWord(pathFrom(cwd, program))}`;
  if (isNpx(env)) return "npx troupe";
  const directories = (env["PATH"] ?? "").split(delimiter);
  if (directories.some((directory) => join(directory, name) === program)) return name;
  const path = pathFrom(cwd, program);
  return toWord(path.includes(sep) ? path : join(".", sep, path));
}

/** npx says it to all that its program starts, so it counts for Troupe alone. */
function isNpx(env: CalledProcess["env"]): boolean {
  const script = env["npm_lifecycle_script"] ?? "";
  return env["npm_lifecycle_event"] === "npx" && /^["']?troupe["']?(\s|$)/.test(script);
}

/** The shorter way to say it: a path that leads far up is no help. */
function pathFrom(cwd: string, path: string): string {
  const near = relative(cwd, path);
  return near.length < path.length ? near : path;
}

function toWord(path: string): string {
  return /^[\w@%+=:,./-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`;
}
