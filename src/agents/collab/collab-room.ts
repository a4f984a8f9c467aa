import { type AgentSpec, TASK_TOOL } from "../../contracts/agent.ts";
import type { CollabPort } from "../../contracts/collab.ts";
import type { ToolOffer } from "../../contracts/tool.ts";
import { collabStatusOf, isFinalStatus } from "../../fold/collab-status.ts";
import { ancestorsOf } from "../../fold/state/agent-lookup.ts";
import type { AgentState } from "../../fold/state/agent-state.ts";
import type { RunState } from "../../fold/state/run-state.ts";
import type { CollabCaller, CollabDoor } from "../collab-door.ts";
import type { CollabOptions } from "./collab-options.ts";
import { tellLivingChildren } from "./living-children.ts";
import { endedAgent, tellParent } from "./parent-notices.ts";
import { childrenOf } from "./reach.ts";

// Owns what follows from agents having been spawned by agents: their parents are told how they end, and they end
// with their parents. What a turn asks for is carried out by TurnCollab; who lives is the supervisor's.
// R1: whoever's parent has exited is ended too, however that came about.
// R2: nothing of this is in memory alone: the next owner finds in the fold what is left to do.
// R3: a subagent ends with its task, so that its place is free whoever waits for it, and whatever dies.

/** How long what is left of the last turn of a subagent may take. */
const TASK_END_MS = 10_000;

/** Begins to look after agents that agents spawn; the result lets turns do so. */
export function openCollabRoom(options: CollabOptions): CollabDoor {
  const { runtime, staff } = options;
  let isLive = false;
  let isStopping = false;
  const dismiss = (id: string, reason: string, patienceMs: number) => {
    // The run waits for its agents at its end; a failure to end processes stops it.
    staff.dismiss(id, reason, patienceMs).catch((error: unknown) => runtime.fail(error));
  };
  const closeChildren = (parent: string) => {
    for (const { id, status } of childrenOf(runtime.state, parent)) {
      if (status !== "exited") dismiss(id, "its parent has ended", 0);
    }
  };
  const follow = (agent: AgentState) => {
    if (agent.spec.spawnedBy !== undefined) tellParent(options, agent);
    if (hasDoneTask(runtime.state, agent)) dismiss(agent.id, "its task is over", TASK_END_MS);
    if (agent.status === "exited") closeChildren(agent.id);
  };
  runtime.onLive(() => {
    isLive = true;
    for (const agent of [...runtime.state.agents.values()]) follow(agent);
  });
  runtime.onStopping(async () => {
    isStopping = true;
  });
  runtime.onAppended((event) => {
    const agent = isLive && !isStopping ? endedAgent(runtime, event) : undefined;
    if (agent !== undefined) follow(agent);
  });
  return {
    offerTo: (spec) => offerTo(options, spec),
    notice: (agent) => tellLivingChildren(runtime, agent),
    open: (caller) => lateCollab(options, caller),
  };
}

/** Whether an agent was there for one task alone and has nothing left to do of it. */
function hasDoneTask(state: RunState, agent: AgentState): boolean {
  if (agent.spec.subagent === undefined || agent.status === "exited") return false;
  return isFinalStatus(collabStatusOf(state, agent).status);
}

/** Only where one more level is allowed, and only to those whose declaration says so: others need not read of it. */
function offerTo(
  { runtime, limits, tools, backends }: CollabOptions,
  spec: AgentSpec,
): ToolOffer["collab"] {
  const { maxDepth = 1 } = limits;
  if (spec.shadow !== undefined || ancestorsOf(runtime.state, spec).length >= maxDepth)
    return undefined;
  if (spec.spawns === true) return "all";
  // A program of its own may have a tool of the name Task.
  const isOurs = (tool: string) =>
    tools.includes(tool) &&
    (tool !== TASK_TOOL || backends.find(spec.backend)?.reach === undefined);
  return spec.tools?.some(isOurs) ? "named" : undefined;
}

/** The calls of a turn, loaded with the first one: most turns make none. */
function lateCollab(options: CollabOptions, caller: CollabCaller): CollabPort {
  let loaded: Promise<CollabPort> | undefined;
  const load = async () => {
    const { TurnCollab } = await import("./turn-collab.ts");
    return new TurnCollab(options, caller);
  };
  const calls = () => {
    loaded ??= load();
    return loaded;
  };
  return {
    spawn: async (request) => (await calls()).spawn(request),
    send: async (input) => (await calls()).send(input),
    wait: async (request) => (await calls()).wait(request),
    close: async (id) => (await calls()).close(id),
    resume: async (request) => (await calls()).resume(request),
    task: async (request) => (await calls()).task(request),
    list: async () => (await calls()).list(),
  };
}
