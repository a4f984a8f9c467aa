import type { AgentSpec } from "../contracts/agent.ts";
import type { BackendShelf } from "../contracts/backend.ts";
import type { WorkPlace, WorkPlaces } from "../contracts/ports/context.ts";
import type { RunRuntime } from "../engine/run-runtime.ts";
import { findAgent } from "../fold/state/agent-lookup.ts";
import type { AgentState } from "../fold/state/agent-state.ts";
import { rejectOnAbort } from "../foundation/abort.ts";
import { present } from "../foundation/present.ts";
import type { AgentRoster } from "./agent-roster.ts";
import { type AgentPlaces, leftWork } from "./places/agent-place.ts";

// Owns the one answer to where an agent works (AGT-16): the sessions of its turns and the checks of its steps open the
// same place. Making places and looking after them is theirs.

interface WorkPlacesOptions {
  readonly runtime: RunRuntime;
  readonly roster: AgentRoster;
  readonly backends: BackendShelf;
  /** Undefined in runs that keep no files: all agents work in directories that are there. */
  readonly agentPlaces: AgentPlaces | undefined;
}

/** Directories in which the agents of a run work, for the steps of its program. */
export function createWorkPlaces(options: WorkPlacesOptions): WorkPlaces {
  const { runtime, roster } = options;
  return {
    of: async (given, signal) => {
      const agent =
        typeof given === "string" ? roster.known(given) : await join(options, given, signal);
      return placeOf(options, agent);
    },
    given: async (id) => {
      const agent = findAgent(runtime.state, id);
      if (agent !== undefined && leftWork(runtime.state.run, agent) !== undefined)
        await placeOf(options, agent);
      const { place } = agent ?? {};
      if (place?.worktree === undefined || place.end !== undefined) return undefined;
      return { cwd: place.directory, worktree: place.worktree };
    },
  };
}

/** A step of a workflow may be checked before the first turn of its agent. */
async function join(
  { runtime, roster, backends }: WorkPlacesOptions,
  spec: AgentSpec,
  signal: AbortSignal,
): Promise<AgentState> {
  if (findAgent(runtime.state, spec.id) === undefined) {
    if (backends.find(spec.backend) === undefined) await backends.load(spec.backend);
    // The run ends at its limit; it is asked again when the run goes on.
    if (!roster.hire(spec)) await rejectOnAbort(signal).promise;
  }
  return roster.known(spec.id);
}

async function placeOf(
  { runtime, roster, backends, agentPlaces }: WorkPlacesOptions,
  agent: AgentState,
): Promise<WorkPlace> {
  const { isolation, backend, cwd = runtime.state.run.cwd } = agent.spec;
  if (isolation !== "worktree" || agentPlaces === undefined) return { cwd };
  if (backends.find(backend) === undefined) await backends.load(backend);
  const opened = await agentPlaces.open(agent, roster.backendOf(agent.spec));
  const { worktree } = agent.place ?? {};
  return { cwd: opened.cwd, ...present({ worktree }) };
}
