import { resolve } from "node:path";
import { decodeInput, readTextFile } from "../../app/machine/place/read-text-file.ts";
import type { Invocation } from "../command/command.ts";
import { usageInvalid } from "../command/errors.ts";
import type { Io } from "../terminal/io.ts";
import type { Settings } from "../terminal/settings.ts";

const MAX_INPUT_BYTES = 1_048_576;

/**
 * A path from the command line as this process can open it; as it was given where that is the same. Raises
 * USAGE_INVALID for an empty one, which is what a shell makes of a variable that is not set.
 */
export function inputPath(path: string, { cwd }: Settings): string {
  if (path === "")
    throw usageInvalid({ problem: "the name of a file is empty", hint: "is a variable not set?" });
  return cwd === process.cwd() ? path : resolve(cwd, path);
}

/** All of standard input as text. Raises FILE_NOT_TEXT, FILE_INPUT_TOO_LARGE. */
export async function readStdin(io: Io, maxBytes: number = MAX_INPUT_BYTES): Promise<string> {
  return decodeInput(await io.stdin.readAll(maxBytes), "standard input");
}

/** The text of a file, or of standard input for `-`. Raises FILE_* errors. */
export function readInput(path: string, { io, settings }: Invocation): Promise<string> {
  if (path === "-") return readStdin(io);
  return readTextFile(inputPath(path, settings), MAX_INPUT_BYTES);
}
