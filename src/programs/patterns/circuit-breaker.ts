import { z } from "zod";
import type { PatternDefinition } from "../../contracts/definition.ts";
import {
  definePattern,
  type PatternAdvance,
  type PatternFault,
} from "../../contracts/ports/pattern.ts";
import type { StepSpec } from "../../contracts/step.ts";
import { isDuration, parseDuration } from "../../foundation/duration.ts";
import type { Json } from "../../foundation/json.ts";
import { Breaker } from "../primitives/breaker.ts";
import { Moves } from "../primitives/moves.ts";
import { runSteps } from "../primitives/run-steps.ts";
import { crewOf } from "../primitives/shadows/crew.ts";
import type { StepGraphOptions } from "../primitives/step-graph.ts";
import { dependenciesIn, stepOrder } from "../primitives/step-order.ts";
import { faultsOfNames, memberNamed } from "../talk/find-members.ts";
import { guardedConvention } from "./conventions/circuit-breaker-convention.ts";
import { renderConvention } from "./conventions/convention.ts";

const DEFAULTS = { threshold: 3, cooldown: "1m" };

const block = z.strictObject({
  agent: z
    .string()
    .min(1)
    .optional()
    .describe("Whose steps are guarded. Default: the first agent."),
  threshold: z
    .int()
    .min(1)
    .max(100)
    .optional()
    .describe(`Failed steps one after the other that open it. Default: ${DEFAULTS.threshold}.`),
  cooldown: z
    .string()
    .refine(isDuration, "it is no duration, such as 30s or 2m")
    .optional()
    .describe(`How long nobody asks the agent then. Default: ${DEFAULTS.cooldown}.`),
  fallback: z
    .string()
    .min(1)
    .optional()
    .describe(
      "Who does what the agent fails, and all of its steps while the breaker is open. Default: nobody; its steps wait.",
    ),
});

interface Guard {
  readonly agent: string;
  readonly fallback: string | undefined;
  readonly threshold: number;
  readonly cooldownMs: number;
}

/** Steps whose agent is left alone for a while once it fails again and again. */
export const circuitBreakerPattern = definePattern({
  name: "circuit-breaker",
  summary: "An agent that fails again and again is left alone for a while, and a fallback works",
  block,
  onFailure: "continue",
  order: "mode",
  check,
  metadata: (_definition, advances) => reportOf(advances),
  turns: () => ({ least: 0, most: 0, basis: "those of its steps" }),
  run: async (context, definition) => {
    const moves = new Moves(context, definition);
    const guard = guardOf(definition);
    const result = await runSteps(context, definition, {
      dependsOn: dependenciesIn(stepOrder({ order: "mode" }, definition.mode), definition.steps),
      around: guardedBy(guard, (data) => moves.note("breaker", data)),
      convention: (_step, facts) =>
        renderConvention(guardedConvention, {
          ...facts,
          guarded: guard.agent,
          fallback: guard.fallback,
        }),
      metadata: () => ({}),
    });
    return { ...result, metadata: reportOf(moves.noted) };
  },
});

function guardedBy(
  { agent, fallback, threshold, cooldownMs }: Guard,
  tell: (data: Json) => void,
): NonNullable<StepGraphOptions["around"]> {
  const breaker = new Breaker({
    ...{ threshold, cooldownMs },
    onChange: (status, failures) => tell({ agent, status, failures }),
  });
  return async (branch, step, execute) => {
    if (step.agent !== agent) return execute(step);
    if (fallback === undefined) await breaker.untilLetThrough(branch);
    else if (!breaker.isLetThrough(branch.now())) return execute({ ...step, agent: fallback });
    let verdict: Parameters<Breaker["over"]>[0] = "none";
    try {
      const result = await execute(helpedBy(step, fallback));
      if (result.status === "failed") verdict = "failed";
      if (result.status === "completed") verdict = result.agent === agent ? "done" : "failed";
      return result;
    } finally {
      breaker.over(verdict, branch.now());
    }
  };
}

function helpedBy(step: StepSpec, fallback: string | undefined): StepSpec {
  if (fallback === undefined || step.fallback.includes(fallback)) return step;
  return { ...step, fallback: [...step.fallback, fallback] };
}

function guardOf({ options, agents }: PatternDefinition): Guard {
  const { agent, fallback, threshold, cooldown } = block.parse(options);
  const crew = crewOf(agents);
  const idOf = (name: string) => memberNamed(crew, name)?.id ?? name;
  return {
    agent: agent === undefined ? (crew[0]?.id ?? "") : idOf(agent),
    fallback: fallback === undefined ? undefined : idOf(fallback),
    threshold: threshold ?? DEFAULTS.threshold,
    cooldownMs: parseDuration(cooldown ?? DEFAULTS.cooldown),
  };
}

function check(definition: PatternDefinition): readonly PatternFault[] {
  const given = block.parse(definition.options);
  const crew = crewOf(definition.agents);
  const faults = [
    ...faultsOfNames("agent", given.agent === undefined ? [] : [given.agent], crew),
    ...faultsOfNames("fallback", given.fallback === undefined ? [] : [given.fallback], crew),
  ];
  if (faults.length > 0) return faults;
  const { agent, fallback } = guardOf(definition);
  if (agent === fallback)
    return [
      {
        key: "fallback",
        problem: `${agent} would stand in for itself`,
        hint: "name another agent",
      },
    ];
  if (definition.steps.some((step) => step.agent === agent)) return [];
  return [
    {
      problem: `a circuit breaker guards the steps of ${agent}, which has none`,
      hint: "add steps, or name another agent: agent",
    },
  ];
}

const note = z.object({ status: z.string(), failures: z.number() });

function reportOf(advances: readonly PatternAdvance[]) {
  const changes = advances.flatMap(({ kind, data }) =>
    kind === "breaker" ? [note.parse(data)] : [],
  );
  const opened = changes.filter(({ status }) => status === "open").length;
  return { breaker: changes.at(-1)?.status ?? "closed", opened };
}
