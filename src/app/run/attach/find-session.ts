import { agentUnknown } from "../../../agents/errors.ts";
import type { JournalEvent } from "../../../contracts/events/event.ts";
import { fold } from "../../../fold/fold.ts";
import { findAgent } from "../../../fold/state/agent-lookup.ts";
import type { AgentState } from "../../../fold/state/agent-state.ts";
import { emptyRunState, type RunState } from "../../../fold/state/run-state.ts";
import { runAmbiguous } from "../../runs/errors.ts";
import { agentNotAttachable } from "./errors.ts";

/** The last session of an agent that a backend can go on with. */
export interface FoundSession {
  readonly state: RunState;
  readonly agent: AgentState;
  readonly session: string;
  readonly resume: string;
}

/**
 * The last session of an agent that its backend can go on with; without a name, of the only agent that has one.
 * Raises AGENT_UNKNOWN, RUN_AMBIGUOUS, RUN_AGENT_NOT_ATTACHABLE.
 */
export function findSession(
  events: Iterable<JournalEvent>,
  { run, agent: wanted }: { readonly run: string; readonly agent: string | undefined },
): FoundSession {
  const state = emptyRunState(run);
  const last = new Map<string, { readonly session: string; readonly resume: string }>();
  for (const event of events) {
    fold(state, event);
    // Sessions that ended well are forgotten by the fold; their programs still have them.
    if (event.type === "agent-ready" && event.resume !== undefined)
      last.set(event.agent, { session: event.session, resume: event.resume });
  }
  const known = [...state.agents.keys()];
  const named = wanted ?? onlyOne(run, [...(last.size === 0 ? known : last.keys())]);
  const agent = findAgent(state, named);
  if (agent === undefined) throw agentUnknown({ agent: named, known });
  const found = last.get(agent.id);
  if (found !== undefined) return { state, agent, ...found };
  const problem = "it has had no session that could be gone on with";
  throw agentNotAttachable({ agent: agent.id, run, problem });
}

function onlyOne(run: string, agents: readonly string[]): string {
  const [first = "", ...others] = agents;
  if (others.length === 0) return first;
  throw runAmbiguous({ given: run, matches: agents.map((agent) => `${agent}@${run}`) });
}
