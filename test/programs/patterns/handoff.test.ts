import { expect, test } from "vitest";
import type { AgentFunction } from "../../../src/contracts/agent-function.ts";
import { createMemoryStore } from "../../../src/journal/memory-store.ts";
import { handoffPattern } from "../../../src/programs/patterns/handoff.ts";
import {
  defineTestWorkflow,
  type TestWorkflow,
} from "../../../src/testing/define-test-workflow.ts";
import {
  resumeInMemory,
  runWorkflowInMemory,
} from "../../../src/testing/run-workflow-in-memory.ts";
import { promptsOf } from "./talk-runs.ts";

const desk: TestWorkflow = {
  pattern: "handoff",
  agents: [{ id: "triage" }, { id: "billing" }, { id: "tech" }],
  turns: { maxAttempts: 1, retryDelayMs: 0 },
};

test("the holder hands the task over until somebody finishes it; HANDOFF counts before DONE [PAT-handoff, PAT-output.answer, PAT-handoff-2.turn, PAT-handoff-2.report]", async () => {
  const run = await runWorkflowInMemory(desk, {
    task: "refund my order",
    turns: {
      triage: [{ say: "It is about money.\nHANDOFF: billing an invoice" }],
      billing: [{ say: "HANDOFF: @Tech the page fails" }, { say: "DONE: refunded" }],
      tech: [{ say: "I fixed the page.\nDONE: fixed\nHANDOFF: billing it works now" }],
    },
  });
  expect(run.outcome).toBe("completed");
  expect(run.result).toMatchObject({
    output: "refunded",
    metadata: {
      path: ["triage", "billing", "tech", "billing"],
      handoffs: [
        { from: "triage", to: "billing", reason: "an invoice", by: "signal" },
        { from: "billing", to: "tech", reason: "the page fails", by: "signal" },
        { from: "tech", to: "billing", reason: "it works now", by: "signal" },
      ],
      finishedBy: "billing",
      loops: [],
    },
  });
});

test("a receiver is told all that was answered before; one that holds again hears only what is new [PAT-handoff-2.history]", async () => {
  const prompts: string[] = [];
  const billing: AgentFunction = ({ prompt }) => {
    prompts.push(prompt);
    return prompts.length === 1 ? "HANDOFF: tech look" : "DONE: refunded";
  };
  await runWorkflowInMemory(
    { ...desk, agents: [{ id: "triage" }, { id: "billing", backend: "function" }, { id: "tech" }] },
    {
      task: "refund my order",
      functions: { billing },
      turns: {
        triage: [{ say: "About money.\nHANDOFF: billing an invoice" }],
        tech: [{ say: "Page fixed.\nHANDOFF: billing done here" }],
      },
    },
  );
  const shown = prompts.map((prompt) => ({
    task: prompt.includes("refund my order"),
    triage: prompt.includes("About money.\n\nHanded over: an invoice"),
    tech: prompt.includes("Page fixed.\n\nHanded over: done here"),
    left: /(\d) hand-overs? left/.exec(prompt)?.[1],
  }));
  expect(shown).toEqual([
    { task: true, triage: true, tech: false, left: "4" },
    // A function remembers nothing of its turn before.
    { task: true, triage: false, tech: true, left: "2" },
  ]);
});

test("a receiver has goal, part and all answers; a session that holds again is told only what is new [PAT-handoff-2.history]", async () => {
  const agents = [{ id: "triage" }, { id: "billing", task: "the invoices" }, { id: "tech" }];
  const run = await runWorkflowInMemory(
    { ...desk, agents },
    {
      task: "refund my order",
      turns: {
        triage: [{ say: "About money.\nHANDOFF: tech an error" }],
        tech: [{ say: "No error.\nHANDOFF: billing an invoice" }, { say: "HANDOFF: billing done" }],
        billing: [{ say: "HANDOFF: tech once more" }, { say: "DONE: refunded" }],
      },
    },
  );
  expect(run.result?.output).toBe("refunded");
  const shown = promptsOf(run, "billing").map((prompt) => ({
    goal: prompt.includes("refund my order"),
    part: prompt.includes("the invoices"),
    triage: prompt.includes("About money.\n\nHanded over: an error"),
    tech: prompt.includes("No error.\n\nHanded over: an invoice"),
    again: prompt.includes("Handed over: done"),
  }));
  expect(shown).toEqual([
    { goal: true, part: true, triage: true, tech: true, again: false },
    { goal: false, part: false, triage: false, tech: false, again: true },
  ]);
});

test("answers are told up to 256 KiB: the middle is left out, and it is said [PAT-handoff-2.history]", async () => {
  const long = `begin ${"x".repeat(300_000)} end`;
  const run = await runWorkflowInMemory(desk, {
    task: "help",
    turns: {
      triage: [{ say: `${long}\nHANDOFF: tech a bug` }],
      tech: [{ say: "DONE: fixed" }],
    },
  });
  const [prompt = ""] = promptsOf(run, "tech");
  expect(prompt).toMatch(/begin x+\n… \d+ characters are left out here …\nx+ end/);
  const [told = ""] = /begin[\s\S]*end\n\nHanded over: a bug/.exec(prompt) ?? [];
  expect(told.length).toBeGreaterThan(262_144);
  expect(told.length).toBeLessThan(262_300);
});

test("a task for nobody goes to the fallback, else back to the entry, and is counted [PAT-handoff, PAT-handoff-2.unknown, PAT-handoff-2.report]", async () => {
  const turns = {
    triage: [
      { say: "HANDOFF: sales who else" },
      { expect: 'handed over to "sales", who cannot take the task', say: "DONE: myself" },
    ],
    tech: [{ expect: 'triage handed over to "sales"', say: "DONE: by tech" }],
  };
  const back = await runWorkflowInMemory(desk, { task: "help", turns });
  expect(back.result).toMatchObject({
    output: "myself",
    metadata: { path: ["triage", "triage"], handoffs: [{ by: "return" }] },
  });
  const moved = back.state.advances.filter(({ kind }) => kind === "handoff");
  expect(moved).toMatchObject([{ data: { left: 4 } }]);
  const options = { fallback: "tech" };
  const fallen = await runWorkflowInMemory({ ...desk, options }, { task: "help", turns });
  expect(fallen.result).toMatchObject({
    output: "by tech",
    metadata: { path: ["triage", "tech"], handoffs: [{ by: "fallback" }], finishedBy: "tech" },
  });
});

test("without hand-overs left a HANDOFF is refused once, then the limit is reached [PAT-handoff, PAT-ends.asks, PAT-ends.completed, PAT-ends.limit, PAT-handoff-2.limit, PAT-handoff-2.report, PAT-handoff-2.budget]", async () => {
  const workflow = { ...desk, options: { maxHandoffs: 3 } };
  const again = { say: "HANDOFF: billing yours" };
  const triage = [again, again, { say: "DONE: all right" }];
  const billing = [{ say: "HANDOFF: triage yours" }, { say: "HANDOFF: triage yours" }];
  const finished = await runWorkflowInMemory(workflow, {
    task: "help",
    turns: { triage, billing: [...billing.slice(1), { say: "DONE: fine" }] },
  });
  expect(finished.outcome).toBe("completed");
  expect(finished.result).toMatchObject({
    metadata: { loops: ["triage-billing-triage-billing"], finishedBy: "billing" },
  });
  const over = await runWorkflowInMemory(workflow, {
    task: "help",
    budget: { handoffs: 9 },
    turns: { triage, billing: [...billing, ...billing] },
  });
  expect(over.outcome).toBe("limit-reached");
  expect(over.all("run-ended")[0]?.reason).toBe(
    "billing would not finish: all 3 hand-overs are used",
  );
  expect(over.result).toMatchObject({ metadata: { finishedBy: null } });
});

test("a holder that fails gives its task to the fallback; without one the run has failed [PAT-fail.essential, PAT-handoff-2.limit]", async () => {
  const turns = { triage: [{ say: "FAILED: no idea" }], tech: [{ say: "DONE: by tech" }] };
  const options = { fallback: "tech" };
  const fallen = await runWorkflowInMemory({ ...desk, options }, { task: "help", turns });
  expect(fallen.result).toMatchObject({ output: "by tech", metadata: { finishedBy: "tech" } });
  const failed = await runWorkflowInMemory(desk, { task: "help", turns });
  expect(failed.outcome).toBe("failed");
  expect(failed.all("run-ended")[0]?.reason).toContain("triage held the task: ");
});

test("a holder without a signal is reminded once [PAT-handoff-2.turn]", async () => {
  const run = await runWorkflowInMemory(desk, {
    task: "help",
    turns: {
      triage: [{ say: "hm" }, { say: "HANDOFF: tech it is a bug" }],
      tech: [{ say: "DONE: x" }],
    },
  });
  expect(run.result).toMatchObject({ output: "x", metadata: { path: ["triage", "tech"] } });
  expect(run.all("turn-completed")).toHaveLength(3);
});

test("a program finishes with what it prints, unless that is a HANDOFF [PAT-plain.answers]", async () => {
  const command = (text: string) => ({ backend: "command", settings: { command: `echo ${text}` } });
  const run = await runWorkflowInMemory(
    {
      ...desk,
      agents: [
        { id: "triage", ...command("HANDOFF: tech a bug") },
        { id: "tech", ...command("all good") },
      ],
    },
    { task: "help" },
  );
  expect(run.result).toMatchObject({ output: "all good", metadata: { finishedBy: "tech" } });
});

test("the tool hands over as the line does, and says how often it can be done again [PRM-files-2.tools, PRM-files-2.answers]", async () => {
  const hand = (agent: string) => ({
    do: [{ call: { tool: "handoff", arguments: { agent, reason: "yours" } } }],
    say: "I looked at it.",
  });
  const run = await runWorkflowInMemory(
    { ...desk, options: { maxHandoffs: 1 } },
    {
      task: "help",
      turns: { triage: [hand("@tech")], tech: [{ ...hand("triage"), say: "DONE: by tech" }] },
    },
  );
  expect(run.result).toMatchObject({ output: "by tech", metadata: { path: ["triage", "tech"] } });
  const answers = run.all("tool-returned").map(({ isError, result }) => ({ isError, result }));
  expect(answers).toEqual([
    { isError: false, result: JSON.stringify({ counted: true, agent: "tech", left: 0 }) },
    { isError: true, result: expect.stringContaining("no hand-over is left") },
  ]);
});

test("the budget of a run counts its hand-overs: one beyond it stops the run, which goes on with more [LIM-1.hand-offs, PAT-handoff-2.budget]", async () => {
  const store = createMemoryStore();
  const run = await runWorkflowInMemory(desk, {
    store,
    task: "help",
    budget: { handoffs: 1 },
    turns: {
      triage: [{ say: "HANDOFF: tech a bug" }],
      tech: [{ say: "HANDOFF: billing an invoice" }],
      billing: [{ say: "DONE: refunded" }],
    },
  });
  expect(run.outcome).toBe("limit-reached");
  expect(run.all("run-ended")[0]?.reason).toContain("stopped at 1 hand-over (max_handoffs)");
  expect(run.all("turn-started").map(({ agent }) => agent)).toEqual(["triage", "tech"]);
  const resumed = await resumeInMemory(run.id, { store, limits: { budget: { handoffs: 2 } } });
  const over = await resumed.over();
  expect(over.result).toMatchObject({
    output: "refunded",
    metadata: { path: ["triage", "tech", "billing"], finishedBy: "billing" },
  });
});

test("a run that is cut short shows who held the task until then [PAT-cut.metadata]", async () => {
  const run = await runWorkflowInMemory(desk, {
    task: "help",
    budget: { turns: 1 },
    turns: { triage: [{ say: "HANDOFF: tech a bug" }], tech: [{ say: "DONE: x" }] },
  });
  expect(run.outcome).toBe("limit-reached");
  expect(run.result).toMatchObject({ metadata: { path: ["triage", "tech"], finishedBy: null } });
});

test("its block names agents that there are, once each", () => {
  const options = { entryPoint: "nobody", routes: [{ agent: "tech" }, { agent: "Tech" }] };
  const faults = handoffPattern.check?.(defineTestWorkflow({ ...desk, options }));
  expect(faults).toMatchObject([
    { key: "entryPoint", problem: 'entryPoint names "nobody", who is no agent' },
    { key: "routes", problem: 'routes names "Tech" twice' },
  ]);
});

test("its estimate is one turn, or all hand-overs and one more that is told to finish [PAT-handoff-2.limit]", () => {
  expect(handoffPattern.turns?.(defineTestWorkflow(desk))).toEqual({
    least: 1,
    most: 7,
    basis: "1 to 6 holders + 1 that is told to finish",
  });
});
