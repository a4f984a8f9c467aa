import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { call, createProject } from "./fake-io.ts";

const FOREIGN = `name: talk
agents:
  ana: { runtime: claude-code, max_steps: 9, instructions: You ask. }
  ben: { backend: mock }
setup:
  - shell: echo "tides of \${{ workflow.tag }}"
    as: theme
kickoff: "@ana ask @ben about \${{ theme }} at \${{ github.ref }}"
`;
const WAKING = FOREIGN.replace("max_steps: 9", "wakeup: 5m");

test("a file of agent-worker runs as it is, and what it loses is told with its place [ECO-8.agent-worker, WF-9.agent-worker]", async () => {
  const cwd = createProject({ "talk.yaml": FOREIGN });
  const called = await call(cwd, ["run", "talk.yaml", "--backend", "script", "--json"]);
  expect(called.exitCode).toBe(0);
  const told: { problems: { code: string; line: number }[] } = JSON.parse(called.err);
  expect(told.problems.map(({ code, line }) => [code, line])).toEqual([
    ["WORKFLOW_IMPORTED", 3],
    ["WORKFLOW_IMPORT_LEFT_OUT", 3],
    ["WORKFLOW_IMPORT_CHANGED", 4],
    ["WORKFLOW_IMPORT_CHANGED", 8],
  ]);
  expect(called.out).toMatch(
    /ask @ben about <<<(span_\w+) [^:]*: tides of default >>>\1 at \$\{\{ github\.ref \}\}/,
  );
  expect(called.out).toContain('"type":"run-ended"');
});

test("what would do something else without a key is not run [ECO-8.agent-worker, WF-9.agent-worker]", async () => {
  const cwd = createProject({ "talk.yaml": WAKING });
  const ran = await call(cwd, ["run", "talk.yaml", "--backend", "script"]);
  expect(ran).toMatchObject({ exitCode: 2, out: "" });
  expect(ran.err).toContain("error[WORKFLOW_IMPORT_REFUSED]: agents.ana.wakeup");
  expect((await call(cwd, ["validate", "talk.yaml"])).exitCode).toBe(2);
});

test("a converted file is valid, runs the same and is not converted again [WF-9.convert]", async () => {
  const cwd = createProject({ "talk.yaml": FOREIGN });
  const converted = await call(cwd, ["convert", "talk.yaml", "-o", "new.yaml"]);
  expect(converted).toMatchObject({ exitCode: 0, out: "new.yaml\n" });
  expect(converted.err).toContain("warning[WORKFLOW_IMPORT_LEFT_OUT]: agents.ana.max_steps");
  expect(converted.err).not.toContain("WORKFLOW_IMPORTED");
  expect(await call(cwd, ["validate", "new.yaml", "--strict"])).toMatchObject({
    exitCode: 0,
    err: "",
  });
  const ran = await call(cwd, ["run", "new.yaml", "--backend", "script"]);
  expect(ran).toMatchObject({ exitCode: 0, err: "" });
  const again = await call(cwd, ["convert", "new.yaml"]);
  expect(again.exitCode).toBe(2);
  expect(again.err).toContain("error[WORKFLOW_IMPORT_UNKNOWN]");
});

test("a file that needs completing is written all the same, and the exit code says so [WF-9.convert]", async () => {
  const cwd = createProject({ "talk.yaml": WAKING });
  const { exitCode, err } = await call(cwd, ["convert", "talk.yaml", "-o", "new.yaml", "-q"]);
  expect(exitCode).toBe(2);
  expect(err).toContain("error[WORKFLOW_IMPORT_REFUSED]");
  expect(readFileSync(join(cwd, "new.yaml"), "utf8")).toContain("# MISSING: agents.ana.wakeup");
});

test("--from reads a file that could be meant for troupe; standard input and output are files too [WF-9.convert]", async () => {
  const text = "agents: { a: { model: openai/m } }\nkickoff: go @a\n";
  const cwd = createProject({ "both.yaml": text });
  expect((await call(cwd, ["convert", "both.yaml"])).err).toContain("--from agent-worker");
  const piped = ["convert", "-", "--from", "agent-worker"];
  const { exitCode, out } = await call(cwd, piped, { input: text });
  expect({ exitCode, out }).toEqual({
    exitCode: 0,
    out: "# Made by troupe convert from <stdin>, a file of agent-worker.\n\ncontext:\nagents:\n  a:\n    model: openai/m\nkickoff: go @a\n",
  });
});

test("--json is one document with the new text and all problems [WF-9.convert, CLI-1]", async () => {
  const cwd = createProject({ "talk.yaml": WAKING, "broken.yaml": "a: [b\n" });
  const { out, err, exitCode } = await call(cwd, ["convert", "talk.yaml", "--json"]);
  expect({ exitCode, err }).toEqual({ exitCode: 2, err: "" });
  expect(JSON.parse(out)).toMatchObject({
    v: 1,
    ok: false,
    from: "agent-worker",
    output: null,
    text: expect.stringContaining("agents:"),
    problems: expect.arrayContaining([
      expect.objectContaining({ code: "WORKFLOW_IMPORT_REFUSED", line: 3 }),
    ]),
  });
  const broken = await call(cwd, ["convert", "broken.yaml", "--json"]);
  expect(broken.exitCode).toBe(2);
  expect(JSON.parse(broken.out)).toMatchObject({ ok: false, text: null, from: null });
});

test("a file is not overwritten by its own conversion, and one that lies elsewhere is warned of [WF-9.convert]", async () => {
  const cwd = createProject({ "talk.yaml": FOREIGN });
  mkdirSync(join(cwd, "sub"));
  const same = await call(cwd, ["convert", "talk.yaml", "-o", "./talk.yaml"]);
  expect(same).toMatchObject({ exitCode: 2, out: "" });
  expect(same.err).toContain("would be overwritten");
  expect(readFileSync(join(cwd, "talk.yaml"), "utf8")).toBe(FOREIGN);
  const moved = await call(cwd, ["convert", "talk.yaml", "-o", "sub/new.yaml"]);
  expect(moved.exitCode).toBe(0);
  expect(moved.err).toContain("warning[USAGE_CONVERTED_ELSEWHERE]");
});

const STEPS =
  "id: flow\nsteps:\n  - { id: a, type: shell, command: [echo, hi], timeout_ms: 500 }\n";

test("--to writes the same workflow in another format, and a module leads back [WF-7, CLI-1]", async () => {
  const cwd = createProject({ "flow.yaml": STEPS });
  const printed = await call(cwd, ["convert", "flow.yaml", "--to", "ts", "-o", "flow.ts"]);
  expect(printed).toMatchObject({ exitCode: 0, out: "flow.ts\n", err: "" });
  const index = join(import.meta.dirname, "../../src/index.ts");
  const module = readFileSync(join(cwd, "flow.ts"), "utf8").replace(
    '"troupe"',
    JSON.stringify(index),
  );
  writeFileSync(join(cwd, "flow.ts"), module);
  const back = await call(cwd, ["convert", "flow.ts", "--to", "yaml", "-o", "back.yaml"]);
  expect(back).toMatchObject({ exitCode: 0, out: "back.yaml\n", err: "" });
  expect(await call(cwd, ["validate", "back.yaml", "--strict"])).toMatchObject({ exitCode: 0 });
  const json = await call(cwd, ["convert", "back.yaml", "--to", "json"]);
  expect(JSON.parse(json.out)).toEqual({
    id: "flow",
    steps: [{ id: "a", type: "shell", command: ["echo", "hi"], timeout_ms: 500 }],
  });
});

test("a module without a workflow, or that fails, is told by its file [WF-7]", async () => {
  const cwd = createProject({
    "none.mjs": "export const x = 1;",
    "bad.mjs": "throw new Error('boom');",
  });
  expect((await call(cwd, ["convert", "none.mjs"])).err).toContain("WORKFLOW_MODULE_EMPTY");
  const bad = await call(cwd, ["convert", "bad.mjs"]);
  expect(bad.err).toContain("boom");
  expect(bad.exitCode).toBe(2);
});

test("a file with mistakes is not converted [WF-7, WF-1]", async () => {
  const cwd = createProject({ "flow.yaml": STEPS.replace("echo", "echo]") });
  expect(await call(cwd, ["convert", "flow.yaml", "--to", "ts"])).toMatchObject({
    exitCode: 2,
    out: "",
  });
});
