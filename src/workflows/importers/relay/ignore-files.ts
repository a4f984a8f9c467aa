import { existsSync, readdirSync } from "node:fs";
import { basename, dirname } from "node:path";
import type { SourceRange } from "../../source/source-node.ts";
import type { ForeignFile } from "../parts/importer.ts";
import { entryAt, scalarAt } from "../parts/nodes.ts";
import type { Notes, Remark } from "../parts/notes.ts";

const ENDINGS: ReadonlyMap<string, Remark> = new Map([
  [
    ".agentignore",
    {
      what: "troupe does not read it, so agents could read the files that it hides",
      hint: "move such files out of the project, and remove it",
    },
  ],
  [
    ".agentreadonly",
    {
      what: "troupe does not read it, so agents could write the files that it protects",
      hint: "write its lines into constraints: { readOnly: [...] } of the agents, and remove it",
    },
  ],
]);

/** Refuses a workflow whose project keeps agents from files by files of relay, for all agents or for one. */
export function tellIgnoreFiles(notes: Notes, { options }: ForeignFile, range: SourceRange): void {
  const { fileDirectory, cwd, projectRoot } = options;
  const around = [fileDirectory, cwd, projectRoot].filter((each) => each !== undefined);
  const directories = new Set(around.flatMap((each) => [each, ...projectAround(each)]));
  for (const name of new Set([...directories].flatMap(namesIn))) {
    const remark = ENDINGS.get(/\.agent(?:ignore|readonly)$/.exec(name)?.[0] ?? "");
    if (remark === undefined) continue;
    const entry = entryAt(name, scalarAt(true, range), range);
    notes.refused({ place: name, range, at: [], entry }, remark);
  }
}

function namesIn(directory: string): readonly string[] {
  return existsSync(directory) ? readdirSync(directory) : [];
}

/** The project of a file in `.relay` or `.relay/workflows`. */
function projectAround(directory: string): readonly string[] {
  const folder = basename(directory) === "workflows" ? dirname(directory) : directory;
  return basename(folder) === ".relay" ? [dirname(folder)] : [];
}
