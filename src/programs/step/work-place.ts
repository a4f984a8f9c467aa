import type { AgentSpec } from "../../contracts/agent.ts";
import type { StepCall, WorkPlace } from "../../contracts/ports/context.ts";

/**
 * Directory in which a step works, as a program may know it: its path is decided on this machine, when it is first
 * needed, so a program holds its name and asks for the rest inside of an operation (AGT-16).
 */
export interface PlaceOfWork {
  /** The same in every replay, and another one for every other place. For people too. */
  readonly name: string;
  /** Raises what making the place raises. */
  find(call: Pick<StepCall, "workPlaces" | "signal">): Promise<WorkPlace>;
}

/** A directory that is there already. */
export function placeAt(cwd: string): PlaceOfWork {
  return { name: cwd, find: async () => ({ cwd }) };
}

/** The place of an agent of the run; `name` where it is a directory that others may work in too. */
export function placeOfAgent(
  agent: string | AgentSpec,
  name = `the worktree of ${typeof agent === "string" ? agent : agent.id}`,
): PlaceOfWork {
  return { name, find: ({ workPlaces, signal }) => workPlaces.of(agent, signal) };
}
