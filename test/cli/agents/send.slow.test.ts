import { expect, test } from "vitest";
import { call, createProject, stable } from "../fake-io.ts";
import { ASKING, ONE_STEP } from "../workflows.ts";
import { chatCassette, startChat } from "./chat-run.ts";

const ANSWERS = ['{ expect: "SQLite", say: "SQLite it is" }', '{ say: "second" }'];

function textsOf(events: string): readonly string[] {
  return events
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line))
    .filter(({ type, from }) => type === "message-posted" && from === "user")
    .map(({ text }) => text);
}

test("ask prints the answer of the agent and nothing else [KCK-8, CLI-1]", async () => {
  const { cwd } = await startChat(ANSWERS);
  const asked = await call(cwd, ["ask", "@helper", "use SQLite"]);
  expect(asked).toEqual({ exitCode: 0, out: "SQLite it is\n", err: "" });
});

test("send writes to an agent in both forms, wakes it, and says so [KCK-8, MSG-4]", async () => {
  const { cwd } = await startChat(ANSWERS);
  const sent = await call(cwd, ["send", "use SQLite", "--to", "helper@default"]);
  expect({ ...sent, out: stable(sent.out) }).toEqual({
    exitCode: 0,
    out: "sent to @helper of run_ID\n",
    err: "",
  });
  const again = await call(cwd, ["send", "@helper", "--wait", "and now?"]);
  expect(again.out).toMatch(/^sent to @helper of run_\w{6}\nsecond\n$/);
  const quiet = await call(cwd, ["send", "-q", "helper", "-"], { input: "from a pipe\n" });
  expect(quiet).toEqual({ exitCode: 0, out: "", err: "" });
  const { out } = await call(cwd, ["peek", "helper", "--json"]);
  expect(textsOf(out)).toEqual(["use SQLite", "and now?", "from a pipe"]);
});

test("to a run the text goes to its main channel, where it wakes whom it mentions [KCK-8]", async () => {
  const { cwd } = await startChat(['{ say: "here" }']);
  const sent = await call(cwd, ["send", "@default", "--wait=1m", "--json", "@helper @nobdy?"]);
  expect(sent.exitCode).toBe(0);
  expect(JSON.parse(sent.out)).toEqual({
    v: 1,
    run: expect.stringMatching(/^run_/),
    id: expect.stringMatching(/^[0-9A-Z]{26}$/),
    seq: expect.any(Number),
    delivered: ["helper"],
    queued: false,
    answers: [{ agent: "helper", turn: 2, text: "here" }],
    missing: [],
    late: [],
  });
  expect(JSON.parse(sent.err).warning).toMatchObject({
    code: "MESSAGE_UNKNOWN_MENTION",
    hint: "agents: helper, gate",
  });
  const silent = await call(cwd, ["send", "@default", "hello all"]);
  expect(silent.out).toContain("it mentions nobody, so it wakes nobody");
  const asked = await call(cwd, ["ask", "@default", "anyone?"]);
  expect(asked).toMatchObject({ exitCode: 1, out: "" });
  expect(asked.err).toContain("error[RUN_NO_ANSWER]: nobody was addressed");
});

test("a message that is sent again under its key is posted once [MSG-3]", async () => {
  const { cwd, letGo } = await startChat(ANSWERS);
  const send = () => call(cwd, ["send", "helper", "SQLite", "--key", "k1", "--json"]);
  const first = JSON.parse((await send()).out);
  expect(first).toMatchObject({ delivered: ["helper"], queued: false });
  expect(JSON.parse((await send()).out)).toEqual(first);
  expect((await call(cwd, ["ask", "helper", "SQLite", "--key", "k1"])).out).toBe("SQLite it is\n");
  await letGo();
  expect(JSON.parse((await send()).out)).toEqual(first);
  const { out } = await call(cwd, ["peek", "@last", "--json"]);
  expect(textsOf(out)).toEqual(["SQLite"]);
});

test("a message to a run that nobody carries out is recorded once, and read when it goes on [ENG-19]", async () => {
  const cwd = createProject({ "one.yaml": ONE_STEP, "c.yaml": ASKING });
  await call(cwd, ["run", "one.yaml", "x", "--cassette", "c.yaml"]);
  const send = (...flags: readonly string[]) =>
    call(cwd, ["send", "coder", "not to main", "--key", "k", ...flags]);
  expect((await send()).out).toMatch(/^recorded; nobody runs it: troupe resume run_\w{6}\n$/);
  expect(JSON.parse((await send("--json")).out)).toEqual({
    v: 1,
    run: expect.stringMatching(/^run_/),
    id: null,
    seq: null,
    delivered: [],
    queued: true,
  });
  const asked = await call(cwd, ["ask", "coder", "well?"]);
  expect(asked).toMatchObject({ exitCode: 2, out: "" });
  expect(asked.err).toContain("error[RUN_NOT_RUNNING]");
  expect(asked.err).toContain("troupe resume run_");
  const { out } = await call(cwd, ["logs", "--json"]);
  expect(out.match(/command-received/g)).toHaveLength(1);
});

test("an answer that does not come in time is exit code 5, a turn that failed is 1 [CLI-1]", async () => {
  const failing = "{ fail: { code: OVERLOADED, retryable: false, message: busy } }";
  const { cwd } = await startChat([failing]);
  const late = await call(cwd, ["ask", "gate", "are you there?", "--timeout", "20ms"]);
  expect(late).toMatchObject({ exitCode: 5, out: "" });
  expect(late.err).toContain("error[LIMIT_WAIT_TIME]: no answer of gate within 20ms");
  const failed = await call(cwd, ["ask", "helper", "well?"]);
  expect(failed).toMatchObject({ exitCode: 1, out: "" });
  expect(failed.err).toMatch(/error\[RUN_NO_ANSWER\]: helper of run_\w+ gave no answer: .*busy/);
});

test("who waits for an answer is told when the run is let go [ENG-18]", async () => {
  const { cwd, letGo, io } = await startChat([]);
  const asking = call(cwd, ["ask", "gate", "are you there?"]);
  await io.seen("are you there?");
  await letGo();
  const { exitCode, err } = await asking;
  expect(exitCode).toBe(1);
  expect(err).toMatch(/was let go: troupe resume run_\w{6}/);
});

test("an interrupting message cuts off what the agent works on [MSG-4]", async () => {
  const { cwd, io } = await startChat(["{ hang: true }", '{ say: "I stopped" }']);
  await call(cwd, ["send", "helper", "work on this"]);
  await call(cwd, ["peek", "helper"]);
  await io.seen("work on this");
  const asked = await call(cwd, ["ask", "helper", "stop that", "--interrupt", "--timeout", "10s"]);
  expect(asked.out).toBe("I stopped\n");
});

test("without a target the one is meant that was written to last, else all are listed [KCK-8]", async () => {
  const { cwd } = await startChat(ANSWERS);
  const unclear = await call(cwd, ["send", "hello"]);
  expect(unclear).toMatchObject({ exitCode: 2, out: "" });
  expect(unclear.err).toContain(
    "error[RUN_TARGET_MISSING]: several agents are alive: helper@default, gate@default",
  );
  await call(cwd, ["ask", "helper", "SQLite"]);
  expect((await call(cwd, ["send", "hello"])).out).toContain("sent to @helper");
});

test("a process of an agent does not speak for the person, and is told how to speak [T3, T15]", async () => {
  const cwd = createProject({ "chat.yaml": chatCassette([]) });
  const above = { family: "f1", run: "run_aaaaaa" };
  for (const args of [
    ["send", "x"],
    ["ask", "x"],
    ["attach", "@last"],
  ]) {
    const { exitCode, out, err } = await call(cwd, args, { above });
    expect({ exitCode, out }).toEqual({ exitCode: 2, out: "" });
    expect(err).toContain("error[USAGE_SPEECH_BY_AGENT]");
    expect(err).toContain("troupe context send");
  }
});

test("an answer does not drive a terminal; a pipe gets it as it is [T12]", async () => {
  const { cwd } = await startChat([String.raw`{ say: "\e[2Jhi" }`, String.raw`{ say: "\e[2Jhi" }`]);
  expect((await call(cwd, ["ask", "helper", "hi"])).out).toBe("\u001b[2Jhi\n");
  expect((await call(cwd, ["ask", "helper", "hi"], { isTerminal: true })).out).toBe("hi\n");
});
