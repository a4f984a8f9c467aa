import { expect, test } from "vitest";
import { createSessionRecord, type RecordedSession } from "../../src/agents/session-record.ts";
import type { EventData } from "../../src/contracts/events/event.ts";
import { fold } from "../../src/fold/fold.ts";
import { emptyRunState } from "../../src/fold/state/run-state.ts";
import { sha256 } from "../../src/foundation/hash.ts";

const NOTED = { type: "session-noted", what: "told" } as const;
const CALLED = { type: "model-called", call: 1, model: "small", request: "r" } as const;
const MOST_REST_BYTES = 32 * 1024 * 1024;

/** A journal in memory, and the record of one session in it. */
function recordIn(
  options: Partial<Pick<RecordedSession, "last">> & {
    readonly texts?: Map<string, string>;
    readonly mask?: (text: string) => string;
  } = {},
) {
  const { texts = new Map<string, string>(), mask = (text) => text, last } = options;
  const appended: EventData[] = [];
  const state = emptyRunState("run_a");
  const add = (data: EventData) => {
    appended.push(data);
    const event = { ...data, seq: state.lastSeq + 1, at: 0 };
    fold(state, event);
    return event;
  };
  add({ type: "agent-spawned", agent: "a", backend: "model", spec: { id: "a", backend: "model" } });
  const keepText = (given: string) => {
    const text = mask(given);
    const ref = sha256(text);
    texts.set(ref, text);
    return { ref, text };
  };
  const record = createSessionRecord({
    runtime: {
      ...{ state, keepText, append: add, flushed: async () => {} },
      textOf: (ref) => texts.get(ref),
    },
    spec: { id: "a", backend: "model" },
    session: "a/main",
    last,
    priced: (usage) => ({ ...usage, costUsd: 7 }),
  });
  const refs = () => appended.flatMap((data) => ("ref" in data ? [data.ref] : []));
  return { record, texts, refs, appended, add };
}

test("entries come back in the order in which they were kept, from the last beginning on", () => {
  const { record } = recordIn();
  expect(record.read(() => false)).toEqual([]);
  for (const entry of ["one", "start", "two", "start", "three"]) record.keep(1, NOTED, entry);
  expect(record.read(() => false)).toEqual(["one", "start", "two", "start", "three"]);
  expect(record.read((entry) => entry === "start")).toEqual(["start", "three"]);
});

test("a session that goes on adds to the entries up to the one that it goes on from", () => {
  const before = recordIn();
  for (const entry of ["one", "two", "lost"]) before.record.keep(1, NOTED, entry);
  const { texts } = before;
  const { record } = recordIn({ texts, ...lastOf(before.refs().slice(0, 2)) });
  record.keep(2, NOTED, { n: 3 });
  expect(record.read(() => false)).toEqual(["one", "two", { n: 3 }]);
});

function lastOf(refs: readonly (string | undefined)[]): { readonly last?: string } {
  const last = refs.at(-1);
  return last === undefined ? {} : { last };
}

test("what an entry is about is in the journal, with whose it is and what it cost", () => {
  const { record, appended, refs } = recordIn();
  record.keep(4, { ...CALLED, usage: { inputTokens: 3 } }, "answer");
  record.keep(4, CALLED, "another");
  record.keep(5, NOTED, "told");
  const whose = { agent: "a", session: "a/main" };
  expect(appended.slice(1)).toEqual([
    { ...CALLED, ...whose, turn: 4, ref: refs()[0], usage: { inputTokens: 3, costUsd: 7 } },
    { ...CALLED, ...whose, turn: 4, ref: refs()[1] },
    { ...NOTED, ...whose, turn: 5, ref: refs()[2] },
  ]);
});

test("an entry is given as it was kept, without secrets", () => {
  const mask = (text: string) => text.replaceAll("hunter2", "***");
  const { record } = recordIn({ mask });
  expect(record.keep(1, NOTED, { key: "hunter2" })).toEqual({ key: "***" });
  expect(record.keep(1, NOTED, { key: "none" })).toEqual({ key: "none" });
  expect(record.read(() => false)).toEqual([{ key: "***" }, { key: "none" }]);
});

test.each([
  ["cannot be read back", (text: string) => text.replace('"entry"', "***")],
  ["is not the record's any more", (text: string) => text.replace('"entry"', '"***"')],
])("an entry that masking has changed so that it %s is lost at once", (_, mask) => {
  const { record } = recordIn({ mask });
  expect(() => record.keep(1, NOTED, "e")).toThrow(
    expect.objectContaining({
      code: "AGENT_RECORD_LOST",
      details: { agent: "a", session: "a/main", ref: expect.stringMatching(/^[0-9a-f]{64}$/) },
    }),
  );
});

test("an entry that is not there any more is told by its name, and one behind a beginning is not missed", () => {
  const { record, texts, refs } = recordIn();
  for (const entry of ["one", "start", "two"]) record.keep(1, NOTED, entry);
  const [first = ""] = refs();
  texts.delete(first);
  expect(record.read((entry) => entry === "start")).toEqual(["start", "two"]);
  expect(() => record.read(() => false)).toThrow(
    expect.objectContaining({
      code: "AGENT_RECORD_LOST",
      details: { agent: "a", session: "a/main", ref: first },
    }),
  );
});

test("an agent keeps so many bytes of what it was not shown, whatever the signs, and not one more", () => {
  const { record, add } = recordIn();
  const text = "€".repeat(10);
  expect(record.keepRest(text)).toEqual({ text, ref: sha256(text), sizeBytes: 30 });
  const rest = { ref: "r", sizeBytes: MOST_REST_BYTES - 30 };
  add({ ...NOTED, agent: "a", turn: 1, session: "a/main", ref: "r", rest });
  expect(record.keepRest(text)).toMatchObject({ sizeBytes: 30 });
  expect(record.keepRest(`${text}.`)).toBeUndefined();
});
