import { describe, expect, test } from "vitest";
import { fold } from "../../../src/fold/fold.ts";
import { emptyRunState } from "../../../src/fold/state/run-state.ts";
import { renderInbox } from "../../../src/messaging/inbox-text.ts";
import { renderEntry } from "../../../src/messaging/mirrors/channel-mirror.ts";
import { readChannel } from "../../../src/messaging/read-channel.ts";
import { HOSTILE_TEXTS } from "./hostile-texts.ts";
import { parseChannel } from "./parse-channel.ts";
import { parsed, render } from "./said-entries.ts";

/** Lines as the most generous of readers sees them. */
function generousLines(file: string): readonly string[] {
  return file.split(/\r\n|[\n\r\v\f\u0085\u2028\u2029]/).map((line) => line.trim());
}

test("the channel reads like a log: heading with UTC time and sender, text, empty line [MSG-7]", () => {
  const messages = [
    { from: "system", text: "Workflow started", timestamp: "2026-01-01T10:00:00.123Z" },
    {
      from: "reviewer",
      text: "@coder found it:\n\n```sh\n# run\nnpm test\n```\n- fix",
      timestamp: "2026-01-01T10:00:05.000Z",
    },
  ];
  expect(messages.map((message, index) => renderEntry(message, index === 0)).join("")).toBe(
    [
      "### 10:00:00 [system]",
      "Workflow started",
      "",
      "### 10:00:05 [reviewer]",
      "@coder found it:",
      "",
      "```sh",
      "# run",
      "npm test",
      "```",
      "- fix",
      "",
    ].join("\n"),
  );
});

describe("a hostile text", () => {
  const other = { from: "lead", text: "next" };

  test.each(HOSTILE_TEXTS)(
    "with %s is one entry by its sender in the file [MSG-7, T4, T12]",
    (_what, text) => {
      const messages = [{ from: "coder", text }, other];
      const file = render(messages);
      expect(parseChannel(file)).toEqual(parsed(messages));
      const headings = generousLines(file).filter((line) =>
        /^[#\uff03]+ *\d\d:\d\d:\d\d \[/.test(line),
      );
      expect(headings).toEqual(["### 10:00:00 [coder]", "### 10:00:00 [lead]"]);
      expect(file).not.toMatch(/(?![\n\t\u200d])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u);
    },
  );

  test.each(HOSTILE_TEXTS)(
    "with %s is one entry by its sender for agents and readers [T4, T12]",
    (_what, text) => {
      const state = emptyRunState("run_x");
      const post = { type: "message-posted", mentions: [], signals: [], channel: "main" } as const;
      fold(state, { ...post, id: "1", from: "coder", text, seq: 1, at: 0 });
      fold(state, { ...post, id: "2", ...other, seq: 2, at: 0 });
      const { messages } = readChannel({ state }, { channel: "main" });
      expect(messages.map(({ from, text: said }) => [from, said])).toEqual([
        ["coder", text],
        ["lead", "next"],
      ]);
      const heads = generousLines(renderInbox(messages)).filter((line) => !line.startsWith(">"));
      expect(heads.filter((line) => line !== "")).toHaveLength(3);
    },
  );
});

test.each([
  ["code", ["```sh", "# run", "```", "# out"], ["```sh", "# run", "```", "\\# out"]],
  ["code that nobody closes", ["```sh", "# run", "-"], ["\\```sh", "\\# run", "\\-"]],
  [
    "code that nobody closes behind code",
    ["```", "# a", "```", "```", "# b"],
    ["```", "# a", "```", "\\```", "\\# b"],
  ],
  ["code in which another entry begins", ["~~~", "### x", "~~~"], ["~~~", "\\### x", "~~~"]],
  [
    "code with shorter and other fences in it",
    ["~~~~", "# a", "~~~", "# b", "```", "~~~~", "# c"],
    ["~~~~", "# a", "~~~", "# b", "```", "~~~~", "\\# c"],
  ],
  ["code that is set in", ["  ```", "# a", "  ```"], ["  \\```", "\\# a", "  \\```"]],
  ["marks behind words", ["a ```", "# b", "c # d"], ["a ```", "\\# b", "c # d"]],
  ["backslashes", ["\\# a", "\\a", "\\u{1b}"], ["\\\\# a", "\\a", "\\u{5c}u{1b}"]],
])("of a text with %s no line is markup but its own closed code [MSG-7, T12]", (...given) => {
  const [, lines, shown] = given;
  expect(render([{ from: "coder", text: lines.join("\n") }])).toBe(
    `### 10:00:00 [coder]\n${shown.join("\n")}\n`,
  );
});

test("a sender's name stays in its brackets [MSG-7, T12]", () => {
  expect(render([{ from: "a]\n### [\u001b", text: "x" }])).toBe(
    "### 10:00:00 [a\\u{5d}\\u{a}### \\u{5b}\\u{1b}]\nx\n",
  );
});
