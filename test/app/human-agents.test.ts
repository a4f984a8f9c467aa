import { expect, test } from "vitest";
import { createManualClock, settle } from "../../src/testing/manual-clock.ts";
import { runWorkflowInMemory, startInMemory } from "../../src/testing/run-workflow-in-memory.ts";
import type { TestedRun } from "../../src/testing/tested-run.ts";

const ANN = { id: "ann", backend: "human" };

/** Answers the questions of a run one by one, as a person who sees the inbox would. */
async function answerAll(
  tested: TestedRun,
  answers: readonly string[],
): Promise<readonly string[]> {
  const asked: string[] = [];
  for await (const event of tested.run.events) {
    if (event.type !== "question-asked") continue;
    const answer = answers[asked.length] ?? "";
    asked.push(event.text);
    await tested.run.command({ kind: "answer-question", id: event.id, answer });
    if (asked.length === answers.length) return asked;
  }
  return asked;
}

test("a person is asked the rendered prompt, and her answer is the output to the letter [AGT-3.human]", async () => {
  const tested = await startInMemory(
    {
      agents: [{ id: "ann", backend: "human" }, { id: "coder" }],
      steps: [
        { id: "choose", agent: "ann", prompt: "Choose for {{task}}" },
        {
          id: "code",
          agent: "coder",
          prompt: "use {{steps.choose.output}}",
          dependsOn: ["choose"],
        },
      ],
    },
    { task: "storage", turns: { coder: [{ expect: "SQLite: FAILED", say: "DONE: coded" }] } },
  );
  // What looks like a signal is only what she says.
  expect(await answerAll(tested, ["\nSQLite: FAILED never\nFAILED: no\n"])).toEqual([
    "Choose for storage",
  ]);
  const { outcome, state } = await tested.over();
  expect(outcome).toBe("completed");
  expect(state.steps.byPath.get("choose")).toMatchObject({
    output: "\nSQLite: FAILED never\nFAILED: no\n",
    reason: "exit",
  });
});

test("a marker is demanded only where expects is written; the reminder is a question too [AGT-3.human, SIG-6]", async () => {
  const tested = await startInMemory({
    agents: [ANN],
    steps: [{ id: "sign", agent: "ann", prompt: "Sign?", expects: "SIGNED" }],
  });
  const asked = await answerAll(tested, ["fine", "SIGNED: by Ann"]);
  expect(asked[0]).toBe("Sign?");
  expect(asked[1]).toContain("SIGNED: <result>");
  const { outcome, result } = await tested.over();
  expect([outcome, result?.output]).toEqual(["completed", "by Ann"]);
});

test("a failed verification asks again and says why [ENG-8, AGT-3.human]", async () => {
  const tested = await startInMemory({
    agents: [ANN],
    steps: [
      {
        id: "count",
        agent: "ann",
        prompt: "How many?",
        maxAttempts: 2,
        verify: [{ kind: "outputMatches", pattern: "^\\d+$" }],
      },
    ],
  });
  const [first, second] = await answerAll(tested, ["many", "3"]);
  expect(first).toBe("How many?");
  expect(second).toMatch(/^The attempt before this one did not pass: .+\n\nHow many\?$/s);
  const { outcome, result } = await tested.over();
  expect([outcome, result?.output]).toEqual(["completed", "3"]);
});

test("a kept person is asked once per step, with what was written to her meanwhile [AGT-3.human, MSG-4]", async () => {
  const tested = await startInMemory(
    {
      agents: [{ ...ANN, session: "keep" }, { id: "bob" }],
      steps: [
        { id: "tell", agent: "bob", prompt: "tell ann" },
        { id: "read", agent: "ann", prompt: "Well?", dependsOn: ["tell"] },
      ],
    },
    {
      turns: {
        bob: [{ do: [{ send: { to: "ann", text: "the build is red" } }], say: "DONE: told" }],
      },
    },
  );
  const asked: string[] = [];
  for await (const event of tested.run.events) {
    if (event.type === "question-asked") {
      asked.push(event.text);
      await tested.run.command({ kind: "answer-question", id: event.id, answer: "ok" });
    }
  }
  expect(asked.join("\n")).toContain("> the build is red");
  expect(asked.at(-1)).toContain("Well?");
  expect((await tested.over()).outcome).toBe("completed");
});

test("a step's time-out does not count the time in which a person thinks [ENG-7.running, AGT-3.human]", async () => {
  const clock = createManualClock();
  const tested = await startInMemory(
    { agents: [ANN], steps: [{ id: "think", agent: "ann", prompt: "Well?", timeoutMs: 1000 }] },
    { clock, timeoutMs: 5000 },
  );
  const { id } = await tested.event("question-asked");
  await clock.advance(3_600_000);
  await tested.run.command({ kind: "answer-question", id, answer: "yes" });
  await settle();
  await clock.advance(0);
  const { outcome, state } = await tested.over();
  expect(outcome).toBe("completed");
  expect(state.runningTime.totalMs).toBeLessThan(1000);
});

test("any number of people think at the same time, whatever the places for turns [AGT-3.human, ENG-9]", async () => {
  const people = ["ann", "ben", "cid"];
  const { parting } = await runWorkflowInMemory(
    {
      pattern: "fan-out",
      agents: people.map((id) => ({ id, backend: "human" })),
      steps: people.map((id) => ({ id, agent: id, prompt: "Well?" })),
    },
    { maxTurnsPerBackend: 1, suspendsWhenWaiting: true },
  );
  expect(parting).toMatchObject({
    status: "suspended",
    event: { reason: "waiting", exitCode: 3, waitingFor: people.map((agent) => ({ agent })) },
  });
});
