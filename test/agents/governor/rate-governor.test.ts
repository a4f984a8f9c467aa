import { expect, test } from "vitest";
import {
  type AccountGate,
  createRateGovernor,
} from "../../../src/agents/governor/rate-governor.ts";
import { createMemoryLedger } from "../../../src/app/run/owner/run-hold.ts";
import { createManualClock, type ManualClock, settle } from "../../../src/testing/manual-clock.ts";

/** Governors of two processes that share their accounts. */
function twoProcesses(places = Infinity) {
  const clock = createManualClock();
  const ledger = createMemoryLedger();
  let count = 0;
  const newId = () => {
    count += 1;
    return `${count}`;
  };
  const create = () =>
    createRateGovernor({ ledger: () => ledger, clock, random: () => 0, places, newId });
  const windowOf = (label: string) =>
    ledger.update(label, (record) => ({ record, result: record.pace?.window }));
  return { clock, here: create(), there: create(), windowOf };
}

function enter(gate: AccountGate) {
  const entry = gate.tryEnter();
  if (entry.status !== "entered") throw new Error(`it is ${entry.status}`);
  return entry.turn;
}

/** Somebody in line who begins a turn as soon as that is worth a try. */
function standInLine(gate: AccountGate, signal = new AbortController().signal) {
  const line = { status: "waits" };
  gate.whenRoom(signal).then(
    () => {
      line.status = gate.tryEnter().status;
    },
    () => {
      line.status = "left";
    },
  );
  return line;
}

async function statusesAt(
  clock: ManualClock,
  durationMs: number,
  lines: readonly { status: string }[],
) {
  await clock.advance(durationMs);
  return lines.map(({ status }) => status);
}

test("whoever asks for the same account stands in the same line", () => {
  const { here } = twoProcesses();
  expect(here.account("lab")).toBe(here.account("lab"));
  expect(here.account("lab")).not.toBe(here.account("other"));
});

test("a turn that ends lets the next one in line begin in the same moment, in their order [ENG-9]", async () => {
  const { clock, here } = twoProcesses(1);
  const gate = here.account("lab");
  const turn = enter(gate);
  const lines = [standInLine(gate), standInLine(gate)];
  expect(await statusesAt(clock, 0, lines)).toEqual(["waits", "waits"]);
  turn.leave();
  expect(await statusesAt(clock, 0, lines)).toEqual(["entered", "waits"]);
});

test("room that another process makes is found within a second, by all who fit [ENG-9, LOOP-5]", async () => {
  const { clock, here, there } = twoProcesses(2);
  const turns = [enter(there.account("lab")), enter(there.account("lab"))];
  const gate = here.account("lab");
  const lines = [standInLine(gate), standInLine(gate), standInLine(gate)];
  await clock.advance(5000);
  for (const turn of turns) turn.leave();
  expect(await statusesAt(clock, 999, lines)).toEqual(["waits", "waits", "waits"]);
  expect(await statusesAt(clock, 1, lines)).toEqual(["entered", "entered", "waits"]);
});

test("the first in line probes in the moment in which the cooldown is over [LOOP-5]", async () => {
  const { clock, here } = twoProcesses();
  const gate = here.account("lab");
  enter(gate).slowDown(1500);
  const line = standInLine(gate);
  expect(await statusesAt(clock, 1499, [line])).toEqual(["waits"]);
  expect(await statusesAt(clock, 1, [line])).toEqual(["entered"]);
});

test("whoever leaves the line takes nobody's turn away, and the last one leaves no timer [LOOP-5]", async () => {
  const { clock, here, there } = twoProcesses(1);
  const turn = enter(there.account("lab"));
  const gate = here.account("lab");
  const [first, last] = [new AbortController(), new AbortController()];
  const lines = [
    standInLine(gate, first.signal),
    standInLine(gate),
    standInLine(gate, last.signal),
  ];
  first.abort();
  await settle();
  turn.leave();
  expect(await statusesAt(clock, 1000, lines)).toEqual(["left", "entered", "waits"]);
  last.abort();
  await settle();
  expect(clock.timerCount).toBe(0);
});

test("a turn proves once that its account works, and no more when it is over [LOOP-5, P16]", async () => {
  const { clock, here, windowOf } = twoProcesses();
  const gate = here.account("lab");
  enter(gate).slowDown(1000);
  await clock.advance(1000);
  const probe = enter(gate);
  probe.speedUp();
  probe.speedUp();
  expect(windowOf("lab")).toBe(2);
  const over = enter(gate);
  over.leave();
  over.speedUp();
  expect(windowOf("lab")).toBe(2);
});

test("as many as a proof has made room for begin in that moment [LOOP-5]", async () => {
  const { clock, here } = twoProcesses();
  const gate = here.account("lab");
  enter(gate).slowDown(1000);
  await clock.advance(1000);
  const probe = enter(gate);
  const lines = [standInLine(gate), standInLine(gate)];
  expect(await statusesAt(clock, 0, lines)).toEqual(["waits", "waits"]);
  probe.speedUp();
  expect(await statusesAt(clock, 0, lines)).toEqual(["entered", "waits"]);
});
