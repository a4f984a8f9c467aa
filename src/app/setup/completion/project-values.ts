import { type Dirent, readdirSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import {
  builtInTemplates,
  templateSummary,
} from "../../../workflows/templates/built-in-templates.ts";
import { type Environment, findProject } from "../../machine/place/project.ts";
import type { Candidate } from "./candidate.ts";

// Nobody chooses from more, and every one of them costs a look at the disk.
const MAX_RUNS = 50;
const MAX_ENTRIES = 2000;

/** The runs of a project, newest first, after the names that stand for one. */
export function runValues(cwd: string, env: Environment): readonly Candidate[] {
  const { runsDirectory } = findProject(cwd, env);
  const runs = entriesOf(runsDirectory)
    .filter((entry) => entry.isDirectory() && entry.name.startsWith("run_"))
    .slice(0, MAX_ENTRIES)
    .map(({ name }) => ({ name, changedMs: changeTime(join(runsDirectory, name)) }))
    .sort((left, right) => right.changedMs - left.changedMs)
    .slice(0, MAX_RUNS);
  if (runs.length === 0) return [];
  return [
    { value: "@last", about: "the newest run" },
    { value: "@failed", about: "the newest run that failed" },
    ...runs.map(({ name }) => ({ value: name })),
  ];
}

/** The templates. */
export function templateValues(): readonly Candidate[] {
  return builtInTemplates.map((template) => ({
    value: template.name,
    about: templateSummary(template),
  }));
}

/** Files below a directory whose names end so, and directories to go on into; `typed` is the path so far. */
export function pathValues(
  cwd: string,
  typed: string,
  endings: readonly string[],
): readonly Candidate[] {
  const way = typed.includes("/") ? typed.slice(0, typed.lastIndexOf("/") + 1) : "";
  const isHidden = typed.slice(way.length).startsWith(".");
  return entriesOf(resolve(cwd, way === "" ? "." : way))
    .filter(({ name }) => name.startsWith(".") === isHidden && name !== "node_modules")
    .flatMap((entry) => {
      if (isDirectory(entry, resolve(cwd, way))) return [{ value: `${way}${entry.name}/` }];
      const fits = endings.some((ending) => entry.name.endsWith(ending));
      return fits ? [{ value: `${way}${entry.name}` }] : [];
    });
}

function isDirectory(entry: Dirent, parent: string): boolean {
  if (!entry.isSymbolicLink()) return entry.isDirectory();
  return statSync(join(parent, entry.name), { throwIfNoEntry: false })?.isDirectory() ?? false;
}

function entriesOf(directory: string): readonly Dirent[] {
  try {
    return readdirSync(directory, { withFileTypes: true }).slice(0, MAX_ENTRIES);
  } catch {
    // What cannot be listed has nothing to offer; a shell that waits is no place for an error.
    return [];
  }
}

function changeTime(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
}
