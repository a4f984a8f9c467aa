import { existsSync, realpathSync } from "node:fs";
import { TroupeError } from "../../foundation/errors.ts";
import { knownProjects } from "./known-projects.ts";
import { createMachineAt, type Machine } from "./machine.ts";

/** The machines of several projects, and why others cannot be looked at. */
export interface KnownMachines {
  readonly machines: readonly Machine[];
  readonly problems: readonly TroupeError[];
}

/**
 * The machine of this project and those of all known ones that still exist, as if a command were typed in
 * each; this one first.
 */
export function knownMachines(machine: Machine): KnownMachines {
  const machines = new Map([[realRoot(machine), machine]]);
  const problems: TroupeError[] = [];
  // It names the directory of one project, not of all.
  const { TROUPE_DIR: _, ...env } = machine.env;
  for (const cwd of knownProjects(machine.env).filter((root) => existsSync(root))) {
    try {
      const other = createMachineAt({ cwd, env, clock: machine.clock });
      const root = realRoot(other);
      if (!machines.has(root)) machines.set(root, other);
    } catch (error) {
      if (!(error instanceof TroupeError)) throw error;
      problems.push(error);
    }
  }
  return { machines: [...machines.values()], problems };
}

function realRoot({ project }: Machine): string {
  return existsSync(project.root) ? realpathSync(project.root) : project.root;
}
