import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { mkdir, mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createAnthropic } from "@ai-sdk/anthropic";
import { expect, onTestFinished, test } from "vitest";
import type { EventData, EventOf, JournalEvent } from "../../../../src/contracts/events/event.ts";
import { defineModel, runWorkflow } from "../../../../src/index.ts";
import { startModelServer } from "../../../clients/model-server/model-server.ts";
import { type Step, scriptText } from "../../../clients/model-server/script.ts";
import "../../../one-reaper.ts";

const { PATH = "" } = process.env;

/** A repository with one file, whose agents have a scripted model. */
async function repository() {
  const server = await startModelServer();
  const cwd = await realpath(await mkdtemp(join(tmpdir(), "troupe-subagent-")));
  onTestFinished(async () => {
    await server.close();
    await rm(cwd, { recursive: true, force: true });
  });
  const env = { PATH, HOME: `${cwd}-home` };
  await mkdir(env.HOME, { recursive: true });
  onTestFinished(() => rm(env.HOME, { recursive: true, force: true }));
  const git = (...args: readonly string[]) => {
    const identity = ["-c", "user.name=a", "-c", "user.email=a@localhost"];
    return execFileSync("git", [...identity, ...args], { cwd, env, encoding: "utf8" });
  };
  git("init", "--quiet", "--initial-branch", "main");
  await writeFile(join(cwd, ".gitignore"), ".troupe\n");
  git("add", ".gitignore");
  git("commit", "--quiet", "-m", "first");
  const provider = createAnthropic({ baseURL: `${server.urlFor("a")}/v1`, apiKey: "a-key" });
  const house = defineModel({ name: "house", model: provider("scripted") });
  const lead = { id: "lead", backend: "house", spawns: true, permissionMode: "bypass" };
  return {
    ...{ cwd, git },
    /** The run of a leader that says these things. */
    run: async (...steps: readonly Step[]) => {
      const workflow = { pattern: "pipeline", agents: [lead] };
      const started = runWorkflow(workflow, scriptText(...steps), { cwd, env, backends: [house] });
      const events: JournalEvent[] = [];
      for await (const event of started.events) events.push(event);
      const all = <Type extends EventData["type"]>(type: Type): readonly EventOf<Type>[] =>
        events.filter((event): event is EventOf<Type> => event.type === type);
      return { id: started.id, all };
    },
  };
}

const task = (args: { readonly [name: string]: string | boolean | number }) => ({
  calls: [{ tool: "Task", args: { description: "a task", ...args } }],
});
const DONE = { text: "DONE: well" };

test("a subagent with a worktree changes files on a branch of its own, where whoever asked finds them, and its sidecar says where [SUB-1, SUB-5, AGT-13]", async () => {
  const { cwd, git, run } = await repository();
  const work = scriptText({ calls: [{ shell: "echo made > made.txt; pwd" }] }, { text: "made it" });
  const { id, all } = await run(task({ prompt: work, isolation: "worktree", name: "dev" }), DONE);
  const [returned] = all("tool-returned").filter(({ agent }) => agent === "lead");
  expect(returned).toMatchObject({ isError: false, result: expect.stringContaining("made it") });
  expect(existsSync(join(cwd, "made.txt"))).toBe(false);
  const [placed] = all("agent-placed").filter(({ agent }) => agent === "dev");
  if (placed?.worktree === undefined) throw new Error("it has no worktree");
  const { directory, worktree } = placed;
  expect(readFileSync(join(directory, "made.txt"), "utf8")).toBe("made\n");
  expect(git("branch", "--list", worktree.branch)).toContain(worktree.branch);
  const sidecar = join(cwd, ".troupe/runs", id, "transcripts/dev.meta.json");
  expect(JSON.parse(readFileSync(sidecar, "utf8"))).toMatchObject({
    ...{ type: "general-purpose", description: "a task", parent: "lead" },
    worktree: directory,
  });
});

test("a subagent that removes its own worktree fails its task, and the run goes on with a warning [AGT-17.step, ENG-21.alone]", async () => {
  const { run } = await repository();
  const work = scriptText({ calls: [{ shell: 'rm -rf "$PWD"' }] }, { text: "made it" });
  const { all } = await run(task({ prompt: work, isolation: "worktree", name: "dev" }), DONE);
  const [returned] = all("tool-returned").filter(({ agent }) => agent === "lead");
  expect(returned).toMatchObject({ isError: true, result: expect.stringContaining("is gone") });
  expect(all("run-ended").map(({ outcome }) => outcome)).toEqual(["completed"]);
  expect(all("log").map(({ text }) => text)).toEqual([
    expect.stringMatching(/^the worktree of dev is gone/),
  ]);
});

test("a type that there is not, or a name that is taken, is told with what there is, and the turn goes on [SUB-1]", async () => {
  const { run } = await repository();
  const say = scriptText({ text: "hello" });
  const { all } = await run(
    task({ prompt: say, subagent_type: "Explorer" }),
    task({ prompt: say, name: "one" }),
    task({ prompt: say, name: "one" }),
    task({ prompt: say, resume: "nobody" }),
    DONE,
  );
  const told = all("tool-returned").map(({ isError, result }) => [isError, result]);
  expect(told).toEqual([
    [true, expect.stringContaining("known: general-purpose, Explore, Plan, Bash")],
    [false, expect.stringContaining("hello")],
    [true, expect.stringContaining("that name is taken")],
    [true, expect.stringContaining("nobody")],
  ]);
  expect(all("run-ended").map(({ outcome }) => outcome)).toEqual(["completed"]);
});

test("a subagent has the model and the most answers that it is given [SUB-1, SUB-8]", async () => {
  const { run } = await repository();
  const endless = scriptText(
    ...Array.from({ length: 5 }, () => ({ text: "on", calls: [{ tool: "LS" }] })),
    { text: "never" },
  );
  const { all } = await run(task({ prompt: endless, name: "sub", max_turns: 2, model: "other" }), {
    text: "DONE: $RESULT",
  });
  const asked = all("model-called").filter(({ agent }) => agent === "sub");
  expect(asked).toHaveLength(2);
  const [spawned] = all("agent-spawned").filter(({ agent }) => agent === "sub");
  expect(spawned?.spec.model).toBe("other");
  const [returned] = all("tool-returned").filter(({ agent }) => agent === "lead");
  expect(returned?.isError).toBe(false);
});
