import { expect } from "vitest";

const XML_PART = /<(\/?)([A-Za-z]+)((?: [\w:-]+="[^"<]*")*)(\/?)>|[^<]+/gy;

/** Checks that a text is well-formed XML with one root, without comments, CDATA or declarations. */
export function assertXml(text: string): void {
  expect(text).toMatch(/^<svg /);
  expect(text).not.toMatch(/&(?!(?:amp|lt|gt|quot|#39);)/);
  expect(text).not.toMatch(/[^\t\n\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/u);
  const open: string[] = [];
  let at = 0;
  for (const match of text.matchAll(XML_PART)) {
    const [part, closing, name = "", , isEmpty] = match;
    at += part.length;
    if (name === "") continue;
    if (closing === "/") expect(open.pop()).toBe(name);
    else if (isEmpty === "") open.push(name);
  }
  expect(at).toBe(text.length);
  expect(open).toEqual([]);
}

const MERMAID_LABEL = String.raw`"(?:[\p{L}\p{M}\p{N} _.,:?·()/+=-]|#\d+;|<br\/>)+"`;
const MERMAID_LINES = new RegExp(
  [
    String.raw`  n\d+(?:\[${MERMAID_LABEL}\]|\{\{${MERMAID_LABEL}\}\}|\(\[${MERMAID_LABEL}\]\))`,
    String.raw`  n\d+ (?:-->|-->\|signal\||-\.->\|(?:fallback|escalation|shadow)\|) n\d+`,
    "  classDef [a-z]+ [a-z0-9#:, -]+",
    String.raw`  class n\d+(?:,n\d+)* [a-z]+`,
  ]
    .map((line) => `^(?:${line})$`)
    .join("|"),
  "u",
);

/** Checks that every line of a flowchart is one that Mermaid reads, with labels that hold no syntax. */
export function assertMermaid([first, ...lines]: readonly string[]): void {
  expect(first).toBe("flowchart LR");
  for (const line of lines) expect(line).toMatch(MERMAID_LINES);
}

const DOT_TEXT = String.raw`"(?:[^"\\]|\\["\\n])*"`;
const DOT_VALUE = String.raw`(?:${DOT_TEXT}|[a-z]+|\d+)`;
const DOT_LIST = String.raw`\[[a-z]+=${DOT_VALUE}(?:, [a-z]+=${DOT_VALUE})*\]`;
const DOT_LINE = new RegExp(
  String.raw`^  (?:rankdir=LR|node ${DOT_LIST}|n\d+ ${DOT_LIST}|n\d+ -> n\d+(?: ${DOT_LIST})?);$`,
  "u",
);

/** Checks that every line of a graph is one statement of DOT, with texts that end where they should. */
export function assertDot(lines: readonly string[]): void {
  expect(lines[0]).toMatch(new RegExp(`^digraph ${DOT_TEXT} \\{$`, "u"));
  for (const line of lines.slice(1, -1)) expect(line).toMatch(DOT_LINE);
  expect(lines.at(-1)).toBe("}");
}
