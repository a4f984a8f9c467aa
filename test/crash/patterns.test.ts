import { expect, test } from "vitest";
import type { JournalEvent } from "../../src/contracts/events/event.ts";
import { foldAll } from "../../src/fold/fold.ts";
import { isRecord, type Json, toJson } from "../../src/foundation/json.ts";
import { strideOf } from "../cases.ts";
import { type ChildEnd, runChild } from "./child-run.ts";
import type { Death } from "./deadly-store.ts";
import { countsOf, say } from "./report.ts";
import { createSandbox, type Observation, observe } from "./sandbox.ts";
import { sideBySide } from "./side-by-side.ts";
import { SPENT, TALKS, type TalkName } from "./talk-workflows.ts";
import { comparable } from "./verdict.ts";

const WIDTH = 2;
/** More writes than a run of one of them makes. */
const MOST_WRITES = 200;
/** Every day each pattern dies after a third of its writes, each pattern after other ones. */
const STRIDE = strideOf(3);

test.each(TALKS)(
  "%s killed after every write comes to the same end, and no turn that was over is taken again, nor counted twice [COL-10, ENG-2, LIM-1.turns, P1]",
  async (talk) => {
    const whole = await uninterrupted(talk);
    const offset = 1 + (TALKS.indexOf(talk) % STRIDE);
    const writes = Array.from(
      { length: Math.floor(MOST_WRITES / STRIDE) },
      (_, index) => index * STRIDE + offset,
    );
    let last = MOST_WRITES;
    const landings = await sideBySide(writes, WIDTH, async (append) => {
      // One that is over before this write is so before all later ones.
      if (append > last) return "beyond";
      const landing = await killed(talk, { when: "after", append }, whole);
      if (landing === "beyond") last = Math.min(last, append);
      return landing;
    });
    say(`${talk}: ${countsOf(landings.filter((landing) => landing !== "beyond"))}`);
    // Every write has killed a run, up to one that no run comes to; how many events go into one is a matter of time.
    expect(landings.indexOf("beyond")).toBeGreaterThan(STRIDE === 1 ? 1 : 0);
  },
);

async function uninterrupted(talk: TalkName): Promise<Json> {
  const sandbox = createSandbox();
  const end = await runChild(sandbox, { action: "start-talk", talk });
  expect(end).toMatchObject({ exitCode: 0, error: undefined });
  expect(end.result).toMatchObject({ success: true });
  const { events } = observe(sandbox);
  const whole = decisive(end, events);
  if (talk === "reflecting")
    expect(events).toContainEqual(expect.objectContaining({ type: "reflection-made", by: "lead" }));
  await sandbox.remove();
  return whole;
}

async function killed(talk: TalkName, dieAt: Death, whole: Json): Promise<string> {
  const sandbox = createSandbox();
  const first = await runChild(sandbox, { action: "start-talk", talk, dieAt });
  const before = observe(sandbox);
  const isOver = before.events.at(-1)?.type === "run-ended";
  if (first.signal === "SIGKILL" && before.events.length > 0) {
    const end = await runChild(sandbox, { action: "resume" });
    const after = observe(sandbox);
    try {
      expect(end).toMatchObject({ exitCode: 0, error: undefined });
      expect(decisive(end, after.events)).toEqual(whole);
      expectNoneAgain(before, after);
      expectOneEndOfEach(after.events);
      if (talk === "spawning") expectSpentOnce(after.events);
    } catch (cause) {
      throw new Error(`${talk} killed after write ${dieAt.append}`, { cause });
    }
  }
  await sandbox.remove();
  if (first.signal !== "SIGKILL") return "beyond";
  return isOver ? "after the run" : "during the run";
}

/** What a run decides, with each move that its journal has of it, without what differs from run to run. */
function decisive({ result }: ChildEnd, events: readonly JournalEvent[]): Json {
  if (!isRecord(result)) return null;
  const { success, output, metadata, agents } = result;
  const names = Array.isArray(agents)
    ? agents.map((agent) => isRecord(agent) && agent["name"])
    : [];
  const moves = events.flatMap((event): readonly Json[] => {
    if (event.type === "reflection-made") {
      const { by, synthesis, adjustments, importance } = event;
      return [toJson({ by, synthesis, adjustments, importance }, "a reflection")];
    }
    if (event.type !== "pattern-advanced") return [];
    const { kind, data } = event;
    return [{ kind, data }];
  });
  return comparable({ success, output, metadata, names, moves });
}

/** A turn that the journal knows as completed does not start again. */
function expectNoneAgain(before: Observation, after: Observation): void {
  const started = after.ledger.slice(before.ledger.length).filter(({ mark }) => mark === "start");
  const done = completedKeys(before.events);
  for (const { key } of started) expect(done).not.toContain(key);
  for (const event of after.events.slice(before.events.length))
    if (event.type === "turn-started") expect(done).not.toContain(event.key);
}

/** Nothing is journaled twice as done. */
function expectOneEndOfEach(events: readonly JournalEvent[]): void {
  const keys = completedKeys(events);
  expect(keys.toSorted()).toEqual([...new Set(keys)].toSorted());
  const settled = events.flatMap((event) => (event.type === "operation-settled" ? [event.op] : []));
  expect(settled.toSorted()).toEqual([...new Set(settled)].toSorted());
  const refused = events.filter((event) => event.type === "tool-returned" && event.isError);
  expect(refused).toEqual([]);
  const spawned = events.flatMap((event) => (event.type === "agent-spawned" ? [event.agent] : []));
  expect(spawned.toSorted()).toEqual([...new Set(spawned)].toSorted());
}

/** What spawned agents used counts for the step of their parent, each turn once, and what nobody could know as reserved. */
function expectSpentOnce(events: readonly JournalEvent[]): void {
  const { budget, usage } = foldAll("run", events);
  const step = budget.steps.get(SPENT.step);
  const settled = events.flatMap((event) => (event.type === "budget-settled" ? [event] : []));
  const assumed = settled.reduce((sum, each) => sum + (each.assumed?.tokens ?? 0), 0);
  expect(step?.turns).toBe(SPENT.turns);
  expect(step?.tokens).toBeCloseTo((usage.inputTokens ?? 0) + assumed);
  expect(usage.inputTokens).toBeGreaterThanOrEqual(SPENT.turns * SPENT.tokens);
  const reserved = events.flatMap((event) => (event.type === "budget-reserved" ? [event] : []));
  expect(reserved.filter(({ step: of }) => of !== SPENT.step)).toEqual([]);
  expect(settled.map(({ reservation }) => reservation).toSorted()).toEqual(
    reserved.map(({ reservation }) => reservation).toSorted(),
  );
}

function completedKeys(events: readonly JournalEvent[]): readonly string[] {
  const keys = new Map<string, string>();
  const done: string[] = [];
  for (const event of events) {
    if (event.type === "turn-started") keys.set(`${event.agent} ${event.turn}`, event.key);
    if (event.type === "turn-completed")
      done.push(keys.get(`${event.agent} ${event.turn}`) ?? "no turn");
  }
  return done;
}
