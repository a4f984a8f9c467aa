import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { z } from "zod";
import { sha256 } from "../../../foundation/hash.ts";
import { toIsoTime } from "../../../foundation/iso-time.ts";
import { makeDirectory } from "../../../foundation/make-directory.ts";
import type { Machine } from "../../machine/machine.ts";
import { lookUnwritable } from "../../machine/place/errors.ts";
import { replacePrivateFile } from "../../machine/place/private-file.ts";
import { stateDirectory } from "../../machine/place/project.ts";

// One file per project and user: whoever shares a project has looked at another time.
const lookFile = z.object({
  version: z.literal(1),
  project: z.string(),
  lookedAt: z.iso.datetime(),
});

/** When this user looked at what happened here for the last time, in ms since the epoch; undefined for never. */
export function readLastLook(machine: Pick<Machine, "project" | "env">): number | undefined {
  let text: string;
  try {
    text = readFileSync(lookPath(machine), "utf8");
  } catch {
    // Never, or it cannot be known: then there is more to see, not less.
    return undefined;
  }
  const parsed = lookFile.safeParse(parseJson(text));
  return parsed.success ? Date.parse(parsed.data.lookedAt) : undefined;
}

/** Remembers a look. Raises FILE_LOOK_UNWRITABLE. */
export function writeLastLook(machine: Pick<Machine, "project" | "env">, atMs: number): void {
  const path = lookPath(machine);
  const look = { version: 1, project: machine.project.root, lookedAt: toIsoTime(atMs) };
  try {
    makeDirectory(dirname(path), 0o700);
    replacePrivateFile(path, `${JSON.stringify(look)}\n`);
  } catch (error) {
    const problem = error instanceof Error ? error.message : String(error);
    throw lookUnwritable({ path, problem }, { cause: error });
  }
}

function lookPath({ project, env }: Pick<Machine, "project" | "env">): string {
  const name = sha256(project.runsDirectory).slice(0, 16);
  return join(stateDirectory(env), "looks", `${name}.json`);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
