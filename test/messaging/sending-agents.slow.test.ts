import { expect, test } from "vitest";
import type { TurnRequest, TurnUpdate } from "../../src/contracts/backend.ts";
import type { PostResult } from "../../src/contracts/message.ts";
import type { Context } from "../../src/contracts/ports/context.ts";
import { systemClock } from "../../src/foundation/clock.ts";
import { MAX_MESSAGES_PER_MINUTE } from "../../src/messaging/sending-rate.ts";
import { createCuttableStore } from "../../src/testing/journal-cuts.ts";
import { createManualClock, type ManualClock } from "../../src/testing/manual-clock.ts";
import { type AgentsRun, agent, playedBackend, runAgents, said } from "../agents/agents-run.ts";

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

/** Two agents that answer each other a number of times, as soon as they are woken. */
function answering(times: number) {
  let spoken = 0;
  return playedBackend(async function* ({ agent: id }) {
    spoken += 1;
    yield said(spoken > times ? "enough" : `@${id === "a" ? "b" : "a"} n=${spoken}`);
  });
}

async function conversation(context: Context): Promise<null> {
  await context.spawn(agent("a", { session: "keep" }));
  await context.spawn(agent("b", { session: "keep" }));
  await context.post({ text: "@a begin" });
  await context.quiescent({ quietMs: 0 });
  return null;
}

/** Lets both agents write as much as they may within the minute. */
async function untilSpent(run: AgentsRun, clock: ManualClock): Promise<void> {
  const count = () => run.all("message-posted").length;
  for (let looks = 0; count() <= 2 * MAX_MESSAGES_PER_MINUTE && looks < 1000; looks += 1)
    await clock.advance(0);
  await clock.advance(0);
  expect(count()).toBe(1 + 2 * MAX_MESSAGES_PER_MINUTE);
}

const TALKS = { announces: "text", isMessageDriven: true } as const;

test("an agent that has posted as much as it may waits before its next turn, is told so once, and none of its mentions is lost, whoever owns the run meanwhile [MSG-11.waits, MSG-11.told, MSG-11.durable]", async () => {
  const times = 2 * MAX_MESSAGES_PER_MINUTE + 10;
  const clock = createManualClock();
  const store = createCuttableStore();
  const backend = answering(times);
  const first = runAgents(conversation, { backend, clock, store, ...TALKS });
  await untilSpent(first, clock);
  const before = first.all("message-posted").length;
  await first.owned.command({ kind: "pause" }, "ann");
  await first.owned.parted;
  // The next owner waits for the rest of the same minute.
  const run = runAgents(conversation, { backend, clock, store, ...TALKS });
  await clock.advance(59_000);
  expect(run.all("turn-started")).toEqual([]);
  await clock.advance(2000);
  await run.over();
  const texts = run.owned.state.messages.recent.map(({ text }) => text);
  expect(texts.at(-1)).toBe("enough");
  expect(run.all("message-posted").map(({ text }) => text)).toContain(`@a n=${times}`);
  expect(before + run.all("message-posted").length).toBe(times + 2);
  const told = run.all("agent-status").flatMap(({ agent: id, reason }) => [[id, reason]]);
  expect(told).toEqual([["a", expect.stringMatching(/^waits until .*: it has sent 120 messages/)]]);
  expect(run.all("log")).toEqual([]);
});

test("a prompt of the program does not wait for what messages have to [MSG-11.waits]", async () => {
  const clock = createManualClock();
  const backend = answering(10 * MAX_MESSAGES_PER_MINUTE);
  const run = runAgents(
    async (context) => {
      await context.spawn(agent("a", { session: "keep" }));
      await context.spawn(agent("b", { session: "keep" }));
      await context.post({ text: "@a begin" });
      await context.sleep(1000);
      await context.turn("a", "say", { announce: "text" });
      return null;
    },
    { backend, clock, ...TALKS },
  );
  await untilSpent(run, clock);
  await clock.advance(1001);
  await run.over();
  expect(run.all("message-posted")).toHaveLength(2 + 2 * MAX_MESSAGES_PER_MINUTE);
});

type Sender = (client: TurnRequest["client"]) => AsyncGenerator<TurnUpdate>;

test.each<readonly [string, Sender, number]>([
  [
    "a mention in its text, after as many changes of the document",
    async function* (client) {
      for (let index = 0; index < MAX_MESSAGES_PER_MINUTE; index += 1)
        await client.editDocument({ kind: "append", text: `${index}\n` });
      yield said("@b look");
    },
    1,
  ],
  [
    "a mention of all of them",
    async function* () {
      yield said("@all look");
    },
    1,
  ],
  [
    "a tool, which says that it did not send it and when to send it again",
    async function* (client) {
      await posts(client, MAX_MESSAGES_PER_MINUTE);
      await expect(client.post({ text: "@b look" })).rejects.toMatchObject({
        code: "MESSAGE_RATE_EXCEEDED",
        details: { afterMs: expect.any(Number) },
      });
      yield said("");
    },
    0,
  ],
])("over the rate: %s [MSG-11.sent]", async (_how, send, heard) => {
  const clock = createManualClock();
  const backend = playedBackend(async function* ({ agent: id, client }) {
    if (id === "a") yield* send(client);
    else yield said("I see");
  });
  const run = runAgents(conversation, { backend, clock, ...TALKS });
  await clock.advance(61_000);
  await run.over();
  const woken = run.all("turn-started").filter(({ agent: id }) => id === "b");
  const mentioned = run.all("message-posted").filter(({ mentions }) => mentions.includes("b"));
  expect([mentioned.length, woken.length]).toEqual([heard, heard]);
});

async function posts(client: TurnRequest["client"], count: number): Promise<void> {
  for (let index = 0; index < count; index += 1) await client.post({ text: `message ${index}` });
}

test("what people and Troupe itself post is under no rate [MSG-11.sent]", async () => {
  const backend = playedBackend(async function* () {
    yield said("seen");
  });
  const run = runAgents(
    async (context) => {
      await context.spawn(agent("a", { session: "keep" }));
      for (let index = 0; index < MAX_MESSAGES_PER_MINUTE + 2; index += 1)
        await context.post({ text: `@a ${index}` });
      await context.quiescent({ quietMs: 0 });
      return null;
    },
    { backend, clock: systemClock, ...TALKS },
  );
  await run.over();
  expect(run.all("message-posted").filter(({ from }) => from === "system")).toHaveLength(
    MAX_MESSAGES_PER_MINUTE + 2,
  );
});
