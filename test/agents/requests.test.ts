import { expect, test } from "vitest";
import type { PermissionMode } from "../../src/contracts/agent.ts";
import type { Context } from "../../src/contracts/ports/context.ts";
import type { TurnClient } from "../../src/contracts/turn-client.ts";
import type { Json } from "../../src/foundation/json.ts";
import { createManualClock, settle } from "../../src/testing/manual-clock.ts";
import { type AgentsRunOptions, agent, playedBackend, runAgents, said } from "./agents-run.ts";

/** One turn that does something with its client and says what came out. */
function runClient(
  work: (client: TurnClient) => Promise<Json>,
  options: Partial<AgentsRunOptions> & { mode?: PermissionMode; timeoutMs?: number } = {},
) {
  const { mode, timeoutMs, ...rest } = options;
  const backend = playedBackend(async function* ({ client }) {
    yield said(JSON.stringify(await work(client)));
  });
  const program = async (context: Context): Promise<Json> => {
    await context.spawn(agent("a", mode === undefined ? {} : { permissionMode: mode }));
    const turn = await context.turn("a", "go", timeoutMs === undefined ? {} : { timeoutMs });
    return turn.text;
  };
  return runAgents(program, { backend, ...rest });
}

interface Ruling {
  readonly mode?: PermissionMode;
  readonly tool: string;
  readonly decision: string;
  readonly by: string;
}

test.each<Ruling>([
  { mode: "bypass", tool: "Bash", decision: "allowed", by: "policy" },
  { mode: "accept-edits", tool: "Write", decision: "allowed", by: "policy" },
  { mode: "plan", tool: "Write", decision: "denied", by: "policy" },
  { mode: "plan", tool: "Read", decision: "allowed", by: "policy" },
  { mode: "dont-ask", tool: "Bash", decision: "denied", by: "policy" },
  { mode: "accept-edits", tool: "Bash", decision: "denied", by: "user" },
  { tool: "Bash", decision: "denied", by: "user" },
])("permission mode $mode rules on $tool: $decision by $by [AGT-10]", async (ruling) => {
  const { mode, tool, decision, by } = ruling;
  const run = runClient(
    async (client) => (await client.requestPermission(tool, { command: "x" })).decision,
    mode === undefined ? {} : { mode },
  );
  await settle();
  for (const { id, kind } of [...run.owned.state.inbox.values()]) {
    expect(kind).toBe("permission");
    await run.owned.command({ kind: "resolve-permission", id, decision: "denied" }, "user");
  }
  expect(await run.over()).toBe(JSON.stringify(decision));
  expect(run.all("permission-requested")).toHaveLength(1);
  expect(run.all("permission-resolved")).toMatchObject([{ decision, by }]);
});

test("--approve decides no permission [AGT-10, T15]", async () => {
  const run = runClient(async (client) => (await client.requestPermission("Bash", {})).decision, {
    approvals: "all",
  });
  await settle();
  expect(run.owned.state.agents.get("a")?.status).toBe("waiting-permission");
  expect(run.all("permission-resolved")).toEqual([]);
  await run.owned.command({ kind: "cancel", reason: "enough" }, "user");
  await run.owned.parted;
});

test("a turn's deadline stands while it waits for a permission or an answer [ENG-7.running]", async () => {
  const clock = createManualClock();
  const run = runClient(
    async (client) => {
      const { decision } = await client.requestPermission("Bash", {});
      return [decision, await client.ask("Which?")];
    },
    { clock, timeoutMs: 1000 },
  );
  await clock.advance(900);
  await clock.advance(3_600_000);
  const [permission] = [...run.owned.state.inbox.values()];
  const id = permission?.id ?? "";
  await run.owned.command({ kind: "resolve-permission", id, decision: "allowed" }, "user");
  await clock.advance(50);
  const [question] = [...run.owned.state.inbox.values()];
  await clock.advance(3_600_000);
  const answer = { kind: "answer-question", id: question?.id ?? "", answer: "both" } as const;
  await run.owned.command(answer, "user");
  await clock.advance(50);
  expect(await run.over()).toBe('["allowed","both"]');
});

test("a decision is bound to what was asked: another request has another id [T15]", async () => {
  const run = runClient(
    async (client) => {
      await client.requestPermission("Bash", { command: "ls" });
      await client.requestPermission("Bash", { command: "rm" });
      return null;
    },
    { mode: "bypass" },
  );
  await run.over();
  const ids = run.all("permission-requested").map((event) => event.id);
  expect(new Set(ids).size).toBe(2);
});

test("a decision is made once; the second one is told who was first [P14]", async () => {
  const run = runClient(async (client) => client.ask("Which?"));
  await settle();
  const [question] = [...run.owned.state.inbox.values()];
  const id = question?.id ?? "";
  await run.owned.command({ kind: "answer-question", id, answer: "this" }, "ann");
  await expect(
    run.owned.command({ kind: "answer-question", id, answer: "that" }, "ben"),
  ).rejects.toMatchObject({ code: expect.stringMatching(/^ENGINE_(ITEM_RESOLVED|RUN_OVER)$/) });
  expect(await run.over()).toBe('"this"');
});

test("an agent's edits of a document are revisions by it; a stale one is refused with the text", async () => {
  const run = runClient(async (client) => {
    await client.editDocument({ kind: "write", text: "one\n" });
    await client.callTool("document_append", { content: "two\n" });
    const stale = await client
      .editDocument({ kind: "write", text: "lost", ifRevision: 1 })
      .then(() => "taken")
      .catch((error: unknown) => (error instanceof Error ? error.message : ""));
    return [stale, await client.callTool("document_read", {})];
  });
  const [stale, document] = JSON.parse(String(await run.over()));
  expect(stale).toBe('document "notes" is at revision 2, not at 1');
  expect(document).toMatchObject({ revision: 2 });
  expect(JSON.stringify(document)).toContain("one\\ntwo\\n");
  expect(run.all("document-changed").map(({ by, revision }) => ({ by, revision }))).toEqual([
    { by: "a", revision: 1 },
    { by: "a", revision: 2 },
  ]);
});

test("a structured signal beats the text, and a refused one is told and recorded [SIG-2, SIG-9]", async () => {
  const backend = playedBackend(async function* ({ client }) {
    expect(await client.signal({ kind: "done", value: "by tool" })).toBeUndefined();
    expect(await client.signal({ kind: "vote", value: "perhaps" })).toEqual(expect.any(String));
    yield said("DONE: by text");
  });
  const run = runAgents(
    async (context) => {
      await context.spawn(agent("a"));
      const turn = await context.turn("a", "go", { announce: "signal" });
      return turn.signals.map((signal) => ({ ...signal }));
    },
    { backend },
  );
  expect(await run.over()).toEqual([{ kind: "done", value: "by tool", by: "tool" }]);
  expect(run.all("signal-received").map((event) => [event.signal.by, event.counted])).toEqual([
    ["tool", true],
    ["tool", false],
    ["text", false],
  ]);
  expect(run.all("message-posted").map((event) => event.text)).toEqual(["DONE: by tool"]);
});
