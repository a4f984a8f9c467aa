import { spawnSync } from "node:child_process";
import { join } from "node:path";
import sliceAnsi from "slice-ansi";
import stringWidth from "string-width";
import { expect, test } from "vitest";
import wrapAnsi from "wrap-ansi";
import { ASCII_GLYPHS, UNICODE_GLYPHS } from "../../../src/cli/terminal/glyphs.ts";
import { cutTo, widthOf, wrapTo } from "../../../src/cli/terminal/measure.ts";
import { strideOf } from "../../cases.ts";

const root = join(import.meta.dirname, "../../..");

test("every character is as wide as the library says that knows them all [USE-6.fit]", () => {
  const wrong: string[] = [];
  // Above U+3000 the library itself is asked: that no range of those is taken for a plain one shows every day.
  for (let code = 0x20; code <= 0x1ffff; code += code < 0x3000 ? 1 : strideOf(16)) {
    if (code >= 0xd800 && code <= 0xdfff) continue;
    const character = String.fromCodePoint(code);
    if (widthOf(character) !== stringWidth(character)) wrong.push(code.toString(16));
  }
  expect(wrong).toEqual([]);
});

test("texts of several kinds are measured, cut and broken as by the libraries [USE-6.fit]", () => {
  const texts = [
    "é\u0301 ü",
    "✔ done…",
    "▲ waits",
    "데이터",
    "\u2702\ufe0f",
    "\x1b[31mred\x1b[0m é",
    "a\u00adb",
  ];
  for (const text of [...texts, "two words of\nmore lines than one"]) {
    expect(widthOf(text), text).toBe(stringWidth(text));
    const wrapped = wrapAnsi(text, 5, { hard: true, trim: false }).split("\n");
    expect(wrapTo(text, 5), text).toEqual(wrapped);
    if (stringWidth(text) > 3 && !text.includes("\n"))
      expect(cutTo(text, 3), text).toBe(sliceAnsi(text, 0, 3));
  }
});

test("our own lines are measured without loading what knows all characters", () => {
  const own = [...Object.values(UNICODE_GLYPHS), ...Object.values(ASCII_GLYPHS)].flat().join("");
  const module = JSON.stringify(join(root, "src/cli/terminal/measure.ts"));
  const code = `import { widthOf, cutTo, wrapTo } from ${module};
    const text = "\\x1b[1mé \\x1b[0m" + ${JSON.stringify(own)};
    widthOf(text); wrapTo("short", 20); cutTo("a longer one", 5, "…");
    const { createRequire } = await import("node:module");
    console.log(Object.keys(createRequire(${module}).cache).filter((path) => /ansi|string-width/.test(path)).join());`;
  const args = ["--input-type=module", "-e", code];
  const { stdout, stderr } = spawnSync(process.execPath, args, { encoding: "utf8" });
  expect({ stdout, stderr }).toEqual({ stdout: "\n", stderr: "" });
});
