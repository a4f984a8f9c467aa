import { execFile } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, onTestFinished, type TestContext, test } from "vitest";
import type { AgentSession, SessionRequest } from "../../../src/contracts/backend.ts";
import { createRecordingClient } from "../../../src/testing/turn-request.ts";
import { type Bench, createBench } from "../conformance/bench.ts";
import { claudeFixture } from "../conformance/claude.ts";
import { beginTurn, takeTurn } from "../conformance/played-turn.ts";
import { commandThat, isToolOf, modelIsAsked } from "../conformance/tool-script.ts";
import { scriptText } from "../model-server/script.ts";

// What is particular to Claude Code; what all clients have in common is in ../conformance.

const PATIENCE = { timeout: 30_000 };

const run = promisify(execFile);

async function bench(context: TestContext): Promise<Bench> {
  const created = await createBench(claudeFixture, context);
  onTestFinished(async () => {
    expect(await created.end()).toEqual([]);
  });
  return created;
}

/** A session that the bench has no way to ask for; it is closed with the test. */
async function openWith(
  { createBackend, request }: Bench,
  parts: Partial<SessionRequest>,
): Promise<AgentSession> {
  const session = await createBackend().open({ ...request(), ...parts });
  onTestFinished(() => session.close());
  return session;
}

/** All that the model was told, as one text. */
function toldModel({ asked }: Bench): string {
  return JSON.stringify(asked().map(({ entries }) => entries));
}

test("what an agent started and detached does not outlive a cancelled turn [AGT-2, ENG-6]", async (context) => {
  const place = await bench(context);
  const command = commandThat(place);
  // Its parent is gone at once: nobody finds it by looking at what the program has started.
  const detached = `( setsid env ${command} & ); ${command}`;
  const turn = beginTurn(
    await place.open(),
    scriptText({ calls: [{ shell: detached }] }, { text: "too late" }),
  );
  const tools = async () => (await place.living()).filter((entry) => isToolOf(place, entry));
  await expect
    .poll(async () => (await tools()).some(({ parent }) => parent === 1), PATIENCE)
    .toBe(true);
  turn.abort();
  expect((await turn.over).end).toEqual({ type: "stop", reason: "cancelled" });
  expect(await tools()).toEqual([]);
});

test("a session whose first turn was cancelled before an answer takes the next one [AGT-2, AGT-7.crash]", async (context) => {
  const place = await bench(context);
  const session = await place.open();
  const turn = beginTurn(session, scriptText({ text: "never", ending: "hang" }));
  await modelIsAsked(place);
  turn.abort();
  await turn.over;
  const { end } = await takeTurn(session, scriptText({ text: "on we go" }), { turn: 2 });
  expect(end).toEqual({ type: "stop", reason: "end_turn", text: "on we go" });
});

test("a program that ended between two turns is started again on its session [AGT-7.crash]", async (context) => {
  const place = await bench(context);
  const session = await place.open();
  await takeTurn(session, scriptText({ text: "the first" }));
  const programs = (await place.living()).filter(({ parent }) => parent === process.pid);
  for (const { pid } of programs) process.kill(pid, "SIGKILL");
  // Whoever is gone from the table has been waited for.
  for (const { pid } of programs)
    await expect.poll(() => existsSync(`/proc/${pid}`), PATIENCE).toBe(false);
  const { end } = await takeTurn(session, scriptText({ text: "the second" }), { turn: 2 });
  expect(end).toEqual({ type: "stop", reason: "end_turn", text: "the second" });
  expect(JSON.stringify(place.asked().at(-1)?.entries)).toContain("the first");
});

test("reading and writing files is asked for, and what was written is told [AGT-2, AGT-10]", async (context) => {
  const place = await bench(context);
  const file = place.fileAt("new.txt");
  const client = createRecordingClient();
  const { updates } = await takeTurn(
    await place.open(),
    scriptText(
      { calls: [{ tool: "Write", args: { file_path: file, content: "one\n" } }] },
      { calls: [{ tool: "Read", args: { file_path: file } }] },
      {
        calls: [{ tool: "Edit", args: { file_path: file, old_string: "one", new_string: "two" } }],
      },
      { text: "written" },
    ),
    { client },
  );
  expect(readFileSync(file, "utf8")).toBe("two\n");
  expect(client.calls.map(({ input }) => input)).toMatchObject([
    { tool: "Write" },
    { tool: "Read" },
    { tool: "Edit" },
  ]);
  expect(updates.filter(({ type }) => type === "file-change")).toEqual([
    { type: "file-change", path: file, kind: "create" },
    { type: "file-change", path: file, kind: "edit" },
  ]);
});

test("a question of the agent is answered by a person [AGT-10]", async (context) => {
  const place = await bench(context);
  const options = [
    { label: "red", description: "like fire" },
    { label: "blue", description: "like the sea" },
  ];
  const question = { question: "Which color?", header: "Color", multiSelect: false, options };
  const client = createRecordingClient({ ask: async () => "neither, take green" });
  const { end } = await takeTurn(
    await place.open(),
    scriptText(
      { calls: [{ tool: "AskUserQuestion", args: { questions: [question] } }] },
      { text: "they said $RESULT" },
    ),
    { client },
  );
  expect(client.calls).toMatchObject([{ method: "ask" }]);
  expect(end.text).toContain("neither, take green");
});

test("the instructions of a project are read as text, also where nothing else of it counts [SEC-1]", async (context) => {
  const place = await bench(context);
  writeProject(place);
  writeFileSync(place.fileAt("CLAUDE.md"), "Write tests before code.");
  await takeTurn(await place.open(), scriptText({ text: "understood" }));
  expect(toldModel(place)).toContain("Write tests before code.");
  expect(readdirSync(place.cwd)).not.toContain("hooked");
  expect(readdirSync(place.cwd)).not.toContain("served");
});

test("what a trusted project configures takes effect, but decides nothing that Troupe decides [SEC-1, AGT-10]", async (context) => {
  const place = await bench(context);
  writeProject(place);
  const client = createRecordingClient();
  const session = await openWith(place, { trustsProject: true });
  const { end } = await takeTurn(
    session,
    scriptText({ calls: [{ shell: "echo allowed" }] }, { text: "it said $RESULT" }),
    { client },
  );
  expect(end.text).toContain("allowed");
  expect(readdirSync(place.cwd)).toEqual(expect.arrayContaining(["hooked", "served"]));
  expect(client.calls).toMatchObject([{ method: "requestPermission" }]);
});

test("without a key or a login a turn says that nobody is signed in [AGT-14]", async (context) => {
  const place = await bench(context);
  const session = await place.open({ env: { ANTHROPIC_API_KEY: "" } });
  const { end } = await takeTurn(session, "hello");
  expect(end).toMatchObject({ type: "error", error: { code: "BACKEND_NOT_SIGNED_IN" } });
});

test("how long a provider asks to wait is told to whoever waits [LOOP-5]", async (context) => {
  const place = await bench(context);
  const fail = { status: 429, retryAfterSeconds: 2 };
  const { updates, end } = await takeTurn(await place.open(), scriptText({ fail }));
  expect(updates).toContainEqual({
    type: "retrying",
    reason: "rate-limit",
    delayMs: expect.any(Number),
  });
  const details = end.type === "error" ? end.error.details : undefined;
  expect(details).toMatchObject({ retryAfterMs: expect.any(Number) });
});

test("its files are private, and in a run that keeps none they are gone with the session [AGT-14, T11]", async (context) => {
  const place = await bench(context);
  await takeTurn(await place.open(), scriptText({ text: "done" }));
  for (const name of ["claude", "claude/config", "claude/tmp"])
    expect(statSync(join(place.directory, name)).mode & 0o077).toBe(0);
  const temporary = join(place.root, "elsewhere");
  mkdirSync(temporary);
  const { directory: _, ...request } = place.request();
  const before = process.env["TMPDIR"];
  onTestFinished(() => {
    if (before === undefined) delete process.env["TMPDIR"];
    else process.env["TMPDIR"] = before;
  });
  process.env["TMPDIR"] = temporary;
  const session = await place.createBackend().open(request);
  await takeTurn(session, scriptText({ text: "done" }));
  expect(readdirSync(temporary)).toHaveLength(1);
  await session.close();
  expect(readdirSync(temporary)).toEqual([]);
});

test("the program takes the command for a terminal, and goes on with the session [AGT-14]", async (context) => {
  const place = await bench(context);
  const session = await place.open({ spec: { settings: { systemPrompt: "You review." } } });
  await takeTurn(session, `number 4711 ${scriptText({ text: "noted" })}`);
  const { resume } = session;
  await session.close();
  if (resume === undefined) throw new Error("the session cannot be resumed");
  const interactive = place.createBackend().interactive;
  const command = await interactive?.({ ...place.request(), resume });
  const [program = "", ...args] = command?.argv ?? [];
  // Without a terminal it has to be told to print.
  const child = run(program, [...args, "-p", scriptText({ text: "back again" })], {
    cwd: command?.cwd ?? place.cwd,
    env: { ...command?.env },
    timeout: 30_000,
  });
  child.child.stdin?.end();
  expect((await child).stdout.trim()).toBe("back again");
  const last = JSON.stringify(place.asked().at(-1)?.entries);
  expect(last).toContain("number 4711");
  expect(last).toContain("You review.");
});

/** Lets a project configure a hook, a server and a rule. */
function writeProject({ cwd, fileAt }: Bench): void {
  const hook = { hooks: [{ type: "command", command: `touch '${cwd}/hooked'` }] };
  mkdirSync(fileAt(".claude"));
  writeFileSync(
    fileAt(".claude/settings.json"),
    JSON.stringify({
      hooks: { UserPromptSubmit: [hook] },
      permissions: { allow: ["Bash"], defaultMode: "acceptEdits" },
      enableAllProjectMcpServers: true,
    }),
  );
  const server = { command: "sh", args: ["-c", `touch '${cwd}/served'`] };
  writeFileSync(fileAt(".mcp.json"), JSON.stringify({ mcpServers: { own: server } }));
}
