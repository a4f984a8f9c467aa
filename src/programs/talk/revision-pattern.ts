import type { AgentSpec } from "../../contracts/agent.ts";
import type { PatternDefinition } from "../../contracts/definition.ts";
import { definePattern, type Pattern, type PatternFault } from "../../contracts/ports/pattern.ts";
import { count } from "../../foundation/count.ts";
import { present } from "../../foundation/present.ts";
import { renderConvention } from "../patterns/conventions/convention.ts";
import {
  revisionAuthorConvention,
  revisionReviewerConvention,
} from "../patterns/conventions/revision-convention.ts";
import { crewOf } from "../primitives/shadows/crew.ts";
import { faultsOfBounds, faultsOfNames, memberNamed, ofRoleOrAll } from "./find-members.ts";
import { type RevisionPlan, revise, revisionReport } from "./revision.ts";
import type { RevisionKind } from "./revision-kind.ts";
import { givenTurns, runTalk, type TalkPattern } from "./run-talk.ts";
import type { Role } from "./talk-turn.ts";

/** Declares such a pattern. */
export function toRevisionPattern(kind: RevisionKind): Pattern {
  const planOf = (definition: PatternDefinition) => toPlan(kind, definition);
  const pattern: TalkPattern = {
    members: (definition) => {
      const { reviewers } = planOf(definition);
      // Steps post the signal that ends them.
      const writesTo = definition.steps.length === 0 ? { writesTo: [] } : {};
      return givenTurns(definition.agents, ({ id }) => ({
        ...writesTo,
        signals: reviewers.includes(id) ? ["vote"] : [],
      }));
    },
    role: (definition, agent) => planOf(definition).role(agent),
    metadata: (_definition, advances) => revisionReport(advances),
    talk: (talk) => revise(talk, planOf(talk.definition)),
  };
  const { name, summary, block, blockKey } = kind;
  return definePattern({
    ...{ name, summary, block, ...present({ blockKey }) },
    goalKey: "goal",
    onFailure: "continue",
    order: "mode",
    members: pattern.members,
    metadata: pattern.metadata,
    check: (definition) => faultsOf(kind, definition),
    turns: (definition) => {
      const { reviewers, maxRounds } = planOf(definition);
      const each = 1 + reviewers.length;
      const basis = `1 author + ${count(reviewers.length, "reviewer")}, 1 to ${count(maxRounds, "time")}`;
      return { least: each, most: each * maxRounds, basis };
    },
    links: (definition) => {
      const { author, reviewers } = planOf(definition);
      return reviewers.map((to) => ({ from: author, to, kind: "signal" as const }));
    },
    run: (context, definition) => runTalk(context, definition, pattern),
  });
}

function toPlan(kind: RevisionKind, { options, agents }: PatternDefinition): RevisionPlan {
  const given = kind.read(options);
  const crew = crewOf(agents);
  const idOf = (name: string) => memberNamed(crew, name)?.id ?? name;
  const named = given.reviewers?.map(idOf);
  const author = given.author === undefined ? defaultAuthor(crew, named) : idOf(given.author);
  const others = crew.filter(({ id }) => id !== author);
  const reviewers = named ?? ofRoleOrAll(others, "reviewer").map(({ id }) => id);
  const maxRounds = given.maxRounds ?? kind.defaultRounds;
  const plan = { author, reviewers, maxRounds, look: kind.look };
  return { ...plan, role: (agent) => roleIn(kind, plan, agent) };
}

/** The first who looks at nothing. */
function defaultAuthor(crew: readonly AgentSpec[], reviewers: readonly string[] = []): string {
  const makers = crew.filter(({ id, role }) => role !== "reviewer" && !reviewers.includes(id));
  return makers[0]?.id ?? "";
}

function roleIn(kind: RevisionKind, plan: Omit<RevisionPlan, "role">, agent: string): Role {
  const { author, reviewers, maxRounds } = plan;
  const { place, rules } = kind;
  const isAuthor = agent === author;
  const params = {
    place,
    author,
    reviewers,
    maxRounds,
    own: isAuthor ? rules.author : rules.reviewer,
  };
  const template = isAuthor ? revisionAuthorConvention : revisionReviewerConvention;
  return {
    marker: isAuthor ? "DONE" : "VOTE",
    convention: (facts) => renderConvention(template, { ...facts, ...params }),
  };
}

function faultsOf(kind: RevisionKind, definition: PatternDefinition): readonly PatternFault[] {
  const { keys } = kind;
  const given = kind.read(definition.options);
  const crew = crewOf(definition.agents);
  const { author, reviewers } = toPlan(kind, definition);
  const faults = [
    ...faultsOfNames(keys.author, given.author === undefined ? [] : [given.author], crew),
    ...faultsOfNames(keys.reviewers, given.reviewers ?? [], crew),
    ...faultsOfBounds(definition, { [keys.bound]: given.maxRounds }),
  ];
  if (faults.length > 0) return faults;
  if (author === "")
    return [
      { problem: "everybody looks, and nobody makes anything", hint: `name one: ${keys.author}` },
    ];
  if (reviewers.includes(author))
    return [
      {
        key: keys.reviewers,
        problem: `${author} would look at its own work`,
        hint: "name another agent",
      },
    ];
  if (reviewers.length === 0)
    return [
      {
        problem: `nobody looks at what ${author} makes`,
        hint: `add an agent, and name it: ${keys.reviewers}`,
      },
    ];
  if (kind.isAlone && reviewers.length > 1)
    return [
      {
        problem: `one alone looks at it, and ${reviewers.join(", ")} could`,
        hint: `name one: ${keys.reviewers}`,
      },
    ];
  return [];
}
