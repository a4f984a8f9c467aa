import { cpSync, existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileUnwritable } from "../../app/machine/place/errors.ts";
import { packageFile } from "../../foundation/package-file.ts";
import { demoFolderTaken } from "../command/errors.ts";

const NAME = "troupe-demo";
const MARKER = ".made-by-troupe-demo";

/** Where the demo works. */
export interface DemoFolder {
  /** As it is shown: relative to where the command was called. */
  readonly name: string;
  /** Absolute. */
  readonly path: string;
}

/**
 * A fresh folder with the files of the demo and a project of its own. One of an earlier demo is replaced,
 * or with `keepsEarlier` left as it is. Raises USAGE_DEMO_FOLDER_TAKEN, FILE_UNWRITABLE.
 */
export function makeDemoFolder(cwd: string, keepsEarlier: boolean): DemoFolder {
  const name = keepsEarlier ? freeName(cwd) : NAME;
  const path = join(cwd, name);
  if (existsSync(path) && !existsSync(join(path, MARKER)))
    throw demoFolderTaken({ folder: `./${name}` });
  try {
    fillFolder(path);
  } catch (error) {
    const problem = error instanceof Error ? error.message : String(error);
    throw fileUnwritable({ path, problem }, { cause: error });
  }
  return { name, path };
}

/** The folder gets its name when it is complete, so a call that is killed leaves no half of one. */
function fillFolder(path: string): void {
  const draft = `${path}.making`;
  const earlier = `${path}.removed`;
  for (const left of [draft, earlier]) rmSync(left, { recursive: true, force: true });
  mkdirSync(draft);
  writeFileSync(join(draft, MARKER), "troupe demo may replace this folder\n");
  cpSync(packageFile("examples/demo/files"), draft, { recursive: true });
  // Its own project: a run of the demo is no run of the project around it.
  mkdirSync(join(draft, ".troupe"));
  if (existsSync(path)) renameSync(path, earlier);
  renameSync(draft, path);
  rmSync(earlier, { recursive: true, force: true });
}

function freeName(cwd: string): string {
  for (let number = 1; ; number += 1) {
    const name = number === 1 ? NAME : `${NAME}-${number}`;
    if (!existsSync(join(cwd, name))) return name;
  }
}
