import { expect, test } from "vitest";
import { z } from "zod";
import { createMachineAt } from "../../src/app/machine/machine.ts";
import { readEvents } from "../../src/app/runs/run-events.ts";
import { call, createProject } from "./fake-io.ts";

// The assertion is on stdout and in the middle; the last lines of both streams say something else.
const TESTS =
  "seq 1 100; echo 'AssertionError: 6 is not 7'; seq 101 300; echo 'npm error path /project' >&2; exit 3";
const CAUSE = "AssertionError: 6 is not 7";

interface Shape {
  readonly shape: string;
  readonly file: string;
  readonly step: string;
  readonly code: string;
  readonly message: string;
}

const SHAPES: readonly Shape[] = [
  {
    shape: "a command step of a pattern",
    file: `name: a\npattern: dag\nsteps:\n  - { id: test, command: "${TESTS}" }\n`,
    step: "test",
    code: "STEP_SHELL_FAILED",
    message: `the command of step "test" ended with exit 3: ${CAUSE}`,
  },
  {
    shape: "an agent that is a command",
    file: `name: a\npattern: dag\nagents: [{ id: t, backend: command, command: "${TESTS}" }]\nsteps: [{ id: test, agent: t }]\n`,
    step: "test",
    code: "BACKEND_COMMAND_FAILED",
    message: `the command of agent "t" exited with 3: ${CAUSE}`,
  },
  {
    shape: "a check of a pattern's step",
    file: `name: a\npattern: dag\nsteps:\n  - id: test\n    command: "true"\n    verify: [{ command: "${TESTS}" }]\n`,
    step: "test",
    code: "STEP_VERIFICATION_FAILED",
    message: `step "test" did not pass its check \`${TESTS}\`: exit 3: ${CAUSE}`,
  },
  {
    shape: "a shell step",
    file: `id: a\nsteps:\n  - { id: test, type: shell, command: "${TESTS}" }\n`,
    step: "test",
    code: "STEP_SHELL_FAILED",
    message: `the command of step "test" ended with exit 3: ${CAUSE}`,
  },
  {
    shape: "a check of a step workflow's step",
    file: `id: a\nsteps:\n  - id: test\n    type: shell\n    command: "true"\n    verify: [{ command: "${TESTS}" }]\n`,
    step: "test",
    code: "STEP_VERIFICATION_FAILED",
    message: `step "test" did not pass its check \`${TESTS}\`: exit 3: ${CAUSE}`,
  },
  {
    shape: "an agent of a step workflow",
    file: `id: a\nagents: [{ id: t, backend: command, command: "${TESTS}" }]\nsteps: [{ id: test, type: agent, agent: t }]\n`,
    step: "test",
    code: "BACKEND_COMMAND_FAILED",
    message: `the command of agent "t" exited with 3: ${CAUSE}`,
  },
  {
    shape: "a setup command of a kickoff file",
    file: `name: a\nagents: { t: { backend: command, command: "echo hi" } }\nsetup: [{ shell: "${TESTS}" }]\nkickoff: "@t go"\n`,
    step: "setup-1",
    code: "WORKFLOW_SETUP_FAILED",
    message: `setup-1 ended with exit 3: \`${TESTS}\`: ${CAUSE}`,
  },
];

const streams = z.object({
  step: z.object({ exitCode: z.number(), stdout: z.string(), stderr: z.string() }),
});

test.each(SHAPES)(
  "the failure of $shape explains itself wherever people look [FAIL-1.kept, FAIL-5.people, FAIL-6.step, FAIL-6.json, FAIL-7.message]",
  async ({ file, step, code, message }) => {
    const cwd = createProject({ "a.yaml": file });
    const ran = await call(cwd, ["run", "a.yaml", "go"]);
    const [run = ""] = /run_\w{6}/.exec(ran.out + ran.err) ?? [];
    const report = [
      `${message} [${code}]`,
      "  | 1",
      "  | 2",
      "  | … 95 lines …",
      "  | 98",
      "  | 99",
      "  | 100",
      `  | ${CAUSE}`,
      "  | 101",
      "  | 102",
      "  | 103",
      "  | 104",
      "  | 105",
      "  | 106",
      "  | … 191 lines …",
      "  | 298",
      "  | 299",
      "  | 300",
      "  | npm error path /project",
      `  | all of it: troupe show ${run} --step ${step} --output`,
    ].join("\n");
    for (const command of [
      ["show", run],
      ["logs", run],
      ["logs", run, "--failed"],
    ]) {
      const { out } = await call(cwd, command);
      expect(out, command.join(" ")).toContain(report);
    }
    expect(ran.out + ran.err).toContain(report);
    expect(ran.out + ran.err).toMatch(/run +✖ failed: [\s\S]*\n/);
    expect(ran.out + ran.err).not.toContain("ended with exit 3: npm error path");
    expect((await call(cwd, ["away", "--since", "1h"])).out).toContain("AssertionError");
    const shown = await call(cwd, ["show", run, "--step", step]);
    expect(shown.out).toContain(
      `error   ${code}\n  ${message}\nreport\n  1\n  2\n  … 95 lines …\n`,
    );
    expect(shown.out).toContain(`all of it: troupe show ${run} --step ${step} --output`);
    const whole = await call(cwd, ["show", run, "--step", step, "--output"]);
    expect(whole.out).toMatch(
      /^stdout\n {2}1\n {2}2\n[\s\S]* {2}300\nstderr\n {2}npm error path \/project\n$/,
    );
    expect(whole.out.split("\n")).toHaveLength(305);
    const json = await call(cwd, ["show", run, "--step", step, "--json"]);
    const read = streams.parse(JSON.parse(json.out)).step;
    expect(read).toMatchObject({ exitCode: 3, stderr: expect.stringContaining("npm error path") });
    expect(read.stdout.split("\n").slice(0, 2)).toEqual(["1", "2"]);
    const failed = readEvents(createMachineAt({ cwd }), run).find(
      ({ type }) => type === "step-failed",
    );
    if (failed?.type !== "step-failed") throw new Error("no step failed");
    // Journals keep the message as it was always made: with the last line, or the end of all that was printed.
    expect(failed.error.message).toMatch(/npm error path \/project$/);
    // And the streams once.
    expect(JSON.stringify(failed.error.details).length).toBeLessThan(5000);
    expect(failed.failure).toMatchObject({ exitCode: 3, signal: null });
  },
);

test("further failures are told by their first line [FAIL-5.people]", async () => {
  const step = (id: string) => `  - { id: ${id}, command: "${TESTS}" }\n`;
  const cwd = createProject({
    "a.yaml": `name: a\npattern: dag\nsteps:\n${step("one")}${step("two")}`,
  });
  const { out } = await call(cwd, ["run", "a.yaml", "go"]);
  expect(out.match(/ {2}\| AssertionError/g)).toHaveLength(1);
  expect(out).toContain(`two: the command of step "two" ended with exit 3: ${CAUSE}`);
});

test("what a step prints is shown with its exit code when it is let pass [FAIL-6.json]", async () => {
  const command = "echo out; echo err >&2; exit 3";
  const cwd = createProject({
    "a.yaml": `name: a\npattern: dag\nsteps:\n  - { id: t, command: "${command}", allowFailure: true }\n`,
  });
  await call(cwd, ["run", "a.yaml", "go"]);
  const { out } = await call(cwd, ["show", "@last", "--step", "t", "--json"]);
  expect(JSON.parse(out).step).toMatchObject({
    status: "completed",
    outcome: "exit 3",
    exitCode: 3,
    stdout: "out",
    stderr: "err",
  });
  const both = await call(cwd, ["show", "@last", "--step", "t", "--output"]);
  expect(both.out).toBe("stdout\n  out\nstderr\n  err\n");
});

test("--output wants a step [FAIL-6.step]", async () => {
  const cwd = createProject({});
  expect(await call(cwd, ["show", "--output"])).toMatchObject({
    exitCode: 2,
    err: expect.stringContaining("--step ID"),
  });
});

test("a key that lies where the kept beginning of a long output ends is masked whole [FAIL-1.kept]", async () => {
  const key = `sk-ant-api03-${"abcdefghij0123456789".repeat(5)}`;
  // 16 KiB end within the key: the signs before it have three bytes each.
  const before = "seq 5455 | sed 's/.*/€/' | tr -d '\\n'";
  const check = `${before}; printf ' '; cat key.txt; seq 100000; exit 3`;
  const cwd = createProject({
    "key.txt": key,
    "a.yaml": `name: a\npattern: dag\nsteps:\n  - id: test\n    command: "true"\n    verify: [{ command: ${JSON.stringify(check)} }]\n`,
  });
  const env = { MY_API_KEY: key };
  await call(cwd, ["run", "a.yaml", "go"], { env });
  const shown = await call(cwd, ["show", "@last", "--step", "test", "--output"]);
  expect(shown.out).toContain("output left out");
  expect(shown.out).not.toContain("sk-ant");
});
