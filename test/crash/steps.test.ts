import { expect, test } from "vitest";
import type { JournalEvent } from "../../src/contracts/events/event.ts";
import { isRecord } from "../../src/foundation/json.ts";
import { casesOf } from "../cases.ts";
import { type ChildEnd, runChild, startChild } from "./child-run.ts";
import { countsOf, say, seedOf } from "./report.ts";
import { createSandbox, type Observation, observe } from "./sandbox.ts";
import { sideBySide } from "./side-by-side.ts";

const WIDTH = 2;
const KILLS = casesOf(60);
const EFFECTS = [
  "prepare",
  ...[0, 1, 2, 3, 4, 5].map((index) => `all[${index}]/each`),
  ...[1, 2, 3].map((round) => `refine[${round}]/round`),
];

/** When a process is killed: so long after it has shown so many events. */
interface Moment {
  readonly events: number;
  readonly ms: number;
}

test("a step workflow killed at random times comes to the same end, each command ran and none that was done ran again [ENG-2, P1, P2, STP-1]", async () => {
  const random = seedOf("steps");
  const whole = await uninterrupted();
  const moments = Array.from({ length: KILLS }, () =>
    [0, 1].map(() => ({ events: 1 + Math.floor(random() * whole.events), ms: random() * 25 })),
  );
  const landings = await sideBySide(moments, WIDTH, async (kills) => {
    try {
      return await killed(kills, whole.result);
    } catch (cause) {
      throw new Error(`after kills at ${JSON.stringify(kills)}`, { cause });
    }
  });
  say(`steps: ${KILLS} runs killed up to twice: ${countsOf(landings)}`);
  const during = landings.filter((landing) => landing !== "never").length;
  expect(during / KILLS).toBeGreaterThanOrEqual(0.8);
});

async function uninterrupted(): Promise<{ readonly result: unknown; readonly events: number }> {
  const sandbox = createSandbox();
  const end = await runChild(sandbox, { action: "start-steps" });
  expect(end).toMatchObject({ exitCode: 0, error: undefined });
  const { ledger } = observe(sandbox);
  expect(
    ledger
      .filter(({ mark }) => mark === "end")
      .map(({ step }) => step)
      .toSorted(),
  ).toEqual(EFFECTS.toSorted());
  await sandbox.remove();
  return { result: timeless(end.result), events: end.events.length };
}

async function killed(kills: readonly Moment[], expected: unknown): Promise<string> {
  const sandbox = createSandbox();
  let hits = 0;
  for (const [index, moment] of kills.entries()) {
    const before = observe(sandbox);
    const action = index === 0 ? "start-steps" : "resume-steps";
    const child = startChild(sandbox, { action });
    await Promise.race([child.hasShown(moment.events), child.gone]);
    await new Promise((resolve) => setTimeout(resolve, moment.ms));
    child.kill("SIGKILL");
    if ((await child.gone).signal === "SIGKILL") hits += 1;
    expectNoneAgain(before, observe(sandbox));
  }
  const before = observe(sandbox);
  const end: ChildEnd = await runChild(sandbox, { action: "resume-steps" });
  const after = observe(sandbox);
  expect(end).toMatchObject({ exitCode: 0, error: undefined });
  expect(timeless(end.result)).toEqual(expected);
  expectNoneAgain(before, after);
  expectAllDone(after);
  await sandbox.remove();
  return hits === 0 ? "never" : `hit ${hits} times`;
}

/** What was recorded as done starts no more; what was cut off has the same key when it starts again. */
function expectNoneAgain(before: Observation, after: Observation): void {
  const done = donePaths(before.events);
  const starts = after.ledger.slice(before.ledger.length).filter(({ mark }) => mark === "start");
  for (const { step } of starts) expect(done).not.toContain(step);
}

function expectAllDone({ events, ledger, run }: Observation): void {
  const keys = new Set(ledger.filter(({ mark }) => mark === "end").map(({ key }) => key));
  expect([...keys].toSorted()).toEqual(EFFECTS.map((path) => `${run}/${path}#1`).toSorted());
  expect(donePaths(events).toSorted()).toEqual(
    [...EFFECTS, "all", "approve", "refine", "sum"].toSorted(),
  );
}

function donePaths(events: readonly JournalEvent[]): readonly string[] {
  return events.flatMap((event) => (event.type === "step-completed" ? [event.path] : []));
}

/** A result without how long its parts took. */
function timeless(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(timeless);
  if (!isRecord(value)) return value;
  const { durationMs: _, ...members } = value;
  return Object.fromEntries(
    Object.entries(members).map(([key, member]) => [key, timeless(member)]),
  );
}
