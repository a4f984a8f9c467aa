import { expect, test } from "vitest";
import { isRecord } from "../../src/foundation/json.ts";
import { agent, gate, playedBackend, runAgents, said } from "../agents/agents-run.ts";
import { answersTo, call, oneTurnEach, runScripts, turnOf } from "./tools-run.ts";

function texts(result: unknown): readonly unknown[] {
  const messages = isRecord(result) ? result["messages"] : undefined;
  return Array.isArray(messages) ? messages.map((entry) => entry.message) : [];
}

test("a sender that is behind gets what others wrote, has read it, and sends again [MSG-6, MCP-1.tools]", async () => {
  const send = { message: "take plan A", last_seen: 0 };
  const run = runScripts(
    [
      { id: "other", script: [turnOf(call("channel_send", { message: "@a take plan B" }))] },
      {
        id: "a",
        script: [
          turnOf(
            call("channel_send", send),
            call("channel_send", { ...send, force: true }),
            call("channel_send", { message: "or so" }),
          ),
          { say: "read" },
        ],
      },
    ],
    oneTurnEach("other", "a"),
  );
  await run.over();
  const [behind, forced, plain] = answersTo(run, "a").map(({ result }) => result);
  expect(behind).toMatchObject({ sent: false, hasMore: false });
  expect(texts(behind)).toEqual(["@a take plan B"]);
  expect(JSON.stringify(behind)).toContain("send again with last_seen set to next");
  expect(forced).toMatchObject({ sent: true });
  expect(plain).toMatchObject({ sent: true });
  expect(run.all("message-posted").map(({ text }) => text)).toEqual([
    "@a take plan B",
    "take plan A",
    "or so",
  ]);
});

test("channel_mentions lists what was addressed to the caller and takes it; unread_only leaves out what is dealt with [MCP-7, MSG-3]", async () => {
  const run = runScripts(
    [
      {
        id: "lead",
        script: [
          turnOf(
            call("channel_send", { message: "@a one" }),
            call("channel_send", { message: "for all to see" }),
          ),
          turnOf(
            call("channel_send", { message: "two", to: "A" }),
            call("channel_send", { message: "@a, not for you", to: "b" }),
            call("channel_send", { message: "@a three" }),
          ),
        ],
      },
      { id: "b", script: [turnOf()] },
      {
        id: "a",
        script: [
          turnOf(),
          turnOf(
            call("channel_mentions", { unread_only: true, limit: 1 }),
            call("channel_mentions", { unread_only: true }),
            call("channel_mentions"),
            call("channel_mentions", { limit: 2 }),
          ),
          turnOf(call("channel_mentions", { unread_only: true })),
        ],
      },
    ],
    oneTurnEach("lead", "a", "lead", "a", "a"),
  );
  await run.over();
  const answers = answersTo(run, "a").map(({ result }) => result);
  expect(answers.map(texts)).toEqual([
    ["two"],
    ["two", "@a three"],
    ["@a one", "two", "@a three"],
    ["two", "@a three"],
    [],
  ]);
  expect(answers.map((answer) => isRecord(answer) && answer["hasMore"])).toEqual([
    true,
    false,
    false,
    true,
    false,
  ]);
  const [first] = answers;
  const entries = isRecord(first) ? first["messages"] : undefined;
  expect(entries).toEqual([
    {
      timestamp: "2026-01-01T00:00:00.000Z",
      from: "lead",
      message: "two",
      mentions: [],
      id: expect.any(String),
      seq: expect.any(Number),
    },
  ]);
});

test("what comes while a turn runs and is shown by channel_mentions is not put into the next prompt [MSG-3]", async () => {
  const asked = gate();
  const sent = gate();
  const backend = playedBackend(async function* ({ client, turn }) {
    if (turn === 1) {
      asked.open();
      await sent.opened;
      await client.callTool("channel_mentions", { unread_only: true });
    }
    yield said("ok");
  });
  const run = runAgents(
    async (context) => {
      await context.spawn(agent("a"));
      const turn = context.turn("a", "go");
      await asked.opened;
      await context.post({ text: "@a news" });
      sent.open();
      await turn;
      await context.turn("a", "next");
      return null;
    },
    { backend },
  );
  await run.over();
  expect(backend.prompts.map(({ prompt }) => prompt)).toEqual(["go", "next"]);
  expect(run.all("message-delivered")).toMatchObject([{ agent: "a", turn: 1 }]);
});

test("a message that is too long to travel is read to its end with resource_read [MSG-9, MCP-1.tools]", async () => {
  const long = `${"line of a long text\n".repeat(1500)}the end`;
  const run = runScripts(
    [
      { id: "b", script: [turnOf(call("channel_send", { message: long }))] },
      { id: "a", script: [turnOf(call("channel_read"), call("resource_read", { ref: "f00" }))] },
    ],
    oneTurnEach("b", "a"),
  );
  await run.over();
  const [page, unknown] = answersTo(run, "a");
  expect(unknown).toMatchObject({ isError: true });
  expect(String(unknown?.result)).toMatch(/^MESSAGE_UNKNOWN_RESOURCE: .*\n.*ref/);
  const entry = run.owned.state.messages.recent[0];
  expect(JSON.stringify(page?.result)).toContain(entry?.body?.ref);
  const { ref = "" } = entry?.body ?? {};
  const offset = entry?.text.length ?? 0;
  const again = runScripts(
    [
      { id: "b", script: [turnOf(call("channel_send", { message: long }))] },
      {
        id: "a",
        script: [
          turnOf(
            call("resource_read", { ref, offset, limit: 20_000 }),
            call("resource_read", { ref, offset: offset + 20_000 }),
          ),
        ],
      },
    ],
    oneTurnEach("b", "a"),
  );
  await again.over();
  const parts = answersTo(again, "a").map(({ result }) => result);
  expect(parts[0]).toMatchObject({ ref, offset, next: offset + 20_000, total_chars: long.length });
  expect(parts[1]).not.toHaveProperty("next");
  const content = (part: unknown) => (isRecord(part) ? String(part["content"]) : "");
  expect(`${entry?.text}${parts.map(content).join("")}`).toBe(long);
});
