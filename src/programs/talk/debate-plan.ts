import { z } from "zod";
import type { PatternDefinition } from "../../contracts/definition.ts";
import type { PatternFault } from "../../contracts/ports/pattern.ts";
import type { Debating } from "../primitives/debate-end.ts";
import { crewOf } from "../primitives/shadows/crew.ts";
import {
  faultsOfBounds,
  faultsOfNames,
  memberNamed,
  ofRoleOrAll,
  onlyOfRole,
} from "./find-members.ts";
import { fallbackKey, faultsOfFallback } from "./takeover.ts";

const DEFAULT_ROUNDS = 3;
/** What a file says of `debate`. */
export const debateBlock = z.strictObject({
  topic: z.string().min(1).optional().describe("What is debated. Default: the task."),
  positions: z
    .record(z.string(), z.string().min(1))
    .optional()
    .describe(
      "Who debates, and what each defends. Default: agents of role debater, else all but the judge.",
    ),
  judge: z
    .string()
    .min(1)
    .optional()
    .describe("Who decides in the end. Default: the agent of role judge, if there is one."),
  maxRounds: z.int().min(1).max(100).optional().describe("Rounds at most. Default: 3."),
  earlyConvergence: z
    .boolean()
    .optional()
    .describe("Whether it ends once all who are left defend the same. Default: true."),
  fallback: fallbackKey.describe(
    "Who judges once the judge has failed; no debater. Default: nobody, and the run has failed.",
  ),
});

/** Who debates what, for how long. */
export interface DebatePlan extends Debating {
  readonly judge: string | undefined;
  /** Who judges once the judge has failed. */
  readonly fallback: string | undefined;
  readonly maxRounds: number;
}

/** Who debates and judges. */
export function planOf(definition: PatternDefinition): DebatePlan {
  const given = debateBlock.parse(definition.options);
  const members = crewOf(definition.agents);
  const judge = (
    given.judge === undefined ? onlyOfRole(members, "judge") : memberNamed(members, given.judge)
  )?.id;
  const positions = new Map(
    Object.entries(given.positions ?? {}).map(
      ([name, text]) => [memberNamed(members, name)?.id ?? name, text] as const,
    ),
  );
  const fallback = given.fallback && memberNamed(members, given.fallback)?.id;
  const others = members.filter(({ id }) => id !== judge && id !== fallback);
  const debaters =
    given.positions === undefined
      ? ofRoleOrAll(others, "debater")
      : members.filter(({ id }) => positions.has(id));
  return {
    debaters: debaters.map(({ id }) => id),
    judge,
    fallback,
    maxRounds: given.maxRounds ?? DEFAULT_ROUNDS,
    earlyConvergence: given.earlyConvergence ?? true,
    position: (agent) => positions.get(agent),
  };
}

/** What is wrong with who debates and judges. */
export function faultsOfDebate(definition: PatternDefinition): readonly PatternFault[] {
  const given = debateBlock.parse(definition.options);
  const { positions = {}, judge, maxRounds, earlyConvergence, fallback } = given;
  const members = crewOf(definition.agents);
  const plan = planOf(definition);
  const judges = members.filter(({ role }) => role === "judge");
  const faults: PatternFault[] = [
    ...faultsOfNames("positions", Object.keys(positions), members),
    ...(judge === undefined ? [] : faultsOfNames("judge", [judge], members)),
    ...faultsOfBounds(definition, { maxRounds, earlyConvergence }),
    ...faultsOfFallback(definition, members, { named: fallback, of: plan.judge }),
  ];
  if (judge === undefined && judges.length > 1)
    faults.push({
      problem: `${judges.length} agents have the role judge`,
      hint: "name one under judge",
    });
  for (const judging of [plan.judge, plan.fallback])
    if (judging !== undefined && plan.debaters.includes(judging))
      faults.push({ key: "positions", problem: `${judging} would debate and judge` });
  if (plan.debaters.length < 2)
    faults.push({
      problem: `a debate needs 2 debaters, there ${plan.debaters.length === 1 ? "is 1" : "are none"}`,
      hint: "write debate: { positions: { <agent>: <what it defends> } }",
    });
  return faults;
}
