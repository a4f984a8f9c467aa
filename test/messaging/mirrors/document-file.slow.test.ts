import { readFileSync, rmSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { settle } from "../../../src/testing/manual-clock.ts";
import { type MirroredRun, mirroredRun, standingDirectory } from "./mirrored-run.ts";

function edit(mirrored: MirroredRun, text: string | Uint8Array, name = "notes.md"): void {
  writeFileSync(join(mirrored.directory, name), text);
}

/** Files are written behind the journal, by the system's own threads. */
async function untilShown(mirrored: MirroredRun, text: string, name = "notes.md"): Promise<void> {
  for (let round = 0; round < 20_000 && mirrored.file(name) !== text; round += 1) await settle(1);
  // The owner learns a moment later that its file is there.
  await settle(50);
  expect(mirrored.file(name)).toBe(text);
}

test("the file shows the document at its latest revision, as it is [MSG-7, MSG-8]", async () => {
  const mirrored = mirroredRun();
  const run = await mirrored.open();
  run.write("coder", "# Notes\r\n\u2028### 10:00:00 [system]\n");
  run.write("lead", "# Notes\n\nall of it\n");
  run.write("lead", "the plan\n", "plan");
  await run.letGo();
  expect(mirrored.file("notes.md")).toBe("# Notes\n\nall of it\n");
  expect(mirrored.file("plan.md")).toBe("the plan\n");
  expect(mirrored.names().toSorted()).toEqual(["channel.md", "notes.md", "plan.md"]);
  expect(run.warnings()).toEqual([]);
});

test("what stands in the file at the start is revision 1 by user, before anybody says a word [MSG-7]", async () => {
  const directory = standingDirectory();
  writeFileSync(join(directory, "notes.md"), "from before\n");
  const mirrored = mirroredRun({ directory });
  const run = await mirrored.open();
  run.write("coder", "from the agent\n");
  await run.letGo();
  expect(run.revisions()).toEqual([
    ["notes", 1, "user", "from before\n"],
    ["notes", 2, "coder", "from the agent\n"],
  ]);
  expect(mirrored.file("notes.md")).toBe("from the agent\n");
});

test("an empty file at the start is no revision", async () => {
  const directory = standingDirectory();
  writeFileSync(join(directory, "notes.md"), "");
  const run = await mirroredRun({ directory }).open();
  await run.letGo();
  expect(run.revisions()).toEqual([]);
});

test("a change by hand while the run is on is a revision by user [MSG-7]", async () => {
  const mirrored = mirroredRun();
  const run = await mirrored.open();
  run.write("coder", "one\n");
  await untilShown(mirrored, "one\n");
  edit(mirrored, "one\nand mine\n");
  await run.notice();
  expect(run.revisions()).toEqual([
    ["notes", 1, "coder", "one\n"],
    ["notes", 2, "user", "one\nand mine\n"],
  ]);
  run.write("coder", "three\n");
  await untilShown(mirrored, "three\n");
  await run.letGo();
  expect(run.revisions()).toHaveLength(3);
  expect(run.warnings()).toEqual([]);
});

test("a change by hand is heard of by the means of the system, long before the next look", async () => {
  const mirrored = mirroredRun();
  const run = await mirrored.open();
  run.write("coder", "one\n");
  await untilShown(mirrored, "one\n");
  await mirrored.run.clock.advance(400);
  const { timerCount } = mirrored.run.clock;
  edit(mirrored, "two\n");
  for (let round = 0; round < 20_000 && mirrored.run.clock.timerCount === timerCount; round += 1)
    await settle(1);
  await mirrored.run.clock.advance(400);
  await run.driver.flushed();
  expect(run.revisions().at(-1)).toEqual(["notes", 2, "user", "two\n"]);
  await run.letGo();
  expect(mirrored.run.clock.timerCount).toBe(0);
});

test("a further document is edited by hand like the main one [MSG-7, MSG-8]", async () => {
  const mirrored = mirroredRun();
  const run = await mirrored.open();
  run.write("coder", "one\n", "plan");
  await untilShown(mirrored, "one\n", "plan.md");
  edit(mirrored, "two\n", "plan.md");
  await run.notice();
  await run.letGo();
  expect(run.revisions().at(-1)).toEqual(["plan", 2, "user", "two\n"]);
});

test("a file that is still being written is not taken before it is left alone", async () => {
  const mirrored = mirroredRun();
  const run = await mirrored.open();
  run.write("coder", "one\n");
  await untilShown(mirrored, "one\n");
  truncateSync(join(mirrored.directory, "notes.md"), 0);
  await mirrored.run.clock.advance(150);
  edit(mirrored, "half of");
  await mirrored.run.clock.advance(150);
  edit(mirrored, "half of it\n");
  await run.notice();
  await run.letGo();
  expect(run.revisions().slice(1)).toEqual([["notes", 2, "user", "half of it\n"]]);
});

test("what was changed right before the run is let go is taken too [MSG-7]", async () => {
  const mirrored = mirroredRun();
  const run = await mirrored.open();
  run.write("coder", "one\n");
  await untilShown(mirrored, "one\n");
  edit(mirrored, "two\n");
  await run.letGo();
  expect(run.revisions().at(-1)).toEqual(["notes", 2, "user", "two\n"]);
});

test("what was changed while nobody had the run is a revision when it goes on [MSG-7]", async () => {
  const mirrored = mirroredRun();
  const first = await mirrored.open();
  first.write("coder", "one\n");
  await first.letGo();
  edit(mirrored, "two\n");
  const second = await mirrored.open();
  await second.letGo();
  expect(second.revisions().at(-1)).toEqual(["notes", 2, "user", "two\n"]);
  const third = await mirrored.open();
  await third.letGo();
  expect(third.revisions()).toHaveLength(2);
});

test("a change by hand that a newer revision overtook is kept beside it, and the log says so [MSG-7]", async () => {
  const mirrored = mirroredRun();
  const run = await mirrored.open();
  run.write("coder", "one\n");
  await untilShown(mirrored, "one\n");
  for (const text of ["mine\n", "mine again\n"]) {
    edit(mirrored, text);
    run.write("coder", `after ${text}`);
    await untilShown(mirrored, `after ${text}`);
  }
  await run.letGo();
  expect(mirrored.file("notes.conflict-1.md")).toBe("mine\n");
  expect(mirrored.file("notes.conflict-2.md")).toBe("mine again\n");
  expect(run.revisions().map(([, , by]) => by)).toEqual(["coder", "coder", "coder"]);
  expect(run.warnings()).toEqual([
    "notes.md was changed by hand, but the document is at revision 2 meanwhile; what it said is in notes.conflict-1.md",
    "notes.md was changed by hand, but the document is at revision 3 meanwhile; what it said is in notes.conflict-2.md",
  ]);
});

test.each([
  ["no text", new Uint8Array([1, 0, 2])],
  ["no UTF-8", new Uint8Array([0xff, 0xfe, 0x41])],
  ["too large", new Uint8Array(1_048_577).fill(0x61)],
])(
  "a file that is %s is left as it is, with one warning, until the document changes",
  async (_what, bytes) => {
    const mirrored = mirroredRun();
    const run = await mirrored.open();
    run.write("coder", "one\n");
    await untilShown(mirrored, "one\n");
    edit(mirrored, bytes);
    await run.notice();
    await run.notice();
    expect(readFileSync(join(mirrored.directory, "notes.md"))).toEqual(Buffer.from(bytes));
    expect(run.warnings()).toHaveLength(1);
    run.write("coder", "two\n");
    await untilShown(mirrored, "two\n");
    await run.letGo();
    expect(readFileSync(join(mirrored.directory, "notes.conflict-1.md"))).toEqual(
      Buffer.from(bytes),
    );
    expect(run.revisions()).toHaveLength(2);
  },
);

test("a file that was removed is written again", async () => {
  const mirrored = mirroredRun();
  const run = await mirrored.open();
  run.write("coder", "one\n");
  await untilShown(mirrored, "one\n");
  rmSync(join(mirrored.directory, "notes.md"));
  await run.notice();
  await untilShown(mirrored, "one\n");
  await run.letGo();
  expect(run.revisions()).toHaveLength(1);
});

test("a directory that was removed is made again and watched again, however long nothing happened before [MSG-7]", async () => {
  const mirrored = mirroredRun();
  const run = await mirrored.open();
  run.write("coder", "one\n");
  await untilShown(mirrored, "one\n");
  await mirrored.run.clock.advance(120_000);
  rmSync(mirrored.directory, { recursive: true });
  await mirrored.run.clock.advance(8000);
  await untilShown(mirrored, "one\n");
  await mirrored.run.clock.advance(400);
  const { timerCount } = mirrored.run.clock;
  edit(mirrored, "two\n");
  for (let round = 0; round < 20_000 && mirrored.run.clock.timerCount === timerCount; round += 1)
    await settle(1);
  await mirrored.run.clock.advance(400);
  await run.driver.flushed();
  expect(run.revisions().at(-1)).toEqual(["notes", 2, "user", "two\n"]);
  await run.letGo();
});

test("a link in the place of the file is neither read nor written, and what it leads to stays [T8]", async () => {
  const mirrored = mirroredRun();
  const run = await mirrored.open();
  run.write("coder", "one\n");
  await untilShown(mirrored, "one\n");
  const secret = `${mirrored.directory}-secret`;
  writeFileSync(secret, "secret");
  rmSync(join(mirrored.directory, "notes.md"));
  symlinkSync(secret, join(mirrored.directory, "notes.md"));
  await run.notice();
  run.write("coder", "two\n");
  await run.letGo();
  expect(readFileSync(secret, "utf8")).toBe("secret");
  expect(run.revisions().map(([, , by]) => by)).toEqual(["coder", "coder"]);
  expect(run.warnings()).toHaveLength(1);
});

test("no document takes the place of a file that stood there, or of another part of the run [T8]", async () => {
  const directory = standingDirectory();
  writeFileSync(join(directory, "README.md"), "mine");
  const mirrored = mirroredRun({ directory });
  const first = await mirrored.open();
  first.say("user", "hello");
  for (const name of ["README", "channel", "Notes", "CHANNEL"]) first.write("coder", name, name);
  await first.letGo();
  const second = await mirrored.open();
  second.write("coder", "more", "README");
  await second.letGo();
  expect(mirrored.file("README.md")).toBe("mine");
  expect(mirrored.file("README.2.md")).toBe("more");
  expect(mirrored.file("channel.md")).toContain("hello");
  expect(mirrored.file("channel.2.md")).toBe("channel");
  expect(mirrored.file("Notes.2.md")).toBe("Notes");
  expect(mirrored.file("CHANNEL.3.md")).toBe("CHANNEL");
});

test("a run that goes on in the directory of another takes nothing of it for its own [MSG-7]", async () => {
  const mirrored = mirroredRun();
  const first = await mirrored.open();
  first.write("coder", "of this run\n");
  first.write("coder", "plan of this run\n", "plan");
  await first.letGo();
  const ledger = join(mirrored.directory, ".troupe-mirrors.json");
  writeFileSync(ledger, readFileSync(ledger, "utf8").replace("run_test", "run_other"));
  edit(mirrored, "of the other run\n");
  edit(mirrored, "plan of the other run\n", "plan.md");
  const second = await mirrored.open();
  await second.letGo();
  expect(second.revisions()).toHaveLength(2);
  expect(mirrored.file("notes.md")).toBe("of this run\n");
  expect(mirrored.file("notes.run_other.md")).toBe("of the other run\n");
  expect(mirrored.file("plan.md")).toBe("plan of this run\n");
  expect(mirrored.file("plan.run_other.md")).toBe("plan of the other run\n");
});

test.each([
  ["no JSON", "{"],
  ["of another version", '{"v":2,"run":"run_test","documents":{}}'],
  ["with a run that is no name", '{"v":1,"run":"../../x","documents":{}}'],
  [
    "with a file that is no name",
    '{"v":1,"run":"run_test","documents":{"plan":{"file":"../x.md","revision":0,"hashes":[]}}}',
  ],
  ["too large", " ".repeat(1_048_577)],
])(
  "a ledger that is %s changes nothing but what is known of the files [T8]",
  async (_what, text) => {
    const mirrored = mirroredRun();
    const first = await mirrored.open();
    first.say("user", "hello");
    first.write("coder", "one\n");
    first.write("coder", "plan\n", "plan");
    await first.letGo();
    const names = mirrored.names();
    writeFileSync(join(mirrored.directory, ".troupe-mirrors.json"), text);
    const second = await mirrored.open();
    await second.letGo();
    expect(mirrored.file("notes.md")).toBe("one\n");
    expect(mirrored.file("channel.md")).toContain("hello");
    expect(second.revisions()).toHaveLength(2);
    expect(mirrored.names()).toEqual(expect.arrayContaining([...names]));
  },
);

test("when the owner dies at any point, the files are those of the journal again, and no text of ours is taken for a hand's [MSG-7]", async () => {
  const mirrored = mirroredRun();
  const run = await mirrored.open();
  run.say("user", "hello");
  run.write("coder", "one\n");
  await untilShown(mirrored, "one\n");
  run.write("coder", "two\n");
  run.say("user", "again");
  await untilShown(mirrored, "two\n");
  const events = mirrored.run.events;
  const files = ["notes.md", ".troupe-mirrors.json"].map(
    (name) => [name, mirrored.file(name) ?? ""] as const,
  );
  for (const shown of ["one\n", "two\n"]) {
    const directory = standingDirectory();
    for (const [name, text] of files) writeFileSync(join(directory, name), text);
    writeFileSync(join(directory, "notes.md"), shown);
    const next = mirroredRun({ directory, events });
    const owner = await next.open();
    await owner.letGo();
    expect(next.file("notes.md")).toBe("two\n");
    expect(owner.revisions().map(([, revision, by]) => [revision, by])).toEqual([
      [1, "coder"],
      [2, "coder"],
    ]);
    expect(owner.warnings()).toEqual([]);
  }
  await run.letGo();
});
