import { join } from "node:path";
import { z } from "zod";
import { distrustFile } from "../../host/owned-place.ts";
import { readIfThere } from "./place/private-file.ts";
import { type Environment, stateDirectory } from "./place/project.ts";
import { changeFileAlone } from "./trust/change-file-alone.ts";

const projectsFile = z.object({ projects: z.array(z.string()) });

// The oldest are forgotten: directories of tests and of other days.
const MAX_PROJECTS = 200;

/** Roots of the projects that are known: this user's daemon carried out runs there, or their runs count for a day. The latest last. */
export function knownProjects(env: Environment): readonly string[] {
  const file = projectsIn(env);
  try {
    return distrustFile(file) === undefined ? parse(readIfThere(file)) : [];
  } catch {
    // A list for convenience: without it nothing is lost.
    return [];
  }
}

/** Puts a project on the list. Raises errors of the system. */
export function rememberProject(env: Environment, root: string): void {
  const known = knownProjects(env);
  if (known.at(-1) === root) return;
  changeFileAlone(projectsIn(env), (text) => {
    const projects = [...parse(text).filter((project) => project !== root), root];
    return `${JSON.stringify({ version: 1, projects: projects.slice(-MAX_PROJECTS) }, null, 2)}\n`;
  });
}

function projectsIn(env: Environment): string {
  return join(stateDirectory(env), "projects.json");
}

function parse(text: string | undefined): readonly string[] {
  if (text === undefined) return [];
  try {
    const parsed = projectsFile.safeParse(JSON.parse(text));
    return parsed.success ? parsed.data.projects : [];
  } catch {
    return [];
  }
}
