import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createProject, startTroupe, troupe } from "./troupe-process.ts";

// One agent that people write to; a real command keeps the run going until a file appears.
const CHAT = `version: "1.0"
name: chat
pattern: dag
agents:
  - { id: helper, backend: script, session: keep }
  - { id: gate, backend: command, command: ["sh", "-c", "until [ -e go ]; do sleep 0.05; done"] }
steps:
  - { id: hello, agent: helper, prompt: "be ready" }
  - { id: wait, agent: gate, dependsOn: [hello] }
`;
const TURNS = `version: 1
agents:
  helper:
    - { say: "DONE: ready" }
    - { say: "SQLite it is" }
    - { do: [{ ask: "Which port?" }], say: "port taken" }
    - { hang: true }
`;

async function startChat() {
  const cwd = createProject({ "chat.yaml": CHAT, "c.yaml": TURNS });
  const env = { TROUPE_HOME: join(cwd, "home") };
  const run = startTroupe(
    cwd,
    ["run", "chat.yaml", "--cassette", "c.yaml", "--instance", "pr-1"],
    env,
  );
  await run.seen(/wait +● started/);
  return { cwd, run, type: (...args: readonly string[]) => troupe(cwd, args, env), env };
}

test("people talk to an agent of another process, see it, and see what happened [KCK-8, ENG-19, CLI-1]", async () => {
  const { cwd, run, type } = await startChat();
  expect(await type("ask", "@helper", "use SQLite")).toEqual({
    exitCode: 0,
    out: "SQLite it is\n",
    err: "",
  });
  const asking = type("ask", "helper@pr-1", "and the port?", "--timeout", "60s");
  await run.seen(/troupe answer (qst_\w{6})/);
  const [, id = ""] = /"id":"(qst_\w{6})"/.exec((await type("inbox", "--json")).out) ?? [];
  expect((await type("list")).out).toMatch(/^helper@pr-1 +run_\w{6} +chat\.yaml +script/m);
  expect((await type("answer", id, "8080")).exitCode).toBe(0);
  expect((await asking).out).toBe("port taken\n");
  const peeked = await type("peek", "@pr-1");
  expect(peeked.out).toContain("user     → @helper: use SQLite");
  expect(peeked.out).toMatch(/gate +● working +\S+ +turn 1, step wait/);
  writeFileSync(join(cwd, "go"), "");
  expect((await run.ended).exitCode).toBe(0);
  expect((await type("away")).out).toMatch(/✔ chat@pr-1 +finished +2\/2 steps/);
  expect((await type("away")).out).toMatch(/^since your last look, .*: nothing\n$/);
});

test("without a terminal attach follows, and ending it leaves the run alone [KCK-8, ENG-18]", async () => {
  const { cwd, run, env } = await startChat();
  const attached = startTroupe(cwd, ["attach", "@last"], env);
  await attached.seen(/wait +● started/);
  attached.kill("SIGINT");
  await attached.ended;
  writeFileSync(join(cwd, "go"), "");
  expect((await run.ended).exitCode).toBe(0);
});

test("who waits for an answer learns that the owner was killed, and the message is not lost [ENG-18, MSG-3]", async () => {
  const { cwd, run, type, env } = await startChat();
  await type("ask", "helper", "use SQLite");
  const asking = startTroupe(cwd, ["ask", "gate", "are you there?", "--key", "k1"], env);
  await run.seen(/are you there\?/);
  run.kill("SIGKILL");
  await run.ended;
  const { exitCode, err } = await asking.ended;
  expect(exitCode).toBe(1);
  expect(err).toMatch(/the process of run_\w{6} is gone: troupe resume run_\w{6}/);
  const again = await type("send", "gate", "are you there?", "--key", "k1", "--json");
  expect(JSON.parse(again.out)).toMatchObject({ delivered: ["gate"], queued: false });
  expect((await type("send", "gate", "later", "--key", "k2")).out).toContain(
    "recorded; nobody runs",
  );
  writeFileSync(join(cwd, "go"), "");
  expect((await type("resume", "@last", "-q")).exitCode).toBe(0);
  const { out } = await type("logs", "--json");
  for (const text of ["are you there?", "later"])
    expect(
      out.match(new RegExp(`"type":"message-posted".*"text":"${text.replace("?", "\\?")}"`, "g")),
    ).toHaveLength(1);
});
