import { expect, test } from "vitest";
import { createKeyParser } from "../../../src/cli/attend/key-parser.ts";
import type { Key } from "../../../src/cli/view/live/key.ts";

function named(name: Extract<Key, { kind: "named" }>["name"]): Key {
  return { kind: "named", name };
}

function parse(...chunks: readonly string[]): readonly Key[] {
  const parser = createKeyParser();
  return [...chunks.flatMap((chunk) => parser.feed(chunk)), ...parser.flush()];
}

test("keys come one by one, whatever comes at once", () => {
  expect(parse("a\u001b[Ab\r\u0003\u007f")).toEqual([
    { kind: "text", text: "a" },
    named("up"),
    { kind: "text", text: "b" },
    named("enter"),
    named("interrupt"),
    named("backspace"),
  ]);
});

test("characters that come at once are one text, so that they decide nothing by accident", () => {
  expect(parse("approve 数据")).toEqual([{ kind: "text", text: "approve 数据" }]);
});

test("a sequence that comes in pieces is one key", () => {
  expect(parse("\u001b", "[", "B")).toEqual([named("down")]);
  expect(parse("\u001b[3", "~")).toEqual([named("delete")]);
});

test("the escape key is one only when nothing follows", () => {
  const parser = createKeyParser();
  expect(parser.feed("\u001b")).toEqual([]);
  expect(parser.isPending).toBe(true);
  expect(parser.flush()).toEqual([named("escape")]);
  expect(parser.isPending).toBe(false);
  expect(parse("\u001b\r")).toEqual([named("new-line")]);
});

test("a paste is a text of its own, also in pieces, and its keys are no keys", () => {
  const start = "\u001b[200~";
  const end = "\u001b[201~";
  const paste = { kind: "paste", text: "a\rr\u0003\u001b[A" };
  expect(parse(`${start}a\rr\u0003\u001b[A${end}`)).toEqual([paste]);
  expect(
    parse(
      "x",
      start.slice(0, 3),
      `${start.slice(3)}a\rr`,
      `\u0003\u001b[A${end.slice(0, 2)}`,
      `${end.slice(2)}y`,
    ),
  ).toEqual([{ kind: "text", text: "x" }, paste, { kind: "text", text: "y" }]);
});

test("a paste without an end waits and is bounded", () => {
  const parser = createKeyParser();
  for (let count = 0; count < 40; count += 1)
    expect(parser.feed(`\u001b[200~${"x".repeat(65_536)}`.slice(count === 0 ? 0 : 6))).toEqual([]);
  expect(parser.isPending).toBe(false);
  const [paste] = parser.feed("\u001b[201~");
  expect(paste?.kind === "paste" && paste.text.length).toBeLessThan(1_100_000);
});

test("sequences that no key is known for do nothing", () => {
  expect(parse("\u001b[15~\u001b[1;5C\u001bx\u0000\u0011\u001b[?1;2c")).toEqual([]);
});
