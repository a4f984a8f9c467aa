import { existsSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createMachineAt } from "../../../src/app/machine/machine.ts";
import { readTestFile } from "../../../src/app/trial/read-test-file.ts";
import { runCase } from "../../../src/app/trial/run-case.ts";
import { expectRun } from "../../../src/testing/expect-run.ts";
import { playWorkflow } from "../../../src/testing/run-workflow-in-memory.ts";

const workflow = {
  name: "review",
  pattern: "dag",
  agents: [
    { id: "planner", backend: "claude" },
    { id: "coder", backend: "claude" },
    { id: "tests", backend: "command", command: ["test", "-s", "src/login.txt"] },
    { id: "boss", backend: "human" },
  ],
  steps: [
    { id: "plan", agent: "planner", prompt: "Plan: {{task}}" },
    {
      id: "code",
      agent: "coder",
      dependsOn: ["plan"],
      prompt: "Do it: {{steps.plan.output}}",
      maxAttempts: 2,
    },
    { id: "test", agent: "tests", dependsOn: ["code"] },
    { id: "ship", agent: "boss", dependsOn: ["test"], prompt: "Ship it?" },
  ],
  errorHandling: { retryDelay: "5m" },
  options: { timeout: "1d" },
};

const turns = {
  planner: [{ expect: "login page", say: "DONE: store the session first" }],
  coder: [
    { fail: { code: "OVERLOADED", retryable: true, message: "busy" } },
    {
      after: "40m",
      do: [
        { write: { path: "src/login.txt", content: "fixed\n" } },
        { usage: { inputTokens: 1000, outputTokens: 100, costUsd: 0.004 } },
      ],
      say: "DONE: the session is stored",
    },
  ],
};
const yes = { asked: "Ship", answer: "yes", after: "20m" };

function play(given: { readonly [key: string]: unknown }) {
  const source = {
    version: 1,
    workflow,
    cases: [{ name: "one", task: "the login page", ...given }],
  };
  const file = join(mkdtempSync(join(tmpdir(), "troupe-")), "one.test.yaml");
  const { content } = readTestFile(JSON.stringify(source), file);
  const [first] = content.cases;
  if (first === undefined) throw new Error("no case");
  const machine = createMachineAt({ cwd: tmpdir(), store: "memory" });
  return runCase(machine, {
    file,
    workflow: content.workflow,
    agents: content.agents,
    given: first,
  });
}

test("a case of hours with retries, a program, a person and a death of the process is played at once, and all that is expected holds [SDK-3]", async () => {
  const { run, differences, virtualMs } = await play({
    agents: turns,
    people: [yes],
    kill: [{ event: "step-completed", step: "plan" }],
    expect: {
      outcome: "completed",
      steps: { code: { status: "completed", attempts: 2, output: "stored" }, test: "completed" },
      order: ["plan", "code", "test", "ship"],
      agents: {
        planner: { turns: 1, said: "session", told: "the login page", signals: ["done"] },
        coder: { turns: 2, neverSaid: "sorry", files: ["src/login.txt"] },
      },
      messages: [{ from: "planner", text: "store" }, { from: "coder" }],
      asked: ["Ship it?"],
      files: { "src/login.txt": { equals: "fixed" }, "src/other.txt": null },
      costUsd: 0.004,
      tokens: { atLeast: 1100, atMost: 1100 },
      duration: { atLeast: "65m", atMost: "66m" },
      error: "OVERLOADED",
    },
  });
  expect(differences).toEqual([]);
  expect(run.deaths).toBe(1);
  expect(run.timersLeft).toBe(0);
  expect(virtualMs).toBeGreaterThanOrEqual(3_900_000);
}, 90_000);

test("all that is not as expected is told, each with its place in the expectation [SDK-3]", async () => {
  const { differences } = await play({
    agents: turns,
    people: [{ ...yes, answer: "no", after: "1m" }],
    expect: {
      outcome: "failed",
      reason: "broken",
      error: "OTHER",
      output: { matches: "^never$" },
      steps: { code: { status: "failed", attempts: 1, error: "X" }, none: "completed" },
      order: ["code", "plan"],
      agents: {
        coder: {
          turns: 1,
          said: ["stored", "sorry"],
          neverSaid: "stored",
          told: "lorem",
          files: ["x"],
        },
        nobody: {},
      },
      messages: [{ from: "coder", text: "hello" }],
      asked: ["Really?"],
      files: { "src/login.txt": null, "x.txt": "y" },
      turns: { atMost: 1 },
      costUsd: 1,
      tokens: 1,
      duration: { atMost: "1m" },
    },
  });
  expect(differences.map(({ path }) => path.join("."))).toEqual(PLACES);
});

const PLACES = [
  ...["outcome", "reason", "error", "output"],
  ...["steps.code.status", "steps.code.attempts", "steps.code.error", "steps.none", "order.1"],
  ...["agents.coder.turns", "agents.coder.said.1", "agents.coder.neverSaid", "agents.coder.told"],
  ...["agents.coder.files.0", "agents.nobody", "messages.0", "asked.0"],
  ...["files.src/login.txt", "files.x.txt", "turns", "costUsd", "tokens", "duration"],
];

test("a run that nobody decides on waits; a garbled, a crashed and a hanging agent are played as they are [SDK-3]", async () => {
  const waiting = await play({ agents: turns, expect: { outcome: "waiting" } });
  expect(waiting.differences).toEqual([]);
  const coder = [{ crash: true }, { hang: true }];
  const hung = await play({ agents: { ...turns, coder }, expect: { outcome: "timed-out" } });
  expect(hung.differences).toEqual([]);
  const endless = play({ agents: { ...turns, coder }, within: "1h" });
  await expect(endless).rejects.toMatchObject({
    code: "TEST_RUN_ENDLESS",
    message: expect.stringContaining("of coder goes on"),
  });
});

test("the directory of a case is prepared and removed, and what setup cannot do is told [SDK-3]", async () => {
  const prepared = await play({
    files: { "notes/a.txt": "a" },
    setup: ["cp notes/a.txt notes/b.txt"],
    agents: turns,
    people: [yes],
    expect: { files: { "notes/b.txt": "a" } },
  });
  expect(prepared.differences).toEqual([]);
  expect(existsSync(prepared.run.state.run.cwd)).toBe(false);
  const told = join(mkdtempSync(join(tmpdir(), "troupe-")), "cwd.txt");
  await expect(play({ setup: [`pwd > ${told}; exit 3`] })).rejects.toMatchObject({
    code: "TEST_SETUP_FAILED",
  });
  expect(existsSync(readFileSync(told, "utf8").trim())).toBe(false);
});

test("a test file that cannot be is told with the place of every mistake [SDK-3]", () => {
  const source = [
    "version: 1",
    "workflow: review.yaml",
    "cases:",
    "  - name: one",
    "    expekt: {}",
    "  - name: one",
    "    expect: { output: { matches: '(' }, outcome: fine }",
  ].join("\n");
  expect(() => readTestFile(source, "one.test.yaml")).toThrow(
    expect.objectContaining({
      code: "TEST_FILE_INVALID",
      message: expect.stringMatching(/5:5 {2}unknown key "expekt"[\s\S]*7:50 {2}cases/),
    }),
  );
  const valid = source.replace("expekt", "expect").replace(", outcome: fine", "");
  expect(() => readTestFile(valid, "one.test.yaml")).toThrow(/two cases are called "one"[\s\S]*\(/);
});

test("the same assertions are there in TypeScript, and one that does not hold says what was there instead [SDK-3]", async () => {
  const cwd = mkdtempSync(join(tmpdir(), "troupe-"));
  writeFileSync(join(cwd, "review.json"), JSON.stringify(workflow));
  const run = await playWorkflow("review.json", {
    cwd,
    task: "the login page",
    agents: turns,
    people: [yes],
  });
  const asserted = expectRun(run)
    .toHaveEnded()
    .toHaveSpoken("coder", "session")
    .toHaveTold("coder", "store the session")
    .toHaveSteps({ code: { attempts: 2 }, ship: "completed" })
    .toHaveOrder("plan", "ship")
    .toHavePosted({ from: "planner" }, { from: "coder", text: "stored" })
    .toHaveFile("src/login.txt", "fixed")
    .toHaveTurns("coder", 2)
    .toHaveCost({ atMost: 0.01 })
    .toHaveOutput("yes");
  expect(() => asserted.toHaveSpoken("coder", "sorry")).toThrow(
    expect.objectContaining({
      code: "TEST_EXPECTATION_FAILED",
      message: expect.stringMatching(/agents\.coder\.said: expected "sorry", got .*stored/),
    }),
  );
  expect(() => asserted.toBe({ turns: 99 })).toThrow(/turns: expected 99, got/);
});
