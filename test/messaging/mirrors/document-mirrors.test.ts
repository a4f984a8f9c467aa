import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { LEDGER_FILE } from "../../../src/contracts/context-files.ts";
import { MAIN_DOCUMENT } from "../../../src/contracts/document.ts";
import { sha256 } from "../../../src/foundation/hash.ts";
import { editDocument, readDocument } from "../../../src/messaging/edit-document.ts";
import { DocumentMirrors } from "../../../src/messaging/mirrors/document-mirrors.ts";
import { MirrorDirectory } from "../../../src/messaging/mirrors/mirror-directory.ts";
import { MirrorLedger } from "../../../src/messaging/mirrors/mirror-ledger.ts";
import { createTestRun } from "../../../src/testing/test-run.ts";
import { standingDirectory } from "./mirrored-run.ts";

const RUN = "run_test";

/** The documents of a run in a directory, written and looked at step by step. */
async function documentsIn(directory = standingDirectory()) {
  const driver = createTestRun(async (context) => context.sleep(1e9).then(() => null)).start();
  onTestFinished(async () => {
    driver.suspend("interrupted", 130);
    await driver.parted;
  });
  await driver.flushed();
  const place = new MirrorDirectory(directory);
  const ledger = new MirrorLedger(place, RUN);
  ledger.load();
  const warnings: string[] = [];
  const documents = new DocumentMirrors({
    ...{ runtime: driver, directory: place, ledger },
    files: { directory, channelFile: "channel.md", documentFile: "notes.md" },
    warn: (text) => warnings.push(text),
  });
  documents.takeUp();
  const [main] = documents.all();
  if (main === undefined) throw new Error("the main document has no file");
  const at = (name: string) => join(directory, name);
  return {
    ...{ driver, documents, main, ledger, warnings, at },
    write: (text: string, name = MAIN_DOCUMENT) =>
      editDocument(driver, {
        by: "coder",
        edit: { kind: "write", text, name },
        key: `${name}/${text}`,
      }),
    /** All that was written may be shown. */
    durable: (name = MAIN_DOCUMENT) => documents.durable(name, readDocument(driver.state, name)),
    text: () => (existsSync(at("notes.md")) ? readFileSync(at("notes.md"), "utf8") : undefined),
    byHand: (text: string) => writeFileSync(at("notes.md"), text),
    inode: () => statSync(at("notes.md")).ino,
    revision: () => readDocument(driver.state).revision,
  };
}

test("a change by hand is taken once two looks have found the same, a last look takes it at once [MSG-7]", async () => {
  const { main, byHand, revision, at } = await documentsIn();
  byHand("half");
  expect([main.look(false), revision()]).toEqual(["unsettled", 0]);
  byHand("half of it");
  expect([main.look(false), revision()]).toEqual(["unsettled", 0]);
  expect([main.look(false), revision()]).toEqual(["settled", 1]);
  expect([main.look(false), revision()]).toEqual(["settled", 1]);
  byHand("all of it, at last");
  expect([main.look(true), revision()]).toEqual(["settled", 2]);
  byHand("and gone again");
  expect(main.look(false)).toBe("unsettled");
  rmSync(at("notes.md"));
  expect([main.look(false), revision()]).toEqual(["settled", 2]);
});

test("a file is as it is known until somebody changes it", async () => {
  const { main, write, durable, byHand } = await documentsIn();
  write("one");
  durable();
  await main.sync();
  expect(main.isAsKnown()).toBe(true);
  byHand("two");
  expect(main.isAsKnown()).toBe(false);
  main.look(true);
  expect(main.isAsKnown()).toBe(true);
});

test("no file shows what is not durable, or less than it showed [MSG-7]", async () => {
  const { main, documents, write, durable, byHand, text, at } = await documentsIn();
  await main.sync();
  expect(text()).toBeUndefined();
  write("one");
  await main.sync();
  expect(text()).toBeUndefined();
  durable();
  documents.durable(MAIN_DOCUMENT, { revision: 0, text: "before" });
  await main.sync();
  expect(text()).toBe("one");
  byHand("two, by hand");
  main.look(true);
  rmSync(at("notes.md"));
  main.look(true);
  await main.sync();
  expect(text()).toBeUndefined();
  durable();
  await main.sync();
  expect(text()).toBe("two, by hand");
});

test("what was taken by hand is noted for the next owner once it is durable [MSG-7]", async () => {
  const { main, ledger, byHand, durable, at } = await documentsIn();
  await main.sync();
  expect(existsSync(at(LEDGER_FILE))).toBe(false);
  byHand("mine");
  main.look(true);
  await main.sync();
  expect(ledger.shown(MAIN_DOCUMENT)).toBeUndefined();
  durable();
  await main.sync();
  const noted = { file: "notes.md", revision: 1, hashes: [sha256("mine")] };
  expect(ledger.shown(MAIN_DOCUMENT)).toEqual(noted);
  const saved = () => statSync(at(LEDGER_FILE), { bigint: true }).mtimeNs;
  const before = saved();
  expect(JSON.parse(readFileSync(at(LEDGER_FILE), "utf8"))).toMatchObject({
    documents: { [MAIN_DOCUMENT]: noted },
  });
  await main.sync();
  expect(saved()).toBe(before);
});

test("a hand that writes what the document says already changes nothing, and its file stays [MSG-7]", async () => {
  const { main, write, durable, byHand, inode, warnings, revision } = await documentsIn();
  write("one");
  durable();
  await main.sync();
  write("two");
  durable();
  byHand("two");
  const before = inode();
  await main.sync();
  expect([inode(), revision(), warnings]).toEqual([before, 2, []]);
});

test("what somebody writes while a newer text is on its way into the file is kept beside it [MSG-7]", async () => {
  const { main, write, durable, byHand, text, warnings, at } = await documentsIn();
  write("one");
  durable();
  await main.sync();
  write("two");
  durable();
  const writing = main.sync();
  byHand("mine");
  await writing;
  expect([text(), readFileSync(at("notes.conflict-1.md"), "utf8")]).toEqual(["two", "mine"]);
  expect(warnings).toEqual([
    "notes.md was changed by hand, but the document is at revision 2 meanwhile; what it said is in notes.conflict-1.md",
  ]);
});

test("what the next owner finds is written anew only if it is older than what was noted [MSG-7]", async () => {
  for (const found of ["one", "two"]) {
    const directory = standingDirectory();
    writeFileSync(join(directory, "notes.md"), found);
    const hashes = ["one", "two"].map((text) => sha256(text));
    const documents = { [MAIN_DOCUMENT]: { file: "notes.md", revision: 2, hashes } };
    writeFileSync(join(directory, LEDGER_FILE), JSON.stringify({ v: 1, run: RUN, documents }));
    const { main, write, durable, inode, text, warnings } = await documentsIn(directory);
    write("one");
    write("two");
    durable();
    const before = inode();
    main.look(true);
    await main.sync();
    expect([text(), inode() === before, warnings]).toEqual(["two", found === "two", []]);
  }
});

test("what a hand writes and the run does not take is kept beside the file [MSG-7]", async () => {
  const { main, write, byHand, text, warnings, at } = await documentsIn();
  for (let index = 0; index < 200; index += 1) write("x", `d${index}`);
  byHand("one too many");
  main.look(true);
  expect([text(), readFileSync(at("notes.conflict-1.md"), "utf8")]).toEqual([
    ...[undefined, "one too many"],
  ]);
  expect(warnings).toEqual([
    expect.stringMatching(/^notes\.md was changed by hand, but .*200.*; what it said is in /),
  ]);
});

test("files of documents are told from others, however their names are written", async () => {
  const { documents, write, durable, at } = await documentsIn();
  write("x", "plan");
  durable("plan");
  documents.takeUp();
  expect(
    ["notes.md", "NOTES.md", "plan.md", "channel.md", "other.md"].map((name) =>
      documents.concerns(name),
    ),
  ).toEqual([true, true, true, false, false]);
  for (const document of documents.all()) await document.sync();
  expect(readdirSync(at(".")).filter((name) => !name.startsWith("."))).toEqual(["plan.md"]);
});
