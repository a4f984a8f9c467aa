import { writeFileSync } from "node:fs";
import { stripVTControlCharacters } from "node:util";
import { expect, test } from "vitest";
import type { AskedBelow } from "../../../src/app/runs/families/asked-below.ts";
import { InboxPrompt } from "../../../src/cli/attend/inbox-prompt.ts";
import { readSettings } from "../../../src/cli/terminal/settings.ts";
import type { EventData } from "../../../src/contracts/events/event.ts";
import type { RunCommand } from "../../../src/contracts/events/run-events.ts";
import { foldAll } from "../../../src/fold/fold.ts";
import { settle } from "../../../src/testing/manual-clock.ts";
import { created, journal, spawned, started, turnStarted } from "../../fold/journal-builder.ts";
import { createFakeIo } from "../fake-io.ts";

const approval = (id: string): EventData => ({
  type: "approval-requested",
  approval: id,
  op: `approval#${id}`,
  message: `Push ${id}?`,
  show: { branch: id },
  hash: `hash of ${id}`,
});
const question: EventData = {
  type: "question-asked",
  id: "qst_q",
  agent: "coder",
  turn: 1,
  text: "Which?",
};
const approved = (id: string): EventData => ({
  type: "approval-resolved",
  approval: id,
  decision: "approved",
  by: "ann",
});

/** A prompt in front of a run whose events the test appends. */
function openPrompt(refuse?: Error, editor?: (file: string) => void) {
  const io = createFakeIo({
    isTerminal: true,
    env: { EDITOR: "edit" },
    program: ([, file = ""]) => {
      editor?.(file);
      return 0;
    },
  });
  const commands: RunCommand[] = [];
  const refused: unknown[] = [];
  const told: string[] = [];
  const below = new Map<string, AskedBelow>();
  const events: EventData[] = [created, started, spawned("coder"), turnStarted("coder", 1)];
  const prompt = new InboxPrompt({
    io,
    settings: readSettings({}, io),
    command: async (command, run) => {
      commands.push(command);
      if (run !== undefined) told.push(run);
      if (refuse !== undefined) throw refuse;
    },
    onRefused: (error) => refused.push(error),
    below: () => below,
  });
  let seen = 0;
  return {
    io,
    prompt,
    commands,
    refused,
    /** Runs below to which commands went. */
    told,
    below,
    happen: (...more: readonly EventData[]) => {
      events.push(...more);
      prompt.sync(foldAll("run_a", journal(events)));
    },
    /** What was written since the last look. */
    written: () => {
      const text = io.out().slice(seen);
      seen = io.out().length;
      return text;
    },
  };
}

test("one item is asked at a time; how many wait is said, and another one can be chosen [CLI-1]", () => {
  const { io, happen, written, commands } = openPrompt();
  happen(approval("apr_1"));
  expect(written()).toBe(
    '▲ approval apr_1: "Push apr_1?"  [a]pprove  [r]eject  [c]omment  [e]dit > ',
  );
  happen(approval("apr_2"), approval("apr_3"));
  io.type("n");
  expect(written()).toBe(
    '▲ approval apr_2: "Push apr_2?"  (2 of 3, ? for help)  [a]pprove  [r]eject  [c]omment  [e]dit > ',
  );
  io.type("3");
  expect(written()).toContain("apr_3");
  io.type("9");
  expect(written()).toMatch(/^there is no number 9\n.*apr_3/);
  io.type("a");
  expect(commands).toMatchObject([{ approval: "apr_3", hash: "hash of apr_3" }]);
  expect(written()).toBe("");
  happen(approved("apr_3"));
  expect(written()).toContain("apr_1");
});

test("an item that is decided elsewhere takes no typed line with it to the next one [P14]", () => {
  const { io, happen, written, commands } = openPrompt();
  happen(approval("apr_1"), approval("apr_2"));
  happen(approved("apr_1"));
  expect(written()).toMatch(/\n[^\n]*apr_1 was decided elsewhere\. Enter to go on > $/);
  io.type("a");
  expect(written()).toMatch(/^not used: a\n▲ approval apr_2/);
  expect(commands).toEqual([]);
  io.type("a");
  expect(commands).toMatchObject([{ approval: "apr_2" }]);
});

test("an answer of several lines that comes too late is given back, and goes to nobody", () => {
  const { io, happen, written, commands } = openPrompt();
  happen(question, approval("apr_1"));
  for (const line of ["/m", "because", "of that"]) io.type(line);
  written();
  happen({ type: "question-answered", id: "qst_q", answer: "x", by: "ann" });
  expect(written()).toContain("what you wrote was not used:\nbecause\nof that\n");
  io.type("a");
  expect(commands).toEqual([]);
});

test("what is put off is not asked again by itself and can be taken up again", () => {
  const { io, happen, written, commands } = openPrompt();
  happen(approval("apr_1"), approval("apr_2"));
  io.type("s");
  expect(written()).toMatch(/put off: troupe approve apr_1\n▲ approval apr_2/);
  io.type("skip");
  expect(written()).toMatch(/put off: troupe approve apr_2\n2 put off {2}\[n\]ext {2}\[l\]ist > $/);
  happen({ type: "log", note: "n", level: "info", text: "x" });
  io.type("l");
  expect(written()).toMatch(/1 .+apr_1.+\n2 .+apr_2/);
  io.type("a");
  expect(commands).toEqual([]);
  io.type("2");
  expect(written()).toContain("▲ approval apr_2");
  io.type("a");
  expect(commands).toMatchObject([{ approval: "apr_2" }]);
});

test("v shows all that is to be decided [T12]", () => {
  const { io, happen, written } = openPrompt();
  happen(approval("apr_1"));
  written();
  io.type("v");
  expect(stripVTControlCharacters(written())).toMatch(
    /to be approved, sha256 hash of apr_1\n {2}branch: apr_1/,
  );
});

test("a decision that is refused is told, and the item is asked again", async () => {
  const { io, happen, written, refused } = openPrompt(new Error("not now"));
  happen(approval("apr_1"));
  io.type("a");
  await settle();
  expect(refused).toHaveLength(1);
  written();
  happen({ type: "log", note: "n", level: "info", text: "x" });
  expect(written()).toContain("▲ approval apr_1");
});

test("lines of the run end the line of the question, which comes back after them", () => {
  const { happen, prompt, written } = openPrompt();
  happen(question);
  expect(written()).toBe('▲ question qst_q (coder): "Which?"  > ');
  prompt.interrupt();
  expect(written()).toBe("\n");
  happen({ type: "log", note: "n", level: "info", text: "x" });
  expect(written()).toContain("Which?");
  prompt.close();
  happen({ type: "log", note: "n", level: "info", text: "y" });
  expect(written()).toBe("");
});

test("an approval may come with a comment, which is asked for [STP-8, CLI-1]", () => {
  const { io, happen, written, commands } = openPrompt();
  happen(approval("apr_1"));
  io.type("c");
  expect(written()).toMatch(/what do you want to say\? \(may be empty\) $/);
  io.type("mind the tests");
  expect(commands).toEqual([
    {
      kind: "resolve-approval",
      approval: "apr_1",
      decision: "approved",
      hash: "hash of apr_1",
      comment: "mind the tests",
    },
  ]);
});

test("what is approved can be edited in place; the decision is bound to what was shown [STP-8, P14, CLI-1]", async () => {
  const opened = openPrompt(undefined, (file) => writeFileSync(file, "branch: main\n"));
  opened.happen(approval("apr_1"));
  opened.io.type("e");
  await opened.io.seen("~ branch: ");
  await settle();
  expect(opened.commands).toEqual([
    {
      kind: "resolve-approval",
      approval: "apr_1",
      decision: "approved",
      edited: { branch: "main" },
      hash: "hash of apr_1",
    },
  ]);
});

test("an edit that changes nothing decides nothing, and the item is asked again [STP-8, CLI-1]", async () => {
  const { io, happen, commands, written } = openPrompt();
  happen(approval("apr_1"));
  written();
  io.type("e");
  await io.seen("nothing was changed");
  await settle();
  expect(commands).toEqual([]);
  expect(written()).toMatch(/nothing was changed\n▲ approval apr_1/);
});

test("what a run below asks is shown whole and asked in its turn, and decided there [ENG-12, T12, CLI-1]", () => {
  const { io, happen, written, commands, told, below } = openPrompt();
  const asking = foldAll("run_b", journal([created, started, approval("apr_b")]));
  const item = asking.inbox.get("apr_b");
  if (item === undefined) throw new Error("it asks");
  below.set(item.id, { item, state: asking });
  happen(approval("apr_1"));
  expect(written()).toContain("approval apr_1");
  io.type("a");
  happen(approved("apr_1"));
  expect(stripVTControlCharacters(written())).toMatch(
    /branch: apr_b[\s\S]*▲ approval apr_b: "Push apr_b\?"/u,
  );
  io.type("a");
  expect(commands).toMatchObject([
    { approval: "apr_1" },
    { approval: "apr_b", hash: "hash of apr_b" },
  ]);
  expect(told).toEqual(["run_b"]);
  below.clear();
  happen({ type: "log", note: "n", level: "info", text: "x" });
  expect(written()).toBe("");
});
