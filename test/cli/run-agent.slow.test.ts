import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { call, createProject } from "./fake-io.ts";
import { ONE_STEP } from "./workflows.ts";

test("one agent runs without a file, and its answer is the result [CLI-1]", async () => {
  const cwd = createProject();
  const agent = ["run", "--agent", "script", "add a test"];
  const { exitCode, out } = await call(cwd, agent);
  expect(exitCode).toBe(0);
  expect(out).toContain("script@default started");
  expect(out).toMatch(/result\n {2}script done\n/);
  expect((await call(cwd, [...agent, "-q"])).out).toBe("script done\n");
  const [run] = JSON.parse((await call(cwd, ["runs", "--json"])).out).runs;
  expect(run).toMatchObject({ workflow: "script", instance: "default", agents: 1 });
});

test("the program of a command agent stands after --, untouched, and gets the task on stdin [CLI-1]", async () => {
  const cwd = createProject();
  const program = ["sh", "-c", 'cat; printf " %s" "$@"', "sh", "{{task}}", "$HOME; -x", "--", "-q"];
  const called = await call(cwd, ["run", "-q", "--agent", "command", "the task", "--", ...program]);
  expect(called).toEqual({
    exitCode: 0,
    // A single {task} is the command's own placeholder, also inside of other braces.
    out: "the task {the task} $HOME; -x -- -q\n",
    err: "",
  });
});

test("a command needs no task, and its exit code decides [CLI-1]", async () => {
  const cwd = createProject();
  const run = (...argv: readonly string[]) =>
    call(cwd, ["run", "-q", "--agent", "command", "--", ...argv]);
  expect(await run("echo", "hi")).toMatchObject({ exitCode: 0, out: "hi\n" });
  expect((await run("false")).exitCode).toBe(1);
  expect(await run("no-such-program-at-all")).toMatchObject({ exitCode: 4 });
});

test("an agent plays a cassette under its own name, in its own directory and instance [CLI-1]", async () => {
  const cwd = createProject({
    "cassette.yaml":
      'version: 1\nagents:\n  claude: [{ do: [{ write: { path: a.txt, content: "x" } }], say: "DONE: written" }]\n',
  });
  const play = ["--cassette", "cassette.yaml", "--instance", "pr-1", "--timeout", "1m"];
  const called = await call(cwd, ["run", "-q", "--agent", "claude", "write it", ...play]);
  expect(called).toMatchObject({ exitCode: 0, out: "written\n" });
  expect((await call(cwd, ["show", "claude@pr-1", "--diff"])).out).toContain("a.txt");
});

test("the task of an agent may come from standard input [CLI-1]", async () => {
  const cwd = createProject();
  const args = ["run", "-q", "--agent", "command", "--task-file", "-", "--", "cat"];
  expect((await call(cwd, args, { input: "from a pipe\n" })).out).toBe("from a pipe\n");
});

test.each([
  [["--agent", "nope", "x"], "BACKEND_UNKNOWN", "known: "],
  [["--agent", "function", "x"], "USAGE_INVALID", "module: ./agents.ts#name"],
  [["--agent", "command", "x"], "USAGE_INVALID", "troupe run --agent command -- npm test"],
  [["--agent", "script", "x", "--", "ls"], "USAGE_INVALID", "takes no program"],
  [["--agent", "script", "flow.yaml"], "USAGE_INVALID", "troupe run flow.yaml"],
  [["--agent", "script", "-"], "USAGE_INVALID", "--task-file -"],
  [["--agent", "script", "two", "words"], "USAGE_INVALID", "too many arguments"],
  [["--agent", "script"], "WORKFLOW_TASK_MISSING", ""],
  [["--agent", "script", "x", "-i", "a=b"], "WORKFLOW_", "a"],
])("run %j is refused before anything starts [CLI-1]", async (args, code, told) => {
  const cwd = createProject({ "flow.yaml": ONE_STEP });
  const { exitCode, out, err } = await call(cwd, ["run", ...args]);
  expect({ exitCode, out }).toEqual({ exitCode: 2, out: "" });
  expect(err).toContain(`error[${code}`);
  expect(err).toContain(told);
  expect((await call(cwd, ["runs"])).out).toContain("no runs yet");
});

test("a task that looks like a file but is none is a task [CLI-1]", async () => {
  const cwd = createProject();
  expect((await call(cwd, ["run", "-q", "--agent", "script", "flow.yaml"])).exitCode).toBe(0);
  writeFileSync(join(cwd, "notes.txt"), "");
  expect((await call(cwd, ["run", "-q", "--agent", "script", "notes.txt"])).exitCode).toBe(0);
});
