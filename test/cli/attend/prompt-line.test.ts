import { expect, test } from "vitest";
import { type PromptStage, readPromptLine } from "../../../src/cli/attend/prompt-line.ts";
import type { InboxItem } from "../../../src/fold/state/inbox-state.ts";

const common = { text: "?", createdAt: 0, seq: 1, step: undefined, expiresAt: undefined };
const APPROVAL: InboxItem = {
  ...common,
  kind: "approval",
  id: "apr_a",
  op: "approval#1",
  agent: undefined,
  turn: undefined,
  show: undefined,
  hash: "abc",
  expiresAt: undefined,
};
const QUESTION: InboxItem = {
  ...common,
  kind: "question",
  id: "qst_a",
  agent: "a",
  turn: 1,
  message: undefined,
  op: undefined,
  options: undefined,
  many: false,
};
const PERMISSION: InboxItem = {
  ...common,
  kind: "permission",
  id: "prm_a",
  agent: "a",
  turn: 1,
  tool: "Bash",
  input: {},
  known: undefined,
};
const ASKED: PromptStage = { kind: "asked" };

function read(line: string, item?: InboxItem, stage: PromptStage = ASKED) {
  return readPromptLine(line, item === undefined ? undefined : { item, stage });
}

test.each([
  ["a", { decision: "approved", hash: "abc" }],
  [" Yes ", { decision: "approved", hash: "abc" }],
])("%j approves what was shown [P14]", (line, decision) => {
  expect(read(line, APPROVAL)).toEqual({
    kind: "decide",
    command: { kind: "resolve-approval", approval: "apr_a", ...decision },
  });
  expect(read(line, PERMISSION)).toMatchObject({ command: { id: "prm_a", decision: "allowed" } });
});

test.each(["w", "Always"])(
  "%j allows the same for the run, and is for permissions only [USE-8.run]",
  (line) => {
    expect(read(line, PERMISSION)).toEqual({
      kind: "decide",
      command: { kind: "resolve-permission", id: "prm_a", decision: "allowed", always: true },
    });
    expect(read(line, APPROVAL)).toEqual({ kind: "nothing" });
    expect(read(line, QUESTION)).toMatchObject({ command: { kind: "answer-question" } });
  },
);

test("a rejection asks why, and whatever comes next is the reason [CLI-1]", () => {
  const reason = read("r", APPROVAL);
  expect(reason).toEqual({ kind: "stage", stage: { kind: "reason" } });
  for (const [line, comment] of [
    ["too late", "too late"],
    ["a", "a"],
    ["/n", "/n"],
  ] as const)
    expect(read(line, APPROVAL, { kind: "reason" })).toMatchObject({
      command: { decision: "rejected", comment },
    });
  expect(read("", PERMISSION, { kind: "reason" })).toEqual({
    kind: "decide",
    command: { kind: "resolve-permission", id: "prm_a", decision: "denied" },
  });
});

test.each([
  ["n", { kind: "choose", number: "next" }],
  ["3", { kind: "choose", number: 3 }],
  ["s", { kind: "skip" }],
  ["v", { kind: "view" }],
  ["l", { kind: "list" }],
])("%j is an order, behind a slash also where an answer is asked for [CLI-1]", (line, reading) => {
  expect(read(line, APPROVAL)).toEqual(reading);
  expect(read(line)).toEqual(reading);
  expect(read(`/${line}`, APPROVAL)).toEqual(reading);
  expect(read(`/${line}`, QUESTION)).toEqual(reading);
});

test.each(["n", "3", "s", "a", "yes", "no", "?", "m", "/etc/hosts", "/a", "/r", "."])(
  "%j answers a question",
  (line) => {
    expect(read(line, QUESTION)).toEqual({
      kind: "decide",
      command: { kind: "answer-question", id: "qst_a", answer: line },
    });
  },
);

test("what is no order of an approval does nothing", () => {
  for (const line of ["", "what?", "ok then", "/m"])
    expect(read(line, APPROVAL)).toEqual({ kind: "nothing" });
  expect(read("", QUESTION)).toEqual({ kind: "nothing" });
  for (const line of ["a", "r"]) expect(read(line)).toEqual({ kind: "nothing" });
});

test("an answer of several lines ends with a dot alone; orders in it are text", () => {
  let stage: PromptStage = ASKED;
  for (const line of ["/m", "  first", "", "/n", ".."]) {
    const reading = read(line, QUESTION, stage);
    if (reading.kind !== "stage") throw new Error(`${line} is ${reading.kind}`);
    stage = reading.stage;
  }
  expect(read(" . ", QUESTION, stage)).toMatchObject({ command: { answer: "first\n\n/n\n.." } });
  expect(read(".", QUESTION, { kind: "lines", lines: [" "] })).toEqual({
    kind: "stage",
    stage: ASKED,
  });
});

test("help names what can be typed for each kind", () => {
  const lines = (item?: InboxItem) => {
    const reading = read("/?", item);
    return reading.kind === "help" ? reading.lines.join("\n") : "";
  };
  expect(lines(APPROVAL)).toMatch(
    /^a {2}approve\nc {2}approve with a comment\n(?:e {2}edit.*\n)?r {2}reject/,
  );
  expect(lines(QUESTION)).toMatch(/^TEXT answers\n\/m/);
  expect(lines()).toMatch(/^v/);
});
