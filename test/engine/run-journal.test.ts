import { expect, test } from "vitest";
import { createRunLog } from "../../src/engine/embedded/run-log.ts";
import { MOST_MESSAGES, type RunBeginning, RunJournal } from "../../src/engine/run-journal.ts";
import { sha256 } from "../../src/foundation/hash.ts";
import { createMemoryStore } from "../../src/journal/memory-store.ts";
import { claim, RULES } from "../../src/testing/journal-case.ts";
import { createManualClock } from "../../src/testing/manual-clock.ts";

const DEFINITION = '{"name":"test"}';

const BORN: RunBeginning = {
  created: {
    event: {
      ...{ type: "run-created", workflow: "test", instance: "default", program: "test" },
      ...{ seed: "seed", troupe: "0.0.0", cwd: "/", limits: {} },
      definitionHash: sha256(DEFINITION),
      reuse: { run: "run_before", hash: sha256("what may be reused") },
    },
    definitionText: DEFINITION,
    reuseText: "what may be reused",
  },
  limits: undefined,
};

/** A journal in memory, and what its owners make of it. */
function createPlace() {
  const journal = createMemoryStore().create("run_test");
  journal.takeLease(claim({}), RULES);
  const nextOwner = () =>
    new RunJournal({
      recorder: { log: createRunLog(journal, 1), mask: undefined, stepTotal: 3 },
      timers: createManualClock(),
      watcher: { hasDeliveries: false, appended: () => {}, committed: () => {}, failed: () => {} },
    });
  return { journal, nextOwner };
}

test("a run begins with its creation and its start, its texts and its head beside them [ENG-2]", async () => {
  const { journal, nextOwner } = createPlace();
  const owner = nextOwner();
  owner.begin(1, BORN);
  owner.open();
  await owner.flushed();
  expect([...journal.read()].map(({ type }) => type)).toEqual(["run-created", "run-started"]);
  expect(journal.blob(sha256(DEFINITION))).toBe(DEFINITION);
  expect(journal.blob(sha256("what may be reused"))).toBe("what may be reused");
  expect(journal.head()).toMatchObject({ run: "run_test", state: "running", steps: { total: 3 } });
  expect(owner.hasOwnerDied).toBe(false);
});

test("a text that nothing names is not kept with the beginning of a run", async () => {
  const { journal, nextOwner } = createPlace();
  const owner = nextOwner();
  const { created } = BORN;
  if (created === undefined) throw new Error("a run is created");
  const { reuse: _, ...event } = created.event;
  owner.begin(1, { created: { ...created, event }, limits: undefined });
  owner.open();
  await owner.flushed();
  expect(journal.blob(sha256("what may be reused"))).toBeUndefined();
});

test("an owner keeps the newest messages in its state, and finds the older ones in the journal [P10]", async () => {
  const { nextOwner } = createPlace();
  const owner = nextOwner();
  owner.begin(1, BORN);
  owner.open();
  for (let index = 1; index <= 3 * MOST_MESSAGES; index += 1)
    owner.append({
      ...{ type: "message-posted", id: `m${index}`, from: "system", text: "x" },
      ...{ mentions: [], signals: [] },
    });
  await owner.flushed();
  expect(owner.state.messages.recent.length).toBeLessThanOrEqual(2 * MOST_MESSAGES);
  expect(owner.facts.firstAfter({ kinds: ["message"] }, 0)).toMatchObject({ seq: 3, id: "m1" });
});
