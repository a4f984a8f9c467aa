import { expect, test } from "vitest";
import type { Key, KeyName } from "../../../../src/cli/view/live/key.ts";
import { draftText, EMPTY_DRAFT, editDraft } from "../../../../src/cli/view/live/text-draft.ts";

function typed(...keys: readonly (string | { readonly key: KeyName })[]): string {
  const asKeys = keys.map(
    (each): Key =>
      typeof each === "string" ? { kind: "text", text: each } : { kind: "named", name: each.key },
  );
  const draft = asKeys.reduce(editDraft, EMPTY_DRAFT);
  return `${draft.before.join("")}|${draft.after.join("")}`;
}

const at = (key: KeyName) => ({ key });

test.each([
  { what: "types", keys: ["ab", "c"], result: "abc|" },
  { what: "inserts", keys: ["ac", at("left"), "b"], result: "ab|c" },
  { what: "deletes to the left", keys: ["abc", at("backspace")], result: "ab|" },
  { what: "deletes to the right", keys: ["abc", at("home"), at("delete")], result: "|bc" },
  {
    what: "deletes nothing in nothing",
    keys: [at("backspace"), at("delete"), at("left")],
    result: "|",
  },
  { what: "deletes a word", keys: ["one two  ", at("delete-word")], result: "one |" },
  { what: "deletes the only word", keys: ["one", at("delete-word")], result: "|" },
  {
    what: "deletes a line",
    keys: ["one", at("new-line"), "two", at("delete-line")],
    result: "one\n|",
  },
  {
    what: "goes to the ends of a line",
    keys: ["a", at("new-line"), "bc", at("home"), "x", at("end"), "y"],
    result: "a\nxbcy|",
  },
  {
    what: "goes up in its column",
    keys: ["abcd", at("new-line"), "ef", at("up")],
    result: "ab|cd\nef",
  },
  {
    what: "goes down in its column",
    keys: ["abcd", at("new-line"), "ef", at("up"), at("down")],
    result: "abcd\nef|",
  },
  {
    what: "goes down to a shorter line",
    keys: ["abcd", at("new-line"), "ef", at("up"), at("end"), at("down")],
    result: "abcd\nef|",
  },
  { what: "goes to the beginning from the first line", keys: ["abc", at("up")], result: "|abc" },
  {
    what: "goes to the end from the last line",
    keys: ["abc", at("home"), at("down")],
    result: "abc|",
  },
  {
    what: "takes a joined emoji for one character",
    keys: ["a👨‍👩‍👧‍👦", at("backspace")],
    result: "a|",
  },
])("a draft $what", ({ keys, result }) => {
  expect(typed(...keys)).toBe(result);
});

test("what is pasted is text: line ends are one kind, nothing controls a terminal", () => {
  const pasted = { kind: "paste", text: "one\r\ntwo\rthree\tfour\u001b[2J\u0007" } as const;
  expect(draftText(editDraft(EMPTY_DRAFT, pasted))).toBe("one\ntwo\nthree  four[2J");
});

test("a draft has an end, and says what did not fit [AGT-21.lists]", () => {
  const pasted = { kind: "paste", text: "x".repeat(150_000) } as const;
  const full = editDraft(EMPTY_DRAFT, pasted);
  const note = " [50000 characters more did not fit: use a file] ";
  expect(draftText(full)).toBe(`${"x".repeat(100_000)}${note}`);
  expect(editDraft(full, pasted)).toBe(full);
});
