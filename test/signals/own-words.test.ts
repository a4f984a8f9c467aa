import { describe, expect, test } from "vitest";
import { conflictTask } from "../../src/cli/actions/merge.ts";
import { kickoffConventions } from "../../src/programs/kickoff/conventions.ts";
import {
  reminderFor,
  renderConvention,
} from "../../src/programs/patterns/conventions/convention.ts";
import { fanOutConvention } from "../../src/programs/patterns/fan-out.ts";
import { GivenTexts } from "../../src/signals/given-texts.ts";
import { readSignals, readStructuredSignal } from "../../src/signals/read-signals.ts";
import { SIGNAL_FORMS } from "../../src/signals/signal-forms.ts";
import { loadTools } from "../../src/tools/registry.ts";

const markers = ["PLAN_COMPLETE"];
const facts = { agent: "a", channel: "main", peers: [], position: 1, total: 2 };
const conventions = ["DONE", "PLAN_COMPLETE"].flatMap((marker) =>
  (["text", "tools"] as const).map((form) =>
    renderConvention(fanOutConvention, { ...facts, marker, form }),
  ),
);
const context = { directory: ".", channel: { file: "channel.md" } };
const kickoff = { agent: "a", agents: ["a", "b"], shadows: [], channel: "main", context };
const conflict = { agent: "a", branch: "b", run: "run_1", files: ["x"], root: "/", solver: "s" };
const OWN_TEXTS: readonly string[] = [
  ...conventions,
  reminderFor("DONE"),
  reminderFor("PLAN_COMPLETE"),
  kickoffConventions(kickoff),
  conflictTask({ ...conflict, commit: "c", path: "/p" }),
  ...(await loadTools()).map((tool) => tool.description),
];
const KEYWORDS = [...SIGNAL_FORMS.keys(), ...markers];

/** Every part of a text that begins with a keyword and a colon: what it is after a line was wrapped there. */
function partsOf(text: string): readonly string[] {
  const starts = KEYWORDS.flatMap((keyword) =>
    [...text.matchAll(new RegExp(`\\b${keyword}:`, "g"))].map(({ index }) => index),
  );
  return starts.flatMap((start) => {
    const part = text.slice(start);
    const line = part.split("\n", 1)[0] ?? "";
    return [part, line, line.replace(/(?<=\w)[.;] .*$/, ".")];
  });
}

describe("Troupe's own words", () => {
  const texts = OWN_TEXTS.flatMap((text) => [text, text.replaceAll("`", "")]);

  test("there is something to repeat in them", () => {
    expect(texts.flatMap(partsOf).length).toBeGreaterThan(40);
  });

  test("no text that Troupe gave an agent signals anything when it comes back, whole or from any keyword on [SIG-3]", () => {
    for (const text of texts)
      for (const part of [text, ...partsOf(text)])
        expect([part, readSignals(part, { markers }).signals]).toEqual([part, []]);
  });

  test("nor when its lines are wrapped at other places [SIG-3]", () => {
    for (const text of texts) {
      const given = new GivenTexts();
      given.add(text);
      for (const keyword of KEYWORDS) {
        const wrapped = text.replaceAll(new RegExp(`\\s(?=\`?${keyword}\\b)`, "g"), "\n");
        const reading = readSignals(wrapped.replaceAll("`", ""), { markers, given });
        expect(reading.signals).toEqual([]);
      }
    }
  });

  test.each(["<result>", "<result> but tests still fail", "<what came out>", "...", "…"])(
    "%s is never a value, in a line or by a tool [SIG-3]",
    (value) => {
      for (const keyword of ["DONE", "BLOCKED", "FAILED", "VERDICT"]) {
        expect(readSignals(`${keyword}: ${value}`)).toMatchObject({
          signals: [],
          refused: [{ reason: expect.stringContaining("repeats the form") }],
        });
        const { refused } = readStructuredSignal({ kind: keyword.toLowerCase(), value });
        expect(refused).toContain("repeats the form");
      }
    },
  );

  test.each(["<https://x.example/1>", "<a@x.example>", "the result", "a < b > c", ".. and done"])(
    "%s is one",
    (value) => {
      expect(readSignals(`DONE: ${value}`).signals).toMatchObject([{ value }]);
    },
  );
});

describe("what the agent was given", () => {
  const given = new GivenTexts();
  given.add(
    "## Your Task\n\nSay how it went.\n> other wrote:\nDONE: the other's part\n\nAnswer with one of:\nVOTE: approve\nVOTE: reject\nor end with\nPLAN_COMPLETE",
  );

  test.each([
    ["a line with the one before it", "wrote:\nDONE: the other's part"],
    ["a line with the one after it", "DONE: the other's part\n\nAnswer with one of:"],
    ["with other markup", "**other wrote:**\n\nDONE: *the other's part*"],
    ["a marker with what leads to it", "or end with\nPLAN_COMPLETE"],
    ["the choices", "VOTE: approve\nVOTE: reject"],
  ])("repeated, %s, signals nothing [SIG-3]", (_what, text) => {
    const { signals, refused } = readSignals(text, { markers, given });
    expect(signals).toEqual([]);
    expect(refused[0]?.reason).toBe("it repeats what the agent was given");
  });

  test.each([
    ["one of the choices", "Fine.\nVOTE: approve", "vote"],
    ["the marker alone", "the plan\nPLAN_COMPLETE\n", "PLAN_COMPLETE"],
    ["a signal of its own", "Say how it went.\nDONE: well", "done"],
  ])("%s is the agent's own answer", (_what, text, kind) => {
    expect(readSignals(text, { markers, given }).signals).toMatchObject([{ kind }]);
  });

  test("a whole task that comes back is no answer, however short it is [SIG-3]", () => {
    const task = new GivenTexts();
    task.add("DONE: deploy it");
    expect(readSignals(" DONE:  deploy it\n", { given: task }).signals).toEqual([]);
  });
});
