import {
  appendFileSync,
  chmodSync,
  existsSync,
  linkSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { isRecord } from "../../../src/foundation/json.ts";
import { settle } from "../../../src/testing/manual-clock.ts";
import { mirroredRun, newDirectory, standingDirectory, startedIn } from "./mirrored-run.ts";
import { parseChannel } from "./parse-channel.ts";

function texts(file: string | undefined): readonly string[] {
  return parseChannel(file ?? "").map(({ text }) => text);
}

test("messages of the main channel are in the file in their order, direct ones are not [MSG-7]", async () => {
  const mirrored = mirroredRun();
  const run = await mirrored.open();
  run.say("system", "Workflow started");
  run.say("user", "between us", ["system"]);
  run.say("user", "hello\n### 10:00:00 [system]\nno");
  await run.letGo();
  expect(mirrored.file("channel.md")).toBe(
    "### 00:00:00 [system]\nWorkflow started\n\n### 00:00:00 [user]\nhello\n\\### 10:00:00 [system]\nno\n",
  );
  expect(statSync(join(mirrored.directory, "channel.md")).mode & 0o777).toBe(0o600);
  expect(mirrored.run.clock.timerCount).toBe(0);
  expect(run.warnings()).toEqual([]);
});

test("nothing is in the file before it is durable [MSG-7]", async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  let waits = false;
  const mirrored = mirroredRun({
    append: async (_batch, append) => {
      if (waits) await promise;
      return append();
    },
  });
  const run = await mirrored.open();
  run.say("user", "first");
  await run.driver.flushed();
  await settle();
  waits = true;
  run.say("user", "second");
  run.write("coder", "a revision");
  // Longer than the system takes to write a few files.
  await settle(3000);
  expect(texts(mirrored.file("channel.md"))).not.toContain("second");
  expect(mirrored.file("notes.md")).toBeUndefined();
  resolve();
  await run.letGo();
  expect(texts(mirrored.file("channel.md"))).toEqual(["first", "second"]);
  expect(mirrored.file("notes.md")).toBe("a revision");
});

test("a message is appended: what stands in the file is not written again [MSG-7]", async () => {
  const mirrored = mirroredRun();
  const run = await mirrored.open();
  const path = join(mirrored.directory, "channel.md");
  run.say("user", "first");
  await run.driver.flushed();
  await untilFile(() => texts(mirrored.file("channel.md")).length === 1);
  const before = statSync(path);
  for (let index = 0; index < 500; index += 1) run.say("user", `message ${index}`);
  await run.letGo();
  expect(statSync(path).ino).toBe(before.ino);
  expect(texts(mirrored.file("channel.md"))).toHaveLength(501);
});

test("what a message costs does not depend on how many there were before [MSG-7]", async () => {
  const mirrored = mirroredRun();
  const run = await mirrored.open();
  const shown = () => texts(mirrored.file("channel.md")).length;
  const batch = async (until: number) => {
    for (let index = 0; index < 500; index += 1) run.say("user", `some words and ${index}`);
    await run.driver.flushed();
    await untilFile(() => shown() === until);
  };
  await batch(500);
  const { ino } = statSync(join(mirrored.directory, "channel.md"));
  for (let round = 2; round <= 6; round += 1) await batch(round * 500);
  await run.letGo();
  // Never written anew: each message was appended once.
  expect(statSync(join(mirrored.directory, "channel.md")).ino).toBe(ino);
});

test("nothing is left open when the run is let go [ENG-6]", async () => {
  const mirrored = mirroredRun();
  const watchers = () => watchedPaths(mirrored.directory);
  const run = await mirrored.open();
  expect(watchers()).toBe(1);
  await run.letGo();
  await settle();
  expect([watchers(), mirrored.run.clock.timerCount]).toEqual([0, 0]);
});

test("a long body is in the file as a whole [MSG-7, MSG-9]", async () => {
  const mirrored = mirroredRun();
  const run = await mirrored.open();
  const long = "a line of it\n".repeat(8000);
  run.say("user", long);
  await run.letGo();
  expect(texts(mirrored.file("channel.md"))).toEqual([long]);
});

test.each([
  ["is missing", (path: string) => rmSync(path)],
  ["lacks its end", (path: string) => writeFileSync(path, readFileSync(path).subarray(0, -10))],
  ["has more", (path: string) => appendFileSync(path, "\n### 10:00:00 [system]\nfake\n")],
  [
    "differs",
    (path: string) => writeFileSync(path, readFileSync(path, "utf8").replace("one", "two")),
  ],
])("a file that %s is written anew when the run goes on [MSG-7]", async (_what, damage) => {
  const mirrored = mirroredRun();
  const first = await mirrored.open();
  first.say("user", "one");
  first.say("coder", "three");
  await first.letGo();
  const whole = mirrored.file("channel.md");
  damage(join(mirrored.directory, "channel.md"));
  const second = await mirrored.open();
  await second.letGo();
  expect(mirrored.file("channel.md")).toBe(whole);
  expect(second.warnings()).toEqual([]);
});

test("a file that is as it was left is not touched when the run goes on", async () => {
  const mirrored = mirroredRun();
  const first = await mirrored.open();
  for (let index = 0; index < 3000; index += 1) first.say("user", `some words ${index}`);
  await first.letGo();
  const before = statSync(join(mirrored.directory, "channel.md"), { bigint: true });
  const second = await mirrored.open();
  await second.letGo();
  const after = statSync(join(mirrored.directory, "channel.md"), { bigint: true });
  expect([after.ino, after.mtimeNs]).toEqual([before.ino, before.mtimeNs]);
  expect(second.warnings()).toEqual([]);
});

test("a channel in which nobody has said a word has an empty file [MSG-7]", async () => {
  const mirrored = mirroredRun();
  const run = await mirrored.open();
  await run.letGo();
  expect(mirrored.file("channel.md")).toBe("");
});

test("who writes into the channel's file while the run is on is told that it is a view [MSG-7]", async () => {
  const mirrored = mirroredRun();
  const run = await mirrored.open();
  run.say("user", "one");
  await run.driver.flushed();
  await untilFile(() => texts(mirrored.file("channel.md")).length === 1);
  appendFileSync(join(mirrored.directory, "channel.md"), "\n### 10:00:00 [system]\nfake\n");
  run.say("user", "two");
  await run.letGo();
  expect(texts(mirrored.file("channel.md"))).toEqual(["one", "two"]);
  expect(run.warnings()).toEqual([
    "channel.md was changed by hand; it only shows the channel, so it is written anew",
  ]);
});

test("the channel of another run is kept under the name of that run [MSG-7]", async () => {
  const first = mirroredRun();
  const before = await first.open();
  before.say("user", "of the first run");
  await before.letGo();
  const ledger = join(first.directory, ".troupe-mirrors.json");
  writeFileSync(ledger, readFileSync(ledger, "utf8").replace("run_test", "run_before"));
  const second = mirroredRun({ directory: first.directory });
  const run = await second.open();
  run.say("user", "of the second run");
  await run.letGo();
  expect(texts(second.file("channel.md"))).toEqual(["of the second run"]);
  expect(texts(second.file("channel.run_before.md"))).toEqual(["of the first run"]);
});

test("a channel of nobody knows whom is kept under the name of the new run [MSG-7]", async () => {
  const directory = standingDirectory();
  writeFileSync(join(directory, "channel.md"), "mine\n");
  writeFileSync(join(directory, "channel.run_test.md"), "also mine\n");
  const mirrored = mirroredRun({ directory });
  const run = await mirrored.open();
  run.say("user", "hello");
  await run.letGo();
  expect(mirrored.file("channel.run_test-2.md")).toBe("mine\n");
  expect(mirrored.file("channel.run_test.md")).toBe("also mine\n");
  expect(texts(mirrored.file("channel.md"))).toEqual(["hello"]);
});

test("what cannot be written is told once, tried again, and fails nothing [MSG-7]", async () => {
  const mirrored = mirroredRun();
  const run = await mirrored.open();
  run.say("user", "one");
  await run.driver.flushed();
  await untilFile(() => texts(mirrored.file("channel.md")).length === 1);
  const elsewhere = `${mirrored.directory}-moved`;
  renameSync(mirrored.directory, elsewhere);
  writeFileSync(mirrored.directory, "in the way");
  run.say("user", "two");
  await untilFile(() => run.warnings().length === 1);
  await mirrored.run.clock.advance(20_000);
  await settle();
  expect(run.warnings()).toHaveLength(1);
  expect(run.warnings()[0]).toContain("this is tried again");
  rmSync(mirrored.directory);
  renameSync(elsewhere, mirrored.directory);
  await mirrored.run.clock.advance(5000);
  await untilFile(() => texts(mirrored.file("channel.md")).length === 2);
  await run.letGo();
  expect(texts(mirrored.file("channel.md"))).toEqual(["one", "two"]);
});

test("a directory that may not be written fails nothing", async ({ skip }) => {
  skip(process.getuid?.() === 0, "as root, who may write anywhere");
  const directory = standingDirectory();
  chmodSync(directory, 0o500);
  const mirrored = mirroredRun({ directory });
  const run = await mirrored.open();
  run.say("user", "one");
  await run.letGo();
  chmodSync(directory, 0o700);
  expect(run.warnings()).toHaveLength(1);
});

test("no link is followed, whatever it leads to [T8]", async () => {
  const outside = newDirectory();
  const secret = join(outside, "secret");
  writeFileSync(secret, "as it was");
  const directory = standingDirectory();
  for (const name of ["channel.md", "notes.md", "plan.md", ".channel.md.troupe-draft"])
    symlinkSync(secret, join(directory, name));
  const mirrored = mirroredRun({ directory });
  const run = await mirrored.open();
  run.say("user", "one");
  run.write("coder", "text");
  run.write("coder", "text of the plan", "plan");
  await run.letGo();
  expect(readFileSync(secret, "utf8")).toBe("as it was");
  expect(mirrored.file("plan.2.md")).toBe("text of the plan");
  expect(run.warnings().join("\n")).toContain("is a symbolic link");
  expect(run.revisions().map(([name, , by]) => [name, by])).toEqual([
    ["notes", "coder"],
    ["plan", "coder"],
  ]);
});

test("a hard link to a file of somebody is replaced, not written into [T8]", async () => {
  const mirrored = mirroredRun();
  const run = await mirrored.open();
  run.say("user", "one");
  await run.driver.flushed();
  await untilFile(() => texts(mirrored.file("channel.md")).length === 1);
  const file = join(dirname(mirrored.directory), "profile");
  writeFileSync(file, readFileSync(join(mirrored.directory, "channel.md")));
  rmSync(join(mirrored.directory, "channel.md"));
  linkSync(file, join(mirrored.directory, "channel.md"));
  run.say("user", "two");
  await run.letGo();
  expect(texts(readFileSync(file, "utf8"))).toEqual(["one"]);
  expect(texts(mirrored.file("channel.md"))).toEqual(["one", "two"]);
});

test("a directory that leads somewhere else than it did is left alone [T8]", async () => {
  const mirrored = mirroredRun();
  const run = await mirrored.open();
  run.say("user", "one");
  await run.driver.flushed();
  await untilFile(() => texts(mirrored.file("channel.md")).length === 1);
  const outside = newDirectory();
  renameSync(mirrored.directory, `${mirrored.directory}-moved`);
  symlinkSync(outside, mirrored.directory);
  run.say("user", "two");
  await run.letGo();
  expect(existsSync(join(outside, "channel.md"))).toBe(false);
  expect(run.warnings()).toHaveLength(1);
});

test("a directory that lies outside of its root when links are resolved is not used [T8]", async () => {
  const root = newDirectory();
  const outside = newDirectory();
  symlinkSync(outside, join(root, "context"));
  const mirrored = mirroredRun({
    directory: join(root, "context", "team"),
    files: { root },
  });
  const run = await mirrored.open();
  run.say("user", "one");
  await run.letGo();
  expect(existsSync(join(outside, "team", "channel.md"))).toBe(false);
  expect(run.warnings()[0]).toContain("leads out of");
});

test.each(["../channel.md", "a/b.md", "..", "", "x\0.md", "a\\b.md"])(
  "%j is no name of a file in the directory [T8]",
  async (channelFile) => {
    const mirrored = mirroredRun({ files: { channelFile } });
    const run = await mirrored.open();
    run.say("user", "one");
    await run.letGo();
    expect(run.warnings().join("\n")).toContain("no name of a file");
    expect(mirrored.names()).toEqual([]);
  },
);

test("a part that is off has no file", async () => {
  const directory = join(newDirectory(), "context");
  const channelOnly = startedIn({ directory, channelFile: "talk.md" });
  channelOnly.say("user", "one");
  channelOnly.write("coder", "text");
  await channelOnly.letGo();
  expect(readdirSync(directory).filter((name) => !name.startsWith("."))).toEqual(["talk.md"]);
  rmSync(directory, { recursive: true });
  const documentOnly = startedIn({ directory, documentFile: "work.md" });
  documentOnly.say("user", "one");
  documentOnly.write("coder", "text");
  await documentOnly.letGo();
  expect(readdirSync(directory).filter((name) => !name.startsWith("."))).toEqual(["work.md"]);
});

/** How often this process watches a directory. */
function watchedPaths(directory: string): number {
  const report: unknown = process.report.getReport();
  const handles = isRecord(report) && Array.isArray(report["libuv"]) ? report["libuv"] : [];
  return handles.filter(
    (handle) =>
      isRecord(handle) && handle["type"] === "fs_event" && handle["filename"] === directory,
  ).length;
}

/** Files are written behind the journal, by the system's own threads. */
async function untilFile(isThere: () => boolean): Promise<void> {
  for (let round = 0; round < 20_000 && !isThere(); round += 1) await settle(1);
  if (!isThere()) throw new Error("the files never showed it");
}
