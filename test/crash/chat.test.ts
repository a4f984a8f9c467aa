import { expect, test } from "vitest";
import { SAID } from "./chat-program.ts";
import { killedEverywhere } from "./killed-everywhere.ts";
import type { Observation } from "./sandbox.ts";

const CHAT = { start: "start-chat", resume: "resume-chat" } as const;

test("a chat killed after every write goes on: what was said is there once and in its order, and is answered once [CHAT-1, ENG-2]", async () => {
  expect(await killedEverywhere(CHAT, expectTalk)).toBeGreaterThan(10);
});

test("a chat that is killed again while it goes on loses no more [CHAT-1, CHAT-1.more, ENG-2]", async () => {
  expect(await killedEverywhere(CHAT, expectTalk, { diesAgain: true })).toBeGreaterThan(10);
});

function expectTalk({ events }: Observation): void {
  const said = events.flatMap((event) =>
    event.type === "message-posted" && event.from === "user" ? [event] : [],
  );
  expect(said.map(({ text }) => text)).toEqual(SAID);
  const taken = new Map<string, readonly string[]>();
  const answers: (readonly [messages: readonly string[], text: string])[] = [];
  for (const event of events) {
    if (event.type === "turn-started")
      taken.set(
        `${event.agent} ${event.turn}`,
        event.items.flatMap((item) => (item.kind === "message" ? [item.id] : [])),
      );
    if (event.type === "turn-completed")
      answers.push([taken.get(`${event.agent} ${event.turn}`) ?? [], event.text.trim()]);
  }
  expect(answers).toEqual(said.map(({ id, text }) => [[id], `heard ${text}`]));
  const set = events.flatMap((event) =>
    event.type === "agent-model-set" || event.type === "agent-mode-set" ? [event.type] : [],
  );
  expect(set).toEqual(["agent-model-set", "agent-mode-set"]);
  const started = events.findLast((event) => event.type === "turn-started");
  expect(started).toMatchObject({ terms: { model: "other" } });
  expect(events.at(-1)).toMatchObject({ type: "run-ended", outcome: "completed" });
}
