import type { AgentSpec } from "../../contracts/agent.ts";
import type { CollabPort } from "../../contracts/collab.ts";
import type { ToolOffer } from "../../contracts/tool.ts";
import { ancestorsOf } from "../../fold/state/agent-lookup.ts";
import type { AgentState } from "../../fold/state/agent-state.ts";
import type { CollabCaller, CollabDoor } from "../collab-door.ts";
import type { CollabOptions } from "./collab-options.ts";
import { tellLivingChildren } from "./living-children.ts";
import { endedAgent, tellParent } from "./parent-notices.ts";
import { childrenOf } from "./reach.ts";

// Owns what follows from agents having been spawned by agents: their parents are told how they end, and they end
// with their parents. What a turn asks for is carried out by TurnCollab; who lives is the supervisor's.
// R1: whoever's parent has exited is ended too, however that came about.
// R2: nothing of this is in memory alone: the next owner finds in the fold what is left to do.

/** Begins to look after agents that agents spawn; the result lets turns do so. */
export function openCollabRoom(options: CollabOptions): CollabDoor {
  const { runtime, staff } = options;
  let isLive = false;
  let isStopping = false;
  const closeChildren = (parent: string) => {
    for (const { id, status } of childrenOf(runtime.state, parent)) {
      if (status === "exited") continue;
      // The run waits for its agents at its end; a failure to end processes stops it.
      staff.dismiss(id, "its parent has ended", 0).catch((error: unknown) => runtime.fail(error));
    }
  };
  const follow = (agent: AgentState) => {
    if (agent.spec.spawnedBy !== undefined) tellParent(options, agent);
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
    notice: (agent) => tellLivingChildren(runtime.state, agent),
    open: (caller) => lateCollab(options, caller),
  };
}

/** Only where one more level is allowed, and only to those whose declaration says so: others need not read of it. */
function offerTo({ runtime, limits, tools }: CollabOptions, spec: AgentSpec): ToolOffer["collab"] {
  const { maxDepth = 1 } = limits;
  if (spec.shadow !== undefined || ancestorsOf(runtime.state, spec).length >= maxDepth)
    return undefined;
  if (spec.spawns === true) return "all";
  return spec.tools?.some((tool) => tools.includes(tool)) ? "named" : undefined;
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
    list: async () => (await calls()).list(),
  };
}
