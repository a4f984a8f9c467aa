import { z } from "zod";
import type { AgentSpec } from "../../contracts/agent.ts";
import type { PatternDefinition } from "../../contracts/definition.ts";
import {
  definePattern,
  type Pattern,
  type PatternAdvance,
  type PatternFault,
  type TurnEstimate,
} from "../../contracts/ports/pattern.ts";
import { count } from "../../foundation/count.ts";
import { present } from "../../foundation/present.ts";
import { renderConvention } from "../patterns/conventions/convention.ts";
import { hubConvention, workerConvention } from "../patterns/conventions/hub-spoke-convention.ts";
import { crewOf } from "../primitives/shadows/crew.ts";
import { faultsOfNames, memberNamed } from "./find-members.ts";
import type { HubKind } from "./hub-kind.ts";
import { plainKeyword, plainSignal } from "./plain-answer.ts";
import { runTalk, type TalkPattern } from "./run-talk.ts";
import { fallbackKey, faultsOfFallback, takeoverIn } from "./takeover.ts";
import type { Role } from "./talk-turn.ts";
import { memberReports, unfinishedOf } from "./woken-group.ts";
import { talkWhenWoken } from "./woken-talk.ts";

/** What the block says of who does what, under either name. */
const wheelKeys = z.object({
  agent: z.string().optional(),
  canSpawn: z.boolean().optional(),
  assign: z.boolean().optional(),
  peers: z.boolean().optional(),
  fallback: fallbackKey,
});

/** Who is who, and what they may. */
interface Wheel {
  readonly hub: string;
  /** No worker: it takes the place of the hub once that has failed. */
  readonly fallback: string | undefined;
  readonly workers: readonly string[];
  readonly canSpawn: boolean;
  readonly assign: boolean;
  readonly peers: boolean;
}

const HUB_FORM = "DONE: <what all of you came to>";
const WORKER_FORM = "DONE: <what came of it>";

/** Declares such a pattern: what workers say wakes the hub, what it says wakes them, and its DONE ends it all. */
export function toHubPattern(kind: HubKind): Pattern {
  const wheel = (definition: PatternDefinition) => wheelOf(kind, definition);
  const pattern: TalkPattern = {
    members: (definition) => membersOf(wheel(definition), definition),
    role: (definition, agent) => roleOf(wheel(definition), definition, agent),
    metadata: (definition, advances) => reportOf(kind, definition, advances),
    talk: (talk) => {
      const { hub, assign, fallback } = wheel(talk.definition);
      const isHub = (agent: string) => agent === hub || agent === fallback;
      return talkWhenWoken(talk, {
        closer: hub,
        fallback,
        role: (agent) => pattern.role(talk.definition, agent),
        demand: (agent) =>
          isHub(agent)
            ? { kinds: ["done"], form: HUB_FORM, plain: plainKeyword("done") }
            : { kinds: ["done"], form: WORKER_FORM, plain: plainSignal("done") },
        isLead: isHub,
        startsWhenWritten: assign,
      });
    },
  };
  const { name, summary, block, blockKey } = kind;
  return definePattern({
    ...{ name, summary, block, ...present({ blockKey }) },
    onFailure: "continue",
    order: "mode",
    members: pattern.members,
    metadata: pattern.metadata,
    check: (definition) => check(kind, definition),
    turns: (definition) => turns(wheel(definition), definition),
    links: (definition) => {
      const { hub, workers, fallback } = wheel(definition);
      const orders = workers.map((to) => ({ from: hub, to, kind: "order" as const }));
      return fallback === undefined
        ? orders
        : [...orders, { from: hub, to: fallback, kind: "fallback" }];
    },
    run: (context, definition) => runTalk(context, definition, pattern),
  });
}

function membersOf(
  { hub, workers, peers, canSpawn, fallback }: Wheel,
  definition: PatternDefinition,
): readonly AgentSpec[] {
  return definition.agents.map((agent) => {
    const { session: _session, reportsTo: _reportsTo, ...spec } = agent;
    if (agent.shadow !== undefined) return agent;
    if (agent.id === hub || agent.id === fallback) {
      const writesTo = [...workers, "user", "#"];
      return { ...spec, wakes: "reports", writesTo, signals: [], spawns: canSpawn };
    }
    const others = peers ? workers.filter((id) => id !== agent.id) : [];
    const hubs = [hub, ...(fallback === undefined ? [] : [fallback])];
    const writesTo = [...hubs, ...others, "user", "#"];
    return { ...spec, reportsTo: hub, wakes: "reports", writesTo, signals: [] };
  });
}

function reportOf(
  kind: HubKind,
  definition: PatternDefinition,
  advances: readonly PatternAdvance[],
): ReturnType<TalkPattern["metadata"]> {
  const { hub, fallback } = wheelOf(kind, definition);
  const takeover = takeoverIn(advances);
  const reports = memberReports(definition, advances).filter(
    ({ agent }) => agent !== hub && agent !== fallback,
  );
  const workers = reports.map(({ agent, status, summary, spawned }) => {
    return { agent, status, summary, spawned };
  });
  return {
    [kind.hubKey]: takeover?.to ?? hub,
    workers,
    unfinished: unfinishedOf(reports),
    ...(takeover === undefined ? {} : { replaced: takeover.from }),
  };
}

/** Each worker takes a turn, and the hub one at least; everybody may be woken until a bound is broken. */
function turns(
  { workers, canSpawn, assign, fallback }: Wheel,
  definition: PatternDefinition,
): TurnEstimate {
  const { turnsPerAgent } = definition.bounds ?? {};
  const agents = workers.length + 1;
  const isBounded = turnsPerAgent !== undefined && !canSpawn;
  const reserve = fallback === undefined ? 0 : 1;
  const parts = `1 hub + ${count(workers.length, "worker")}${reserve === 0 ? "" : " + 1 fallback if the hub fails"}`;
  return {
    least: assign ? 1 : agents,
    // At a bound the hub is asked once more, and reminded.
    most: isBounded ? (agents + reserve) * turnsPerAgent + 2 : null,
    basis:
      turnsPerAgent === undefined
        ? `${parts}, woken by messages`
        : `${parts}, woken by messages, at most ${turnsPerAgent} times each`,
  };
}

function roleOf(wheel: Wheel, definition: PatternDefinition, agent: string): Role {
  const { hub, workers, canSpawn, assign, peers, fallback } = wheel;
  const isDriven = definition.steps.length === 0;
  if (agent === hub || agent === fallback)
    return {
      marker: "DONE",
      convention: (facts) =>
        renderConvention(hubConvention, {
          ...facts,
          ...{ workers, assign, isDriven },
          canSpawn: canSpawn && (facts.form === "tools" || facts.spawns === true),
        }),
    };
  const others = peers ? workers.filter((id) => id !== agent) : [];
  return {
    marker: "DONE",
    convention: (facts) => renderConvention(workerConvention, { ...facts, hub, isDriven, others }),
  };
}

function wheelOf({ assigns }: Pick<HubKind, "assigns">, definition: PatternDefinition): Wheel {
  const given = wheelKeys.parse(definition.options);
  const crew = crewOf(definition.agents);
  const hub = findHub(crew, given.agent)?.id ?? "";
  const fallback = given.fallback && memberNamed(crew, given.fallback)?.id;
  return {
    hub,
    fallback,
    workers: crew.filter(({ id }) => id !== hub && id !== fallback).map(({ id }) => id),
    canSpawn: given.canSpawn ?? true,
    assign: given.assign ?? assigns,
    peers: given.peers ?? true,
  };
}

function findHub(crew: readonly AgentSpec[], named: string | undefined): AgentSpec | undefined {
  if (named !== undefined) return memberNamed(crew, named);
  const [first, ...others] = candidates(crew);
  return others.length === 0 ? first : undefined;
}

/** Who could be the hub of a file that does not say so (PAT-who). */
function candidates(crew: readonly AgentSpec[]): readonly AgentSpec[] {
  for (const role of ["hub", "lead"]) {
    const found = crew.filter((agent) => agent.role === role);
    if (found.length > 0) return found;
  }
  return crew.filter(({ id }) => crew.some(({ reportsTo }) => reportsTo === id));
}

function check(kind: HubKind, definition: PatternDefinition): readonly PatternFault[] {
  const { agent, canSpawn = true, fallback } = wheelKeys.parse(definition.options);
  const crew = crewOf(definition.agents);
  const hub = findHub(crew, agent);
  if (hub === undefined)
    return agent === undefined ? [noHub(kind, crew)] : faultsOfNames("agent", [agent], crew);
  const wrong = faultsOfFallback(definition, crew, { named: fallback, of: hub.id });
  const faults = crew.flatMap(({ id, reportsTo }): readonly PatternFault[] => {
    if (reportsTo === undefined || reportsTo === hub.id) return [];
    const problem = `agent "${id}" reports to "${reportsTo}", but the hub is "${hub.id}"`;
    return [{ agent: id, problem, hint: "use pattern: hierarchical for more than one level" }];
  });
  const isAlone = wheelOf(kind, definition).workers.length === 0 && !canSpawn;
  if (isAlone) faults.push({ problem: "the hub has no workers, and may not spawn any" });
  return [...wrong, ...faults];
}

function noHub({ name, blockKey = name }: HubKind, crew: readonly AgentSpec[]): PatternFault {
  const found = candidates(crew).map(({ id }) => id);
  const problem =
    found.length === 0
      ? `${name} needs a hub, and no agent is one`
      : `${name} needs one hub, and ${found.join(" and ")} could be it`;
  return { problem, hint: `write role: hub for one agent, or ${blockKey}: { agent: <id> }` };
}
