import { mkdtemp, readdir, readFile, rm, truncate } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createAnthropic } from "@ai-sdk/anthropic";
import { expect, onTestFinished, test } from "vitest";
import { readTranscript } from "../../../../src/app/runs/agent-transcript.ts";
import {
  createMachine,
  defineModel,
  fanOut,
  type Machine,
  resumeRun,
  runWorkflow,
} from "../../../../src/index.ts";
import { startModelServer } from "../../../clients/model-server/model-server.ts";
import { type Step, scriptText } from "../../../clients/model-server/script.ts";

const { PATH = "" } = process.env;

/** A project whose agents have a scripted model; its runs are kept. */
async function project() {
  const server = await startModelServer();
  const cwd = await mkdtemp(join(tmpdir(), "troupe-transcripts-"));
  onTestFinished(async () => {
    await server.close();
    await rm(cwd, { recursive: true, force: true });
  });
  const provider = createAnthropic({ baseURL: `${server.urlFor("a")}/v1`, apiKey: "a-key" });
  const house = defineModel({ name: "house", model: provider("scripted") });
  const env = { PATH, HOME: join(cwd, "home") };
  const machine = await createMachine({ cwd, env });
  const options = { cwd, env, backends: [house] };
  const lead = { id: "lead", backend: "house", spawns: true, permissionMode: "bypass" };
  const start = (...steps: readonly Step[]) =>
    runWorkflow({ pattern: "pipeline", agents: [lead] }, scriptText(...steps), options);
  return { cwd, machine, options, start };
}

const task = (more: { readonly [name: string]: string | boolean }) => ({
  calls: [{ tool: "Task", args: { description: "look around", ...more } }],
});

const directoryOf = (cwd: string, run: string) => join(cwd, ".troupe", "runs", run, "transcripts");

/** The lines of an agent's transcript as its file has them, and as the journal tells them. */
async function linesOf(cwd: string, machine: Machine, place: { run: string; agent: string }) {
  const { run, agent } = place;
  const text = await readFile(join(directoryOf(cwd, run), `${agent}.jsonl`), "utf8");
  const told = readTranscript(machine, run, agent).lines.map(({ json }) => `${json}\n`);
  expect(text).toBe(told.join(""));
  return text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line));
}

test("what a subagent is told, says and calls stands in a transcript of its own, beside that of whoever asked, with what it is [SUB-5, LOOP-6.appended]", async () => {
  const { cwd, machine, start } = await project();
  const sub = scriptText({ text: "I look.", calls: [{ tool: "LS" }] }, { text: "Nothing here." });
  const { id: run, result } = start(
    task({ prompt: sub, subagent_type: "Explore", name: "scout" }),
    { text: "All right.\nDONE: seen" },
  );
  expect((await result).success).toBe(true);
  const lines = await linesOf(cwd, machine, { run, agent: "scout" });
  expect(lines.map(({ type, message }) => [type, message.role])).toEqual([
    ["user", "user"],
    ["assistant", "assistant"],
    ["user", "user"],
    ["assistant", "assistant"],
  ]);
  const [asked, looks, seen, says] = lines;
  expect(asked).toMatchObject({
    ...{ isSidechain: true, agentId: "scout", sessionId: `${run}/lead/lead`, parentUuid: null },
    cwd,
    timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
    message: { content: expect.stringContaining("I look.") },
  });
  expect(looks.message.content).toEqual([
    { type: "text", text: "I look." },
    { type: "tool_use", id: expect.any(String), name: "LS", input: {} },
  ]);
  expect(looks.usage).toMatchObject({ inputTokens: 1200 });
  expect(seen.message.content).toMatchObject([
    { type: "tool_result", tool_use_id: looks.message.content[1].id, is_error: false },
  ]);
  expect(says.message.content).toEqual([{ type: "text", text: "Nothing here." }]);
  expect(lines.slice(1).map(({ parentUuid }) => parentUuid)).toEqual(
    lines.slice(0, -1).map(({ uuid }) => uuid),
  );
  const meta = await readFile(join(directoryOf(cwd, run), "scout.meta.json"), "utf8");
  expect(JSON.parse(meta)).toEqual({
    ...{ agent: "scout", type: "Explore", description: "look around", backend: "house" },
    ...{ isSidechain: true, parent: "lead" },
  });
  const ofLead = await linesOf(cwd, machine, { run, agent: "lead" });
  expect(ofLead[0]).toMatchObject({ isSidechain: false, agentId: "lead" });
  expect(ofLead).toHaveLength(4);
});

test("a transcript that a crash has cut off in the middle of a line is completed when the run goes on, each line once [SUB-5, LOOP-6.appended]", async () => {
  const { cwd, machine, options, start } = await project();
  const handle = start(
    { text: "First.", calls: [{ tool: "LS" }] },
    {
      calls: [{ tool: "AskUserQuestion", args: { questions: [{ question: "Which?" }] } }],
    },
    { text: "Good.\nDONE: good" },
  );
  const { id: run } = handle;
  let question = "";
  for await (const event of handle.events) {
    if (event.type !== "question-asked") continue;
    question = event.id;
    break;
  }
  await handle.suspend();
  const file = join(directoryOf(cwd, run), "lead.jsonl");
  const whole = await readFile(file, "utf8");
  await truncate(file, whole.indexOf("\n") + 20);
  const resumption = await resumeRun(run, options);
  if (resumption.status === "over") throw new Error("it is over");
  await resumption.run.answer(question, "this");
  await resumption.run.result;
  const lines = await linesOf(cwd, machine, { run, agent: "lead" });
  expect(lines.length).toBeGreaterThan(whole.split("\n").length - 1);
  expect(new Set(lines.map(({ uuid }) => uuid)).size).toBe(lines.length);
});

test("a run whose agents have no transcript has no files of them, and one in memory neither [SUB-5]", async () => {
  const { cwd, options } = await project();
  const run = fanOut([{ name: "a", task: "go", run: () => "done" }], options);
  await run.result;
  expect(await readdir(join(cwd, ".troupe", "runs", run.id))).not.toContain("transcripts");
  const kept = fanOut([{ name: "a", task: scriptText({ text: "x" }), backend: "house" }], {
    ...options,
    store: "memory",
  });
  await kept.result;
  expect(await readdir(join(cwd, ".troupe", "runs"))).toEqual([run.id]);
});
