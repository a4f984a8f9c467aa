import {
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rename,
  rm,
  symlink,
  writeFile,
} from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { FileAccess } from "../../../../../src/agents/backends/model/files/file-access.ts";
import { modelTools } from "../../../../../src/agents/backends/model/tools/registry.ts";
import type { Json } from "../../../../../src/foundation/json.ts";
import { usedTools } from "./tool-place.ts";

/** A directory with something in it that nobody may reach. */
async function outside(): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), "troupe-outside-"));
  onTestFinished(() => rm(directory, { recursive: true, force: true }));
  await writeFile(join(directory, "a.txt"), "secret\n");
  return directory;
}

/** A call that was allowed, and runs only then. */
async function allowed(
  place: Awaited<ReturnType<typeof usedTools>>["place"],
  name: string,
  input: Json,
) {
  const tool = modelTools.find((each) => each.name === name);
  const call = await tool?.prepare(input, place);
  if (call === undefined || typeof call === "string") throw new Error(call ?? "no such tool");
  return () =>
    call.run({
      key: "a call",
      signal: new AbortController().signal,
      callTool: async () => null,
      ask: async () => "yes",
      plan: async () => ({ isApproved: true }),
      emit: () => {},
    });
}

describe("what was allowed is replaced before it is used", () => {
  test.each([
    ["Read", {}],
    ["Write", { content: "x" }],
    ["Edit", { old_string: "plain", new_string: "x" }],
  ])("by a link in the way: %s reaches nothing there [LOOP-2, T8]", async (name, more) => {
    const secret = await outside();
    const { cwd, use, place } = await usedTools();
    const path = "deep/a.txt";
    await mkdir(join(cwd, "deep"));
    await writeFile(join(cwd, path), "plain\n");
    await use("Read", { file_path: path });
    const run = await allowed(place, name, { file_path: path, ...more });
    await rename(join(cwd, "deep"), join(cwd, "away"));
    await symlink(secret, join(cwd, "deep"));
    await expect(run()).rejects.toThrow("was replaced meanwhile; nothing was");
    expect(await readFile(join(secret, "a.txt"), "utf8")).toBe("secret\n");
    expect(await readdir(secret)).toEqual(["a.txt"]);
  });

  test.each([
    ["Read", {}],
    ["Edit", { old_string: "plain", new_string: "x" }],
  ])("by a link in its place: %s does not follow it [LOOP-2, T8]", async (name, more) => {
    const secret = await outside();
    const { cwd, use, place } = await usedTools();
    await writeFile(join(cwd, "a.txt"), "plain\n");
    await use("Read", { file_path: "a.txt" });
    const run = await allowed(place, name, { file_path: "a.txt", ...more });
    await rm(join(cwd, "a.txt"));
    await symlink(join(secret, "a.txt"), join(cwd, "a.txt"));
    await expect(run()).rejects.toThrow("could not read a.txt");
    expect(await readFile(join(secret, "a.txt"), "utf8")).toBe("secret\n");
  });
});

describe("several agents change one file", () => {
  const agents = async () => {
    const { cwd } = await usedTools();
    const path = join(cwd, "a.txt");
    await writeFile(path, "one\ntwo\n");
    const open = () => new FileAccess({ cwd, constraints: {}, confine: undefined });
    return { cwd, path, agents: [open(), open(), open(), open()] };
  };

  test("at once: one does, the others are told and undo nothing [LOOP-2]", async () => {
    const { cwd, path, agents: all } = await agents();
    const changes = await Promise.allSettled(
      all.map(async (files, index) => {
        const file = await files.findToWrite(path);
        await files.read(file);
        await files.write(file, `${await files.readSeen(file)}by ${index}\n`);
        return index;
      }),
    );
    const done = changes.flatMap((change) => (change.status === "fulfilled" ? [change.value] : []));
    const told = changes.flatMap((change) =>
      change.status === "rejected" ? [`${change.reason}`] : [],
    );
    expect(done).toHaveLength(1);
    expect(await readFile(path, "utf8")).toBe(`one\ntwo\nby ${done[0]}\n`);
    for (const words of told)
      expect(words).toMatch(/changed (by somebody else meanwhile|since it was read)/);
    expect(await readdir(cwd)).toEqual(["a.txt"]);
  });

  test("one after the other: whoever comes later reads again, and both changes stand [LOOP-2]", async () => {
    const {
      path,
      agents: [first, second],
    } = await agents();
    const file = await first?.findToWrite(path);
    if (first === undefined || second === undefined || file === undefined) throw new Error("two");
    await first.read(file);
    await second.read(file);
    await first.write(file, (await first.readSeen(file)).replace("one", "1"));
    await expect(second.readSeen(file)).rejects.toThrow("has changed since it was read");
    await second.read(file);
    await second.write(file, (await second.readSeen(file)).replace("two", "2"));
    expect(await readFile(path, "utf8")).toBe("1\n2\n");
  });

  test("a new file that somebody else makes meanwhile is not replaced [LOOP-2]", async () => {
    const {
      cwd,
      agents: [files],
    } = await agents();
    const path = join(cwd, "new.txt");
    const file = await files?.findToWrite(path);
    if (files === undefined || file === undefined) throw new Error("one");
    const writes = files.write(file, "mine");
    await writeFile(path, "theirs");
    await expect(writes).rejects.toThrow("new.txt was changed by somebody else meanwhile");
    expect(await readFile(path, "utf8")).toBe("theirs");
  });
});

describe("names and texts that mean something elsewhere", () => {
  const NAMES = [
    "-rf",
    "$(touch x)",
    "a b; rm",
    "'\"`",
    "ünï\u202Ecødé",
    "new\nline",
    "*?[a]",
    "e".repeat(250),
  ];

  test.each(NAMES)("a file named %j is made, read, changed and found [LOOP-2]", async (name) => {
    const { cwd, use } = await usedTools();
    await use("Write", { file_path: name, content: "needle\n" });
    expect(await use("Read", { file_path: name })).toBe("     1\tneedle");
    await use("Edit", { file_path: name, old_string: "needle", new_string: "needles" });
    expect(await readFile(join(cwd, name), "utf8")).toBe("needles\n");
    expect(await use("Glob", { pattern: "**/*" })).toBe(name);
    expect(await use("Grep", { pattern: "needles" })).toBe(name);
    expect(await readdir(cwd)).toEqual([name]);
  });

  test("a pattern, a path or a glob that looks like an option is none [LOOP-2]", async () => {
    const { cwd, use } = await usedTools();
    await writeFile(join(cwd, "a.txt"), "--version\n--pre=touch\n");
    expect(await use("Grep", { pattern: "--pre=touch", output_mode: "content" })).toBe(
      "a.txt:2:--pre=touch",
    );
    await expect(use("Grep", { pattern: "a", path: "--files" })).rejects.toThrow("does not exist");
    expect(await use("Glob", { pattern: "--version" })).toBe("(no file fits)");
    expect(await readdir(cwd)).toEqual(["a.txt"]);
  });

  test.each([
    ["UTF-16", Buffer.from("text\n", "utf16le")],
    ["Latin-1", Buffer.from([0x63, 0xe9, 0x0a])],
    ["UTF-8 with half a character", Buffer.from([0x63, 0xc3, 0x0a])],
  ])("a file in %s is no text, and stays as it is [LOOP-2]", async (_, bytes) => {
    const { cwd, use } = await usedTools();
    await writeFile(join(cwd, "a.txt"), bytes);
    await expect(use("Read", { file_path: "a.txt" })).rejects.toThrow("is no text");
    await expect(use("Write", { file_path: "a.txt", content: "x" })).rejects.toThrow("is no text");
    expect(await readFile(join(cwd, "a.txt"))).toEqual(bytes);
  });

  test("Windows line ends stay, whatever the model writes [LOOP-2]", async () => {
    const { cwd, use } = await usedTools();
    await writeFile(join(cwd, "a.txt"), "a\r\nb\r\nc\r\n");
    expect(await use("Read", { file_path: "a.txt" })).toBe("     1\ta\n     2\tb\n     3\tc");
    const edits = [
      { old_string: "a\nb", new_string: "x\ny" },
      { old_string: "y\r\nc", new_string: "y\r\nz" },
    ];
    await use("MultiEdit", { file_path: "a.txt", edits });
    expect(await readFile(join(cwd, "a.txt"), "utf8")).toBe("x\r\ny\r\nz\r\n");
  });
});
