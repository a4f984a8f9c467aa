import { expect, test } from "vitest";
import { toAskedCall } from "../../src/foundation/asked-call.ts";

test("a command is asked as it is typed, with what stands beside it [USE-5.texts]", () => {
  expect(toAskedCall("Bash", { command: "git push" })).toEqual({
    line: "Bash: git push",
    lines: [],
  });
  expect(toAskedCall("Bash", { command: "make", timeout: 5, cwd: "/tmp" }).line).toBe(
    "Bash: make (timeout: 5, cwd: /tmp)",
  );
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
