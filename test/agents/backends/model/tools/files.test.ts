import { chmod, mkdir, readdir, readFile, stat, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { usedTools } from "./tool-place.ts";

describe("Read", () => {
  test("shows lines with their numbers, a part at a time, and what is left [LOOP-2, LOOP-14.caps]", async () => {
    const { cwd, use } = await usedTools();
    await writeFile(
      join(cwd, "long.txt"),
      Array.from({ length: 2500 }, (_, at) => `l${at + 1}`).join("\n"),
    );
    const first = await use("Read", { file_path: "long.txt" });
    expect(first.startsWith("     1\tl1\n     2\tl2\n")).toBe(true);
    expect(first.endsWith("  2000\tl2000\n(lines 2001 to 2500 are not shown)")).toBe(true);
    expect(await use("Read", { file_path: "long.txt", offset: 2499 })).toBe(
      "  2499\tl2499\n  2500\tl2500",
    );
    await writeFile(join(cwd, "wide.txt"), `${"w".repeat(1900)}\n`.repeat(1000));
    expect((await use("Read", { file_path: "wide.txt" })).length).toBeLessThan(257 * 1024);
  });

  test.each([
    ["no file", "no.txt", "no.txt does not exist"],
    ["a directory", "dir", "dir is a directory; LS shows what is in it"],
    ["a binary file", "binary", "binary is no text: it is binary, or not in UTF-8"],
    ["another encoding", "latin1.txt", "latin1.txt is no text: it is binary, or not in UTF-8"],
    ["a name with a NUL", "a\0b", "expected the path of a file"],
    ["the home directory", "~/x", "write an absolute path in place of ~"],
  ])("refuses %s in words [LOOP-2]", async (_, file_path, problem) => {
    const { cwd, use } = await usedTools();
    await mkdir(join(cwd, "dir"));
    await writeFile(join(cwd, "binary"), Buffer.from([1, 0, 2]));
    await writeFile(join(cwd, "latin1.txt"), Buffer.from([0x63, 0xe9]));
    await expect(use("Read", { file_path })).rejects.toThrow(problem);
  });
});

describe("Edit", () => {
  const edit = (old_string: string, new_string: string, more = {}) => ({
    file_path: "a.txt",
    old_string,
    new_string,
    ...more,
  });

  test.each([
    ["exactly", "a\nb\nc\n", edit("b", "x"), "a\nx\nc\n"],
    ["in all places", "b b\n", edit("b", "x", { replace_all: true }), "x x\n"],
    [
      "with the carriage returns of the file",
      "a\r\nb\r\nc\r\n",
      edit("a\nb", "a\ny"),
      "a\r\ny\r\nc\r\n",
    ],
    [
      "but for whitespace",
      "if (a) {\n\t\tb();\n}\n",
      edit("if (a) {\n  b();\n}", "c();"),
      "c();\n",
    ],
    ["with characters that mean something elsewhere", "a\n", edit("a", "$& $1"), "$& $1\n"],
    ["behind a byte order mark", "\uFEFFa\n", edit("a", "b"), "\uFEFFb\n"],
  ])("changes a text %s [LOOP-2]", async (...[, before, input, after]) => {
    const { cwd, use } = await usedTools();
    await writeFile(join(cwd, "a.txt"), before);
    await use("Read", { file_path: "a.txt" });
    await use("Edit", input);
    expect(await readFile(join(cwd, "a.txt"), "utf8")).toBe(after);
  });

  test.each([
    ["nowhere", "a\n", edit("z", "x"), "does not stand in the file"],
    ["twice", "b b\n", edit("b", "x"), "stands in 2 places"],
    ["twice but for whitespace", " b\n  b\n", edit("\tb", "x"), "in 2 places (lines 1, 2)"],
    ["empty", "a\n", edit("", "x"), "old_string is empty"],
    ["the same", "a\n", edit("a", "a"), "are the same"],
  ])(
    "refuses a text that is %s, and changes nothing [LOOP-2]",
    async (...[, before, input, problem]) => {
      const { cwd, use } = await usedTools();
      await writeFile(join(cwd, "a.txt"), before);
      await use("Read", { file_path: "a.txt" });
      await expect(use("Edit", input)).rejects.toThrow(problem);
      expect(await readFile(join(cwd, "a.txt"), "utf8")).toBe(before);
    },
  );

  test("wants the file read as it is: not before, and not before another one's change [LOOP-2]", async () => {
    const { cwd, use } = await usedTools();
    await writeFile(join(cwd, "a.txt"), "a\n");
    await expect(use("Edit", edit("a", "b"))).rejects.toThrow("read a.txt first");
    await use("Read", { file_path: "a.txt" });
    await writeFile(join(cwd, "a.txt"), "a changed\n");
    await expect(use("Edit", edit("a", "b"))).rejects.toThrow("has changed since it was read");
    await expect(use("Write", { file_path: "a.txt", content: "" })).rejects.toThrow(
      "read a.txt first",
    );
    expect(await readFile(join(cwd, "a.txt"), "utf8")).toBe("a changed\n");
  });

  test("several edits of one file are made all or none [LOOP-2]", async () => {
    const { cwd, use } = await usedTools();
    await writeFile(join(cwd, "a.txt"), "a b\n");
    await use("Read", { file_path: "a.txt" });
    const half = [edit("a", "x"), edit("z", "y")];
    await expect(use("MultiEdit", { file_path: "a.txt", edits: half })).rejects.toThrow(
      "edit 2: old_string does not stand in the file; read it again and copy it exactly; nothing was changed",
    );
    await use("MultiEdit", { file_path: "a.txt", edits: [edit("a", "b"), edit("b b", "c")] });
    expect(await readFile(join(cwd, "a.txt"), "utf8")).toBe("c\n");
  });
});

describe("Write", () => {
  test("makes directories, keeps the mode of what it replaces and leaves nothing beside it [LOOP-2]", async () => {
    const { cwd, use } = await usedTools();
    await use("Write", { file_path: "deep/er/a.sh", content: "one" });
    await chmod(join(cwd, "deep/er/a.sh"), 0o750);
    await use("Write", { file_path: "deep/er/a.sh", content: "two" });
    expect(await readFile(join(cwd, "deep/er/a.sh"), "utf8")).toBe("two");
    expect((await stat(join(cwd, "deep/er/a.sh"))).mode & 0o777).toBe(0o750);
    expect(await readdir(join(cwd, "deep/er"))).toEqual(["a.sh"]);
  });
});

describe("a path", () => {
  test("that is a link is asked about, and used, as what it leads to [T14, LOOP-2]", async () => {
    const outside = await usedTools();
    const { cwd, asks, use } = await usedTools();
    await writeFile(join(outside.cwd, "secret"), "s");
    await symlink(outside.cwd, join(cwd, "inside"));
    expect(await asks("Read", { file_path: "inside/secret" })).toEqual({
      file_path: join(outside.cwd, "secret"),
    });
    expect(await asks("Write", { file_path: "inside/new/file", content: "" })).toMatchObject({
      file_path: join(outside.cwd, "new/file"),
    });
    expect(await asks("LS", { path: "inside/.." })).toEqual({ path: cwd });
    expect(await use("LS", { path: "." })).toBe("inside@");
  });

  test("is bound by the agent's constraints before anything is written [AGT-12]", async () => {
    const { cwd, use } = await usedTools({
      constraints: {
        fileScope: { include: ["src"], exclude: ["src/keep"] },
        readOnly: ["**/*.lock"],
      },
    });
    await mkdir(join(cwd, "src/keep"), { recursive: true });
    await symlink(join(cwd, "src/keep"), join(cwd, "src/link"));
    const write = (file_path: string) => use("Write", { file_path, content: "x" });
    await write("src/a.ts");
    for (const path of ["b.ts", "src/keep/a", "src/link/a", "src/x.lock", "/tmp/other"])
      await expect(write(path)).rejects.toThrow("may not be changed");
    expect(await readdir(join(cwd, "src/keep"))).toEqual([]);
  });

  test("is bound by the sandbox: nothing hidden is read, nothing read-only written [AGT-13, T14]", async () => {
    const { cwd, use } = await usedTools({
      confine: (root) => ({
        home: "/root",
        writable: [root],
        readOnly: [join(root, ".git")],
        hidden: [join(root, ".env")],
        sockets: [],
        scratch: [],
        cache: undefined,
        network: "none",
      }),
    });
    await mkdir(join(cwd, ".git"));
    await writeFile(join(cwd, ".env"), "KEY=1");
    await symlink("/etc/passwd", join(cwd, "users"));
    await symlink(join(cwd, ".env"), join(cwd, "plain"));
    for (const path of ["/etc/passwd", "users", ".env", "plain"])
      await expect(use("Read", { file_path: path })).rejects.toThrow(
        "outside of the agent's sandbox",
      );
    await expect(use("Write", { file_path: ".git/hooks/x", content: "" })).rejects.toThrow(
      "may not be written",
    );
    await use("Write", { file_path: "a", content: "" });
  });
});
