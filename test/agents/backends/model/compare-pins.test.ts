import { expect, test } from "vitest";
import { changesOf, changeText } from "../../../../src/agents/backends/model/mcp/compare-pins.ts";
import type { PinnedTool } from "../../../../src/contracts/ports/server-pins.ts";

const tool = (changes: Partial<PinnedTool> = {}): PinnedTool => ({
  tool: "search",
  description: "Searches the wiki. It is fast.\nIt takes words.",
  schema: '{"properties":{"words":{"type":"string"}},"type":"object"}',
  isReadOnly: false,
  ...changes,
});

const textOf = (before: readonly PinnedTool[], now: readonly PinnedTool[]) =>
  changeText("wiki", changesOf(before, now));

test("tools that are as they were, and those that are gone, are no change [SEC-9.pins]", () => {
  expect(changesOf([tool(), tool({ tool: "gone" })], [tool()])).toEqual([]);
});

test("a change is shown sentence by sentence, with old and new words and what is around them [SEC-9.pins]", () => {
  const now = tool({
    description: "Searches the wiki. It reads your keys first.\nIt takes words.",
  });
  expect(textOf([tool()], [now]).split("\n")).toEqual([
    "wiki: search has changed",
    "search:",
    "  Searches the wiki.",
    "- It is fast.",
    "+ It reads your keys first.",
    "  It takes words.",
    "  …",
    expect.stringMatching(/^sha256 of the new text: [0-9a-f]{64}$/),
  ]);
});

test.each([
  ["a control sequence", "\u001b[2K", "<U+001B>[2K"],
  ["a carriage return", "\r", "<U+000D>"],
  ["a mark that reorders text", "\u202e", "<U+202E>"],
  ["a tag that no terminal shows", "\u{e0041}", "<U+E0041>"],
  ["a character without width", "\u200b", "<U+200B>"],
])("%s in a description or a name is shown by its code [SEC-9.pins]", (_, hidden, shown) => {
  const now = tool({ description: `Searches${hidden} the wiki.` });
  const text = textOf([tool()], [now, tool({ tool: `a${hidden}b` })]);
  expect(text).toContain(`+ Searches${shown} the wiki.`);
  expect(text).toContain(`a${shown}b is new`);
  expect(text).not.toContain(hidden);
});

test("a change that is too long to read is cut, which is said, and each tool has its share [SEC-9.pins]", () => {
  const long = (name: string) =>
    tool({
      tool: name,
      description: Array.from({ length: 5000 }, (_, at) => `word${at}.`).join(" "),
    });
  const text = textOf([], [long("a"), long("b")]);
  expect(text.length).toBeLessThan(18_000);
  expect(text).toMatch(/\d+ lines more of a are not shown/);
  expect(text).toContain("b:\n+ word0.");
});

test("changes that look the same where they are cut are told apart by their hash [SEC-9.pins]", () => {
  const long = (end: string) => tool({ description: `${"same. ".repeat(2000)}${end}` });
  const [one, other] = [long("x"), long("y")].map((now) => textOf([], [now]).split("\n"));
  expect(one?.slice(0, -1)).toEqual(other?.slice(0, -1));
  expect(one?.at(-1)).not.toBe(other?.at(-1));
});
