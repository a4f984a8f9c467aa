import { expect, test } from "vitest";
import { InboxPrompt } from "../../../src/cli/attend/inbox-prompt.ts";
import { readSettings } from "../../../src/cli/settings.ts";
import type { EventData } from "../../../src/contracts/event.ts";
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
function openPrompt(refuse?: Error) {
  const io = createFakeIo({ isTerminal: true });
  const commands: RunCommand[] = [];
  const refused: unknown[] = [];
  const events: EventData[] = [created, started, spawned("coder"), turnStarted("coder", 1)];
  const prompt = new InboxPrompt({
    io,
    settings: readSettings({}, io),
    command: async (command) => {
      commands.push(command);
      if (refuse !== undefined) throw refuse;
    },
    onRefused: (error) => refused.push(error),
  });
  let seen = 0;
  return {
    io,
    prompt,
    commands,
    refused,
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
  expect(written()).toBe('▲ approval apr_1: "Push apr_1?"  [a]pprove  [r]eject > ');
  happen(approval("apr_2"), approval("apr_3"));
  io.type("n");
  expect(written()).toBe(
    '▲ approval apr_2: "Push apr_2?"  (2 of 3, ? for help)  [a]pprove  [r]eject > ',
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
  expect(written()).toMatch(/to be approved, sha256 hash of apr_1\n {2}\{\n {4}"branch": "apr_1"/);
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
