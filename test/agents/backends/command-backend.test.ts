import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createCommandBackend } from "../../../src/agents/backends/command/command-backend.ts";
import type { SessionRequest, TurnRequest, TurnUpdate } from "../../../src/contracts/backend.ts";
import { failureOf, withoutFailure } from "../../../src/contracts/failure.ts";
import type { Json } from "../../../src/foundation/json.ts";
import { createTurnRequest } from "../../../src/testing/turn-request.ts";
import { createTestHost } from "./test-host.ts";

const { PATH = "" } = process.env;
let cwd = "";
beforeEach(async () => {
  cwd = await mkdtemp(join(tmpdir(), "troupe-command-"));
});
afterEach(() => rm(cwd, { recursive: true, force: true }));

const backend = createCommandBackend({ host: createTestHost() });

function sessionOf(command: Json): SessionRequest {
  const spec = { id: "worker", backend: "command", settings: { command } };
  const env = { PATH, TMPDIR: cwd };
  return { run: "run_aaaaaa", session: "worker", cwd, env, logFile: join(cwd, "worker.log"), spec };
}

async function run(command: Json, parts: Partial<TurnRequest> = {}): Promise<TurnUpdate> {
  const session = await backend.open(sessionOf(command));
  let last: TurnUpdate | undefined;
  for await (const update of session.prompt(createTurnRequest(parts))) last = update;
  if (last === undefined) throw new Error("no update");
  return last;
}

const stopped = (text: string) => ({ type: "stop", reason: "end_turn", text });

describe("a command agent", () => {
  test("answers with stdout without one trailing newline [AGT-3.command]", async () => {
    expect(await run(["printf", "a\\n\\n"])).toEqual(stopped("a\n"));
    expect(await run(["printf", "a\\r\\n"])).toEqual(stopped("a"));
    expect(await run(["printf", "a"])).toEqual(stopped("a"));
    expect(await run(["printf", ""])).toEqual(stopped(""));
  });

  test("gets the task alone on stdin, which is then closed [AGT-3.command, AGT-5]", async () => {
    const given = { task: "the task", prompt: "conventions\nthe task" };
    expect(await run("cat; echo; echo end", given)).toEqual(stopped("the task\nend"));
  });

  test("gets the task in argv as text, whatever is in it [AGT-3.command, AGT-5, T6]", async () => {
    const task = "$(touch owned) `touch owned` '; touch owned; ' \"$&\" {task} \0 end";
    const argv = ["printf", "%s|%s", "{task}", "--about={task}"];
    const clean = task.replace("\0", "\uFFFD");
    expect(await run(argv, { task })).toEqual(stopped(`${clean}|--about=${clean}`));
    expect(await readdir(cwd)).not.toContain("owned");
  });

  test("leaves {task} in a text for the shell alone [T6]", async () => {
    const task = "x; touch owned";
    expect(await run("printf %s '{task}'", { task })).toEqual(stopped("{task}"));
  });

  test("refuses a task over 64 KiB in argv and names stdin [AGT-5]", async () => {
    const task = "ü".repeat(32 * 1024 + 1);
    expect(await run(["echo", "{task}"], { task })).toMatchObject({
      type: "error",
      error: {
        code: "BACKEND_TASK_TOO_LARGE",
        hint: expect.stringContaining("stdin"),
        details: { agent: "worker", sizeBytes: 65_538, maxBytes: 65_536 },
      },
    });
  });

  test("finds a task up to 64 KiB in TROUPE_TASK, a larger one only in its file [AGT-3.command, AGT-5]", async () => {
    const show = [
      "sh",
      "-c",
      "printf '%s ' $(printf %s \"$TROUPE_TASK\" | wc -c); wc -c < $TROUPE_TASK_FILE",
    ];
    const text = async (task: string) => {
      const end = await run(show, { task });
      return end.type === "stop" ? end.text?.split(/\s+/) : end;
    };
    expect(await text("x".repeat(65_536))).toEqual(["65536", "65536"]);
    expect(await text("x".repeat(65_537))).toEqual(["0", "65537"]);
  });

  test("finds its task in a file that only this user can read and that goes with the turn", async () => {
    const show =
      'stat -c %a "$TROUPE_TASK_FILE" "$(dirname "$TROUPE_TASK_FILE")"; echo "$TROUPE_TASK_FILE"';
    const end = await run(show);
    if (end.type !== "stop") throw new Error(end.type);
    const [fileMode, directoryMode, path = ""] = end.text?.split("\n") ?? [];
    expect([fileMode, directoryMode]).toEqual(["600", "700"]);
    await expect(readFile(path)).rejects.toMatchObject({ code: "ENOENT" });
  });

  test("has no TROUPE_STEP or TROUPE_PREVIOUS_ERROR when there is none", async () => {
    expect(await run("env | grep -c -E 'STEP|PREVIOUS' || true")).toEqual(stopped("0"));
  });

  test("gets the error before even when it is huge or holds a NUL", async () => {
    const previousError = `\0${"€".repeat(1_000_000)}`;
    expect(await run("printf %s $TROUPE_PREVIOUS_ERROR | wc -c", { previousError })).toEqual(
      stopped("49152"),
    );
  });

  test("fails, retryable, with the exit code, the end of stderr and its stdout", async () => {
    const code = 'i=0; while [ $i -lt 300 ]; do echo "line $i of stderr" >&2; i=$((i+1)); done';
    const end = await run(`echo partial; ${code}; exit 7`);
    expect(end).toMatchObject({
      type: "error",
      text: "partial\n",
      error: {
        code: "BACKEND_COMMAND_FAILED",
        retryable: true,
        message: 'the command of agent "worker" exited with 7: line 299 of stderr',
        details: {
          agent: "worker",
          exitCode: 7,
          stderr: expect.stringMatching(/299 of stderr\n$/),
        },
      },
    });
    if (end.type !== "error") throw new Error("it did not fail");
    const failure = failureOf(end.error);
    expect(failure).toMatchObject({ exitCode: 7, signal: null, stdout: "partial\n" });
    expect(failure?.stderr).toMatch(/^line 0 of stderr\n[\s\S]*\nline 299 of stderr\n$/);
    const { details } = withoutFailure(end.error);
    expect(JSON.stringify(details).length).toBeLessThan(2500);
  });

  test("tells the last line with words in it, not the rule below it", async () => {
    const end = await run("printf '1 test failed\\n----[1/1]----\\n\\n' >&2; exit 1");
    expect(end).toMatchObject({
      error: { message: 'the command of agent "worker" exited with 1: 1 test failed' },
    });
    expect(await run("echo 42 >&2; exit 1")).toMatchObject({
      error: { message: 'the command of agent "worker" exited with 1: 42' },
    });
  });

  test("that a signal ended fails with the signal", async () => {
    expect(await run("kill -9 $$")).toMatchObject({
      type: "error",
      error: {
        code: "BACKEND_COMMAND_FAILED",
        message: 'the command of agent "worker" was ended by SIGKILL',
        details: { signal: "SIGKILL" },
      },
    });
  });

  test("whose program is missing fails for good", async () => {
    const end = await run(["no-such-program-here"]);
    expect(end).toMatchObject({ type: "error", error: { code: "BACKEND_NOT_FOUND" } });
    expect(end.type === "error" && end.error.retryable).toBeFalsy();
  });

  test("writes what it prints to its log [AGT-6]", async () => {
    await run("echo for the log");
    expect(await readFile(join(cwd, "worker.log"), "utf8")).toContain("for the log");
  });

  test("may print bytes that are no text and lines without end [AGT-6, P15]", async () => {
    const end = await run("printf 'a\\377b'; head -c 300000 /dev/zero | tr '\\0' z");
    expect(end).toMatchObject({ type: "stop", text: `a\uFFFDb${"z".repeat(300_000)}` });
  });

  test("is checked before the run: a command, and a program that is there", async () => {
    const problems = async (command: Json) => backend.check(sessionOf(command).spec);
    expect(await problems(["sh", "-c", "x"])).toEqual([]);
    expect(await problems("anything at all")).toEqual([]);
    expect(await problems(["no-such-program-here"])).toEqual([
      {
        message: 'agent "worker": the program "no-such-program-here" was not found',
        hint: 'install "no-such-program-here" or put its directory on PATH',
      },
    ]);
    for (const command of ["", "  ", [], [""], 5])
      expect(await problems(command)).toMatchObject([
        { message: expect.stringContaining("expected `command`") },
      ]);
    await expect(backend.open(sessionOf(""))).rejects.toMatchObject({
      code: "BACKEND_SETTINGS_INVALID",
    });
  });
});
