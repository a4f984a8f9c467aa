import type { PatternDefinition } from "../../src/contracts/definition.ts";
import type { StepSpec } from "../../src/contracts/step.ts";

/** Agents that work side by side, and the steps that each of them has, one after the other. */
export const BUDGET_AGENTS = 5;
export const BUDGET_STEPS = 3;
/** What each turn costs, in USD. */
export const TURN_COST = 0.1;

/** Scripted agents whose turns take a moment and cost something. */
export function budgetWorkflow(): PatternDefinition {
  const agents = Array.from({ length: BUDGET_AGENTS }, (_, index) => `w${index}`);
  return {
    format: 1,
    shape: "pattern",
    name: "budget",
    pattern: "dag",
    params: {},
    agents: agents.map((id) => ({ id, backend: "script", settings: { script: SCRIPT } })),
    steps: agents.flatMap((agent) =>
      Array.from({ length: BUDGET_STEPS }, (_, index) => stepOf(agent, index)),
    ),
    barriers: [],
    onFailure: "continue",
    channel: "main",
    options: {},
  };
}

const SCRIPT = [
  {
    after: "10ms",
    do: [{ usage: { costUsd: TURN_COST, inputTokens: 100 } }, { run: "sleep 0.01" }],
    say: "DONE: paid",
  },
];

function stepOf(agent: string, index: number): StepSpec {
  return {
    id: `${agent}-${index}`,
    agent,
    prompt: "work",
    dependsOn: index === 0 ? [] : [`${agent}-${index - 1}`],
    maxAttempts: 1,
    retryDelayMs: 0,
    verify: [],
    fallback: [],
  };
}
