import fc from "fast-check";
import { expect, test } from "vitest";
import { jsonList } from "../../../src/programs/team/json-list.ts";
import { markdownList } from "../../../src/programs/team/markdown-list.ts";
import { editsOf } from "../../../src/programs/team/person-edit.ts";
import { TaskBoard } from "../../../src/programs/team/task-board.ts";
import type { ListFormat, WrittenTask } from "../../../src/programs/team/written-list.ts";

function boardOf(...titles: readonly string[]): TaskBoard {
  const board = new TaskBoard(() => {});
  for (const title of titles) board.create({ title }, "lead");
  return board;
}

const view = (board: TaskBoard, fresh: readonly (number | null)[] = []) => ({
  ...{ team: "t", tasks: board.tasks, fresh },
});

function tasksIn(format: ListFormat, text: string): readonly WrittenTask[] {
  const reading = format.read(text);
  if (reading.status === "unreadable") throw new Error(reading.problem);
  return reading.tasks;
}

test("a list in Markdown says of each task its mark, number, title, owner and what comes first [TEAM-2]", () => {
  const board = boardOf("read", "write");
  board.claim("worker-1", 1);
  board.change(2, { after: [1], assigned: "user" }, "lead");
  const text = markdownList.write(undefined, view(board));
  expect(text).toBe(
    "# Tasks of team t\n\n- [~] #1 read (owner: worker-1)\n- [ ] #2 write (owner: user; after: #1)\n",
  );
  expect(tasksIn(markdownList, text)).toEqual([
    { id: 1, title: "read", status: "in_progress", owner: "worker-1", after: [] },
    { id: 2, title: "write", status: "pending", owner: "user", after: [1] },
  ]);
  const marks = "- [x] #3 a\n* [!] #4 b (see (c))\n+ [-] #5 c (after: #3, 4)\n- [ ] d\n";
  expect(tasksIn(markdownList, marks)).toEqual([
    { id: 3, title: "a", status: "completed", owner: null, after: [] },
    { id: 4, title: "b (see (c))", status: "failed", owner: null, after: [] },
    { id: 5, title: "c", status: "cancelled", owner: null, after: [3, 4] },
    { id: undefined, title: "d", status: "pending", owner: null, after: [] },
  ]);
});

test("of a line only what has changed is written anew, and all else of the file stays, byte for byte [TEAM-2, TEAM-8]", () => {
  const board = boardOf("read", "write", "check");
  const text =
    "Notes first\r\n\r\n  * [ ]   #1   read   \r\nmore\r\n```\r\n- [ ] #9 no task\r\n```\r\n- [ ] #2 write (after:1)\r\nend";
  board.change(2, { after: [1] }, "lead");
  const same = markdownList.write(text, view(board));
  expect(same).toBe(text.replace("(after:1)\r\n", "(after:1)\r\n- [ ] #3 check\r\n"));
  board.change(1, { status: "completed" }, "user");
  expect(markdownList.write(same, view(board))).toBe(same.replace("[ ]   #1", "[x]   #1"));
  board.change(2, { title: "rewrite" }, "lead");
  expect(markdownList.write(same, view(board))).toContain("\r\n- [ ] #2 rewrite (after: #1)\r\n");
  const fresh = "- [ ] later\n- [ ] #1 read\n- [ ] refused\n";
  const four = board.create({ title: "later" }, "user");
  expect(markdownList.write(fresh, view(board, [four.id, null]))).toBe(
    "- [ ] #4 later\n- [x] #1 read\n- [ ] refused\n- [ ] #2 rewrite (after: #1)\n- [ ] #3 check\n",
  );
});

test("any text that is no list of ours comes back as it was [TEAM-2]", () => {
  const line = fc.oneof(
    fc.constantFrom("- [ ] #1 a", "-  [x]  #2  b (x)", "\t- [~] #3 c (owner: d)", "- [ ]no", "# h"),
    fc.string({ unit: "grapheme" }).filter((text) => !/[\n\r\0\uFFFD]/.test(text)),
  );
  const ends = fc.constantFrom("\n", "\r\n");
  fc.assert(
    fc.property(fc.array(fc.tuple(line, ends), { maxLength: 8 }), line, (lines, last) => {
      const text = lines.map(([body, end]) => body + end).join("") + last;
      const reading = markdownList.read(text);
      if (reading.status === "unreadable") return;
      const board = new TaskBoard(() => {});
      const known = reading.tasks.filter(({ id }) => id !== undefined);
      for (const { id, title, owner } of known) board.create({ id, title, owner }, "user");
      const tasks = board.tasks.map((task) => {
        const { status = "pending", after = [] } = known.find(({ id }) => id === task.id) ?? {};
        return { ...task, status, after };
      });
      expect(markdownList.write(text, { team: "t", tasks, fresh: [] })).toBe(text);
    }),
  );
});

test("a list in JSON has the same, keeps keys and indentation of others, and stays as it is where nothing changed [TEAM-2, TEAM-8]", () => {
  const board = boardOf("read", "write");
  const text = jsonList.write(undefined, view(board));
  expect(JSON.parse(text)).toEqual({
    ...{ version: 1, team: "t" },
    tasks: [
      { id: 1, title: "read", status: "pending", owner: null, after: [], result: null },
      { id: 2, title: "write", status: "pending", owner: null, after: [], result: null },
    ],
  });
  const odd = `{"version":1, "mine": [1],"tasks":[ {"note":"x","id":1,"title":"read","status":"pending","owner":null,"after":[],"result":null},{"id":2,"title":"write","status":"pending","owner":null,"after":[],"result":null} ]}`;
  expect(jsonList.write(odd, view(board))).toBe(odd);
  board.change(1, { status: "completed", result: "4 files" }, "user");
  expect(JSON.parse(jsonList.write(odd, view(board)))).toMatchObject({
    mine: [1],
    tasks: [{ note: "x", status: "completed", result: "4 files" }, { id: 2 }],
  });
  expect(jsonList.write(`{\n\t"version": 1,\n\t"tasks": []\n}`, view(board))).toMatch(
    /^\{\n\t"version": 1,\n\t"tasks": \[\n\t\t\{/,
  );
});

test("what cannot be read says where and why [TEAM-8]", () => {
  expect(markdownList.read("- [ ] #1 a\n\n- [ ] #1 b\n")).toEqual({
    status: "unreadable",
    problem: "line 3: #1 stands in line 1, too",
  });
  expect(markdownList.read("- [ ] #1 (after: #2)\n")).toMatchObject({
    problem: "line 1: the task has no title",
  });
  expect(markdownList.read("- [ ] a\0\n")).toMatchObject({ status: "unreadable" });
  expect(jsonList.read("{")).toMatchObject({ status: "unreadable" });
  expect(jsonList.read(`{"version":1,"tasks":[{"title":3}]}`)).toMatchObject({
    problem: expect.stringContaining("tasks.0.title"),
  });
});

test("an old copy that an editor saves undoes nothing, and one changed line is what its author wants [TEAM-8]", () => {
  const old = tasksIn(markdownList, "- [ ] #1 a\n- [ ] #2 b\n");
  const now = tasksIn(markdownList, "- [x] #1 a\n- [~] #2 b (owner: w)\n- [ ] #3 c\n");
  const saved = tasksIn(markdownList, "- [ ] #1 a\n- [ ] #2 b\n- [ ] more\n");
  expect(editsOf([old, now], saved)).toEqual([{ kind: "add", task: saved[2] }]);
  const reopened = tasksIn(markdownList, "- [ ] #1 a\n- [~] #2 b (owner: w)\n- [ ] #3 c\n");
  expect(editsOf([old, now], reopened)).toEqual([
    { kind: "change", id: 1, fields: { status: "pending" } },
  ]);
  expect(editsOf([now], tasksIn(markdownList, "- [x] #1 a\n"))).toEqual([
    { kind: "remove", id: 2 },
    { kind: "remove", id: 3 },
  ]);
});

test("a number is given once, only one gets a task, and nobody waits in a circle [TEAM-2, TEAM-8]", () => {
  const board = boardOf("a", "b", "c");
  board.change(3, { status: "cancelled", isListed: false }, "user");
  expect(board.create({ title: "d" }, "lead").id).toBe(4);
  board.create({ id: 50, title: "e" }, "user");
  expect(board.create({ title: "f" }, "lead").id).toBe(51);
  board.change(2, { after: [1] }, "lead");
  expect(() => board.change(1, { after: [4, 2] }, "user")).toThrow(
    expect.objectContaining({
      code: "TEAM_TASK_CYCLE",
      message: expect.stringContaining("#1 after #2 after #1"),
    }),
  );
  expect(() => board.change(1, { after: [99] }, "user")).toThrow(
    expect.objectContaining({ code: "TEAM_TASK_UNKNOWN" }),
  );
  expect(board.claim("w").id).toBe(1);
  expect(() => board.claim("v", 1)).toThrow(expect.objectContaining({ code: "TEAM_TASK_REFUSED" }));
  expect(() => board.claim("v", 2)).toThrow(/#1 comes first/);
  board.complete(1, "v", "not its own");
  expect(board.get(1)).toMatchObject({ status: "in_progress", holder: "w" });
});
