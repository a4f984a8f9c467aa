import { z } from "zod";
import type { AgentSpec } from "../../contracts/agent.ts";
import type { PatternDefinition } from "../../contracts/definition.ts";
import {
  definePattern,
  type PatternAdvance,
  type PatternFault,
  type TurnEstimate,
} from "../../contracts/ports/pattern.ts";
import { count } from "../../foundation/count.ts";
import { crewOf } from "../primitives/shadows/crew.ts";
import { memberNamed } from "../talk/find-members.ts";
import type { Demand } from "../talk/hear-turn.ts";
import { plainKeyword, plainSignal } from "../talk/plain-answer.ts";
import { runTalk, type TalkPattern } from "../talk/run-talk.ts";
import { fallbackKey, faultsOfFallback, takeoverIn } from "../talk/takeover.ts";
import type { Role } from "../talk/talk-turn.ts";
import { memberReports, unfinishedOf } from "../talk/woken-group.ts";
import { talkWhenWoken } from "../talk/woken-talk.ts";
import { renderConvention } from "./conventions/convention.ts";
import { leadConvention, teamMemberConvention } from "./conventions/hierarchical-convention.ts";

type Place = "lead" | "coordinator" | "worker";

/** Who reports to whom, by id, in the order of the definition. */
interface Tree {
  readonly lead: string;
  /** In the tree only once the lead has failed: then in its place. */
  readonly fallback: string | undefined;
  readonly below: (agent: string) => readonly string[];
  readonly above: (agent: string) => string | undefined;
  readonly place: (agent: string) => Place;
}

const block = z.strictObject({
  fallback: fallbackKey.describe(
    "Who takes the place of the lead once that has failed; in no team before. Default: nobody, and the run has failed.",
  ),
});

const pattern: TalkPattern = {
  members,
  role: roleOf,
  metadata,
  talk: (talk) => {
    const { lead, place, fallback } = treeOf(talk.definition);
    return talkWhenWoken(talk, {
      closer: lead,
      fallback,
      role: (agent) => roleOf(talk.definition, agent),
      demand: (agent) => DEMANDS[place(agent)],
      isLead: (agent) => place(agent) !== "worker",
      startsWhenWritten: false,
    });
  },
};

const DEMANDS: { readonly [place in Place]: Demand } = {
  lead: { kinds: ["done"], form: "DONE: <what all of you came to>", plain: plainKeyword("done") },
  coordinator: {
    kinds: ["team_done"],
    form: "TEAM_DONE: <what your team came to>",
    plain: plainKeyword("team_done"),
  },
  worker: { kinds: ["done"], form: "DONE: <what came of it>", plain: plainSignal("done") },
};

/** A tree of lead, coordinators and workers: each level reports to the one above, and the lead's DONE ends it all. */
export const hierarchicalPattern = definePattern({
  name: "hierarchical",
  summary: "Teams of workers under coordinators, who report to one lead",
  block,
  onFailure: "continue",
  order: "mode",
  members,
  metadata,
  check,
  turns,
  links: (definition) => {
    const { lead, below, fallback } = treeOf(definition);
    const orders = crewOf(definition.agents).flatMap(({ id: from }) =>
      from === fallback ? [] : below(from).map((to) => ({ from, to, kind: "order" as const })),
    );
    return fallback === undefined
      ? orders
      : [...orders, { from: lead, to: fallback, kind: "fallback" }];
  },
  run: (context, definition) => runTalk(context, definition, pattern),
});

function members(definition: PatternDefinition): readonly AgentSpec[] {
  const { above, below, place, lead, fallback } = treeOf(definition);
  return definition.agents.map((agent) => {
    if (agent.shadow !== undefined) return agent;
    // Its session lasts as long as the pattern, and the pattern alone gives it turns.
    const { session: _session, ...spec } = agent;
    const superior = above(agent.id);
    const siblings = superior === undefined ? [] : below(superior);
    const reserve = superior === lead ? (fallback ?? []) : [];
    const near = [superior ?? [], reserve, siblings, below(agent.id)].flat();
    const writesTo = [...near.filter((id) => id !== agent.id), "user", "#"];
    const signals = place(agent.id) === "coordinator" ? ["team_done"] : [];
    const isAbove = place(agent.id) !== "worker";
    return { ...spec, wakes: "reports", writesTo, signals, ...(isAbove ? { spawns: true } : {}) };
  });
}

function metadata(
  definition: PatternDefinition,
  advances: readonly PatternAdvance[],
): ReturnType<TalkPattern["metadata"]> {
  const { place, lead, fallback } = treeOf(definition);
  const takeover = takeoverIn(advances);
  const reports = memberReports(definition, advances).filter(
    ({ agent }) => agent !== fallback || takeover !== undefined,
  );
  const tree = reports.map(({ agent, reportsTo, status, summary, spawned }) => {
    return { agent, role: spawned ? "worker" : place(agent), reportsTo, status, summary };
  });
  const others = reports.filter(({ agent }) => agent !== lead && agent !== fallback);
  return { tree, unfinished: unfinishedOf(others) };
}

/** Everybody takes one turn at least, and may be woken until a bound is broken. */
function turns(definition: PatternDefinition): TurnEstimate {
  const { place, fallback } = treeOf(definition);
  const agents = crewOf(definition.agents).filter(({ id }) => id !== fallback);
  const { turnsPerAgent } = definition.bounds ?? {};
  const sizeOf = (wanted: Place) => agents.filter(({ id }) => place(id) === wanted).length;
  const parts = `1 lead + ${count(sizeOf("coordinator"), "coordinator")} + ${count(sizeOf("worker"), "worker")}`;
  const reserve = fallback === undefined ? "" : " + 1 fallback if the lead fails";
  const most = turnsPerAgent === undefined ? "" : `, at most ${turnsPerAgent} times each`;
  return {
    least: agents.length,
    // Those that lead may ask for more agents, whose turns nothing here bounds.
    most: null,
    basis: `${parts}${reserve}, woken by messages${most}`,
  };
}

function roleOf(definition: PatternDefinition, agent: string): Role {
  const { above, below, place } = treeOf(definition);
  const isDriven = definition.steps.length === 0;
  const superior = above(agent);
  if (place(agent) === "worker") {
    const others = below(superior ?? "").filter((id) => id !== agent);
    const params = { above: superior ?? "", others, isDriven };
    return {
      marker: "DONE",
      convention: (facts) => renderConvention(teamMemberConvention, { ...facts, ...params }),
    };
  }
  const teams = below(agent).map((id) => ({ agent: id, team: below(id) }));
  const params = { above: superior, below: teams, isDriven };
  return {
    marker: superior === undefined ? "DONE" : "TEAM_DONE",
    convention: (facts) => renderConvention(leadConvention, { ...facts, ...params }),
  };
}

function treeOf(definition: PatternDefinition): Tree {
  const fallback = fallbackOf(definition);
  const crew = crewOf(definition.agents).filter(({ id }) => id !== fallback);
  const above = (agent: string) => crew.find(({ id }) => id === agent)?.reportsTo;
  const lead = crew.find(({ reportsTo }) => reportsTo === undefined)?.id ?? "";
  const below = (agent: string) =>
    crew
      .filter(({ reportsTo }) => reportsTo === (agent === fallback ? lead : agent))
      .map(({ id }) => id);
  const place = (agent: string): Place => {
    if (agent === lead || agent === fallback) return "lead";
    const isCoordinator = crew.some(({ id, role }) => id === agent && role === "coordinator");
    return isCoordinator || below(agent).length > 0 ? "coordinator" : "worker";
  };
  return { lead, fallback, above, below, place };
}

function fallbackOf({ agents, options }: PatternDefinition): string | undefined {
  const { fallback } = block.parse(options);
  return fallback === undefined ? undefined : memberNamed(crewOf(agents), fallback)?.id;
}

function check(definition: PatternDefinition): readonly PatternFault[] {
  const { fallback: named } = block.parse(definition.options);
  const everybody = crewOf(definition.agents);
  const fallback = fallbackOf(definition);
  const crew = everybody.filter(({ id }) => id !== fallback);
  const roots = crew.filter(({ reportsTo }) => reportsTo === undefined);
  const [lead, ...others] = roots;
  if (lead === undefined)
    return [
      {
        problem: "nobody leads: every agent reports to another",
        hint: "leave reportsTo out for one agent",
      },
    ];
  const second = others.map(({ id }): PatternFault => {
    const problem = `agents "${lead.id}" and "${id}" both report to nobody`;
    return { agent: id, problem, hint: `write reportsTo: ${lead.id}` };
  });
  return [
    ...faultsOfFallback(definition, everybody, { named, of: lead.id }),
    ...second,
    ...crew.flatMap((agent) => faultOf(agent, { crew, lead: lead.id })),
  ];
}

/** What is wrong with the place of one agent in the tree. */
function faultOf(
  { id, role, reportsTo }: AgentSpec,
  { crew, lead }: { readonly crew: readonly AgentSpec[]; readonly lead: string },
): readonly PatternFault[] {
  const fault = (problem: string, hint: string) => [{ agent: id, problem, hint }];
  if (reportsTo !== undefined && !crew.some((agent) => agent.id === reportsTo))
    return fault(
      `agent "${id}" reports to "${reportsTo}", who takes no part`,
      "name an agent of this file",
    );
  if (!leadsTo(crew, id, lead) && reportsTo !== undefined)
    return fault(
      `agent "${id}" reports in a circle, never to "${lead}"`,
      "let somebody in it report to the lead",
    );
  const hasTeam = crew.some((agent) => agent.reportsTo === id);
  if (id === lead)
    return role === undefined || role === "lead" || role === "hub"
      ? []
      : fault(`agent "${id}" reports to nobody, but its role is ${role}`, "write role: lead");
  if (role === "lead" || role === "hub")
    return fault(
      `agent "${id}" has the role ${role}, but reports to "${reportsTo}"`,
      "write role: coordinator",
    );
  return hasTeam && role !== undefined && role !== "coordinator"
    ? fault(`agents report to "${id}", whose role is ${role}`, "write role: coordinator")
    : [];
}

/** Whether the way up from an agent comes to the lead, or to another who reports to nobody. */
function leadsTo(crew: readonly AgentSpec[], agent: string, lead: string): boolean {
  const seen = new Set<string>();
  for (let at: string | undefined = agent; at !== undefined; ) {
    if (at === lead) return true;
    if (seen.has(at)) return false;
    seen.add(at);
    const above: AgentSpec | undefined = crew.find(({ id }) => id === at);
    if (above === undefined || above.reportsTo === undefined) return true;
    at = above.reportsTo;
  }
  return true;
}
