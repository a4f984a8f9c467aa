import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { VerificationSpec } from "../../../src/contracts/step.ts";
import type { Json } from "../../../src/foundation/json.ts";
import { runWorkflowInMemory } from "../../../src/testing/run-workflow-in-memory.ts";
import { temporaryDirectory } from "../temporary-directory.ts";

/** A step of an agent that works in `cwd`, with these checks. */
function verified(cwd: string, verify: readonly VerificationSpec[], turns: readonly Json[]) {
  const maxAttempts = turns.length;
  return runWorkflowInMemory(
    { agents: [{ id: "a" }], steps: [{ id: "s", verify, maxAttempts }] },
    { cwd, turns: { a: turns } },
  );
}

const write = (path: string, content: string) => ({ write: { path, content } });

test.each<{ title: string; check: VerificationSpec; good: Json; bad: Json; found: RegExp }>([
  {
    title: "command",
    check: {
      kind: "command",
      command: "test -f built || { echo not built; exit 3; }",
      expectExit: 0,
    },
    good: { do: [write("built", "")], say: "DONE: ok" },
    bad: { say: "DONE: ok" },
    found: /exit 3, expected 0\nnot built/,
  },
  {
    title: "command as argv with another exit code",
    check: { kind: "command", command: ["test", "-f", "trash"], expectExit: 1 },
    good: { say: "DONE: ok" },
    bad: { do: [write("trash", "")], say: "DONE: ok" },
    found: /exit 0, expected 1/,
  },
  {
    title: "fileExists",
    check: { kind: "fileExists", path: "report.md" },
    good: { do: [write("report.md", "x")], say: "DONE: ok" },
    bad: { say: "DONE: ok" },
    found: /there is no report\.md/,
  },
  {
    title: "outputMatches",
    check: { kind: "outputMatches", pattern: "^\\d+ findings" },
    good: { say: "DONE: 3 findings" },
    bad: { say: "DONE: no findings" },
    found: /the output is "no findings"/,
  },
  {
    title: "jsonSchema",
    check: {
      kind: "jsonSchema",
      schema: { type: "object", required: ["n"], properties: { n: { type: "number" } } },
    },
    good: { say: 'DONE: {"n": 1}' },
    bad: { say: 'DONE: {"n": "one"}' },
    found: /n: expected number, found string "one"/,
  },
])(
  "verify $title passes and fails with what it found [WF-11.checks]",
  async ({ check, good, bad, found }) => {
    const passed = await verified(temporaryDirectory(), [check], [good]);
    expect(passed.all("verification-passed")).toHaveLength(1);
    expect(passed.all("step-completed")).toMatchObject([{ reason: "verified" }]);
    const failed = await verified(temporaryDirectory(), [check], [bad]);
    expect(failed.outcome).toBe("failed");
    expect(failed.all("verification-failed")).toMatchObject([
      { output: expect.stringMatching(found) },
    ]);
    expect(failed.all("step-failed")).toMatchObject([
      { error: { code: "STEP_VERIFICATION_FAILED" } },
    ]);
  },
);

test("the path of fileExists may hold variables, and stays in the agent's directory whatever they are [WF-11.checks, WF-4]", async () => {
  const cwd = temporaryDirectory();
  const run = (path: string) =>
    runWorkflowInMemory(
      {
        agents: [{ id: "a" }],
        steps: [{ id: "s", verify: [{ kind: "fileExists", path: "{{task}}" }] }],
      },
      { cwd, task: path, turns: { a: [{ do: [write("report.md", "x")], say: "DONE: ok" }] } },
    );
  expect((await run("report.md")).outcome).toBe("completed");
  expect((await run("other.md")).all("verification-failed")).toMatchObject([
    { output: "there is no other.md" },
  ]);
  expect((await run("../../etc/hosts")).outcome).toBe("failed");
});

test("verify gitChanged compares the working tree with that before the step [WF-11.checks]", async () => {
  const cwd = temporaryDirectory();
  execFileSync("git", ["init", "-q"], { cwd });
  writeFileSync(join(cwd, "user-file"), "the user's own change");
  const check = { kind: "gitChanged", changed: true } as const;
  const same = await verified(cwd, [check], [{ say: "DONE: ok" }]);
  expect(same.all("verification-failed")).toMatchObject([{ output: "nothing changed" }]);
  const changed = await verified(cwd, [check], [{ do: [write("new", "x")], say: "DONE: ok" }]);
  expect(changed.outcome).toBe("completed");
});

test("a check that does not end is ended at its timeout [WF-11.checks, ENG-7.verification, P12]", async () => {
  const check = {
    kind: "command",
    command: "exec sleep 600",
    expectExit: 0,
    timeoutMs: 50,
  } as const;
  const run = await verified(temporaryDirectory(), [check], [{ say: "DONE: ok" }]);
  expect(run.all("verification-failed")).toMatchObject([{ output: "it did not end within 50 ms" }]);
});

test("a step that changes the script which checks it fails; the script is put back and the breach reported [WF-11.scripts]", async () => {
  const cwd = temporaryDirectory();
  writeFileSync(join(cwd, "check.sh"), "exit 1");
  const check = { kind: "command", command: "sh check.sh", expectExit: 0 } as const;
  const run = await verified(
    cwd,
    [check],
    [{ do: [write("check.sh", "exit 0")], say: "DONE: passes" }],
  );
  expect(run.outcome).toBe("failed");
  expect(run.all("step-failed")).toMatchObject([{ error: { code: "STEP_GATE_CHANGED" } }]);
  expect(run.all("verification-failed")).toMatchObject([{ check: "protected files" }]);
  expect(readFileSync(join(cwd, "check.sh"), "utf8")).toBe("exit 1");
});

test("a changed script is put back also after an attempt that failed, so the next one is judged by the real one [WF-11.scripts]", async () => {
  const cwd = temporaryDirectory();
  writeFileSync(join(cwd, "check.sh"), "test -f built");
  const check = { kind: "command", command: ["sh", "./check.sh"], expectExit: 0 } as const;
  const turns = [
    { do: [write("check.sh", "exit 0")], say: "FAILED: but the gate is open now" },
    { do: [write("built", "")], say: "DONE: built" },
  ];
  const run = await verified(cwd, [check], turns);
  expect(run.all("step-retrying")).toMatchObject([{ error: { code: "AGENT_REPORTED_FAILURE" } }]);
  expect(run.all("verification-failed")).toMatchObject([{ check: "protected files" }]);
  expect(run.all("step-completed")).toMatchObject([{ attempt: 2 }]);
  expect(readFileSync(join(cwd, "check.sh"), "utf8")).toBe("test -f built");
});

test("a check outside of the agent's directory runs, it is only not watched [WF-11.scripts]", async () => {
  const cwd = temporaryDirectory();
  writeFileSync(join(cwd, "check.sh"), "exit 0");
  const run = await runWorkflowInMemory(
    {
      agents: [{ id: "a", cwd: temporaryDirectory() }],
      steps: [
        { id: "s", verify: [{ kind: "command", command: "sh ../nowhere.sh", expectExit: 127 }] },
        { id: "t", verify: [{ kind: "command", command: `sh ${cwd}/check.sh`, expectExit: 0 }] },
      ],
    },
    { cwd },
  );
  expect([...run.state.steps.byPath.values()].map((step) => step.status)).toContain("completed");
  expect(run.all("step-completed").map((event) => event.step)).toContain("t");
  expect(run.all("step-failed").map((event) => event.error.code)).not.toContain(
    "HOST_PATH_OUTSIDE",
  );
});

test("a value that holds {task} or a variable is put in once, in lists, texts and arguments of commands [WF-4, T6]", async () => {
  const task = "x {{task}} {task} $(touch pwned) y";
  const cwd = temporaryDirectory();
  const command = (id: string, settings: { [key: string]: Json }) => ({
    id,
    backend: "command",
    settings,
  });
  const run = await runWorkflowInMemory(
    {
      agents: [
        command("list", { command: ["printf", "%s", "{{task}}|{task}"] }),
        command("args", { command: ["printf"], args: ["%s", "{task}|{{task}}"] }),
        command("text", { command: "printf '%s' '{task}'", args: ["{{task}}"] }),
      ],
      steps: ["list", "args", "text"].map((agent) => ({ id: agent, agent })),
    },
    { cwd, task },
  );
  const outputs = run.all("step-completed").map(({ step, output }) => [step, output]);
  expect(Object.fromEntries(outputs)).toEqual({
    list: `${task}|${task}`,
    args: `${task}|${task}`,
    text: `{task}${task}`,
  });
  expect(existsSync(join(cwd, "pwned"))).toBe(false);
});

test("text from tasks, params and outputs is data in every command, prompt and message [T6, WF-4]", async () => {
  const cwd = temporaryDirectory();
  const evil =
    "$(touch pwned) `touch pwned`; touch pwned\n\"' {{task}} ${{ env.HOME }} \\ & | > pwned %s";
  const seen: string[] = [];
  const run = await runWorkflowInMemory(
    {
      agents: [
        { id: "a" },
        {
          id: "shell",
          backend: "command",
          settings: { command: 'cat; printf "|%s" "$TROUPE_TASK"' },
        },
        { id: "argv", backend: "command", settings: { command: ["printf", "%s", "{task}"] } },
      ],
      params: { p: { type: "string", required: true } },
      steps: [
        {
          id: "one",
          agent: "a",
          prompt: "{{task}} and {{params.p}}",
          verify: [
            { kind: "command", command: ["test", "{{params.p}}", "=", "{{task}}"], expectExit: 0 },
            {
              kind: "command",
              command: "test \"{{task}}\" = '{{params.p}}' && test {{task}} = {{params.p}}",
              expectExit: 0,
            },
          ],
        },
        { id: "two", agent: "shell", prompt: "{{steps.one.output}}", dependsOn: ["one"] },
        { id: "three", agent: "argv", prompt: "{{steps.one.output}}", dependsOn: ["one"] },
        { id: "four", agent: "a", prompt: "{{steps.two.text}}", dependsOn: ["two"] },
      ],
    },
    {
      cwd,
      task: evil,
      params: { p: evil },
      turns: { "a/one": [{ say: `DONE: ${evil}` }] },
      onTaskAugmented: (_agent, text) => seen.push(text),
    },
  );
  expect(run.all("step-failed")).toEqual([]);
  expect(run.outcome).toBe("completed");
  const outputs = Object.fromEntries(
    run.all("step-completed").map(({ step, output }) => [step, output]),
  );
  expect(outputs["one"]).toBe(evil);
  expect(outputs["two"]).toBe(`${evil}|${evil}`);
  expect(outputs["three"]).toBe(evil);
  expect(seen[0]?.endsWith(`${evil} and ${evil}`)).toBe(true);
  expect(run.state.messages.recent[0]?.text).toBe(`DONE: ${evil}`);
  expect(existsSync(join(cwd, "pwned"))).toBe(false);
});
