import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { MirrorDirectory } from "../../../src/messaging/mirrors/mirror-directory.ts";
import { temporaryDirectory } from "../../programs/temporary-directory.ts";

test.each([
  ["above it", "told", "told/of/runs"],
  ["in its place", "told", "told"],
])("nothing is made where a link %s leads out of the root [T11, T16]", (_where, link, path) => {
  const [root, outside] = [temporaryDirectory(), temporaryDirectory()];
  symlinkSync(outside, join(root, link));
  const directory = new MirrorDirectory(join(root, path), root);
  expect(() => directory.prepare()).toThrow("leads out");
  expect(readdirSync(outside)).toEqual([]);
});

test("a directory that was swapped for a link is neither used nor made anew on the other side [T11, T16]", async () => {
  const [root, outside] = [temporaryDirectory(), temporaryDirectory()];
  const directory = new MirrorDirectory(join(root, "told/of/runs"), root);
  await directory.replace("a.md", ["first"]);
  expect(readdirSync(join(root, "told/of/runs"))).toEqual(["a.md"]);
  mkdirSync(join(root, "elsewhere"));
  renameSync(join(root, "told"), join(root, "elsewhere/told"));
  symlinkSync(outside, join(root, "told"));
  await expect(directory.replace("a.md", ["second"])).rejects.toMatchObject({
    code: "MESSAGE_MIRROR_REFUSED",
  });
  expect(readdirSync(outside)).toEqual([]);
});

/** A directory to show a run in, with its path. */
function mirrored(): {
  readonly directory: MirrorDirectory;
  readonly at: (name: string) => string;
} {
  const path = join(temporaryDirectory(), "shown");
  const directory = new MirrorDirectory(path);
  directory.prepare();
  return { directory, at: (name) => join(path, name) };
}

test("a directory is made for its owner alone, and used as long as it is the same one [T8, T16]", () => {
  const root = temporaryDirectory();
  const path = join(root, "of/run");
  const directory = new MirrorDirectory(path, root);
  expect([directory.identity(), directory.mark()]).toEqual([undefined, undefined]);
  directory.prepare();
  expect(statSync(path).mode & 0o777).toBe(0o700);
  const [identity, mark] = [directory.identity(), directory.mark()];
  expect(identity).toBeTypeOf("string");
  writeFileSync(join(path, "a.md"), "x");
  expect(directory.identity()).toBe(identity);
  expect(directory.mark()).not.toBe(mark);
  directory.prepare();
  renameSync(join(root, "of"), join(root, "was"));
  mkdirSync(join(root, "other/run"), { recursive: true });
  symlinkSync("other", join(root, "of"));
  expect(() => directory.prepare()).toThrow(`it led to ${path} before`);
});

test("what is no directory is not used for one [T8]", () => {
  const root = temporaryDirectory();
  writeFileSync(join(root, "file"), "x");
  const file = new MirrorDirectory(join(root, "file"));
  expect(file.mark()).toBeUndefined();
  expect(() => file.prepare()).toThrow();
  mkdirSync(join(root, "..real"));
  symlinkSync("..real", join(root, "link"));
  expect(() => new MirrorDirectory(join(root, "link")).prepare()).toThrow("it is a symbolic link");
  // The root itself, and a name that only looks like a way out.
  for (const path of [root, join(root, "..real")])
    expect(() => new MirrorDirectory(path, root).prepare()).not.toThrow();
});

test("only regular files are looked at and read, whatever has their names [T8]", async () => {
  const { directory, at } = mirrored();
  expect([directory.look("a.md"), directory.has("a.md")]).toEqual([undefined, false]);
  writeFileSync(at("a.md"), "one");
  const mark = directory.look("a.md");
  expect([typeof mark, directory.look("a.md")]).toEqual(["string", mark]);
  writeFileSync(at("a.md"), "three");
  expect(directory.look("a.md")).not.toBe(mark);
  mkdirSync(at("b.md"));
  symlinkSync("nowhere", at("c.md"));
  expect([directory.has("a.md"), directory.has("b.md"), directory.has("c.md")]).toEqual([
    ...[true, true, true],
  ]);
  expect(() => directory.look("b.md")).toThrow("it is no regular file");
  expect(() => directory.read("b.md", 10)).toThrow("it is no regular file");
  await expect(directory.open("b.md")).rejects.toThrow("it is no regular file");
  expect(() => directory.look("c.md")).toThrow("it is a symbolic link");
  expect(() => directory.read("c.md", 10)).toThrow("ELOOP");
});

test.each<readonly [string, Uint8Array, object]>([
  ["text", Buffer.from("\ufeffé"), { status: "text", text: "\ufeffé" }],
  ["nothing", Buffer.alloc(0), { status: "text", text: "" }],
  ["what just fits", Buffer.alloc(8, "x"), { status: "text", text: "xxxxxxxx" }],
  ["too much", Buffer.alloc(9, "x"), { status: "unfit", problem: "it has 9 bytes, of 8 allowed" }],
  ["a zero", Buffer.from("a\0"), { status: "unfit", problem: "it is no text in UTF-8" }],
  ["no UTF-8", Buffer.from([0xff]), { status: "unfit", problem: "it is no text in UTF-8" }],
])("a file with %s is read as that", (_what, bytes, reading) => {
  const { directory, at } = mirrored();
  writeFileSync(at("a.md"), bytes);
  expect(directory.read("a.md", 8)).toEqual(reading);
});

test("a file is replaced whole or not at all, with the rights that it had", async () => {
  const { directory, at } = mirrored();
  const end = await directory.replace("a.md", ["one ", "é"]);
  expect(end).toEqual({ inode: statSync(at("a.md"), { bigint: true }).ino, sizeBytes: 6n });
  expect([readFileSync(at("a.md"), "utf8"), statSync(at("a.md")).mode & 0o777]).toEqual([
    ...["one é", 0o600],
  ]);
  chmodSync(at("a.md"), 0o640);
  writeFileSync(at(".a.md.troupe-draft"), "left behind");
  await directory.replace("a.md", ["two"]);
  expect([readFileSync(at("a.md"), "utf8"), statSync(at("a.md")).mode & 0o777]).toEqual([
    ...["two", 0o640],
  ]);
  expect(await directory.replace("a.md", ["three"], () => false)).toBeUndefined();
  const broken = (function* () {
    yield "four";
    throw new Error("no more");
  })();
  await expect(directory.replace("a.md", broken)).rejects.toThrow("no more");
  expect([readFileSync(at("a.md"), "utf8"), readdirSync(at("."))]).toEqual(["two", ["a.md"]]);
});

test("a file is added to only as it was left", async () => {
  const { directory, at } = mirrored();
  const end = { inode: 1n, sizeBytes: 0n };
  expect(await directory.append("a.md", "x", end)).toBeUndefined();
  const first = (await directory.replace("a.md", ["one"])) ?? end;
  const second = (await directory.append("a.md", " two", first)) ?? end;
  expect([readFileSync(at("a.md"), "utf8"), second]).toEqual([
    "one two",
    { inode: first.inode, sizeBytes: 7n },
  ]);
  expect(await directory.append("a.md", "x", first)).toBeUndefined();
  expect(await directory.append("a.md", "x", { ...second, inode: 1n })).toBeUndefined();
  expect(readFileSync(at("a.md"), "utf8")).toBe("one two");
});

test("what is set aside has the first free name", () => {
  const { directory, at } = mirrored();
  const aside = (name: string, tag: string, isOneOfSeveral?: boolean) => {
    writeFileSync(at(name), name);
    return directory.setAside(name, tag, isOneOfSeveral);
  };
  expect([
    aside("a.md", "run"),
    aside("a.md", "run"),
    aside("a.md", "conflict", true),
    aside("a.md", "conflict", true),
    aside("b", "run"),
  ]).toEqual(["a.run.md", "a.run-2.md", "a.conflict-1.md", "a.conflict-2.md", "b.run"]);
  expect(readFileSync(at("a.run-2.md"), "utf8")).toBe("a.md");
  expect(directory.has("a.md")).toBe(false);
});

test("what is laid in the way while a file is written is neither followed nor replaced [T8, T16]", async () => {
  const { directory, at } = mirrored();
  const outside = temporaryDirectory();
  const trapped = (lay: () => void) =>
    (function* () {
      yield "text";
      lay();
    })();
  const link = trapped(() => symlinkSync("nowhere", at("a.md")));
  await expect(directory.replace("a.md", link)).rejects.toThrow("it is a symbolic link");
  expect([readlinkSync(at("a.md")), readdirSync(at("."))]).toEqual(["nowhere", ["a.md"]]);
  const end = await directory.replace("b.md", ["text"]);
  const swapped = trapped(() => {
    renameSync(directory.path, `${directory.path}-moved`);
    symlinkSync(outside, directory.path);
  });
  await expect(directory.replace("b.md", swapped)).rejects.toThrow("it is a symbolic link");
  if (end === undefined) throw new Error("it was not written");
  await expect(directory.append("b.md", "more", end)).rejects.toThrow("it is a symbolic link");
  expect(readdirSync(outside)).toEqual([]);
});

test.runIf(existsSync("/proc/self/fd"))("no file stays open", async () => {
  const { directory, at } = mirrored();
  const end = (await directory.replace("a.md", ["text"])) ?? { inode: 0n, sizeBytes: 0n };
  await directory.append("a.md", " and more", end);
  await directory.append("a.md", "never", end);
  directory.read("a.md", 100);
  directory.read("a.md", 1);
  mkdirSync(at("b"));
  expect(() => directory.read("b", 1)).toThrow();
  await expect(directory.open("b")).rejects.toThrow();
  expect(openIn(directory.path)).toEqual([]);
});

/** What this process has open in a directory. */
function openIn(path: string): readonly string[] {
  return readdirSync("/proc/self/fd")
    .flatMap((fd) => {
      try {
        return [readlinkSync(join("/proc/self/fd", fd))];
      } catch {
        return [];
      }
    })
    .filter((file) => file.startsWith(path));
}
