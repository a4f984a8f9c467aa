import { join } from "node:path";
import { expect, test } from "vitest";
import { call, createProject } from "./fake-io.ts";

// Nothing in it says that context is on where it comes from.
const TALK = `agents:
  ana: { model: openai/m }
  ben: { model: openai/m }
kickoff: "@ana ask @ben"
`;
const FROM = ["--from", "agent-worker"];
const PLAYED = ["--cassette", "talk.cassette.yaml"];

function project() {
  return createProject({
    "talk.yaml": TALK,
    "talk.cassette.yaml": "version: 1\ndefault: [{ say: heard }]\nrepeat: last\n",
  });
}

test("agents of a file that hear each other elsewhere get the advice to say where it is from [ECO-8.from]", async () => {
  const { exitCode, out } = await call(project(), ["validate", "talk.yaml"]);
  expect(exitCode).toBe(0);
  expect(out).toContain("warning[WORKFLOW_NOTHING_SHARED]");
  expect(out).toContain("a file of agent-worker has both: --from agent-worker");
});

test.each([
  [["validate", "talk.yaml"], "talk.yaml is valid"],
  [["plan", "talk.yaml", ...PLAYED], "ana"],
  [["graph", "talk.yaml"], "ana"],
  [["run", "talk.yaml", ...PLAYED], "heard"],
])("--from reads it as what it was written for: %j [ECO-8.from]", async (args, shown) => {
  const cwd = project();
  const plain = await call(cwd, args);
  expect(plain.out + plain.err).toContain("WORKFLOW_NOTHING_SHARED");
  const { exitCode, out, err } = await call(cwd, [...args, ...FROM]);
  expect(exitCode).toBe(0);
  expect(out).toContain(shown);
  expect(out + err).not.toContain("WORKFLOW_NOTHING_SHARED");
});

test.each([
  [
    "relay",
    "name: own\npattern: dag\nagents: [{ id: a, backend: script }]\nsteps: [{ id: s, agent: a }]\n",
    "pattern",
  ],
  [
    "relay",
    'id: own\ninitial_context: {}\nsteps: [{ id: s, type: shell, command: "true" }]\n',
    "initial_context",
  ],
  ["agent-worker", 'id: own\nsteps: [{ id: s, type: shell, command: "true" }]\n', "steps"],
])(
  "--from %s of a file of troupe's own is told to do nothing, and it is read as what it is [ECO-8.from]",
  async (tool, text, key) => {
    const cwd = createProject({ "own.yaml": text });
    const { exitCode, out } = await call(cwd, ["validate", "own.yaml", "--from", tool]);
    expect({ exitCode, out }).toEqual({
      exitCode: 0,
      out: expect.stringContaining("own.yaml is valid"),
    });
    const told = `[WORKFLOW_IMPORT_OWN]: --from ${tool} does nothing: ${join(cwd, "own.yaml")} is troupe's own, as ${key} shows`;
    expect(out).toContain(told);
    expect(out.match(/^warning/gmu)).toHaveLength(1);
    const converted = await call(cwd, ["convert", "own.yaml", "--from", tool]);
    expect({ ...converted, err: converted.err.includes(told) }).toEqual({
      exitCode: 2,
      out: "",
      err: true,
    });
  },
);

test.each([
  [["run", "--agent", "command", "go", ...FROM, "--", "true"], "no file is given"],
  [["run", "talk.yaml", ...FROM, "--iter", "2"], "exclude each other"],
  [
    ["plan", "talk.yaml", "--from", "nobody"],
    "Allowed choices are agent-worker, openagents, relay",
  ],
  [["graph", "run_abc123", ...FROM], "--from is for files, not for runs"],
])("--from where it means nothing is refused: %j [ECO-8.from]", async (args, problem) => {
  const { exitCode, err } = await call(project(), args);
  expect({ exitCode, err }).toEqual({ exitCode: 2, err: expect.stringContaining(problem) });
});

const OF_AGENT_WORKER = `agents:
  ana: { runtime: claude-code, max_steps: 9, instructions: You ask. }
kickoff: "@ana begin"
`;
const OF_OPENAGENTS = JSON.stringify({
  id: "look",
  trace: true,
  steps: [{ id: "seen", type: "shell", command: "echo looked" }],
});

const SEEN = [["validate"], ["plan", "--backend", "script"], ["graph"]];

test.each([
  // A run of it would end after a quiet period only.
  { tool: "agent-worker", text: OF_AGENT_WORKER, shown: "ana", commands: SEEN },
  { tool: "openagents", text: OF_OPENAGENTS, shown: "seen", commands: [...SEEN, ["run"]] },
])(
  "a file of $tool is taken as it is and rewritten, and what is lost is told [ECO-8.agent-worker, ECO-8.openagents]",
  async ({ tool, text, shown, commands }) => {
    const cwd = createProject({ "own.yaml": text });
    const told = `this file was written for ${tool}`;
    for (const [command = "", ...more] of commands) {
      const { exitCode, out, err } = await call(cwd, [command, "own.yaml", ...more]);
      expect([command, exitCode, out + err]).toEqual([command, 0, expect.stringContaining(told)]);
      expect(out + err).toContain("[WORKFLOW_IMPORT_LEFT_OUT]");
      expect([command, out]).toEqual([command, expect.stringContaining(shown)]);
    }
    expect((await call(cwd, ["convert", "own.yaml", "-o", "new.yaml"])).exitCode).toBe(0);
    const again = await call(cwd, ["validate", "new.yaml", "--strict"]);
    expect(again).toMatchObject({ exitCode: 0, err: "" });
  },
);
