import type { PatternDefinition } from "../../src/contracts/definition.ts";
import type { StepSpec } from "../../src/contracts/step.ts";

/** Three steps that are undone because the fourth fails; undoing the second one fails too. */
export function sagaWorkflow(ledger: string): PatternDefinition {
  const env = { LEDGER: ledger };
  const told = (command: string) => ({ command: `${tell("start")}${tell("end")}${command}`, env });
  const step = (id: string, command: string, undo: string): StepSpec => ({
    id,
    ...{ dependsOn: [], maxAttempts: 1, retryDelayMs: 0, verify: [], fallback: [] },
    run: told(command),
    compensate: { timeoutMs: 60_000, run: told(undo) },
  });
  return {
    format: 1,
    shape: "pattern",
    name: "saga",
    pattern: "saga",
    params: {},
    agents: [],
    steps: [
      step("one", "echo 1", "printf 'undone %s' {{steps.one.output}}"),
      step("two", "echo 2", "exit 3"),
      step("three", "echo 3", "printf 'undone %s' {{steps.three.output}}"),
      step("four", "exit 4", "echo never"),
    ],
    barriers: [],
    onFailure: "abort",
    channel: "main",
    options: {},
  };
}

function tell(mark: string): string {
  return `echo "${mark} $TROUPE_IDEMPOTENCY_KEY $TROUPE_STEP $TROUPE_ATTEMPT" >> "$LEDGER"; `;
}
