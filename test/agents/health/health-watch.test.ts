import { expect, test } from "vitest";
import {
  HealthWatch,
  type Observation,
  tellObservation,
} from "../../../src/agents/health/health-watch.ts";
import type { TurnUpdate } from "../../../src/contracts/backend.ts";
import { createManualClock } from "../../../src/testing/manual-clock.ts";

const MINUTE = 60_000;

function watch(idleTimeoutMs = 10 * MINUTE) {
  const clock = createManualClock();
  const seen: Observation[] = [];
  const watched = new HealthWatch({
    timers: clock,
    idleTimeoutMs,
    isPatientTool: (tool) => tool === "channel_read",
    onObservation: (observation) => seen.push(observation),
  });
  return { clock, seen, watched };
}

const call = (tool: string, command: string): TurnUpdate => ({
  type: "tool-call",
  call: "c",
  tool,
  input: { command },
});

test("any update is a sign of life, work without a name too; silence for the idle timeout is seen, and again after as long [AGT-8.stuck, ENG-7.idle]", async () => {
  const { clock, seen, watched } = watch();
  const signs: readonly TurnUpdate[] = [
    { type: "text-delta", text: "a" },
    { type: "activity" },
    { type: "thinking", text: "b" },
    { type: "file-change", path: "a", kind: "edit" },
  ];
  for (const sign of signs) {
    await clock.advance(9 * MINUTE);
    watched.take(sign);
  }
  expect(seen).toEqual([]);
  await clock.advance(10 * MINUTE - 1);
  expect(seen).toEqual([]);
  await clock.advance(1);
  expect(seen).toEqual([{ kind: "silent", forMs: 10 * MINUTE }]);
  await clock.advance(10 * MINUTE);
  expect(seen).toHaveLength(2);
  watched.stop();
  expect(clock.timerCount).toBe(0);
});

test("whoever waits for somebody else is not silent, however long that takes [AGT-8.stuck]", async () => {
  const { clock, seen, watched } = watch();
  const { promise, resolve } = Promise.withResolvers<string>();
  const waiting = watched.standDuring(() => promise);
  await clock.advance(24 * 60 * MINUTE);
  expect([seen, clock.timerCount]).toEqual([[], 0]);
  resolve("done");
  expect(await waiting).toBe("done");
  await clock.advance(10 * MINUTE - 1);
  expect(seen).toEqual([]);
  await clock.advance(1);
  expect(seen).toHaveLength(1);
  watched.stop();
});

test("as long as one of several waits lasts nobody is silent, and after the end nothing is seen [AGT-8.stuck]", async () => {
  const { clock, seen, watched } = watch();
  const [short, long] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const waits = [short, long].map(({ promise }) => watched.standDuring(() => promise));
  short.resolve();
  await waits[0];
  await clock.advance(60 * MINUTE);
  expect([seen, clock.timerCount]).toEqual([[], 0]);
  watched.stop();
  long.resolve();
  await waits[1];
  expect(clock.timerCount).toBe(0);
  for (let times = 0; times < 5; times += 1) watched.take(call("Bash", "make"));
  expect(seen).toEqual([]);
});

test("the same call five times in a row is seen; other input, another tool or asking for news is not [AGT-8.stuck]", () => {
  const { seen, watched } = watch();
  for (let times = 0; times < 4; times += 1) watched.take(call("Bash", "make"));
  watched.take(call("Bash", "make test"));
  for (let times = 0; times < 4; times += 1) watched.take(call("Bash", "make"));
  watched.take(call("Read", "make"));
  for (let times = 0; times < 20; times += 1) watched.take(call("channel_read", ""));
  expect(seen).toEqual([]);
  for (let times = 0; times < 5; times += 1) {
    watched.take(call("Bash", "make"));
    watched.take({ type: "activity" });
  }
  expect(seen).toEqual([{ kind: "repeating", tool: "Bash", times: 5 }]);
  watched.stop();
});

test("a program that asks its model again waits as long as it says, but not for ever [AGT-8.stuck, LOOP-5]", async () => {
  const { clock, seen, watched } = watch();
  watched.take({ type: "retrying", reason: "server-error", delayMs: 8 * MINUTE });
  await clock.advance(17 * MINUTE);
  expect(seen).toEqual([]);
  watched.take({ type: "text-delta", text: "there it is" });
  for (let minute = 0; minute < 10; minute += 1) {
    watched.take({ type: "retrying", reason: "connection", delayMs: 1e12 });
    await clock.advance(MINUTE);
  }
  expect(seen).toEqual([]);
  watched.take({ type: "retrying", reason: "connection" });
  expect(seen).toEqual([{ kind: "retrying", reason: "connection", forMs: 10 * MINUTE }]);
  watched.stop();
});

test("asking in vain goes on while its program is merely busy; a delay counts up to the idle timeout, and none below zero [AGT-8.stuck, LOOP-5]", async () => {
  const { clock, seen, watched } = watch();
  for (let minute = 0; minute < 10; minute += 1) {
    watched.take({ type: "retrying", reason: "server-error" });
    watched.take({ type: "activity" });
    await clock.advance(MINUTE);
  }
  watched.take({ type: "retrying", reason: "server-error" });
  expect(seen).toEqual([{ kind: "retrying", reason: "server-error", forMs: 10 * MINUTE }]);
  watched.take({ type: "retrying", reason: "server-error", delayMs: 1e12 });
  await clock.advance(20 * MINUTE - 1);
  expect(seen).toHaveLength(1);
  await clock.advance(1);
  expect(seen[1]).toEqual({ kind: "silent", forMs: 10 * MINUTE });
  watched.take({ type: "text-delta", text: "there it is" });
  watched.take({ type: "retrying", reason: "server-error", delayMs: -9 * MINUTE });
  await clock.advance(10 * MINUTE - 1);
  expect(seen).toHaveLength(2);
  watched.stop();
});

test("an observation is a sentence whose length nobody's tool decides [AGT-8.stuck, T8]", () => {
  const tool = "x".repeat(100_000);
  const told = tellObservation({ kind: "repeating", tool, times: 5 });
  expect(told).toBe(`called ${"x".repeat(80)} 5 times in a row with the same input`);
  expect(tellObservation({ kind: "silent", forMs: 90_000 })).toBe("no sign of life for 1m30s");
  const retrying = { kind: "retrying", reason: "rate-limit", forMs: 60_000 } as const;
  expect(tellObservation(retrying)).toBe("its model has not answered for 1m00s (rate-limit)");
});
