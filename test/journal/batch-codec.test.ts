import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { deflateRawSync } from "node:zlib";
import fc from "fast-check";
import { expect, test } from "vitest";
import type { NewEvent } from "../../src/contracts/ports/store.ts";
import { sha256 } from "../../src/foundation/hash.ts";
import type { Json } from "../../src/foundation/json.ts";
import { type BatchBody, fromBatch, toBatches } from "../../src/journal/batch-codec.ts";
import { claim, log, logs, RULES } from "../../src/testing/journal-case.ts";
import { createTemporaryStore } from "./temporary-store.ts";

interface Written {
  readonly bodies: readonly BatchBody[];
  readonly texts: ReadonlyMap<string, string>;
}

function write(events: readonly NewEvent[]): Written {
  const texts = new Map<string, string>();
  const rows = [...toBatches(events, (hash, text) => void texts.set(hash, text))];
  expect(rows.at(-1)?.lastSeq).toBe(events.at(-1)?.seq);
  return { bodies: rows.map(({ body }) => body), texts };
}

function read({ bodies, texts }: Written): readonly unknown[] {
  return bodies.flatMap((body) => fromBatch(body, (hash) => texts.get(hash) ?? "missing") ?? []);
}

/** An event that holds a value of any depth. */
function settled(seq: number, op: string, value: Json): NewEvent {
  return { type: "operation-settled", op, outcome: { status: "ok", value }, seq, at: seq };
}

// What stands for a text that lies elsewhere begins with U+0001; half of a pair is no text that a table could keep.
const odd = fc.constantFrom("\u0001", "\u00010", "\u0001\u0001", "\ud800", "\u0000", "é", "x");
const text = fc
  .tuple(fc.array(odd, { maxLength: 4 }), fc.constantFrom(0, 1, 511, 512, 2000), fc.string())
  .map(([parts, count, end]) => `${parts.join("")}${"y".repeat(count)}${end}`);
const value: fc.Arbitrary<Json> = fc.letrec<{ value: Json }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    text,
    fc.constantFrom(null, true, 0, 1.5),
    fc.array(tie("value"), { maxLength: 3 }),
    fc.dictionary(fc.string({ maxLength: 6 }), tie("value"), { maxKeys: 3 }),
  ),
})).value;

test("whatever events hold comes back from their rows as it was", () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(text, value), { minLength: 1, maxLength: 12 }), (parts) => {
      const events = parts.map(([op, value], index) => settled(index + 1, op, value));
      const wanted: unknown = JSON.parse(JSON.stringify(events));
      expect(read(write(events))).toEqual(wanted);
    }),
    { numRuns: 300 },
  );
});

test("a text of many events is kept once, and what is not long stays where it is", () => {
  const prompt = "word ".repeat(200);
  const { bodies, texts } = write([log(1, prompt), log(2, `${prompt}!`), log(3, prompt), log(4)]);
  expect([...texts]).toEqual([
    [sha256(prompt), prompt],
    [sha256(`${prompt}!`), `${prompt}!`],
  ]);
  expect(JSON.stringify(bodies)).not.toContain("word word");
  expect(JSON.stringify(bodies)).toContain("line 4");
});

test("a long text is kept apart from 512 characters on, wherever in its event it stands", () => {
  const [short, long] = ["s".repeat(511), "l".repeat(512)];
  const { bodies, texts } = write([settled(1, "op", [short, { deep: [long, `${long}!`] }])]);
  expect([...texts.values()]).toEqual([long, `${long}!`]);
  expect(read({ bodies, texts })).toEqual([
    settled(1, "op", [short, { deep: [long, `${long}!`] }]),
  ]);
});

test.each(["", "{", "{}", "[1]", '[{"seq":"1","at":1}]', '[{"seq":1}]', "[null]", '[["text"]]'])(
  "a row that no writer has written is none: %s [ENG-5]",
  (body) => {
    expect(fromBatch(body, () => "text")).toBeUndefined();
    expect(fromBatch(deflateRawSync(body), () => "text")).toBeUndefined();
  },
);

test("events share rows that fill a page at the most, and a large one has a row of its own", () => {
  const { bodies } = write(logs(1, 1000));
  expect(bodies.length).toBeLessThan(20);
  for (const body of bodies) expect(body.length).toBeLessThan(4096);
  const many = Array.from({ length: 4000 }, (_, index) => `${index}`);
  expect(write([log(1), settled(2, "many", many), log(3)]).bodies).toHaveLength(3);
});

// Written when there was the first journal of this format. If it changes, every such journal reads as damaged:
// raise the format instead.
test("the rows of format 3 are what they were when the first journals were written [ENG-16]", async () => {
  const { store, runsDirectory, cleanup } = createTemporaryStore();
  const journal = store.create("run-a");
  journal.takeLease(claim({}), RULES);
  await journal.append({ epoch: 1, events: [log(1), log(2)] });
  await journal.append({ epoch: 1, events: [log(3, "word ".repeat(200))] });
  journal.close();
  const db = new DatabaseSync(join(runsDirectory, "run-a", "journal.db"), { readOnly: true });
  expect(
    db.prepare("SELECT seq, body, hash FROM batches ORDER BY seq").all(),
  ).toMatchInlineSnapshot(`
    [
      {
        "body": "[{"type":"log","note":"log#1","level":"info","text":"line 1","seq":1,"at":1700000000001},{"type":"log","note":"log#2","level":"info","text":"line 2","seq":2,"at":1700000000002}]",
        "hash": "cd2bbf76b0d34e642d75aa5e1aaa1d63bdcef5cf2bd921bb98cb5afa5c1ae3b4",
        "seq": 2,
      },
      {
        "body": "[[{"type":"log","note":"log#3","level":"info","text":"\\u00010","seq":3,"at":1700000000003},"c2c2e0390713e95f6c7e3477eee7c1d5a54043b30df1c4e8695fd37e1e2cf7b3"]]",
        "hash": "7720370edb052adbf826be16751e246d555bd5a87e2c4a37e1fb77ea4fc008ef",
        "seq": 3,
      },
    ]
  `);
  expect(db.prepare("SELECT hash, named FROM texts").all()).toMatchInlineSnapshot(`
    [
      {
        "hash": "c2c2e0390713e95f6c7e3477eee7c1d5a54043b30df1c4e8695fd37e1e2cf7b3",
        "named": 0,
      },
    ]
  `);
  db.close();
  await cleanup();
});
