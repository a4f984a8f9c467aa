import { z } from "zod";
import type { PatternDefinition } from "../../contracts/definition.ts";
import { errorText } from "../../contracts/failure.ts";
import { definePattern, type PatternAdvance } from "../../contracts/ports/pattern.ts";
import { count } from "../../foundation/count.ts";
import { present } from "../../foundation/present.ts";
import { crewOf } from "../primitives/shadows/crew.ts";
import { faultsOfNames, memberNamed } from "../talk/find-members.ts";
import { plainSignal } from "../talk/plain-answer.ts";
import { answeringOnly, runTalk, type TalkEnd, type TalkPattern } from "../talk/run-talk.ts";
import type { Said, Talk } from "../talk/talk.ts";
import type { Role, TurnCall } from "../talk/talk-turn.ts";
import { renderConvention } from "./conventions/convention.ts";
import { escalationConvention } from "./conventions/escalation-convention.ts";
import type { DataBlock } from "./conventions/marked-text.ts";

const block = z.strictObject({
  goal: z.string().min(1).optional().describe("What is done. Default: the task."),
  agents: z
    .array(z.string().min(1))
    .min(1)
    .optional()
    .describe("Who tries, one after the other. Default: all agents in their order."),
});

const pattern: TalkPattern = {
  members: answeringOnly,
  role: (definition, agent) => roleOf(definition, agent),
  metadata,
  talk: escalateFailures,
};

/** Agents try one after the other: the next one only when the one before has failed, and it is told why. */
export const escalationPattern = definePattern({
  name: "escalation",
  summary: "Who fails is followed by the next, who is told why",
  block,
  goalKey: "goal",
  onFailure: "continue",
  order: "mode",
  members: pattern.members,
  metadata,
  check: ({ options, agents }) =>
    faultsOfNames("agents", block.parse(options).agents ?? [], crewOf(agents)),
  turns: (definition) => {
    const { length } = ranksOf(definition);
    return { least: 1, most: length, basis: `1 to ${count(length, "agent")}` };
  },
  links: (definition) => {
    const ranks = ranksOf(definition);
    return ranks.slice(1).map((to, index) => ({
      ...{ from: ranks[index] ?? "", to },
      kind: "route" as const,
      label: "failed",
    }));
  },
  run: (context, definition) => runTalk(context, definition, pattern),
});

async function escalateFailures(talk: Talk): Promise<TalkEnd> {
  const failures: DataBlock[] = [];
  let last: Extract<Said, { status: "left" }> | undefined;
  for (const [index, agent] of ranksOf(talk.definition).entries()) {
    talk.advance("tried", { rank: index + 1, agent });
    const said = await talk.turn(callOf(talk, agent, failures));
    if (said?.status === "said") {
      talk.advance("done", { agent });
      const reason =
        index === 0 ? `${agent} did it` : `${agent} did it, after ${count(index, "failure")}`;
      return { outcome: "completed", reason, output: said.output };
    }
    if (said === undefined || talk.broken !== undefined)
      return {
        outcome: "limit-reached",
        reason: talk.broken ?? `the turn of ${agent} was cut off`,
      };
    last = said;
    failures.push({ label: `why ${agent} failed`, text: errorText(talk.definition, said.error) });
  }
  const reason = `all have failed: ${last?.error.message ?? "nobody tried"}`;
  return { outcome: "failed", reason, ...present({ error: last?.error }) };
}

function callOf({ definition }: Talk, agent: string, failures: readonly DataBlock[]): TurnCall {
  const before = failures.length === 0 ? "" : "Why those before you failed is above. ";
  return {
    agent,
    role: roleOf(definition, agent),
    now: `${before}Do the task, and end with a line \`DONE: <what came of it>\`. If you cannot, say \`FAILED: <why>\`: ${nextText(definition, agent)}.`,
    blocks: [...failures],
    demand: { kinds: ["done"], form: "DONE: <what came of it>", plain: plainSignal("done") },
    announce: "none",
  };
}

function nextText(definition: PatternDefinition, agent: string): string {
  const ranks = ranksOf(definition);
  const next = ranks[ranks.indexOf(agent) + 1];
  return next === undefined ? "nobody comes after you" : `then ${next} tries, and is told why`;
}

function ranksOf({ options, agents }: PatternDefinition): readonly string[] {
  const crew = crewOf(agents);
  const named = block.parse(options).agents;
  return named?.map((id) => memberNamed(crew, id)?.id ?? id) ?? crew.map(({ id }) => id);
}

function roleOf(definition: PatternDefinition, agent: string): Role {
  const ranks = ranksOf(definition);
  const params = {
    rank: ranks.indexOf(agent) + 1,
    of: ranks.length,
    next: nextText(definition, agent),
  };
  return {
    marker: "DONE",
    convention: (facts) => renderConvention(escalationConvention, { ...facts, ...params }),
  };
}

const notes = { tried: z.object({ agent: z.string() }), done: z.object({ agent: z.string() }) };

function metadata(
  _definition: PatternDefinition,
  advances: readonly PatternAdvance[],
): ReturnType<TalkPattern["metadata"]> {
  const of = (wanted: keyof typeof notes) =>
    advances.flatMap(({ kind, data }) =>
      kind === wanted ? [notes[wanted].parse(data).agent] : [],
    );
  return { tried: of("tried"), doneBy: of("done")[0] ?? null };
}
