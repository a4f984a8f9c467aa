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
  [["run", "--agent", "command", "go", ...FROM, "--", "true"], "no file is given"],
  [["run", "talk.yaml", ...FROM, "--iter", "2"], "exclude each other"],
  [["plan", "talk.yaml", "--from", "nobody"], "Allowed choices are agent-worker, relay"],
  [["graph", "run_abc123", ...FROM], "--from is for files, not for runs"],
])("--from where it means nothing is refused: %j [ECO-8.from]", async (args, problem) => {
  const { exitCode, err } = await call(project(), args);
  expect({ exitCode, err }).toEqual({ exitCode: 2, err: expect.stringContaining(problem) });
});
