import { readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { eventually, newTag, tagged } from "../host/survivors.ts";
import { has } from "../machine.ts";
import { createVictim, eventsOf } from "./victim.ts";

// Whatever an agent takes too much of is a bounded amount here: it ends by itself where the cap does not hold.

/** A workflow of one agent whose program is this shell text. */
function workflow(command: string, limits: string, more = "isolation: none"): string {
  return `name: runaway
pattern: fan-out
agents:
  - { id: a, backend: command, command: ${JSON.stringify(command)}, limits: { ${limits} }, ${more} }
`;
}

/** What became of a run with such an agent, when nothing of it lives any more. */
async function runAgent(
  command: string,
  [limits = "", config = "{}", more]: readonly string[] = [],
) {
  const tag = newTag();
  const victim = createVictim({
    "runaway.yaml": workflow(`${command} # ${tag}`, limits, more),
    ".troupe/config.yaml": config,
  });
  const ended = await victim.troupe("run", "runaway.yaml", "go", "--json");
  // Whatever outlives its run by a moment is still too much.
  expect(await tagged(tag)).toEqual([]);
  const events = eventsOf(ended);
  const failed = events.find(({ type }) => type === "step-failed");
  const [run] = events.map(({ run: id }) => String(id));
  const log = join(victim.project, ".troupe/runs", run ?? "", "logs/a.log");
  return { victim, ended, events, error: failed?.["error"], log };
}

const MANY = "for i in $(seq 1 40); do setsid sleep 345 & done; wait";
const TAKE = "Buffer.alloc(300e6, 1); setTimeout(() => {}, 60000)";
const MEMORY = `${JSON.stringify(process.execPath)} -e 'const taken = ${TAKE}' & wait`;

describe.each([
  ["of the agent", (limits: string) => [limits, "{}"]],
  ["of the configuration", (limits: string) => ["", `limits: { agent: { ${limits} } }`]],
])("with limits %s", (_whose, place) => {
  test("too many processes end together, and fail the step [SEC-7.limits, T14]", async () => {
    const { ended, events, error } = await runAgent(MANY, place("processes: 20"));
    expect(error).toMatchObject({
      code: "LIMIT_AGENT_RESOURCES",
      message: expect.stringMatching(/were (?:2[1-9]|[34]\d) processes, more than 20/),
      hint: expect.stringContaining("limits.processes"),
    });
    expect(events.at(-1)).toMatchObject({ type: "run-ended", outcome: "failed" });
    expect(ended.exitCode).toBe(1);
  });

  test("too much memory ends all that hold it, and fails the step [SEC-7.limits, T14]", async () => {
    const { events, error } = await runAgent(MEMORY, place("memory: 128MiB"));
    expect(error).toMatchObject({
      code: "LIMIT_AGENT_RESOURCES",
      message: expect.stringMatching(/of memory, more than 128 MiB/),
    });
    expect(events.at(-1)).toMatchObject({ type: "run-ended", outcome: "failed" });
  });

  test("a file larger than it may be is cut off, and fails the step [SEC-7.limits, T14]", async () => {
    const command = "head -c 5000000 /dev/zero > large";
    const { victim, events, error } = await runAgent(command, place("fileSize: 1MiB"));
    expect(statSync(join(victim.project, "large")).size).toBe(1024 ** 2);
    expect(error).toMatchObject({ code: "BACKEND_COMMAND_FAILED" });
    expect(events.at(-1)).toMatchObject({ type: "run-ended", outcome: "failed" });
  });

  test("too many open files are refused, and fail the step [SEC-7.limits, T14]", async () => {
    const open =
      "const { openSync } = require('fs'); for (let i = 0; i < 200; i += 1) openSync('/dev/null')";
    const command = `${JSON.stringify(process.execPath)} -e ${JSON.stringify(open)}`;
    const { events, error, log } = await runAgent(command, place("openFiles: 64"));
    expect(readFileSync(log, "utf8")).toContain("EMFILE");
    expect(error).toMatchObject({ code: "BACKEND_COMMAND_FAILED" });
    expect(events.at(-1)).toMatchObject({ type: "run-ended", outcome: "failed" });
  });

  test("a log keeps its beginning and end, and no more than it may [SEC-7.limits, T14]", async () => {
    const command = "seq 1 200000; echo DONE: talked";
    const { ended, log } = await runAgent(command, place("log: 64KiB"));
    const text = readFileSync(log, "utf8");
    expect(text.length).toBeLessThanOrEqual(64 * 1024);
    expect(text.startsWith("1\n2\n3\n")).toBe(true);
    expect(text.endsWith("200000\nDONE: talked\n")).toBe(true);
    expect(text).toMatch(/\[troupe: \d+ bytes were left out here\]/);
    expect(ended.exitCode).toBe(0);
  });
});

test("what the agent says of its limits beats the configuration; what it leaves out does not [SEC-7.limits]", async () => {
  const config = "limits: { agent: { openFiles: 64, processes: 20 } }";
  const { ended, events } = await runAgent("ulimit -n; ulimit -f", [
    "openFiles: 48, fileSize: 1MiB",
    config,
  ]);
  expect(ended.exitCode).toBe(0);
  expect(events.find(({ type }) => type === "step-completed")).toMatchObject({
    output: "48\n2048",
  });
  const { error } = await runAgent(MANY, ["openFiles: 48", config]);
  expect(error).toMatchObject({ code: "LIMIT_AGENT_RESOURCES" });
});

test("programs that a scripted agent starts are bounded too [SEC-7.limits, T14]", async () => {
  const tag = newTag();
  const victim = createVictim({
    "scripted.yaml": `name: scripted
pattern: fan-out
agents:
  - id: a
    backend: script
    limits: { processes: 20, log: 64KiB }
    script: [ { do: [ { run: ${JSON.stringify(`${MANY} # ${tag}`)} } ], say: "DONE: all" } ]
`,
  });
  const events = eventsOf(await victim.troupe("run", "scripted.yaml", "go", "--json"));
  expect(await tagged(tag)).toEqual([]);
  expect(events.find(({ type }) => type === "step-failed")).toMatchObject({
    error: { code: "LIMIT_AGENT_RESOURCES" },
  });
});

test("the breach of one agent ends its own programs, and leaves those of another alone [SEC-7.limits]", async () => {
  const tag = newTag();
  const victim = createVictim({
    "two.yaml": `name: two
pattern: fan-out
agents:
  - { id: greedy, backend: command, command: ${JSON.stringify(`${MANY} # ${tag}`)}, limits: { processes: 20 } }
  - { id: modest, backend: command, command: ${JSON.stringify(`for i in $(seq 1 25); do sleep 4 & done; wait; echo DONE # ${tag}`)} }
`,
  });
  const events = eventsOf(await victim.troupe("run", "two.yaml", "go", "--json"));
  expect(events.filter(({ type }) => type === "step-failed")).toMatchObject([
    { step: "greedy", error: { code: "LIMIT_AGENT_RESOURCES" } },
  ]);
  expect(events.filter(({ type }) => type === "step-completed")).toMatchObject([
    { step: "modest" },
  ]);
  expect(
    await eventually(
      () => tagged(tag),
      (pids) => pids.length === 0,
    ),
  ).toEqual([]);
});

/** Agents that all say the same. */
function agents(count: number, script: string): string {
  const ids = Array.from({ length: count }, (_, index) => `a${index}`);
  return ids.map((id) => `  - { id: ${id}, backend: script, script: ${script} }\n`).join("");
}

test("more live agents than the configuration allows are refused [T14]", async () => {
  const victim = createVictim({
    "many.yaml": `name: many\npattern: fan-out\nagents:\n${agents(5, '[ { say: "DONE: x" } ]')}`,
    ".troupe/config.yaml": "limits: { maxAgents: 3 }",
  });
  const ended = await victim.troupe("run", "many.yaml", "go", "--json");
  const events = eventsOf(ended);
  expect(events.filter(({ type }) => type === "agent-spawned")).toHaveLength(3);
  expect(JSON.stringify(events)).toContain("AGENT_LIMIT_RUNNING");
  expect(events.at(-1)).toMatchObject({ type: "run-ended", outcome: "failed" });
});

test("more agents than the budget allows are not spawned [T14]", async () => {
  const victim = createVictim({
    "many.yaml": `name: many\npattern: fan-out\nagents:\n${agents(5, '[ { say: "DONE: x" } ]')}`,
  });
  const events = eventsOf(
    await victim.troupe("run", "many.yaml", "go", "--max-agents", "3", "--json"),
  );
  expect(events.filter(({ type }) => type === "agent-spawned").length).toBeLessThanOrEqual(3);
  expect(JSON.stringify(events)).toContain("LIMIT_AGENTS");
});

test("a flood of messages is refused within the minute, and the run ends [T14]", async () => {
  const flood = Array.from({ length: 130 }, (_, index) => `{ send: { text: "m${index}" } }`).join(
    ", ",
  );
  const victim = createVictim({
    "flood.yaml": `name: flood\npattern: fan-out\nagents:\n${agents(1, `[ { do: [ ${flood} ], say: "DONE: x" } ]`)}`,
  });
  const events = eventsOf(await victim.troupe("run", "flood.yaml", "go", "--json"));
  const posted = events.filter(({ type, from }) => type === "message-posted" && from === "a0");
  expect(posted).toHaveLength(120);
  expect(events.find(({ type }) => type === "step-failed")).toMatchObject({
    error: { code: "MESSAGE_RATE_EXCEEDED" },
  });
  expect(events.at(-1)).toMatchObject({ type: "run-ended", outcome: "failed" });
});

test("a run that has used up its turns or messages stops [T14]", async () => {
  const talk =
    '[ { do: [ { send: { text: "one" } }, { send: { text: "two" } } ], say: "DONE: x" } ]';
  const victim = createVictim({
    "talk.yaml": `name: talk\npattern: pipeline\nagents:\n${agents(3, talk)}`,
  });
  const turns = eventsOf(
    await victim.troupe("run", "talk.yaml", "go", "--max-turns", "2", "--json"),
  );
  expect(turns.filter(({ type }) => type === "turn-started")).toHaveLength(2);
  expect(JSON.stringify(turns.at(-1))).toContain("LIMIT_TURNS");
  const messages = await victim.troupe("run", "talk.yaml", "go", "--max-messages", "3", "--json");
  expect(JSON.stringify(eventsOf(messages).at(-1))).toContain("LIMIT_MESSAGES");
});

test.runIf(has("bubblewrap"))("limits hold in a sandbox too [SEC-7.limits, T14]", async () => {
  for (const [command, limits, message] of [
    [MANY, "processes: 20", /were (?:2[1-9]|[34]\d) processes, more than 20/],
    [MEMORY, "memory: 128MiB", /of memory, more than 128 MiB/],
  ] as const) {
    const { error } = await runAgent(command, [limits, "{}", "isolation: sandbox"]);
    expect(error).toMatchObject({
      code: "LIMIT_AGENT_RESOURCES",
      message: expect.stringMatching(message),
    });
  }
  const told =
    "{ ulimit -n; ulimit -n 65; head -c 5000000 /dev/zero > large; wc -c < large; } 2>&1";
  const place = ["openFiles: 64, fileSize: 1MiB", "{}", "isolation: sandbox"];
  const { events } = await runAgent(`${told}; true`, place);
  const [completed] = events.filter(({ type }) => type === "step-completed");
  expect(completed?.["output"]).toMatch(/^64\n(?:.*\n)+1048576$/);
});

/** An agent that speaks ACP and starts more and more when it is asked something. */
const ACP_AGENT = `
const { appendFileSync } = require("node:fs");
const { spawn } = require("node:child_process");
appendFileSync("starts", "x");
require("node:readline").createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method } = JSON.parse(line);
  const answer = (result) => console.log(JSON.stringify({ jsonrpc: "2.0", id, result }));
  if (method === "initialize") answer({ protocolVersion: 1, agentCapabilities: { loadSession: true }, authMethods: [] });
  if (method === "session/new") answer({ sessionId: "s" });
  if (method === "session/prompt")
    for (let i = 0; i < 40; i += 1) spawn("sleep", ["4321"], { detached: true, stdio: "ignore" });
});
`;

test("a session that runs away ends with all of it, and neither it nor the step is begun again [SEC-7.limits, T14]", async () => {
  const tag = newTag();
  const victim = createVictim({
    "agent.cjs": ACP_AGENT,
    "w.yaml": `name: w
pattern: dag
agents: [ { id: a, backend: acp, command: [node, agent.cjs], env: { TAG: ${tag} }, limits: { processes: 20 } } ]
steps: [ { id: s, agent: a, prompt: go, maxRetries: 2 } ]
`,
  });
  const ended = await victim.troupe("run", "w.yaml", "--json");
  const events = eventsOf(ended);
  expect(events.find(({ type }) => type === "step-failed")).toMatchObject({
    error: { code: "LIMIT_AGENT_RESOURCES" },
  });
  expect(events.at(-1)).toMatchObject({ type: "run-ended", outcome: "failed" });
  expect([ended.exitCode, await tagged(tag)]).toEqual([1, []]);
  expect(readFileSync(join(victim.project, "starts"), "utf8")).toBe("x");
});

test("commands of steps and agents of teams have the limits of the configuration [SEC-7.limits, T14]", async () => {
  const config = "limits: { agent: { processes: 20 } }";
  const victim = createVictim({
    ".troupe/config.yaml": config,
    "steps.yaml": `id: steps\nsteps: [ { id: s, type: shell, command: ${JSON.stringify(MANY)} } ]\n`,
    "team.yaml": `name: team\nagents: { a: { backend: command, command: ${JSON.stringify(MANY)} } }\nkickoff: "@a go"\n`,
  });
  for (const [file, type] of [
    ["steps.yaml", "step-failed"],
    ["team.yaml", "turn-failed"],
  ] as const) {
    const ended = await victim.troupe("run", file, "--json");
    expect(eventsOf(ended).find((event) => event["type"] === type)).toMatchObject({
      error: { code: "LIMIT_AGENT_RESOURCES" },
    });
    expect(ended.exitCode).toBe(1);
  }
});

test("workflows that carry each other out go only so deep [T14]", async () => {
  const victim = createVictim();
  for (let level = 1; level <= 12; level += 1) {
    const next = { id: "s", type: "workflow", file: `./w${level + 1}.yaml` };
    const last = { id: "s", type: "transform", transform: "1" };
    const file = { id: `w${level}`, steps: [level === 12 ? last : next] };
    writeFileSync(join(victim.project, `w${level}.yaml`), JSON.stringify(file));
  }
  const { exitCode, out, err } = await victim.troupe("run", "w1.yaml");
  expect(exitCode).not.toBe(0);
  expect(out + err).toContain("workflows hold each other over 8 levels");
});

test("agents that answer each other for ever stop at the cost and the time that they have [LIM-1.turns, T14]", async () => {
  const answer = (other: string) => ({
    backend: "script",
    script: {
      turns: [{ do: [{ usage: { inputTokens: 1, costUsd: 1 } }], say: `@${other} and now?` }],
      repeat: "last",
    },
  });
  const agents = { a: answer("b"), b: answer("a") };
  const base = { name: "k", context: null, agents, kickoff: "@a go" };
  for (const budget of [{ cost: 3 }, { tokens: 4 }]) {
    const victim = createVictim({ "w.yaml": JSON.stringify({ ...base, budget }) });
    const ended = await victim.troupe("run", "w.yaml", "--json");
    const events = eventsOf(ended);
    expect([ended.exitCode, events.at(-1)?.["outcome"]]).toEqual([5, "limit-reached"]);
    expect(events.filter(({ type }) => type === "turn-completed").length).toBeLessThanOrEqual(5);
  }
  const sleep =
    'name: s\npattern: fan-out\nagents: [ { id: a, backend: command, command: "sleep 60" } ]\n';
  const victim = createVictim({ "w.yaml": `${sleep}budget: { wallClock: 1s }\n` });
  expect((await victim.troupe("run", "w.yaml", "go")).exitCode).toBe(5);
});

test("a message and an output are so large at most [MSG-9, T14]", async () => {
  const large = [{ do: [{ send: { text: "x".repeat(2_000_000) } }], say: "DONE: ok" }];
  const one = "name: w\npattern: fan-out\nagents: [ { id: a, backend: script } ]\n";
  const victim = createVictim({
    "w.yaml": one,
    "c.yaml": JSON.stringify({ version: 1, agents: { a: large } }),
  });
  const ended = await victim.troupe("run", "w.yaml", "go", "--cassette", "c.yaml");
  expect([ended.exitCode, ended.out + ended.err]).toEqual([
    1,
    expect.stringContaining("MESSAGE_TOO_LARGE"),
  ]);
  const { events } = await runAgent("head -c 5000000 /dev/zero | tr '\\0' x");
  const [completed] = events.filter(({ type }) => type === "step-completed");
  expect(JSON.stringify(completed).length).toBeLessThan(1_200_000);
  expect(completed).toMatchObject({ outputTruncated: true });
});
