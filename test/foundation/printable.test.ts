import { execFileSync } from "node:child_process";
import fc from "fast-check";
import { expect, test } from "vitest";
import {
  toPrintable,
  toPrintableLines,
  toShellWord,
  toVisibleText,
} from "../../src/foundation/printable.ts";
import { processorMs } from "../testing/processor-time.ts";

const ESC = "\u001b";

test.each([
  ["colours", `${ESC}[1;31mred${ESC}[0m`, "red"],
  ["cursor moves", `one${ESC}[2K${ESC}[1Atwo`, "onetwo"],
  ["a window title", `${ESC}]0;owned\u0007text`, "text"],
  ["a clipboard write", `${ESC}]52;c;aGk=${ESC}\\text`, "text"],
  ["a link", `${ESC}]8;;http://x${ESC}\\here${ESC}]8;;${ESC}\\`, "here"],
  ["8-bit sequences", "\u009b31mred\u009d0;owned\u009c", "red"],
  ["a string without an end", `${ESC}]0;hidden`, "]0;hidden"],
  ["a sequence inside of another", `${ESC}${ESC}[0m[31mred`, "[31mred"],
  ["a device control string", `${ESC}Pq#0${ESC}\\text`, "text"],
  ["backspaces and bells", "pass\u0008\u0008\u0007word", "password"],
  ["line breaks and tabs", "one\r\ntwo\tthree\u2028four", "one two three four"],
  ["direction overrides", "a\u202egpj.exe", "a<U+202E>gpj.exe"],
  ["invisible characters", "rm\u200b -rf\u{e0041}", "rm<U+200B> -rf<U+E0041>"],
  ["half a character", "a\ud83d!", "a\ufffd!"],
  ["what people write", "naïve 日本 👩‍💻 ✔", "naïve 日本 👩‍💻 ✔"],
])("%s from an agent cannot act on the terminal", (_, text, expected) => {
  expect(toPrintable(text)).toBe(expected);
});

test("no text leaves a control character", () => {
  const hostile = fc.array(
    fc.constantFrom(ESC, "[", "]", "0", ";", "m", "\u0007", "\u009b", "\\", "\n", "\u202e", "x"),
  );
  fc.assert(
    fc.property(hostile, (parts) => {
      expect(toPrintable(parts.join(""))).not.toMatch(/[\p{Cc}\u202e]/u);
    }),
  );
});

test("a megabyte of unfinished sequences takes less than a second", () => {
  const texts = [
    ...[`${ESC}]`, `${ESC}[`, `${ESC}[0;`, `${ESC} `, "\u009d"].map((part) =>
      part.repeat(1_000_000 / part.length),
    ),
    `${ESC}[${"0".repeat(1_000_000)}`,
  ];
  expect(processorMs(1000, () => texts.map(toPrintable))).toBeLessThan(1000);
});

test("lines stay lines when they are asked for", () => {
  expect(toPrintableLines(`a\tb\r\n${ESC}[31mc\n`)).toEqual(["a  b", "c", ""]);
});

test.each([
  ["lines and tabs", "a\n\tb\r\nc\rd", "a\n\tb\nc\nd"],
  ["colours", `${ESC}[1;31mred${ESC}[0m`, "red"],
  ["every other sequence", `${ESC}]0;owned\u0007 ${ESC}[2J`, "␛]0;owned␇ ␛[2J"],
  ["control characters", "a\u0000b\u007fc\u0085d", "a␀b␡c<U+0085>d"],
  ["marks that reorder or hide text", "a\u202eb\u200bc", "a<U+202E>b<U+200B>c"],
  ["half a character", "a\ud83d!", "a\ufffd!"],
  ["what people write", "naïve 日本 👩‍💻 ✔", "naïve 日本 👩‍💻 ✔"],
])("a page shows %s of a text as they are [T12]", (_, text, expected) => {
  expect(toVisibleText(text)).toBe(expected);
});

test.each([
  ["test", "test"],
  ["t (a=1, b=x)", '"t (a=1, b=x)"'],
  ["t ($(touch x))", "'t ($(touch x))'"],
  ["a`id`", "'a`id`'"],
  ["it's $HOME", "'it'\\''s $HOME'"],
  ['"; touch x; "', "'\"; touch x; \"'"],
  ["a\\", "'a\\'"],
  ["", '""'],
])("%j is one word of a shell, which expands nothing in it", (text, word) => {
  expect(toShellWord(text)).toBe(word);
  expect(execFileSync("/bin/sh", ["-c", `printf %s ${word}`], { encoding: "utf8" })).toBe(text);
});
