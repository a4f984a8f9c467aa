import { expect, test } from "vitest";
import type { PostResult } from "../../src/contracts/message.ts";
import { systemClock } from "../../src/foundation/clock.ts";
import { MAX_MESSAGES_PER_MINUTE } from "../../src/messaging/sending-rate.ts";
import { agent, playedBackend, runAgents, said } from "../agents/agents-run.ts";

const LONG = `${"One finding after the other.\n".repeat(1000)}@b see the end\n`;

test("a long message stands in the prompt as its beginning with the way to the rest; a program gets all of it [MSG-9]", async () => {
  const backend = playedBackend(async function* ({ agent: id, client }) {
    if (id === "a") await client.post({ text: LONG });
    yield said("ok");
  });
  const run = runAgents(
    async (context) => {
      await context.spawn(agent("a"));
      await context.spawn(agent("b", { session: "keep" }));
      await context.turn("a", "tell");
      await context.quiescent({ quietMs: 0 });
      return null;
    },
    { backend, clock: systemClock },
  );
  await run.over();
  const [, { prompt = "", task = "" } = {}] = backend.prompts;
  const [posted] = run.all("message-posted");
  const { ref = "", sizeBytes } = posted?.body ?? {};
  expect(sizeBytes).toBe(LONG.length);
  expect(prompt.length).toBeLessThan(3000);
  expect(prompt).toContain(
    `\n> One finding after the other.\n(This is the beginning of ${LONG.length} bytes. Get the rest with resource_read, ref "${ref}", offset ${posted?.text.length}.)`,
  );
  // What runs without tools, such as a command, reads its task from stdin.
  expect(task).toBe(LONG);
});

test("an agent learns what it has not read, and posts when it insists; a question costs it no message [MSG-6]", async () => {
  const results: PostResult[] = [];
  const backend = playedBackend(async function* ({ client }) {
    results.push(await client.post({ text: "my answer", lastSeen: 0 }));
    results.push(await client.post({ text: "my answer", lastSeen: 0, force: true }));
    yield said("ok");
  });
  const run = runAgents(
    async (context) => {
      await context.spawn(agent("a"));
      await context.post({ text: "who knows?" });
      await context.turn("a", "answer");
      return null;
    },
    { backend, limits: { budget: { messages: 2 } } },
  );
  await run.over();
  const [question, answer] = run.owned.state.messages.recent;
  expect(results).toEqual([
    { status: "behind", messages: [question], next: question?.seq, hasMore: false },
    { status: "posted", id: answer?.id, seq: answer?.seq, recipients: [], unknownMentions: [] },
  ]);
  expect(run.all("message-posted").map(({ text }) => text)).toEqual(["who knows?", "my answer"]);
});

test("a flood is refused with when to go on; what the turn says at its end is still announced [MSG-9, T14]", async () => {
  const codes: string[] = [];
  const backend = playedBackend(async function* ({ client }) {
    for (let index = 0; index < MAX_MESSAGES_PER_MINUTE + 3; index += 1)
      await client.post({ text: `message ${index}` }).catch((error: unknown) => {
        if (error instanceof Error && "code" in error) codes.push(String(error.code));
      });
    yield said("DONE: at last");
  });
  const run = runAgents(
    async (context) => {
      await context.spawn(agent("a"));
      await context.turn("a", "talk", { announce: "signal" });
      return null;
    },
    { backend },
  );
  await run.over();
  expect(codes).toEqual(Array.from({ length: 3 }, () => "MESSAGE_RATE_EXCEEDED"));
  const posted = run.all("message-posted");
  expect([posted.length, posted.at(-1)?.text]).toEqual([
    MAX_MESSAGES_PER_MINUTE + 1,
    "DONE: at last",
  ]);
});

test("changes of documents and signals are bounded as messages are [MSG-9, T14]", async () => {
  const refusals: string[] = [];
  const told = (error: unknown) => {
    refusals.push(error instanceof Error && "code" in error ? String(error.code) : String(error));
  };
  const backend = playedBackend(async function* ({ client }) {
    for (let index = 0; index < MAX_MESSAGES_PER_MINUTE + 2; index += 1)
      await client.editDocument({ kind: "append", text: `line ${index}\n` }).catch(told);
    await client.post({ text: "and a message" }).catch(told);
    for (let index = 0; index < MAX_MESSAGES_PER_MINUTE + 2; index += 1)
      await client.signal({ kind: "done", value: String(index) }).catch(told);
    yield said("ok");
  });
  const run = runAgents(
    async (context) => {
      await context.spawn(agent("a"));
      await context.turn("a", "write");
      return null;
    },
    { backend },
  );
  await run.over();
  expect(refusals).toEqual(Array.from({ length: 5 }, () => "MESSAGE_RATE_EXCEEDED"));
  expect(run.all("document-changed")).toHaveLength(MAX_MESSAGES_PER_MINUTE);
  expect(run.all("signal-received")).toHaveLength(MAX_MESSAGES_PER_MINUTE);
});

test("agents that wake each other with what their turns say end at the bound, and the run says so [MSG-9, T14]", async () => {
  const backend = playedBackend(async function* ({ agent: id }) {
    yield said(id === "a" ? "@b your turn" : "@a your turn");
  });
  const run = runAgents(
    async (context) => {
      await context.spawn(agent("a", { session: "keep" }));
      await context.spawn(agent("b", { session: "keep" }));
      await context.post({ text: "@a begin" });
      await context.quiescent({ quietMs: 0 });
      return null;
    },
    { backend, announces: "text", isMessageDriven: true, clock: systemClock },
  );
  await run.over();
  expect(run.all("message-posted")).toHaveLength(1 + 2 * MAX_MESSAGES_PER_MINUTE);
  expect(run.all("log").map(({ level, text }) => [level, text.slice(0, 60)])).toEqual([
    ["warning", expect.stringMatching(/^turn 121 of "a" is not in the channel: "a" has sent 120/)],
  ]);
});
