import { accessSync, closeSync, constants, openSync, readSync, statSync } from "node:fs";
import { delimiter, isAbsolute, join, resolve } from "node:path";

// What the kernel looks at.
const HEAD_BYTES = 256;
const DEFAULT_PATH = "/usr/local/bin:/usr/bin:/bin";

/**
 * The absolute file of a program, undefined when there is none that may be executed. A name without `/`
 * is looked up in the absolute directories of PATH, `node_modules/.bin` left out; a path counts from `cwd`.
 */
export function findProgram(
  name: string,
  env: { readonly [name: string]: string },
  cwd: string,
): string | undefined {
  if (name === "") return undefined;
  const candidates = name.includes("/")
    ? [resolve(cwd, name)]
    : searchedDirectories(env).map((directory) => join(directory, name));
  return candidates.find(isExecutable);
}

/**
 * The file that a script names as its interpreter, if there is no such file; undefined for a program that
 * can be started as far as that goes.
 */
export function missingInterpreter(file: string): string | undefined {
  const interpreter = /^#! *([^ \t\n]+)/.exec(readHead(file))?.[1];
  if (interpreter === undefined || !isAbsolute(interpreter)) return undefined;
  return statSync(interpreter, { throwIfNoEntry: false }) === undefined ? interpreter : undefined;
}

/** The directories in which bare names are looked up. */
export function searchedDirectories(env: { readonly [name: string]: string }): readonly string[] {
  const { PATH: path = DEFAULT_PATH } = env;
  // What a package brings along, or lies in the working directory, must not pose as a system program.
  return path
    .split(delimiter)
    .filter((directory) => isAbsolute(directory))
    .filter((directory) => !/(^|\/)node_modules\/\.bin\/*$/.test(directory));
}

function isExecutable(file: string): boolean {
  if (file.includes("\0")) return false;
  try {
    accessSync(file, constants.X_OK);
  } catch {
    return false;
  }
  return statSync(file, { throwIfNoEntry: false })?.isFile() ?? false;
}

/** Empty for a file that may be executed and not be read. */
function readHead(file: string): string {
  const head = Buffer.alloc(HEAD_BYTES);
  try {
    const descriptor = openSync(file, "r");
    try {
      return head.toString("latin1", 0, readSync(descriptor, head));
    } finally {
      closeSync(descriptor);
    }
  } catch {
    return "";
  }
}
