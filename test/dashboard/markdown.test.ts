import fc from "fast-check";
import { expect, test } from "vitest";
import {
  type Block,
  type Inline,
  parseMarkdown,
} from "../../src/dashboard/client/text/markdown.ts";
import { processorMs } from "../testing/processor-time.ts";

function inlines(text: string): readonly Inline[] {
  const [block] = parseMarkdown(text);
  return block?.kind === "paragraph" ? block.inlines : [];
}

test("headings, lists, code, quotes and rules are read", () => {
  const text = [
    "# Plan ##",
    "First *one*, then **two** and `three`.",
    "Same paragraph.",
    "- a",
    "  - b",
    "1. c",
    "```ts",
    "# not a heading",
    "```",
    "> said",
    "> - so",
    "---",
  ].join("\n");
  expect(parseMarkdown(text).map(({ kind }) => kind)).toEqual([
    "heading",
    "paragraph",
    "list",
    "code",
    "quote",
    "rule",
  ]);
  expect(parseMarkdown(text)[2]).toMatchObject({
    items: [{ depth: 0 }, { depth: 1 }, { depth: 0, number: 1 }],
  });
  expect(parseMarkdown(text)[3]).toEqual({ kind: "code", language: "ts", text: "# not a heading" });
  expect(inlines("First *one*, then **two** and `three`.").map(({ kind }) => kind)).toEqual([
    "text",
    "emphasis",
    "text",
    "strong",
    "text",
    "code",
    "text",
  ]);
});

test("a link leads to http and https only; everything else stays text as it was written [T12]", () => {
  expect(inlines("see [docs](https://example.com/a?b=1) and http://example.com.")).toEqual([
    { kind: "text", text: "see " },
    { kind: "link", text: "docs", url: "https://example.com/a?b=1" },
    { kind: "text", text: " and " },
    { kind: "link", text: "http://example.com.", url: "http://example.com./" },
  ]);
  for (const target of [
    "javascript:alert(1)",
    "JaVaScRiPt:alert(1)",
    "data:text/html,<script>",
    "vbscript:x",
    "file:///etc/passwd",
    "//example.com",
    "#top",
    "https:javascript",
    "http://",
  ])
    expect(inlines(`[x](${target})`)).toEqual([{ kind: "text", text: `[x](${target})` }]);
});

test("images and HTML are text like any other [T12]", () => {
  const text = '<img src=x onerror="alert(1)"><script>alert(1)</script>';
  expect(inlines(text)).toEqual([{ kind: "text", text }]);
  expect(inlines("![alt](https://example.com/x.png)")).toEqual([
    { kind: "text", text: "!" },
    { kind: "link", text: "alt", url: "https://example.com/x.png" },
  ]);
});

test("names with underscores and sums with asterisks are not emphasis", () => {
  for (const text of ["snake_case_name", "2 * 3 * 4", "a*b*c", "** not closed", "`open"])
    expect(inlines(text)).toEqual([{ kind: "text", text }]);
});

test("no text gets lost, whatever it is", () => {
  const pieces = fc.constantFrom(
    "# ",
    "- ",
    "1. ",
    "> ",
    "```",
    "\n",
    "a",
    " ",
    "*",
    "_",
    "`",
    "[",
    "](",
    ")",
    "--",
  );
  fc.assert(
    fc.property(fc.array(pieces, { maxLength: 60 }), (parts) => {
      const source = parts.join("");
      const letters = (text: string) => text.replace(/[^a]/g, "");
      expect(letters(JSON.stringify(parseMarkdown(source).map(textsOf)))).toBe(letters(source));
    }),
  );
});

test.each(["**a", "`a", "[a](", "_a ", "> ", "- ", "https://", "# #", "```\n"])(
  "a megabyte of %j, which never closes, takes less than a second",
  (mark) => {
    const text = mark.repeat(1_000_000 / mark.length);
    expect(processorMs(1000, () => parseMarkdown(text))).toBeLessThan(1000);
  },
);

function textsOf(block: Block): string {
  switch (block.kind) {
    case "code":
      return block.language + block.text;
    case "quote":
      return block.blocks.map(textsOf).join("");
    case "list":
      return block.items.flatMap((item) => item.inlines.map(({ text }) => text)).join("");
    case "rule":
      return "";
    default:
      return block.inlines.map(({ text }) => text).join("");
  }
}
