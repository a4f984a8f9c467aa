import { mkdir, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { type UsedTools, usedTools } from "./tool-place.ts";

async function project(): Promise<UsedTools> {
  const used = await usedTools();
  const { cwd } = used;
  await mkdir(join(cwd, "src/deep"), { recursive: true });
  await mkdir(join(cwd, ".git"));
  await mkdir(join(cwd, "dist"));
  await writeFile(join(cwd, ".gitignore"), "dist\n*.log\n");
  await writeFile(join(cwd, "src/a.ts"), "const one = 1;\nconst two = 2;\n");
  await writeFile(join(cwd, "src/deep/b.js"), "two();\n");
  await writeFile(join(cwd, "dist/a.ts"), "const one = 1;\n");
  await writeFile(join(cwd, "src/x.log"), "one\n");
  await writeFile(join(cwd, ".git/config"), "one\n");
  await writeFile(join(cwd, "-e"), "one\n");
  return used;
}

describe("Glob", () => {
  test.each([
    ["**/*.ts", "src/a.ts"],
    ["src/**/*.{ts,js}", "src/a.ts\nsrc/deep/b.js"],
    ["*", "-e\n.gitignore"],
    ["**/*.log", "(no file fits)"],
  ])("finds what fits %s, but for what git ignores [LOOP-2]", async (pattern, expected) => {
    const { use } = await project();
    expect(await use("Glob", { pattern })).toBe(expected);
  });

  test("shows at most 250, and refuses what is no pattern [LOOP-14.caps]", async () => {
    const { cwd, use, asks } = await usedTools();
    await Promise.all(Array.from({ length: 260 }, (_, at) => writeFile(join(cwd, `f${at}`), "")));
    const lines = (await use("Glob", { pattern: "f*" })).split("\n");
    expect(lines).toHaveLength(251);
    expect(lines.at(-1)).toBe("(there are more; use a narrower pattern)");
    await expect(asks("Glob", { pattern: "../*" })).rejects.toThrow("leaves");
  });
});

describe("Grep", () => {
  test.each([
    [{ pattern: "one" }, "-e\nsrc/a.ts"],
    [
      { pattern: "two", output_mode: "content" },
      "src/a.ts:2:const two = 2;\nsrc/deep/b.js:1:two();",
    ],
    [{ pattern: "CONST", "-i": true, output_mode: "count" }, "src/a.ts:2"],
    [{ pattern: "two", glob: "*.js" }, "src/deep/b.js"],
    [{ pattern: "two", glob: "src/*.ts" }, "src/a.ts"],
    [{ pattern: "one", path: "src/a.ts" }, "src/a.ts"],
    [{ pattern: "1;\\nconst", multiline: true }, "src/a.ts"],
    [
      { pattern: "one", output_mode: "content", "-A": 1, path: "src" },
      "src/a.ts:1:const one = 1;\nsrc/a.ts:2-const two = 2;",
    ],
    [{ pattern: "--files" }, "(nothing was found)"],
  ])("finds %j [LOOP-2]", async (query, expected) => {
    const { use } = await project();
    expect(await use("Grep", query)).toBe(expected);
  });

  test("shows at most 250 lines [LOOP-14.caps]", async () => {
    const { cwd, use } = await usedTools();
    await writeFile(join(cwd, "long"), "one\n".repeat(300));
    const lines = (await use("Grep", { pattern: "one", output_mode: "content" })).split("\n");
    expect(lines.filter((line) => line.startsWith("long:"))).toHaveLength(250);
    expect(lines.at(-1)).toContain("more");
  });

  test("says what is wrong with a pattern, and does not follow links out of the directory [LOOP-2, T14]", async () => {
    const outside = await project();
    const { cwd, use } = await usedTools();
    await symlink(join(outside.cwd, "src"), join(cwd, "link"));
    await expect(use("Grep", { pattern: "(" })).rejects.toThrow("regex parse error");
    expect(await use("Grep", { pattern: "one" })).toBe("(nothing was found)");
  });
});
