import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { JournalEvent } from "../../src/contracts/events/event.ts";
import { addUsage, type Usage } from "../../src/contracts/usage.ts";
import { createClientUser, eventsOf } from "./client-user.ts";
import { TOKENS } from "./model-server/model-request.ts";
import { type Step, scriptText } from "./model-server/script.ts";
import type { ClientName } from "./pinned-clients.ts";

// Half a minute by itself; some machines do much else.
const PATIENCE_MS = 240_000;
const clients = ["claude", "codex", "gemini", "opencode"] as const satisfies readonly ClientName[];
const stormy = ["left", "right"];
// As often as the client asks before it gives up by itself.
const THROTTLED = { status: 429, times: 3, retryAfterSeconds: 1 };
const IDLE_TIMEOUT = "4s";
const hanging: Step = { text: "DONE: never", ending: "hang" };
// A nudge comes first where the session was open in time.
const LADDER = ["silent interrupt", "silent restart", "silent fail"];

/** A model whose agent writes its name into the file of all, and says so. */
function signing(agent: string): string {
  const sign: Step = { calls: [{ shell: `echo ${agent} >> signed.txt` }] };
  return `sign ${scriptText(sign, { text: `DONE: ${agent}` })}`;
}

const dag = {
  version: "1.0",
  name: "mixed",
  pattern: "dag",
  agents: [
    { id: "maker", backend: "command", command: "echo made" },
    { id: "teller", backend: "script", script: [{ say: "DONE: told" }] },
    ...clients.map((cli) => ({ id: cli, cli })),
    ...stormy.map((id) => ({ id, cli: "claude" })),
    { id: "silent", cli: "codex", idleTimeout: IDLE_TIMEOUT },
  ],
  steps: [
    { id: "make", agent: "maker" },
    ...clients.map((id) => ({ id, agent: id, dependsOn: ["make"], prompt: signing(id) })),
    ...stormy.map((id) => ({
      id,
      agent: id,
      dependsOn: ["make"],
      prompt: scriptText({ fail: THROTTLED, text: `DONE: ${id}` }),
    })),
    {
      id: "silent",
      agent: "silent",
      dependsOn: ["make"],
      prompt: scriptText(hanging),
    },
    { id: "after-silent", agent: "teller", dependsOn: ["silent"], prompt: "tell" },
    { id: "tell", agent: "teller", dependsOn: [...clients, ...stormy], prompt: "tell" },
    {
      id: "close",
      agent: "opencode",
      dependsOn: ["tell"],
      prompt: scriptText({ text: "DONE: closed" }),
    },
  ],
};

test("four clients, a command and a script share a dag: a storm of 429 is waited out, and a hung agent fails without the others [AGT-3.coding-agents, AGT-8.stuck, AGT-15, LOOP-5]", {
  timeout: PATIENCE_MS,
}, async (context) => {
  const user = await createClientUser(context, {
    clients,
    files: { "w.yaml": JSON.stringify(dag) },
  });
  const ended = await user.type("run", "w.yaml");
  expect(ended).toMatchObject({ exitCode: 1, err: "" });
  const events = user.events();
  expect(await user.living()).toEqual([]);

  const completed = eventsOf(events, "step-completed").map(({ step, output }) => [step, output]);
  expect(Object.fromEntries(completed)).toEqual({
    make: "made",
    ...Object.fromEntries([...clients, ...stormy].map((id) => [id, id])),
    tell: "told",
    close: "closed",
  });
  expect(eventsOf(events, "step-failed")).toMatchObject([
    { step: "silent", error: { code: "AGENT_STUCK" } },
  ]);
  expect(eventsOf(events, "step-blocked")).toMatchObject([{ step: "after-silent" }]);
  const signed = readFileSync(join(user.cwd, "signed.txt"), "utf8");
  expect(signed.trimEnd().split("\n").toSorted()).toEqual(clients);

  expect(ladderOf(events)).toEqual(LADDER);
  expect(rateLimited(events)).toEqual(stormy);
  const refused = user.model.calls("claude").filter(({ status }) => status === THROTTLED.status);
  expect(refused).toHaveLength(THROTTLED.times * stormy.length);
  expect(eventsOf(events, "turn-failed").map(({ agent }) => agent)).toEqual(["silent"]);

  const [one, two, three] = [1, 2, 3].map((calls) => ({
    inputTokens: calls * TOKENS.input,
    outputTokens: calls * TOKENS.output,
  }));
  const usage = usageByAgent(events);
  expect(usage).toMatchObject({
    claude: two,
    left: one,
    right: one,
    codex: two,
    gemini: two,
    opencode: three,
  });
  // Claude Code tells it, the model of Gemini has a known price, and nobody knows those that are made up.
  const told = Object.entries(usage).filter(([, { costUsd = 0 }]) => costUsd > 0);
  expect(told.map(([agent]) => agent).toSorted()).toEqual(["claude", "gemini", "left", "right"]);
});

/** A message that wakes an agent; what stands in code mentions nobody. */
function waking(agent: string, ...steps: readonly Step[]): string {
  return `@${agent} go on\n\`\`\`\n${scriptText(...steps)}\n\`\`\``;
}

function sending(message: string): Step {
  return { calls: [{ tool: "channel_send", args: { message } }] };
}

/** A message by which each client wakes the next one, and the last one the command. */
function relay(): string {
  const toSilent = sending(waking("silent", hanging));
  const wakeNext = (message: string, client: string): string =>
    client === "claude"
      ? waking(client, { ...toSilent, fail: THROTTLED }, sending(message), { text: "DONE" })
      : waking(client, sending(message), { text: "DONE" });
  return clients.reduceRight(wakeNext, "@checker is all well?");
}

const kickoff = {
  name: "relay",
  context: {},
  agents: {
    ...Object.fromEntries(clients.map((backend) => [backend, { backend }])),
    checker: { backend: "command", command: "echo '@teller all is well'" },
    teller: { backend: "script", script: [{ say: "the end" }] },
    silent: { backend: "codex", idleTimeout: IDLE_TIMEOUT },
  },
  kickoff: relay(),
};

test("four clients, a command and a script wake each other by mentions in the channel, through a storm of 429 and beside a hung agent [AGT-3.coding-agents, AGT-8.stuck, LOOP-5, MCP-1.tools, MCP-5, KCK-2]", {
  timeout: PATIENCE_MS,
}, async (context) => {
  const user = await createClientUser(context, {
    clients,
    files: { "w.yaml": JSON.stringify(kickoff) },
  });
  const ended = await user.type("run", "w.yaml");
  const events = user.events();
  expect(ended).toMatchObject({ exitCode: 1, err: "" });
  expect(await user.living()).toEqual([]);

  const posted = eventsOf(events, "message-posted").filter(({ from }) => from !== "system");
  expect(posted.map(({ from, mentions }) => [from, mentions])).toEqual([
    ["claude", ["silent"]],
    ["claude", ["codex"]],
    ["codex", ["gemini"]],
    ["gemini", ["opencode"]],
    ["opencode", ["checker"]],
    ["checker", ["teller"]],
    ["teller", []],
  ]);
  const sent = eventsOf(events, "tool-called").map(({ agent, tool }) => [agent, tool]);
  expect(sent).toEqual(["claude", ...clients].map((agent) => [agent, "channel_send"]));
  expect(eventsOf(events, "permission-requested")).toEqual([]);
  expect(rateLimited(events)).toEqual(["claude"]);
  expect(ladderOf(events)).toEqual(LADDER);
  expect(eventsOf(events, "run-ended")).toMatchObject([
    { outcome: "failed", reason: expect.stringContaining("silent") },
  ]);
});

/** Whose turns were cut off to be started again later. */
function rateLimited(events: readonly JournalEvent[]): readonly string[] {
  const cut = eventsOf(events, "turn-interrupted");
  const agents = cut.flatMap(({ agent, reason }) => (reason === "rate-limited" ? [agent] : []));
  return agents.toSorted();
}

/** What was done about stuck agents, without nudges. */
function ladderOf(events: readonly JournalEvent[]): readonly string[] {
  const rungs = eventsOf(events, "agent-nudged").map(({ agent, rung }) => `${agent} ${rung}`);
  return rungs.filter((rung) => rung !== "silent nudge");
}

/** What the turns of each agent told. */
function usageByAgent(events: readonly JournalEvent[]): { readonly [agent: string]: Usage } {
  const sums: { [agent: string]: Usage } = {};
  for (const { agent, usage = {} } of eventsOf(events, "turn-completed"))
    sums[agent] = addUsage(sums[agent] ?? {}, usage);
  return sums;
}
