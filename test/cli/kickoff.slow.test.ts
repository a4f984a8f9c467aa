import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { unmarked } from "../programs/unmarked.ts";
import { call, createProject } from "./fake-io.ts";

const QUIET = "options: { quiet: 20ms }\n";
const AGENT = "agents: { a: { backend: script, script: [{ say: I saw it }] } }\n";

/** Runs a kickoff file whose agents are scripted. */
function run(text: string, ...args: readonly string[]) {
  const cwd = createProject({ "flow.yaml": `name: flow\n${text}${QUIET}` });
  return call(cwd, ["run", "flow.yaml", ...args]);
}

test("setup runs in order where the file is, and what it prints is posted but wakes nobody [KCK-1, KCK-2, WF-4]", async () => {
  const cwd = createProject({});
  mkdirSync(join(cwd, "flows"));
  writeFileSync(
    join(cwd, "flows/flow.yaml"),
    [
      "name: flow",
      "context:",
      "agents: { a: { backend: script }, b: { backend: script } }",
      "setup:",
      "  - { shell: 'printf \"  @b $(basename $PWD) \\n\\n\"', as: where }",
      "  - { shell: 'echo got ${{ where }} \"${{ params.p }}\"', as: both }",
      "params: { p: { type: string, default: 'x; touch bad $(touch bad) ${{ where }}' } }",
      "kickoff: 'go @a: ${{ both }} \\${{ both }} {{both}}'",
      QUIET,
    ].join("\n"),
  );
  const { exitCode, out, err } = await call(cwd, ["run", "flows/flow.yaml", "--json"]);
  expect({ exitCode, err }).toEqual({ exitCode: 0, err: "" });
  const events: { type: string; text?: string; mentions?: string[] }[] = out
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
  const [, kickoff] = events.filter(({ type }) => type === "message-posted");
  expect(kickoff).toMatchObject({ mentions: ["a"] });
  expect(unmarked(kickoff?.text ?? "")).toBe(
    "go @a: got @b flows x; touch bad $(touch bad) ${{ where }} ${{ both }} {{both}}",
  );
  expect(existsSync(join(cwd, "flows/bad"))).toBe(false);
});

test("a setup command that fails stops the run before the kickoff [KCK-1]", async () => {
  const text = `context:\n${AGENT}setup:\n  - { shell: 'echo one' }\n  - { shell: 'echo no luck >&2; exit 3' }\n  - { shell: 'echo never' }\nkickoff: go @a\n`;
  const { exitCode, out } = await run(text);
  expect(exitCode).toBe(1);
  expect(out).toContain("setup-2 ended with exit 3: `echo no luck >&2; exit 3`: no luck");
  expect(out).not.toContain("setup-3");
  expect(out).not.toContain("Workflow started");
});

test("a setup command has its timeout [KCK-1, ENG-7.setup]", async () => {
  const text = `context:\n${AGENT}setup: [{ shell: 'sleep 20', timeout: 50ms }]\nkickoff: go @a\n`;
  const { exitCode, out } = await run(text);
  expect(exitCode).toBe(1);
  expect(out).toContain("setup-1 did not end within 50ms");
});

test("the kickoff is the prompt of the only agent when there is no channel [KCK-2]", async () => {
  const text = `${AGENT}kickoff: look at \${{ task }}\n`;
  const { exitCode, out } = await run(text, "this", "--quiet");
  expect({ exitCode, out: out.trim() }).toEqual({ exitCode: 0, out: "I saw it" });
});

test("a prompt that fails without a channel fails the run [KCK-3, ENG-11]", async () => {
  const agent =
    "agents: { a: { backend: script, script: [{ fail: { code: NO, message: not today } }] } }\n";
  const { exitCode, out } = await run(`${agent}kickoff: go\n`);
  expect(exitCode).toBe(1);
  expect(out).toContain('agent "a": not today');
});

test("commands get the texts of messages on stdin and who sent them in a file [AGT-3.command]", async () => {
  const text = `context:
agents:
  a:
    backend: command
    command: cat; printf "|"; cat "$TROUPE_MESSAGES_FILE"
kickoff: go @a now
`;
  const { exitCode, out } = await run(text, "--quiet");
  expect(exitCode).toBe(0);
  const [stdin, messages = ""] = out.trim().split("|");
  expect(stdin).toBe("go @a now");
  expect(JSON.parse(messages)).toMatchObject([
    { from: "system", text: "go @a now", mentions: ["a"] },
  ]);
});

test("the variables of the environment reach texts and commands, and secrets are masked in what is kept [WF-4, AGT-11, T11]", async () => {
  const cwd = createProject({
    "flow.yaml": [
      "name: flow",
      "context:",
      "agents: { a: { backend: script } }",
      "setup: [{ shell: 'test ${{ env.MY_TOKEN }} = s3cret-value && echo same', as: seen }]",
      "kickoff: '@a ${{ env.PLACE }} ${{ seen }} ${{ env.MY_TOKEN }}'",
      QUIET,
    ].join("\n"),
  });
  const env = { ...process.env, MY_TOKEN: "s3cret-value", PLACE: "here" };
  const { exitCode, out } = await call(cwd, ["run", "flow.yaml", "--json"], { env });
  expect(exitCode).toBe(0);
  expect(out).toMatch(/@a here <<<(span_\w+) [^:]*: same >>>\1 \*\*\*/);
  expect(out).not.toContain("s3cret-value");
});

test("a variable that an agent's env hands on reaches its processes whole and is in no journal [KCK-5.agents, AGT-11, T11]", async () => {
  const cwd = createProject({
    "flow.yaml": [
      "name: flow",
      "context:",
      "agents:",
      "  a:",
      "    backend: command",
      "    env: { KEY: '${{ env.MY_TOKEN }}' }",
      "    command: [sh, -c, 'echo \"${#KEY} characters\"']",
      "kickoff: '@a count'",
      QUIET,
    ].join("\n"),
  });
  const env = { ...process.env, MY_TOKEN: "s3cret-value" };
  const { exitCode, out } = await call(cwd, ["run", "flow.yaml", "--json=all"], { env });
  expect(exitCode).toBe(0);
  expect(out).toContain("12 characters");
  expect(out).not.toContain("s3cret-value");
});

test.each([
  {
    what: "without a kickoff",
    text: AGENT,
    args: [],
    code: "WORKFLOW_KICKOFF_MISSING",
    hint: "troupe start",
  },
  {
    what: "without the task that it uses",
    text: `${AGENT}kickoff: '\${{ task }}'\n`,
    args: [],
    code: "WORKFLOW_TASK_MISSING",
    hint: "--task-file",
  },
  {
    what: "with a number of steps at a time",
    text: `${AGENT}kickoff: go\n`,
    args: ["--max-concurrency", "2"],
    code: "WORKFLOW_WITHOUT_STEPS",
    hint: "leave --max-concurrency out",
  },
])(
  "a run $what is refused before anything starts [KCK-7, CLI-1]",
  async ({ text, args, code, hint }) => {
    const { exitCode, err } = await run(text, ...args);
    expect(exitCode).toBe(2);
    expect(err).toContain(`error[${code}]`);
    expect(err).toContain(hint);
  },
);

test("a model without a backend is refused with the way to try it [KCK-5.agents, AGT-14]", async () => {
  const { exitCode, err } = await run("agents: { a: { model: anthropic/x } }\nkickoff: go\n");
  expect(exitCode).toBe(4);
  expect(err).toContain("--backend script");
});

test("the files of channel and document lie where the file says [KCK-1]", async () => {
  const cwd = createProject({
    "flow.yaml": `name: flow\ncontext: { dir: '.workflow/\${{ instance }}/', document: {}, channel: { file: talk.md } }\n${AGENT}kickoff: '@a write to \${{ context.document }}'\n${QUIET}`,
  });
  const { exitCode } = await call(cwd, ["run", "flow.yaml", "--instance", "pr-1"]);
  expect(exitCode).toBe(0);
  const channel = readFileSync(join(cwd, ".workflow/pr-1/talk.md"), "utf8");
  expect(channel).toContain(join(cwd, ".workflow/pr-1/notes.md"));
});

test("a plan shows setup, agents, what they are told and bounds, and runs nothing [LIM-2, CLI-1]", async () => {
  const cwd = createProject({
    "flow.yaml": `name: flow\ncontext:\n${AGENT}setup: [{ shell: 'touch bad', as: out }]\nkickoff: '@a \${{ out }}'\n`,
  });
  const { exitCode, out } = await call(cwd, ["plan", "flow.yaml"]);
  expect(exitCode).toBe(0);
  for (const text of [
    "plan of flow (kickoff)",
    "  touch bad",
    "output of the setup command for out: ‹output of the command› >>>span_",
    "at most 50",
  ])
    expect(out).toContain(text);
  expect(existsSync(join(cwd, "bad"))).toBe(false);
  const graph = await call(cwd, ["graph", "flow.yaml"]);
  expect(graph.out).toBe(" setup-1 ─▶ a\n");
});
