import type { AgentFunction } from "../../src/contracts/agent-function.ts";
import type { PatternDefinition } from "../../src/contracts/definition.ts";
import type { StepSpec } from "../../src/contracts/step.ts";
import { appendToLedger } from "./ledger.ts";

/** The workflow that is killed: scripts that talk, commands with effects, a retry, a check, a function. */
export function crashWorkflow(ledger: string): PatternDefinition {
  const env = { LEDGER: ledger };
  return {
    format: 1,
    shape: "pattern",
    name: "crash",
    pattern: "dag",
    params: {},
    agents: [
      { id: "planner", backend: "script", settings: { script: PLANNER } },
      { id: "builder", backend: "command", env, settings: { command: work() } },
      { id: "flaky", backend: "command", env, settings: { command: work(FAIL_ONCE) } },
      { id: "thinker", backend: "function" },
      { id: "reporter", backend: "script", settings: { script: REPORTER } },
    ],
    steps: [
      step({ id: "plan", agent: "planner", dependsOn: [] }),
      step({ id: "left", agent: "builder", dependsOn: ["plan"] }),
      step({ id: "right", agent: "builder", dependsOn: ["plan"] }),
      step({ id: "shaky", agent: "flaky", dependsOn: ["plan"], maxAttempts: 3, retryDelayMs: 5 }),
      step({
        id: "check",
        agent: "builder",
        dependsOn: ["left", "right"],
        verify: [verifyCommand(ledger)],
      }),
      step({ id: "think", agent: "thinker", dependsOn: ["shaky"] }),
      step({ id: "polish", agent: "builder", dependsOn: ["check"] }),
      step({
        id: "report",
        agent: "reporter",
        dependsOn: ["polish", "think"],
        prompt: "Report {{steps.polish.output}} and {{steps.think.output}}",
      }),
    ],
    barriers: [],
    onFailure: "continue",
    channel: "main",
    options: {},
  };
}

/** The function that the thinker is. */
export function thinker(ledger: string): AgentFunction {
  return async ({ key, step = "", previousError, post }) => {
    const attempt = previousError === undefined ? 1 : 2;
    appendToLedger(ledger, { mark: "start", key, step, attempt });
    await post({ text: "thinking about it", to: ["reporter"] });
    appendToLedger(ledger, { mark: "end", key, step, attempt });
    return "thought";
  };
}

const PLANNER = [
  {
    do: [
      { send: { to: "reporter", text: "a plan is coming" } },
      { permission: { tool: "Bash", input: { command: "ls" } } },
      { usage: { inputTokens: 10, outputTokens: 5 } },
      { send: { to: "#main", text: "the plan is settled" } },
    ],
    say: "DONE: planned",
  },
];

const REPORTER = [{ expect: "did polish", say: "DONE: all of it is done" }];

// By what went wrong before: the number of the attempt rises with every start, also after a crash.
const FAIL_ONCE = `test -n "$TROUPE_PREVIOUS_ERROR" || { echo "not yet" >&2; exit 3; }; `;

/** Tells the ledger of its start and its end. Processes die here, not the machine: nothing needs a sync. */
function work(between = ""): string {
  const tell = (mark: string) =>
    `printf '${mark} %s %s %s\\n' "$TROUPE_IDEMPOTENCY_KEY" "$TROUPE_STEP" "$(test -z "$TROUPE_PREVIOUS_ERROR"; echo $((1 + $?)))" >> "$LEDGER"; `;
  return `${tell("start")}sleep 0.01; ${between}${tell("end")}echo "did $TROUPE_STEP"`;
}

function verifyCommand(ledger: string): StepSpec["verify"][number] {
  return { kind: "command", command: `grep -q "^end .* left " '${ledger}'`, expectExit: 0 };
}

type StepDraft = Pick<StepSpec, "id" | "agent" | "dependsOn"> & Partial<StepSpec>;

function step(draft: StepDraft): StepSpec {
  return {
    maxAttempts: 1,
    retryDelayMs: 0,
    verify: [],
    fallback: [],
    ...draft,
  };
}
