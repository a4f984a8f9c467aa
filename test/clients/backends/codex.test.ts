import { spawnSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, type TestContext, test } from "vitest";
import type { SessionRequest } from "../../../src/contracts/backend.ts";
import { TroupeError } from "../../../src/foundation/errors.ts";
import { createRecordingClient } from "../../../src/testing/turn-request.ts";
import { confinement } from "../../host/confinement.ts";
import { type Bench, createBench } from "../conformance/bench.ts";
import { codexFixture } from "../conformance/codex.ts";
import { obeyed, writeHostileRepository } from "../conformance/hostile-repository.ts";
import { beginTurn, takeTurn } from "../conformance/played-turn.ts";
import { commandThat, fileAppears, modelIsAsked } from "../conformance/tool-script.ts";
import { type Step, scriptText } from "../model-server/script.ts";

/** Carries out what is special to Codex on a bench that leaves nothing behind. */
async function onBench(context: TestContext, work: (bench: Bench) => Promise<void>): Promise<void> {
  const bench = await createBench(codexFixture, context);
  try {
    await work(bench);
  } finally {
    expect(await bench.end()).toEqual([]);
  }
}

const shell = (command: string): Step => ({ calls: [{ shell: command }] });
const patch = (body: string) =>
  shell(`apply_patch <<'EOF'\n*** Begin Patch\n${body}*** End Patch\nEOF\n`);
const over: Step = { text: "over" };

test("codex changes files after Troupe was asked for each, and tells them [AGT-2, AGT-10]", (context) =>
  onBench(context, async (bench) => {
    const client = createRecordingClient({
      requestPermission: async (_tool, input) => ({
        decision: JSON.stringify(input).includes("secret") ? "denied" : "allowed",
      }),
    });
    const add = (name: string) => `*** Add File: ${name}\n+hello\n`;
    const prompt = scriptText(
      patch(add("one.txt")),
      patch(add("few.txt") + add("secret.txt")),
      over,
    );
    const { updates } = await takeTurn(await bench.open(), prompt, { client });
    const use = (name: string) => ({
      method: "requestPermission",
      input: { tool: "Write", input: { file_path: bench.fileAt(name) } },
    });
    expect(client.calls).toEqual([use("one.txt"), use("few.txt"), use("secret.txt")]);
    expect(updates.filter(({ type }) => type === "file-change")).toEqual([
      { type: "file-change", path: bench.fileAt("one.txt"), kind: "create" },
    ]);
    expect(readdirSync(bench.cwd).toSorted()).toEqual([".git", "one.txt"]);
  }));

test("a codex that only plans reads without asking and writes nothing [AGT-10, AGT-13]", (context) =>
  onBench(context, async (bench) => {
    writeFileSync(bench.fileAt("read.txt"), "what is read\n");
    const client = createRecordingClient({
      requestPermission: async () => ({ decision: "denied" }),
    });
    const session = await bench.open({ spec: { permissionMode: "plan" } });
    const prompt = scriptText(shell("cat read.txt; echo > made.txt"), { text: "it said $RESULT" });
    const { end } = await takeTurn(session, prompt, { client });
    expect(end.text).toContain("what is read");
    expect(bench.exists("made.txt")).toBe(false);
  }));

test("codex writes in its directory and its own scratch directory, not in those of others [AGT-13]", (context) =>
  onBench(context, async (bench) => {
    const outside = join(bench.root, "outside.txt");
    // The last command succeeds: one that the sandbox stops as a whole codex runs again without it.
    const command = `echo > in.txt; echo > "$TMPDIR/scratch" && echo scratch made; echo > ${outside}; echo the end`;
    const prompt = scriptText(shell(command), { text: "it said $RESULT" });
    const { end } = await takeTurn(await bench.open(), prompt);
    expect(end.text).toContain("scratch made");
    expect(end.text).toContain("Read-only file system");
    expect(bench.exists("in.txt")).toBe(true);
  }));

test("what a cancelled command of codex left running is gone, and its memory is not [ENG-6, AGT-7.crash, T8]", (context) =>
  onBench(context, async (bench) => {
    const session = await bench.open();
    // Interrupting codex leaves what it has moved to the background.
    const prompt = scriptText(
      { calls: [{ tool: "exec_command", args: { cmd: commandThat(bench), yield_time_ms: 250 } }] },
      { text: "never", ending: "hang" },
    );
    const turn = beginTurn(session, prompt);
    await fileAppears(bench, "started");
    await modelIsAsked(bench, 2);
    turn.abort();
    expect((await turn.over).end).toEqual({ type: "stop", reason: "cancelled" });
    expect(await bench.living()).toEqual([]);
    await takeTurn(session, scriptText({ text: "again" }), { turn: 2 });
    expect(
      bench
        .asked()
        .at(-1)
        ?.entries.filter(({ kind }) => kind === "call"),
    ).toHaveLength(1);
  }));

test("within bounds that Troupe sets codex works, and they are what stops it [AGT-13]", (context) =>
  onBench(context, async (bench) => {
    const network = { hosts: [], local: [new URL(bench.modelUrl).host] };
    const confine = confinement({ home: bench.home, writable: [bench.cwd], network });
    const opening = bench.createBackend().open({ ...bench.request(), confine });
    const session = await opening.catch((error: unknown) => {
      if (!(error instanceof TroupeError) || error.code !== "HOST_SANDBOX_UNAVAILABLE") throw error;
      return bench.skip("nothing on this machine keeps bounds");
    });
    const outside = join(bench.home, "outside.txt");
    const prompt = scriptText(shell(`echo > in.txt; echo > ${outside}`), over);
    const { end } = await takeTurn(session, prompt);
    await session.close();
    expect(end).toMatchObject({ type: "stop", reason: "end_turn" });
    expect([bench.exists("in.txt"), readdirSync(bench.home)]).toEqual([true, []]);
  }));

test("the key of codex is not in what its commands see, Troupe's mark is [T11, ENG-6]", (context) =>
  onBench(context, async (bench) => {
    const prompt = scriptText(shell("env"), { text: "it said $RESULT" });
    const { end } = await takeTurn(await bench.open(), prompt);
    expect(end.text).toContain("TROUPE_MARK=");
    expect(end.text).not.toContain("key-of-the-scripted-model");
  }));

test("with a login neither servers nor trust of the user reach an agent in a hostile repository [SEC-1, AGT-14, T18]", (context) =>
  onBench(context, async (bench) => {
    const mark = join(bench.root, "owned-by-user-config");
    codexFixture.login?.write(bench);
    const config = [
      `notify = ["touch", "${mark}"]`,
      `[projects."${bench.cwd}"]`,
      'trust_level = "trusted"',
      '[mcp_servers."my.own"]',
      'command = "touch"',
      `args = ["${mark}"]`,
    ];
    const file = join(bench.home, ".codex/config.toml");
    writeFileSync(file, config.join("\n"));
    writeHostileRepository(bench);
    const cwd = bench.fileAt("deep");
    mkdirSync(cwd);
    const given: SessionRequest = { ...bench.request({ signedInBy: "login" }), cwd };
    const session = await bench.createBackend().open(given);
    const client = createRecordingClient();
    const { end } = await takeTurn(session, scriptText(shell("echo hi"), over), { client });
    await session.close();
    expect(end).toMatchObject({ type: "stop", reason: "end_turn" });
    expect(client.calls).toHaveLength(1);
    expect(obeyed(bench)).toEqual([]);
    expect(readFileSync(file, "utf8")).toBe(config.join("\n"));
  }));

test("what a trusted project configures takes effect [SEC-1]", (context) =>
  onBench(context, async (bench) => {
    writeHostileRepository(bench);
    const session = await bench.createBackend().open({ ...bench.request(), trustsProject: true });
    await takeTurn(session, scriptText(over));
    await session.close();
    expect(obeyed(bench)).toContain("owned-by-codex-mcp");
  }));

test("a person goes on with the thread in codex's own terminal, as isolated [AGT-14, T3]", (context) =>
  onBench(context, async (bench) => {
    const backend = bench.createBackend();
    const session = await bench.open();
    await takeTurn(session, scriptText({ text: "noted" }));
    const { resume = "" } = session;
    await session.close();
    const request = { ...bench.request(), resume };
    const command = await backend.interactive?.(request);
    expect(command).toMatchObject({ cwd: bench.cwd });
    const { argv = ["false"], env = {} } = command ?? {};
    expect(argv).toEqual(expect.arrayContaining(["resume", "--no-daemon", "workspace-write"]));
    expect(argv.at(-1)).toBe(resume);
    expect(argv.join(" ")).not.toContain("key-of-the-scripted-model");
    expect(env["CODEX_HOME"]).toBe(join(bench.directory, "codex"));
    // What it takes for its terminal, its other commands take too: without one it says so, and nothing else.
    const [program = "", ...args] = argv;
    const { stderr } = spawnSync(program, args, { cwd: bench.cwd, env, encoding: "utf8" });
    expect(stderr).toContain("stdin is not a terminal");
    await expect(backend.interactive?.(bench.request())).rejects.toMatchObject({
      code: "BACKEND_SESSION_UNKNOWN",
    });
  }));
