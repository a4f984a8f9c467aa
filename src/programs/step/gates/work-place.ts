import type { AgentSpec } from "../../../contracts/agent.ts";
import type { StepCall, WorkPlace } from "../../../contracts/ports/context.ts";

/**
 * Directory in which a step works, as a program may know it: its path is decided on this machine, when it is first
 * needed, so a program holds its name and asks for the rest inside of an operation (AGT-16).
 */
export interface PlaceOfWork {
  /** The same in every replay, and another one for every other place. For people too. */
  readonly name: string;
  /** Directory in which checks looked before they knew of worktrees: what they saw can be compared only there. */
  readonly formerly: string;
  /** Raises what making the place raises. */
  find(call: Pick<StepCall, "workPlaces" | "signal">): Promise<WorkPlace>;
}

/** A directory that is there already. */
export function placeAt(cwd: string): PlaceOfWork {
  return { name: cwd, formerly: cwd, find: async () => ({ cwd }) };
}

/** The place of an agent of the run, known by its directory, or as a worktree that may not be there yet. */
export function placeOfAgent(
  agent: string | AgentSpec,
  { cwd, isWorktree }: { readonly cwd: string; readonly isWorktree: boolean },
): PlaceOfWork {
  const id = typeof agent === "string" ? agent : agent.id;
  const name = isWorktree ? `the worktree of ${id}` : cwd;
  return {
    name,
    formerly: cwd,
    find: ({ workPlaces, signal }) => workPlaces.of(agent, signal),
  };
}
