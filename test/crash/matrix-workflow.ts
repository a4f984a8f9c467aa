import type { PatternDefinition } from "../../src/contracts/definition.ts";
import type { StepSpec } from "../../src/contracts/step.ts";
import { expandMatrix } from "../../src/workflows/resolve/resolve-steps.ts";

/** A step with a matrix of four, two at a time, one of which fails; what comes after sees how each of them ended. */
export function matrixWorkflow(ledger: string): PatternDefinition {
  const tell = (mark: string) => `echo "${mark} $TROUPE_RUN $CASE $TROUPE_ATTEMPT" >> "$LEDGER"; `;
  const tested = step("test", {
    dependsOn: ["prepare"],
    run: {
      command: `${tell("start")}${tell("end")}echo $CASE; test $CASE != b2`,
      env: { LEDGER: ledger, CASE: "{{matrix.os}}{{matrix.node}}" },
    },
  });
  return {
    format: 1,
    shape: "pattern",
    name: "matrix",
    pattern: "dag",
    params: {},
    agents: [],
    steps: [
      step("prepare", { run: { command: "echo ready" } }),
      ...expandMatrix(tested, {
        id: "test",
        matrix: { os: ["a", "b"], node: [1, 2] },
        maxConcurrency: 2,
      }),
      step("report", {
        dependsOn: ["test"],
        runs: "always",
        run: { command: ["printf", "%s", "{{steps.test.results}}"] },
      }),
    ],
    barriers: [],
    onFailure: "continue",
    channel: "main",
    options: {},
  };
}

function step(id: string, more: Partial<StepSpec>): StepSpec {
  const plain = { dependsOn: [], maxAttempts: 1, retryDelayMs: 0, verify: [], fallback: [] };
  return { id, ...plain, ...more };
}
