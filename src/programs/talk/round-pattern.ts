import { z } from "zod";
import type { PatternDefinition } from "../../contracts/definition.ts";
import { definePattern, type Pattern } from "../../contracts/ports/pattern.ts";
import { count } from "../../foundation/count.ts";
import { renderConvention } from "../patterns/conventions/convention.ts";
import { crewOf } from "../primitives/shadows/crew.ts";
import { faultsOfBounds } from "./find-members.ts";
import { meet, type RoundKind, type RoundPlan, roundsReport } from "./rounds.ts";
import { givenTurns, runTalk, type TalkPattern } from "./run-talk.ts";

const DEFAULT_MAX_ROUNDS = 10;

const block = z.strictObject({
  goal: z.string().min(1).optional().describe("What all work toward. Default: the task."),
  maxRounds: z
    .int()
    .min(1)
    .max(1000)
    .optional()
    .describe(`Rounds at most; then all are asked for DONE. Default: ${DEFAULT_MAX_ROUNDS}.`),
});

/** Declares such a pattern. */
export function toRoundPattern(kind: RoundKind): Pattern {
  const pattern: TalkPattern = {
    members: ({ agents }) => givenTurns(agents, () => ({ signals: [] })),
    role: (definition) => toPlan(kind, definition).role,
    metadata: (_definition, advances) => roundsReport(advances),
    talk: (talk) => meet(talk, toPlan(kind, talk.definition)),
  };
  const { name, summary } = kind;
  return definePattern({
    ...{ name, summary, block },
    goalKey: "goal",
    onFailure: "continue",
    order: "mode",
    members: pattern.members,
    metadata: pattern.metadata,
    check: (definition) => {
      const { maxRounds } = block.parse(definition.options);
      return faultsOfBounds(definition, { maxRounds });
    },
    turns: (definition) => {
      const peers = crewOf(definition.agents).length;
      const { maxRounds } = toPlan(kind, definition);
      const basis = `${count(peers, "peer")} x (1 to ${count(maxRounds, "round")} + 1 that asks for DONE)`;
      return { least: peers, most: peers * (maxRounds + 1), basis };
    },
    links: ({ agents }) =>
      crewOf(agents).map(({ id: from }) => ({ from, to: "round", kind: "signal" })),
    run: (context, definition) => runTalk(context, definition, pattern),
  });
}

function toPlan(
  { convention, isNews, blocks }: RoundKind,
  definition: PatternDefinition,
): RoundPlan {
  const size = crewOf(definition.agents).length;
  const maxRounds = block.parse(definition.options).maxRounds ?? DEFAULT_MAX_ROUNDS;
  return {
    ...{ maxRounds, isNews, blocks },
    role: {
      marker: "DONE",
      convention: (facts) => renderConvention(convention, { ...facts, size, maxRounds }),
    },
  };
}
