import { mkdirSync, readFileSync, rmdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { LEDGER_FILE } from "../../../src/contracts/context-files.ts";
import { MirrorDirectory } from "../../../src/messaging/mirrors/mirror-directory.ts";
import { MirrorLedger } from "../../../src/messaging/mirrors/mirror-ledger.ts";
import { temporaryDirectory } from "../../programs/temporary-directory.ts";

const plan = { file: "plan.2.md", revision: 3, hashes: ["a", "b"] };

/** A directory whose ledger one run after the other may take. */
function ledgers() {
  const path = temporaryDirectory();
  const directory = new MirrorDirectory(path);
  const file = join(path, LEDGER_FILE);
  return { directory, file, of: (run: string) => new MirrorLedger(directory, run) };
}

test("what a run noted is known to its next owner, and to another run only whose files they are [MSG-7]", async () => {
  const { of } = ledgers();
  const first = of("run_a");
  expect(first.load()).toBeUndefined();
  first.put("plan", plan);
  await first.save();
  const next = of("run_a");
  expect(next.load()).toEqual({ run: "run_a", files: ["plan.2.md"] });
  expect([next.shown("plan"), next.fileOf("plan"), next.fileOf("other")]).toEqual([
    ...[plan, "plan.2.md", undefined],
  ]);
  const other = of("run_b");
  expect(other.load()).toEqual({ run: "run_a", files: ["plan.2.md"] });
  expect([other.shown("plan"), other.fileOf("plan")]).toEqual([undefined, undefined]);
});

test("a name that is none of a further document's file is not taken from it [T8]", () => {
  const { of, file } = ledgers();
  const documents = { plan: { ...plan, file: "../x.md" }, notes: { ...plan, file: "notes.md" } };
  writeFileSync(file, JSON.stringify({ v: 1, run: "run_a", documents }));
  const ledger = of("run_a");
  expect(ledger.load()).toEqual({ run: "run_a", files: ["notes.md"] });
  expect([ledger.fileOf("plan"), ledger.fileOf("notes")]).toEqual([undefined, "notes.md"]);
});

test("it is written once for what is new, from the first time on", async () => {
  const { directory, of, file } = ledgers();
  const ledger = of("run_a");
  const mark = () => directory.look(LEDGER_FILE);
  await ledger.save();
  expect(JSON.parse(readFileSync(file, "utf8"))).toEqual({ v: 1, run: "run_a", documents: {} });
  const first = mark();
  await ledger.save();
  expect(mark()).toBe(first);
  ledger.put("plan", plan);
  await ledger.save();
  const second = mark();
  expect(second).not.toBe(first);
  const next = of("run_a");
  next.load();
  await next.save();
  expect(mark()).toBe(second);
});

test("what could not be written is written with the next try", async () => {
  const { of, file } = ledgers();
  const ledger = of("run_a");
  ledger.put("plan", plan);
  mkdirSync(file);
  await expect(ledger.save()).rejects.toThrow("it is no regular file");
  rmdirSync(file);
  await ledger.save();
  expect(JSON.parse(readFileSync(file, "utf8"))).toMatchObject({ documents: { plan } });
});
