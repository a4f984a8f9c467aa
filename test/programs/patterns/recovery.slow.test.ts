import { expect, test } from "vitest";
import type { AgentFunction } from "../../../src/contracts/agent-function.ts";
import { defineError } from "../../../src/foundation/errors.ts";
import type { TestWorkflow } from "../../../src/testing/define-test-workflow.ts";
import { createCuttableStore } from "../../../src/testing/journal-cuts.ts";
import {
  resumeInMemory,
  runWorkflowInMemory,
  type TestProcess,
} from "../../../src/testing/run-workflow-in-memory.ts";
import type { FinishedRun } from "../../../src/testing/tested-run.ts";

const firstTry = defineError("TEST_FIRST_TRY", {
  message: () => "the first try fails",
  retryable: true,
  about: "Thrown by this test.",
});

/** What happened in the world outside, by idempotency key and attempt, in order. */
type Ledger = string[];

function functionsFor(ledger: Ledger): TestProcess["functions"] {
  const work: AgentFunction = async ({ agent, key, attempt, post, previousError }) => {
    ledger.push(`${key}@${attempt}`);
    await post({ text: `${agent} says @talker hello` });
    if (agent === "shaky" && previousError === undefined) throw firstTry({});
    return `${agent} did it`;
  };
  return { steady: work, shaky: work };
}

const workflow: TestWorkflow = {
  agents: [
    { id: "steady", backend: "function" },
    { id: "shaky", backend: "function" },
    { id: "talker" },
  ],
  steps: [
    { id: "one", agent: "steady" },
    { id: "two", agent: "shaky", maxAttempts: 2 },
    { id: "skipped", agent: "steady", dependsOn: ["one"], when: 'steps.one.status == "failed"' },
    { id: "three", agent: "talker", dependsOn: ["one", "two"], prompt: "{{steps.two.output}}" },
    {
      id: "checked",
      agent: "steady",
      dependsOn: ["skipped"],
      verify: [{ kind: "command", command: "true", expectExit: 0 }],
    },
    { id: "bad", agent: "talker", dependsOn: ["checked"] },
    { id: "blocked", agent: "steady", dependsOn: ["bad"] },
  ],
  barriers: [{ id: "heard", waitFor: ["talker"], signal: "HEARD", type: "all" }],
};

const turns = {
  "talker/three": [
    { do: [{ send: { to: "steady", text: "thanks" } }], say: "all good" },
    { say: "HEARD\nDONE: three" },
  ],
  "talker/bad": [{ say: "FAILED: no" }],
};

/** What must be the same whether or not an owner died on the way. */
function essence(run: FinishedRun) {
  const steps = [...run.state.steps.byPath.values()].map(
    ({ path, status, execution, attempt }) => ({
      path,
      status,
      execution,
      attempt,
    }),
  );
  const messages = run.state.messages.recent.map(({ from, text }) => `${from}: ${text}`);
  const {
    durationMs: _durationMs,
    agents,
    ...result
  } = run.result ?? { durationMs: 0, agents: [] };
  return {
    outcome: run.outcome,
    steps: steps.toSorted((left, right) => left.path.localeCompare(right.path)),
    messages: messages.toSorted(),
    result,
    agents: agents.map(({ name, exitReason, completedBy, summary }) => ({
      name,
      exitReason,
      completedBy,
      summary,
    })),
  };
}

test("a run that dies after any commit comes to the same end, each completed turn's effect happened once [ENG-2, ENG-3, MSG-3, P1, P2, P3]", async () => {
  const store = createCuttableStore();
  const ledger: Ledger = [];
  const whole = await runWorkflowInMemory(workflow, {
    store,
    turns,
    functions: functionsFor(ledger) ?? {},
  });
  const wanted = essence(whole);
  expect(wanted.outcome).toBe("failed");
  const commits = store.commits(whole.id);
  expect(commits.length).toBeGreaterThan(10);
  for (const seq of commits.slice(0, -1)) {
    const done = whole.events
      .filter((event) => event.seq <= seq)
      .flatMap((event) =>
        event.type === "turn-completed" && event.agent !== "talker" ? [event] : [],
      );
    const again: Ledger = [];
    const cut = await store.cutAfter(whole.id, seq);
    const resumed = await resumeInMemory(whole.id, {
      store: cut,
      functions: functionsFor(again) ?? {},
    });
    const over = await resumed.over();
    expect(essence(over), `after event ${seq}`).toEqual(wanted);
    expect(new Set(again).size, `after event ${seq}`).toBe(again.length);
    expect(again, `after event ${seq}`).toHaveLength(
      ledger.length - done.length - failedBefore(whole, seq),
    );
  }
}, 60_000);

/** Attempts of `shaky` that had failed by then: they are over, too. */
function failedBefore(run: FinishedRun, seq: number): number {
  return run.all("turn-failed").filter((event) => event.seq <= seq).length;
}
