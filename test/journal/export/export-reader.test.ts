import { afterAll, expect, test } from "vitest";
import { sha256 } from "../../../src/foundation/hash.ts";
import { exportLines } from "../../../src/journal/export/export-lines.ts";
import { ExportReader } from "../../../src/journal/export/export-reader.ts";
import { createTemporaryStore } from "../temporary-store.ts";
import { linesOf, resealed, TEXTS, writeRun } from "./exported-run.ts";

const temporary = createTemporaryStore();
afterAll(() => temporary.cleanup());
for (const run of ["run-a", "run-b", "run-c"]) await writeRun(temporary, run);

const lone = linesOf(temporary, "run-a");
const parent = linesOf(temporary, "run-a", ["run-b", "run-c"]);
const [second, third] = [linesOf(temporary, "run-b"), linesOf(temporary, "run-c")];

/** What a reader hands out, and takes for a whole export. */
function createReading() {
  const taken: string[] = [];
  const reader = new ExportReader("run.jsonl", {
    begin: ({ run }) => void taken.push(`begin ${run}`),
    text: ({ text }) => void taken.push(text),
    event: ({ seq }) => void taken.push(`event ${seq}`),
    end: ({ events, texts }) => void taken.push(`end ${events} ${texts}`),
  });
  return { reader, taken };
}

function read(bytes: Uint8Array | string): readonly string[] {
  const { reader, taken } = createReading();
  reader.push(Buffer.from(bytes));
  reader.end();
  return taken;
}

const readLines = (lines: readonly string[]) => read(lines.join(""));

const damaged = (problem: string) =>
  expect.objectContaining({
    code: "FILE_EXPORT_DAMAGED",
    message: `run.jsonl is no intact export of a run: ${problem}`,
  });

/** The lines with one of them changed, and a trailer with the right hash. */
function altered(at: number, from: string | RegExp, to: string): readonly string[] {
  const line = lone.at(at) ?? "";
  expect(line).toMatch(from);
  return resealed(lone.with(at, line.replace(from, to)));
}

const rowsOf = (run: string) => [
  `begin ${run}`,
  ...TEXTS.toSorted((left, right) => (sha256(left) < sha256(right) ? -1 : 1)),
  ...["event 1", "event 2", "event 3", "end 3 2"],
];

test("an export is handed out in its order, however its bytes come in [P7]", () => {
  expect(readLines(lone)).toEqual(rowsOf("run-a"));
  const { reader, taken } = createReading();
  for (const byte of Buffer.from(lone.join(""))) reader.push(Uint8Array.of(byte));
  reader.end();
  expect(taken).toEqual(rowsOf("run-a"));
});

test("runs below another one follow it in the order that its header says [ENG-16]", () => {
  const taken = readLines([...parent, ...second, ...third]);
  expect(taken).toEqual([...rowsOf("run-a"), ...rowsOf("run-b"), ...rowsOf("run-c")]);
});

test.each([
  ["one too few", [...parent, ...second], "its end is missing"],
  [
    "another order",
    [...parent, ...third, ...second],
    "it holds other runs than its beginning says",
  ],
  [
    "one that has others below itself",
    [...parent, ...linesOf(temporary, "run-b", ["run-c"]), ...third],
    "it holds other runs than its beginning says",
  ],
  ["one too many", [...parent, ...second, ...third, ...second], "something follows its end"],
])("a family with %s is refused [P7, T16]", (_what, lines, problem) => {
  expect(() => readLines(lines)).toThrow(damaged(problem));
});

test.each([
  ["more events", /"events":3/, '"events":4'],
  ["fewer texts", /"texts":2/, '"texts":1'],
  ["a later last event", /"seq":3/, '"seq":4'],
  ["another last event", /"seal":{"seq":3,"hash":"\w+"/, `"seal":{"seq":3,"hash":"${sha256("x")}"`],
])("an end that speaks of %s is refused [P7, T16]", (_what, from, to) => {
  const lines = altered(-1, from, to);
  expect(() => readLines(lines)).toThrow(damaged("it holds something else than its end says"));
});

test("an end with the hash of something else is refused [P7]", () => {
  const lines = lone.with(
    -1,
    (lone.at(-1) ?? "").replace(/"sha256":"\w+"/, `"sha256":"${sha256("")}"`),
  );
  expect(() => readLines(lines)).toThrow(damaged("it does not match its hash"));
});

test("a right hash of the whole hides neither another text nor another event [P7, T16]", () => {
  const text = altered(1, /"text":"[^"]+"/, '"text":"another"');
  expect(() => readLines(text)).toThrow(damaged("a text does not match its hash"));
  const event = altered(4, "line 2", "line 9");
  expect(() => readLines(event)).toThrow(damaged("event 2 does not match its hash"));
  const missing = resealed(lone.toSpliced(4, 1));
  expect(() => readLines(missing)).toThrow(damaged("event 2 is missing"));
});

test.each([
  ["another kind of file", [/troupe-run/, "recipe"], "it does not begin like one"],
  ["no version", [/"v":1/, '"v":"1"'], "it does not begin like one"],
  ["no epoch", [/,"epoch":\d+/, ""], "its first line has another form"],
  [
    "runs below under the first version",
    [/}$/m, ',"below":["run-b"]}'],
    "its first line has another form",
  ],
  ["none below under the second version", [/"v":1/, '"v":2'], "its first line has another form"],
] as const)("a beginning with %s is refused [T16]", (_what, [from, to], problem) => {
  const lines = altered(0, from, to);
  expect(() => readLines(lines)).toThrow(damaged(problem));
});

test.each([
  ['"v":1', '"v":3', { what: "export", found: 3, known: 2 }],
  ['"v":1', '"v":0', { what: "export", found: 0, known: 2 }],
  ['"eventFormat":1', '"eventFormat":2', { what: "event", found: 2, known: 1 }],
])("%s that has become %s is told with what is known [ENG-16]", (from, to, details) => {
  const lines = altered(0, from, to);
  expect(() => readLines(lines)).toThrow(
    expect.objectContaining({
      code: "FILE_EXPORT_VERSION_UNKNOWN",
      details: { file: "run.jsonl", ...details },
    }),
  );
});

test("a line that is no JSON is refused with what is wrong with it", () => {
  expect(() => read("hello\n")).toThrow(
    expect.objectContaining({ code: "FILE_EXPORT_DAMAGED", cause: expect.any(SyntaxError) }),
  );
  expect(() => read(Buffer.from(`"\xff"\n`, "latin1"))).toThrow(damaged("a line of it is no JSON"));
  expect(() => read(`\uFEFF${lone.join("")}`)).toThrow(damaged("a line of it is no JSON"));
});

test("a line of another form is refused", () => {
  const lines = altered(4, '"event"', '"more"');
  expect(() => readLines(lines)).toThrow(damaged("a line of it has another form"));
});

test("a run without events comes back as one, and a whole one says nothing of salvage", () => {
  temporary.store.create("run-d").close();
  expect(readLines(linesOf(temporary, "run-d"))).toEqual(["begin run-d", "end 0 0"]);
  expect(JSON.parse(lone[0] ?? "")).toEqual({
    ...{ format: "troupe-run", v: 1, run: "run-a", eventFormat: 1, troupe: "1.0.0", epoch: 1 },
    exportedAt: "2026-01-01T00:00:00Z",
  });
});

test("what is missing of a damaged run stands in the first line [P7]", () => {
  const salvage = { problem: "events are gone", sealedSeq: null, lostTexts: 2 };
  const rows = { epoch: 0, salvage, texts: () => [], events: () => [], close: () => {} };
  const lines = [...exportLines(rows, { run: "run-a", troupe: "1.0.0", exportedAt: "" })];
  expect(JSON.parse(lines[0] ?? "")).toMatchObject({ run: "run-a", epoch: 0, salvage });
  expect(readLines(lines)).toEqual(["begin run-a", "end 0 0"]);
});

test("half a line after the end is not overlooked [P7]", () => {
  expect(() => read(`${lone.join("")} `)).toThrow(damaged("its end is missing"));
  expect(() => read(lone.join("").trimEnd())).toThrow(damaged("its end is missing"));
  expect(() => readLines(lone.slice(0, -1))).toThrow(damaged("its end is missing"));
  expect(() => read("")).toThrow(damaged("its end is missing"));
});

test("a line is kept in memory up to 64 MiB and no further [P7]", () => {
  const { reader } = createReading();
  const mebibyte = new Uint8Array(1024 * 1024);
  for (let count = 0; count < 64; count += 1) reader.push(mebibyte);
  expect(() => reader.push(Uint8Array.of(0))).toThrow(
    expect.objectContaining({
      code: "FILE_EXPORT_TOO_LARGE",
      details: { file: "run.jsonl", what: "a line", limitBytes: 64 * 1024 * 1024 },
    }),
  );
});
