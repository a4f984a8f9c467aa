import { expect, test } from "vitest";
import type { EventData } from "../../src/contracts/events/event.ts";
import { editsOfCall, otherFiles } from "../../src/dashboard/client/model/file-edits.ts";
import { readHistory } from "../../src/dashboard/client/model/run-history.ts";
import type { Json } from "../../src/foundation/json.ts";
import { toJournal, turnCompleted, turnStarted } from "./sample-report.ts";

test.each<[string, Json]>([
  ["Claude Code", { file_path: "a.ts", old_string: "x", new_string: "y", replace_all: true }],
  ["opencode", { filePath: "a.ts", oldString: "x", newString: "y" }],
  ["ACP", { path: "a.ts", oldText: "x", newText: "y" }],
  ["several edits", { file_path: "a.ts", edits: [{ old_string: "x", new_string: "y" }, 3] }],
])("an edit is known in the words of %s", (_title, input) => {
  expect(textsOf(input)).toEqual([{ path: "a.ts", before: "x", after: "y" }]);
});

test("a file that is written whole is all new, and any other call changes nothing that is known", () => {
  expect(textsOf({ file_path: "a.ts", content: "x" })).toEqual([
    { path: "a.ts", before: "", after: "x" },
  ]);
  for (const input of [{ file_path: "a.ts" }, { command: "rm a.ts" }, "a.ts", null])
    expect(textsOf(input)).toEqual([]);
});

test("a turn keeps what its tools changed, which of it failed, and the files that it changed", () => {
  const at = { agent: "coder", turn: 1 } as const;
  const call = (id: string, input: Json) =>
    ({ type: "tool-called", ...at, call: id, tool: "Edit", input }) as const;
  const events: readonly EventData[] = [
    ...turnStarted({ agent: "coder", turn: 1, step: "code" }),
    call("c1", { file_path: "/p/a.ts", old_string: "x", new_string: "y" }),
    call("c2", { file_path: "/p/b.ts", old_string: "x", new_string: "y" }),
    { type: "tool-returned", ...at, call: "c2", tool: "Edit", isError: true, result: "no" },
    { type: "file-changed", ...at, path: "a.ts", kind: "edit" },
    { type: "file-changed", ...at, path: "c.ts", kind: "create" },
    turnCompleted("coder", 1, { text: "DONE: it" }),
  ];
  const history = readHistory(toJournal(events.map((event) => [1, event])));
  const [turn] = history.turns;
  expect(turn?.edits.map(({ path, isFailed, position }) => [path, isFailed, position])).toEqual([
    ["/p/a.ts", false, 3],
    ["/p/b.ts", true, 4],
  ]);
  expect(otherFiles(turn?.files ?? [], turn?.edits ?? [])).toEqual(["c.ts"]);
});

function textsOf(input: Json) {
  return editsOfCall({ call: "c1", input }, 1).map(({ path, before, after }) => {
    return { path, before, after };
  });
}
