import type { StepsDefinition } from "../../src/contracts/definition.ts";
import { defineTestWorkflow, type TestAgent } from "../../src/testing/define-test-workflow.ts";
import { defineStepWorkflow } from "../../src/testing/run-workflow-in-memory.ts";

/** Two children side by side, each with a child of its own, and a step after them: nine turns with effects. */
export function familyWorkflow(ledger: string): StepsDefinition {
  const builder = builderOf(ledger);
  const leaf = defineTestWorkflow({
    name: "leaf",
    pattern: "dag",
    agents: [builder],
    steps: [
      { id: "dig", agent: "builder", prompt: "dig" },
      { id: "fill", agent: "builder", prompt: "fill", dependsOn: ["dig"] },
    ],
  });
  const middle = defineStepWorkflow({
    name: "middle",
    agents: [builder],
    steps: [
      { id: "begin", type: "agent", settings: { agent: "builder" }, routes: { next: "below" } },
      {
        id: "below",
        type: "workflow",
        settings: { workflow: "leaf" },
        routes: { next: "close" },
      },
      { id: "close", type: "agent", settings: { agent: "builder" } },
    ],
    workflows: { leaf },
  });
  return defineStepWorkflow({
    name: "family",
    agents: [builder],
    steps: [
      {
        id: "both",
        type: "parallel",
        routes: { next: "after" },
        steps: [
          { id: "left", type: "workflow", settings: { workflow: "middle" } },
          { id: "right", type: "workflow", settings: { workflow: "middle" } },
        ],
      },
      { id: "after", type: "agent", settings: { agent: "builder" } },
    ],
    workflows: { middle },
  });
}

/** Turns that the whole family takes. */
export const FAMILY_TURNS = 9;

function builderOf(ledger: string): TestAgent {
  const tell = (mark: string) =>
    `printf '${mark} %s %s %s\\n' "$TROUPE_IDEMPOTENCY_KEY" "$TROUPE_STEP" "$TROUPE_ATTEMPT" >> "$LEDGER"; `;
  return {
    id: "builder",
    backend: "command",
    env: { LEDGER: ledger },
    settings: { command: `${tell("start")}sleep 0.01; ${tell("end")}echo "did $TROUPE_STEP"` },
  };
}
