import { z } from "zod";
import type { AgentSpec } from "../../contracts/agent.ts";
import type { PatternDefinition } from "../../contracts/definition.ts";
import {
  definePattern,
  type PatternAdvance,
  type PatternFault,
} from "../../contracts/ports/pattern.ts";
import { count } from "../../foundation/count.ts";
import { escapeTemplate } from "../language/templates/template.ts";
import { crewOf } from "../primitives/shadows/crew.ts";
import { type Contest, compete, contestReport } from "../talk/contest.ts";
import { faultsOfNames, memberNamed, onlyOfRole } from "../talk/find-members.ts";
import { givenTurns, runTalk, type TalkPattern } from "../talk/run-talk.ts";
import type { Role } from "../talk/talk-turn.ts";
import {
  candidateConvention,
  competitiveJudgeConvention,
} from "./conventions/competitive-convention.ts";
import { renderConvention } from "./conventions/convention.ts";

const block = z.strictObject({
  goal: z.string().min(1).optional().describe("What all do. Default: the task."),
  candidates: z
    .array(z.string().min(1))
    .min(1)
    .optional()
    .describe("Who competes. Default: all but the judge."),
  judge: z
    .string()
    .min(1)
    .optional()
    .describe("Who says which is best. Default: the only agent of role judge."),
  verify: z
    .string()
    .min(1)
    .optional()
    .describe("A shell command that must succeed where a candidate has worked, else it is out."),
  worktrees: z
    .boolean()
    .optional()
    .describe("Whether each candidate works in a git worktree of its own. Default: true."),
});

const pattern: TalkPattern = {
  members,
  role: roleOf,
  metadata: (_definition: PatternDefinition, advances: readonly PatternAdvance[]) =>
    contestReport(advances),
  isPlaced: ({ id, isolation }, definition) =>
    isolation === "worktree" && contestOf(definition).candidates.includes(id),
  talk: (talk) => compete(talk, contestOf(talk.definition)),
};

/** Candidates do the same at the same time, each where it disturbs nobody; the best that passes the check wins. */
export const competitivePattern = definePattern({
  name: "competitive",
  summary: "Candidates do the same, and a judge or a check says whose work is taken",
  block,
  goalKey: "goal",
  onFailure: "continue",
  order: "mode",
  members,
  metadata: pattern.metadata,
  check,
  turns: (definition) => {
    const { candidates, judge } = contestOf(definition);
    const least = candidates.length;
    const basis = `${count(candidates.length, "candidate")}${judge === undefined ? "" : " + 1 judge, who is asked twice at most"}`;
    return { least, most: judge === undefined ? least : least + 2, basis };
  },
  links: (definition) => {
    const { candidates, judge } = contestOf(definition);
    const to = judge ?? "verdict";
    return candidates.map((from) => ({ from, to, kind: "signal" as const }));
  },
  run: (context, definition) => runTalk(context, definition, pattern),
});

function members(definition: PatternDefinition): readonly AgentSpec[] {
  const { candidates, judge } = contestOf(definition);
  const { worktrees = true } = block.parse(definition.options);
  const writesTo = definition.steps.length === 0 ? { writesTo: [] } : {};
  const given = givenTurns(definition.agents, ({ id }) => ({
    ...writesTo,
    signals: id === judge ? ["verdict"] : [],
  }));
  return given.map((agent): AgentSpec => {
    const isKept = !worktrees || agent.isolation !== undefined || !candidates.includes(agent.id);
    return isKept ? agent : { ...agent, isolation: "worktree" };
  });
}

function contestOf(definition: PatternDefinition): Contest {
  const { candidates, judge, verify } = block.parse(definition.options);
  const crew = crewOf(definition.agents);
  const idOf = (name: string) => memberNamed(crew, name)?.id ?? name;
  const judging = judge === undefined ? onlyOfRole(crew, "judge")?.id : idOf(judge);
  const others = crew.map(({ id }) => id).filter((id) => id !== judging);
  return {
    candidates: candidates?.map(idOf) ?? others,
    judge: judging,
    check:
      verify === undefined
        ? undefined
        : { kind: "command", command: escapeTemplate(verify), expectExit: 0, tellsTests: true },
    role: (agent) => roleOf(definition, agent),
  };
}

function roleOf(definition: PatternDefinition, agent: string): Role {
  const { candidates, judge, check: checked } = contestOf(definition);
  const params = { candidates, judge, isChecked: checked !== undefined };
  const convention = agent === judge ? competitiveJudgeConvention : candidateConvention;
  return {
    marker: agent === judge ? "VERDICT" : "DONE",
    convention: (facts) => renderConvention(convention, { ...facts, ...params }),
  };
}

function check(definition: PatternDefinition): readonly PatternFault[] {
  const given = block.parse(definition.options);
  const crew = crewOf(definition.agents);
  const faults = [
    ...faultsOfNames("candidates", given.candidates ?? [], crew),
    ...faultsOfNames("judge", given.judge === undefined ? [] : [given.judge], crew),
  ];
  if (faults.length > 0) return faults;
  const { candidates, judge, check: checked } = contestOf(definition);
  if (judge !== undefined && candidates.includes(judge))
    return [{ key: "judge", problem: `${judge} would judge itself`, hint: "name another agent" }];
  if (candidates.length === 0) return [{ problem: "nobody competes", hint: "add agents" }];
  if (judge === undefined && checked === undefined)
    return [
      {
        problem: "nothing says who wins",
        hint: "name who judges (judge), or what must succeed (verify)",
      },
    ];
  return [];
}
