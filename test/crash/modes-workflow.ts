import type { StepsDefinition } from "../../src/contracts/definition.ts";
import type { TestAgent } from "../../src/testing/define-test-workflow.ts";
import { defineStepWorkflow, type TestFlowStep } from "../../src/testing/run-workflow-in-memory.ts";

type FlowSettings = NonNullable<TestFlowStep["settings"]>;

/**
 * Modes as steps: a series that another agent sums up, beside each other a team with a task of a person and a step whose
 * fallback does it, rounds of a collaboration, and what they all came to.
 */
export function modesWorkflow(ledger: string): StepsDefinition {
  const talk = (id: string, says: string, more: Partial<TestAgent> = {}): TestAgent => ({
    ...{ id, backend: "command", env: { LEDGER: ledger } },
    settings: { command: `${tell("start")}${tell("end")}${says}` },
    ...more,
  });
  const mode = (id: string, settings: FlowSettings): TestFlowStep => ({
    ...{ id, type: "pattern", settings },
  });
  return defineStepWorkflow({
    name: "modes",
    agents: [
      talk("dev", 'echo "DONE: $TROUPE_STEP"'),
      talk("scribe", "echo 'it went well'"),
      talk(
        "lead",
        `if grep -q 'There are no tasks' "$TROUPE_TASK_FILE"; then printf -- '- [ ] size\\n- [ ] sign (owner: user)\\n'; else echo 'DONE: both'; fi`,
        { role: "lead" },
      ),
      talk("hand", "echo 'DONE: 3 files'"),
      talk("broken", "exit 3"),
      talk("solo", "echo 'DONE: alone'"),
      talk("chief", "echo 'DONE: together'", { spawns: true }),
    ],
    steps: [
      {
        ...mode("polish", {
          pattern: "iterate",
          agents: ["dev", "scribe"],
          task: "Polish it",
          iterate: { count: 2, summarizer: "model" },
        }),
        routes: { next: "both" },
      },
      {
        ...{ id: "both", type: "parallel", routes: { next: "rounds" } },
        steps: [
          mode("build", {
            pattern: "team",
            agents: ["lead", "hand"],
            task: "Build it",
            team: { max_workers: 1 },
          }),
          {
            id: "ask",
            type: "agent",
            settings: { agent: "broken", fallback: ["solo"], prompt: "x" },
          },
        ],
      },
      {
        ...{ id: "rounds", type: "loop", settings: { times: 2, on_failure: "continue" } },
        steps: [mode("round", { pattern: "collab", agents: ["chief"], task: "Talk about it" })],
        routes: { next: "sum" },
      },
      {
        ...{ id: "sum", type: "transform" },
        settings: {
          transform:
            "[context.polish.output, context.build.output, context.ask.result, context.rounds.succeeded]",
        },
      },
    ],
  });
}

/** Tells the ledger. Processes die here, not the machine: nothing needs a sync. */
function tell(mark: string): string {
  return `echo "${mark} $TROUPE_IDEMPOTENCY_KEY $TROUPE_AGENT $TROUPE_ATTEMPT" >> "$LEDGER"; `;
}
