import {
  existsSync,
  globSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { gunzipSync, gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { exportRunTo, exportRunToFile } from "../../../src/app/history/export-run.ts";
import { importRun, importRunFile } from "../../../src/app/history/import-run.ts";
import type { Machine } from "../../../src/app/machine/machine.ts";
import { resumeOnMachine } from "../../../src/app/run/resume-run.ts";
import { readEvents } from "../../../src/app/runs/run-events.ts";
import { readListing } from "../../../src/app/runs/run-heads.ts";
import type { JournalEvent } from "../../../src/contracts/events/event.ts";
import { sha256 } from "../../../src/foundation/hash.ts";
import { ExportReader } from "../../../src/journal/export/export-reader.ts";
import type { ExportSink } from "../../../src/journal/export/export-sink.ts";
import { openJournalRows } from "../../../src/journal/export/journal-rows.ts";
import type { EventRow } from "../../../src/journal/hash-chain.ts";
import { claim, RULES } from "../../../src/testing/journal-case.ts";
import { damageEvent } from "../../journal/alter-journal.ts";
import { makeEarlierJournal } from "../../journal/earlier-formats.ts";
import { createFileMachine, recordedRuns, writeRun } from "../file-machine.ts";

const [recorded] = recordedRuns;
if (recorded === undefined) throw new Error("no recorded run");

const FLIPS = 1000;

test.each(recordedRuns)(
  "$run comes back from an export with the same events under the same hashes [P7, ENG-16]",
  async (run) => {
    const [from, to] = [createFileMachine(), createFileMachine()];
    await writeRun(from, run);
    const path = join(from.root, "run.jsonl.gz");
    const exported = await exportRunToFile(from, run.run, { path, isSalvage: false });
    expect(exported).toEqual({
      run: run.run,
      events: run.events.length,
      salvage: undefined,
      isLive: false,
      below: [],
    });
    expect(statSync(path).mode & 0o777).toBe(0o600);
    const imported = await importRunFile(to, path);
    expect(imported).toMatchObject({ run: run.run, events: run.events.length, isResumable: false });
    expect(rowsOf(to, run.run)).toEqual(rowsOf(from, run.run));
    expect(readEvents(to, run.run)).toEqual(run.events);
    expect(readListing(to.store, run.run, to.isGone)?.foreign).toMatch(/no seal of yours/);
    to.store.adopt(run.run);
    expect(readListing(to.store, run.run, to.isGone)).toEqual(
      readListing(from.store, run.run, from.isGone),
    );
    const files = readdirSync(join(to.project.runsDirectory, run.run));
    expect(files.toSorted()).toEqual(expect.arrayContaining(["journal.db", "journal.seal"]));
    expect(readdirSync(to.project.runsDirectory)).toEqual([run.run]);
  },
);

test("an unfinished run goes on after an import as it would have gone on before [P7, ENG-16]", async () => {
  const [from, to] = [createFileMachine(), createFileMachine()];
  const cut = recorded.events.findIndex(
    (event) => event.type === "operation-scheduled" && event.op === "report/turn#1",
  );
  const events = recorded.events
    .slice(0, cut + 1)
    .map((event) => (event.type === "run-created" ? { ...event, cwd: to.root } : event));
  await writeRun(from, { ...recorded, events });
  const text = exportText(from, recorded.run);
  const imported = await importRun(to, { name: "a file", bytes: bytesOf(text) });
  expect(imported).toMatchObject({ isResumable: true, isCwdHere: true, cwd: to.root });
  const functions = new Map([["thinker", () => Promise.reject(new Error("ran again"))]]);
  await expect(resumeOnMachine(to, recorded.run, { functions })).rejects.toMatchObject({
    code: "RUN_FOREIGN",
  });
  to.store.adopt(recorded.run);
  const resumption = await resumeOnMachine(to, recorded.run, { functions });
  if (resumption.status !== "resumed") throw new Error("the run is over");
  expect(await resumption.run.result).toMatchObject({ success: true });
  // The epoch of the machine it came from is not used again.
  expect(readEvents(to, recorded.run)[cut + 1]).toMatchObject({ type: "run-resumed", epoch: 2 });
});

test("a run whose directory is not here says so instead of failing step by step", async () => {
  const machine = createFileMachine();
  const events = recorded.events
    .slice(0, -1)
    .map((event) => (event.type === "run-created" ? { ...event, cwd: "/no/such/place" } : event));
  await writeRun(machine, { ...recorded, events });
  await expect(resumeOnMachine(machine, recorded.run)).rejects.toMatchObject({ code: "RUN_MOVED" });
  expect(readEvents(machine, recorded.run)).toHaveLength(events.length);
});

test(`${FLIPS} flipped bits and cuts of an export are all refused, or change nothing [P7]`, async () => {
  const machine = createFileMachine();
  await writeRun(machine, { ...recorded, events: recorded.events.slice(0, 10) });
  const text = Buffer.from(exportText(machine, recorded.run));
  const intact = readExport(text);
  for (let index = 0; index < FLIPS; index += 1) {
    const at = Math.floor((index * text.length) / FLIPS);
    const flipped = Buffer.from(text);
    flipped[at] = (flipped[at] ?? 0) ^ (1 << (index % 8));
    expectRefused(flipped, intact);
    expectRefused(text.subarray(0, at), intact);
  }
  const zipped = gzipSync(text);
  for (let at = 0; at < zipped.length; at += Math.ceil(zipped.length / 40)) {
    const flipped = Buffer.from(zipped);
    flipped[at] = (flipped[at] ?? 0) ^ (1 << (at % 8));
    const target = createFileMachine();
    const outcome = await importRun(target, { name: "x", bytes: chunks(flipped) }).catch(
      (error: unknown) => error,
    );
    // The first bytes of the format say nothing about the content, such as the time of compression.
    if (outcome instanceof Error) expect(outcome).toMatchObject({ code: /^FILE_EXPORT_/ });
    else expect(readEvents(target, recorded.run)).toEqual(intact);
  }
});

test.each([
  ["lines that are swapped", (lines: string[]) => swap(lines, 4, 5)],
  ["a line that is missing", (lines: string[]) => lines.toSpliced(6, 1)],
  ["a line that stands there twice", (lines: string[]) => lines.toSpliced(6, 0, lines[6] ?? "")],
  [
    "another run's id",
    (lines: string[]) => lines.with(0, lines[0]?.replace(/run_\w+/, "run_other1") ?? ""),
  ],
  ["no end", (lines: string[]) => lines.slice(0, -1)],
  ["something after the end", (lines: string[]) => [...lines, "{}"]],
  [
    "an id that leads out of the runs",
    (lines: string[]) => lines.with(0, lines[0]?.replace(/run_\w+/, "../../x") ?? ""),
  ],
  ["nothing", () => []],
  ["no JSON", () => ["hello"]],
])("an export with %s is refused and leaves nothing behind [P7, T16]", async (_what, change) => {
  const [from, to] = [createFileMachine(), createFileMachine()];
  await writeRun(from, recorded);
  const lines = exportText(from, recorded.run).trimEnd().split("\n");
  const text = change(lines)
    .map((line) => `${line}\n`)
    .join("");
  await expect(importRun(to, { name: "x", bytes: bytesOf(text) })).rejects.toMatchObject({
    code: "FILE_EXPORT_DAMAGED",
  });
  expect(entries(to)).toEqual([]);
});

test("a chain of hashes that somebody made anew does not hide events that make no sense [P7, T16]", async () => {
  const to = createFileMachine();
  const forged = forge([{ type: "step-started" }]);
  await expect(importRun(to, { name: "x", bytes: bytesOf(forged) })).rejects.toMatchObject({
    code: "FILE_EXPORT_DAMAGED",
    message: "x is no intact export of a run: its first event is not the creation of a run",
  });
  expect(entries(to)).toEqual([]);
});

test.each([
  ["export", /"v":1/, '"v":9'],
  ["event", /"eventFormat":1/, '"eventFormat":9'],
])("a newer %s format is refused by its version [ENG-16]", async (what, now, newer) => {
  const [from, to] = [createFileMachine(), createFileMachine()];
  await writeRun(from, recorded);
  const text = exportText(from, recorded.run).replace(now, newer);
  await expect(importRun(to, { name: "x", bytes: bytesOf(text) })).rejects.toMatchObject({
    code: "FILE_EXPORT_VERSION_UNKNOWN",
    details: { what },
  });
});

test("a run that is here already is not replaced, and an unfinished one of that name is [T16]", async () => {
  const [from, to] = [createFileMachine(), createFileMachine()];
  await writeRun(from, recorded);
  const text = exportText(from, recorded.run);
  mkdirSync(join(to.project.runsDirectory, recorded.run), { recursive: true });
  await importRun(to, { name: "x", bytes: bytesOf(text) });
  const before = rowsOf(to, recorded.run);
  const again = importRun(to, { name: "x", bytes: bytesOf(text) });
  await expect(again).rejects.toMatchObject({ code: "STORE_RUN_EXISTS" });
  expect(rowsOf(to, recorded.run)).toEqual(before);
  expect(entries(to)).toEqual([recorded.run]);
});

test("a link under the run's name is not followed [T16]", async () => {
  const [from, to] = [createFileMachine(), createFileMachine()];
  await writeRun(from, recorded);
  const elsewhere = join(to.root, "elsewhere");
  mkdirSync(elsewhere);
  mkdirSync(to.project.runsDirectory);
  symlinkSync(elsewhere, join(to.project.runsDirectory, recorded.run));
  const text = exportText(from, recorded.run);
  await expect(importRun(to, { name: "x", bytes: bytesOf(text) })).rejects.toMatchObject({
    code: "STORE_RUN_EXISTS",
  });
  expect(readdirSync(elsewhere)).toEqual([]);
});

test("what a small file becomes when it is decompressed is bounded [P7]", async () => {
  const to = createFileMachine();
  const bomb = gzipSync(Buffer.alloc(4 * 1024 * 1024));
  const limited = importRun(to, { name: "x", bytes: chunks(bomb) }, 1024 * 1024);
  await expect(limited).rejects.toMatchObject({ code: "FILE_EXPORT_TOO_LARGE" });
});

test("what is no file is told [T16]", async () => {
  const to = createFileMachine();
  const missing = importRunFile(to, join(to.root, "none"));
  await expect(missing).rejects.toMatchObject({ code: "FILE_NOT_FOUND" });
  await expect(importRunFile(to, to.root)).rejects.toMatchObject({ code: "FILE_UNREADABLE" });
  const target = { path: to.root, isSalvage: false };
  await writeRun(to, recorded);
  const exported = exportRunToFile(to, recorded.run, target);
  await expect(exported).rejects.toMatchObject({ code: "FILE_UNWRITABLE" });
});

test("a damaged run is exported only up to its damage, and only if that is wanted [P7]", async () => {
  const [from, to] = [createFileMachine(), createFileMachine()];
  await writeRun(from, recorded);
  damageEvent(join(from.project.runsDirectory, recorded.run, "journal.db"), 20);
  const path = join(from.root, "run.jsonl.gz");
  const whole = exportRunToFile(from, recorded.run, { path, isSalvage: false });
  await expect(whole).rejects.toMatchObject({ code: "STORE_CORRUPT" });
  expect(existsSync(path)).toBe(false);
  const salvaged = await exportRunToFile(from, recorded.run, { path, isSalvage: true });
  expect(salvaged).toMatchObject({
    events: 19,
    salvage: { sealedSeq: recorded.events.length, lostTexts: 0 },
  });
  expect(salvaged.salvage?.problem).toContain("the events from 20 to 20 do not match their hash");
  const imported = await importRunFile(to, path);
  expect(imported).toMatchObject({ events: 19, salvage: salvaged.salvage });
  expect(readEvents(to, recorded.run)).toEqual(recorded.events.slice(0, 19));
});

test("events that a seal says were written are missed by name [P7]", async () => {
  const from = createFileMachine();
  await writeRun(from, recorded);
  const seal = join(from.project.runsDirectory, recorded.run, "journal.seal");
  const sealed = { format: 1, seq: recorded.events.length + 3, hash: "0".repeat(64) };
  writeFileSync(seal, JSON.stringify(sealed));
  const receipt = exportRunTo(() => {}, from, { run: recorded.run, isSalvage: true });
  expect(receipt.salvage).toMatchObject({ sealedSeq: recorded.events.length + 3 });
  expect(receipt.events).toBe(recorded.events.length);
});

test("a run without one intact event cannot be salvaged [P7]", async () => {
  const from = createFileMachine();
  await writeRun(from, recorded);
  damageEvent(join(from.project.runsDirectory, recorded.run, "journal.db"), 1);
  expect(() => exportRunTo(() => {}, from, { run: recorded.run, isSalvage: true })).toThrow(
    expect.objectContaining({ code: "RUN_NOTHING_TO_SALVAGE" }),
  );
});

test.each(globSync("test/recorded/runs/*.whole.jsonl.gz"))(
  "what an earlier version exported comes out again line for line: %s [ENG-16]",
  async (path) => {
    const [to, earlier] = [createFileMachine(), createFileMachine()];
    const text = gunzipSync(readFileSync(path)).toString();
    const linesIn = (each: string) =>
      each.split("\n").filter((line) => line.startsWith('{"event"'));
    const { run } = await importRunFile(to, path);
    // Of a run with others below it, its own part.
    const events = [...readEvents(to, run)];
    const own = linesIn(text).slice(0, events.length);
    to.store.adopt(run);
    expect(linesIn(exportText(to, run)).slice(0, events.length)).toEqual(own);
    makeEarlierJournal(join(earlier.project.runsDirectory, run), 2);
    const journal = earlier.store.open(run, "write");
    journal.takeLease(claim({}), RULES);
    await journal.append({ epoch: 1, events });
    journal.close();
    expect(linesIn(exportText(earlier, run))).toEqual(own);
  },
);

test("a compressed export holds what an uncompressed one holds", async () => {
  const from = createFileMachine();
  await writeRun(from, recorded);
  const path = join(from.root, "run.jsonl.gz");
  await exportRunToFile(from, recorded.run, { path, isSalvage: false });
  const rows = (text: string) => text.split("\n").slice(1, -2);
  const unzipped = gunzipSync(readFileSync(path)).toString();
  expect(rows(unzipped)).toEqual(rows(exportText(from, recorded.run)));
});

function rowsOf(machine: Machine, run: string): readonly EventRow[] {
  const rows = openJournalRows(machine.project.runsDirectory, run, false);
  try {
    return [...rows.events()];
  } finally {
    rows.close();
  }
}

function exportText(machine: Machine, run: string): string {
  const lines: string[] = [];
  exportRunTo((line) => void lines.push(line), machine, { run, isSalvage: false });
  return lines.join("");
}

/** What a reader makes of an export, without a store. */
function readExport(bytes: Uint8Array): readonly JournalEvent[] {
  const events: JournalEvent[] = [];
  const sink: ExportSink = {
    begin: () => {},
    text: () => {},
    event: (event) => void events.push(event),
    end: () => {},
  };
  const reader = new ExportReader("x", sink);
  reader.push(bytes);
  reader.end();
  return events;
}

function expectRefused(bytes: Uint8Array, intact: readonly JournalEvent[]): void {
  let rows: readonly JournalEvent[];
  try {
    rows = readExport(bytes);
  } catch (error) {
    expect(error).toMatchObject({ code: expect.stringMatching(/^FILE_EXPORT_/) });
    return;
  }
  expect(rows).toEqual(intact);
  throw new Error("an altered export was taken for an intact one");
}

async function* bytesOf(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text);
}

/** In pieces that end anywhere. */
async function* chunks(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  for (let start = 0; start < bytes.length; start += 1000)
    yield bytes.subarray(start, start + 1000);
}

function entries({ project }: Machine): readonly string[] {
  return existsSync(project.runsDirectory) ? readdirSync(project.runsDirectory) : [];
}

function swap(lines: readonly string[], left: number, right: number): string[] {
  return lines.with(left, lines[right] ?? "").with(right, lines[left] ?? "");
}

/** An export with right hashes and other events. */
function forge(bodies: readonly object[]): string {
  const header = {
    format: "troupe-run",
    v: 1,
    run: "run_forged",
    eventFormat: 1,
    troupe: "0",
    exportedAt: "",
    epoch: 1,
  };
  let [hash, text] = ["0".repeat(64), `${JSON.stringify(header)}\n`];
  for (const [index, data] of bodies.entries()) {
    const { type = "", ...rest } = Object.fromEntries(Object.entries(data));
    const body = JSON.stringify(rest);
    hash = sha256(`${hash} ${index + 1} 1 ${String(type)} ${body}`);
    text += `${JSON.stringify({ event: { seq: index + 1, at: 1, type, body, hash } })}\n`;
  }
  const seal = { seq: bodies.length, hash };
  const end = { events: bodies.length, texts: 0, seal, sha256: sha256(text) };
  return `${text}${JSON.stringify({ end })}\n`;
}
