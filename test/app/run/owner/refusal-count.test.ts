import { expect, test } from "vitest";
import { createRefusalCount } from "../../../../src/app/run/owner/refusal-count.ts";
import type { EventData, JournalEvent } from "../../../../src/contracts/events/event.ts";
import type { RefusedRequest } from "../../../../src/contracts/events/run-events.ts";
import { createManualClock } from "../../../../src/testing/manual-clock.ts";

const WRONG: RefusedRequest = { door: "tools", code: "MCP_ACCESS_DENIED" };
const FORGED: RefusedRequest = { door: "tools", code: "MCP_REQUEST_FORBIDDEN", agent: "ada" };

/** A run as far as refusals see it. */
function createRun() {
  const clock = createManualClock();
  const told: EventData[] = [];
  const live: (() => void)[] = [];
  const stopped: (() => Promise<void>)[] = [];
  const refusals = createRefusalCount();
  refusals.follow({
    timers: clock,
    append: (data): JournalEvent => {
      told.push(data);
      return { ...data, seq: told.length, at: 0 };
    },
    onLive: (listener) => void live.push(listener),
    onStopped: (listener) => void stopped.push(listener),
  });
  return {
    clock,
    told,
    refusals,
    goLive: () => live.forEach((listener) => void listener()),
    stop: () => Promise.all(stopped.map((listener) => listener())),
  };
}

const event = (refused: RefusedRequest, count: number) => ({
  type: "requests-refused",
  ...refused,
  count,
});

test("the first refusal of a kind is told at once, a flood of them once a minute, none is left out [T14, P10]", async () => {
  const { clock, told, refusals, goLive, stop } = createRun();
  refusals.add(WRONG);
  expect(told).toEqual([]);
  goLive();
  for (let each = 0; each < 100_000; each += 1) refusals.add({ ...WRONG });
  refusals.add(FORGED);
  expect(told).toEqual([event(WRONG, 1), event(FORGED, 1)]);

  await clock.advance(60_000);
  expect(told.slice(2)).toEqual([event(WRONG, 100_000)]);
  await clock.advance(600_000);
  expect(told).toHaveLength(3);

  refusals.add(FORGED);
  refusals.add(FORGED);
  await stop();
  expect(told.slice(3)).toEqual([event(FORGED, 1), event(FORGED, 1)]);
  refusals.add(WRONG);
  expect(told).toHaveLength(5);
  expect(clock.timerCount).toBe(0);
});
