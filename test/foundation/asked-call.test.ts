import { expect, test } from "vitest";
import { toAskedCall } from "../../src/foundation/asked-call.ts";

test("a command is asked as it is typed, with what stands beside it [USE-5.texts]", () => {
  expect(toAskedCall("Bash", { command: "git push" })).toEqual({
    line: "Bash: git push",
    lines: [],
  });
  expect(toAskedCall("Bash", { command: "make", timeout: 5, cwd: "/tmp" })).toEqual({
    line: "Bash: make (timeout: 5, cwd: /tmp)",
    lines: [],
  });
});

test("a command of several lines does not look like one of a single line [USE-5.texts]", () => {
  expect(toAskedCall("Bash", { command: "ls\nrm -rf /" })).toEqual({
    line: "Bash: ls (and 1 more lines)",
    lines: ["ls", "rm -rf /"],
  });
});

test("an edit is asked as what it changes, in every form that agents' tools have [USE-5.texts]", () => {
  const edit = { file_path: "a.ts", old_string: "one\ntwo\n", new_string: "one\nthree\n" };
  const changed = { lines: ["  one", "- two", "+ three"] };
  expect(toAskedCall("Edit", edit)).toEqual({ line: "Edit a.ts (+1 -1)", ...changed });
  expect(toAskedCall("Edit", { ...edit, replace_all: true }).lines).toEqual([
    "replace_all: true",
    ...changed.lines,
  ]);
  expect(toAskedCall("Write", { file_path: "b.ts", content: "x\ny" })).toEqual({
    line: "Write b.ts (+2 -0)",
    lines: ["+ x", "+ y"],
  });
  const edits = [
    { old_string: "a", new_string: "b" },
    { old_string: "c", new_string: "" },
  ];
  expect(toAskedCall("MultiEdit", { file_path: "c.ts", edits })).toEqual({
    line: "MultiEdit c.ts (+1 -2)",
    lines: ["- a", "+ b", "…", "- c"],
  });
});

test("what is no command and no edit is shown member by member, with nothing left out [USE-5.texts]", () => {
  expect(toAskedCall("WebFetch", { url: "https", prompt: "read it" })).toEqual({
    line: "WebFetch url: https, prompt: read it",
    lines: [],
  });
  const odd = { file_path: "a", edits: [{ old_string: "x", new_string: "y", replace_all: true }] };
  expect(toAskedCall("MultiEdit", odd).lines.join("\n")).toContain("replace_all: true");
  const issue = { title: "t", body: "one\ntwo", labels: ["a"] };
  expect(toAskedCall("create_issue", issue).lines).toEqual([
    "title: t",
    "body:",
    "  one",
    "  two",
    "labels:",
    "  - a",
  ]);
});

test("a character that a terminal would obey stays in what is asked, as text [USE-5.texts, T12]", () => {
  expect(toAskedCall("Bash", { command: "ls \u001b[8m; rm x" }).line).toBe(
    String.raw`Bash: ls \u001b[8m; rm x`,
  );
});

test.each([
  [
    "a command beside what else is said",
    { command: "a\nb\n", timeout: 5 },
    {
      line: "T: a (and 1 more lines) (timeout: 5)",
      lines: ["a", "b", "", "timeout: 5"],
    },
  ],
  [
    "a command with returns",
    { command: "a\rb\r\nc" },
    {
      line: "T: a (and 2 more lines)",
      lines: ["a", "b", "c"],
    },
  ],
  ["a command with a line end behind it", { command: "a\n" }, { line: "T: a", lines: [] }],
  [
    "a command that is none",
    { command: ["a"] },
    { line: 'T {"command":["a"]}', lines: ["command:", "  - a"] },
  ],
  ["a text", "a\nb", { line: "T: a (and 1 more lines)", lines: ["a", "b"] }],
  ["nothing", null, { line: "T null", lines: [] }],
  ["a number", 7, { line: "T 7", lines: [] }],
  ["an empty list", [], { line: "T []", lines: [] }],
  ["no members", {}, { line: "T ", lines: [] }],
  ["a member with a bracket", { a: "x[yz" }, { line: "T a: x[yz", lines: [] }],
  ["a list", ["a"], { line: 'T ["a"]', lines: ["- a"] }],
])("%s is asked whole [USE-5.texts]", (_what, input, asked) => {
  expect(toAskedCall("T", input)).toEqual(asked);
});

test.each([
  ["an edit without its end", { file_path: "a", old_string: "x" }],
  ["an edit without its beginning", { file_path: "a", new_string: "x" }],
  ["an edit that is none", { file_path: "a", old_string: 1, new_string: "x" }],
  ["a file without a name", { old_string: "x", new_string: "y" }],
  ["a file that is named by a number", { file_path: 1, content: "x" }],
  ["a name alone", { file_path: "a" }],
  ["contents that are no text", { file_path: "a", content: 1 }],
  ["contents and edits", { file_path: "a", content: "x", edits: [] }],
  [
    "contents beside edits that would do",
    { file_path: "a", content: "x", edits: [{ old_string: "x", new_string: "y" }] },
  ],
  ["contents and what they replace", { file_path: "a", content: "x", old_string: "y" }],
  ["contents and what replaces them", { file_path: "a", content: "x", new_string: "y" }],
  ["one edit of a number", { file_path: "a", edits: [{ old_string: 1, new_string: "y" }] }],
  ["no edits", { file_path: "a", edits: [] }],
  ["edits that are none", { file_path: "a", edits: "x" }],
  ["one edit that is none", { file_path: "a", edits: [{ old_string: "x", new_string: "y" }, 1] }],
  ["one edit without its end", { file_path: "a", edits: [{ old_string: "x" }] }],
  [
    "one edit with more to it",
    { file_path: "a", edits: [{ old_string: "x", new_string: "y", all: 1 }] },
  ],
])("%s is shown as it is, not as an edit [USE-5.texts]", (_what, input) => {
  expect(toAskedCall("T", input).line).not.toMatch(/\(\+\d+ -\d+\)$/);
});

test("an edit says what else there is to it, and a name that breaks its line in full [USE-5.texts]", () => {
  const edits = [{ old_string: "x", new_string: "y", replace_all: false }];
  expect(toAskedCall("T", { file_path: "a", edits, dry: true })).toEqual({
    line: "T a (+1 -1)",
    lines: ["dry: true", "- x", "+ y"],
  });
  for (const path of ["a\nb", "a\rb"])
    expect(toAskedCall("T", { file_path: path, content: "\u001b" }).lines).toEqual([
      `file_path: ${JSON.stringify(path)}`,
      String.raw`+ \u001b`,
    ]);
});
