import { expect, test } from "vitest";
import type { Key, KeyName } from "../../../../src/cli/view/live/key.ts";
import type { LiveModel } from "../../../../src/cli/view/live/live-model.ts";
import { type LiveEffect, pressKey } from "../../../../src/cli/view/live/press-key.ts";
import { draftText } from "../../../../src/cli/view/live/text-draft.ts";
import { INITIAL_VIEW, type ViewState } from "../../../../src/cli/view/live/view-state.ts";
import type { EventData } from "../../../../src/contracts/events/event.ts";
import { BEGINNING } from "../sample-journal.ts";
import { APPROVAL, asked, modelOf, pictureOf, spawned, step, turnStarted } from "./sample-model.ts";

const START: readonly EventData[] = [
  ...BEGINNING,
  spawned("coder", "codex"),
  turnStarted("coder", 1),
  { ...step("code"), type: "step-started", attempt: 1, agent: "coder" },
];
const ASKED = [...START, asked("qst_1", "Which DB?"), asked("qst_2", "Which port?"), APPROVAL];
const ANSWERED: EventData = { type: "question-answered", id: "qst_1", answer: "x", by: "anna" };
const APPROVED: EventData = {
  type: "approval-resolved",
  approval: "apr_91",
  decision: "approved",
  by: "anna",
};

/** A person in front of a run. */
class Person {
  view: ViewState = INITIAL_VIEW;
  readonly effects: LiveEffect[] = [];
  #model: LiveModel;

  constructor(events: readonly EventData[] = ASKED) {
    this.#model = modelOf(events);
    this.see(events);
  }

  /** The run has moved on. */
  see(events: readonly EventData[], laterMs = 4000, sent: readonly string[] = []): void {
    this.#model = modelOf(events, { laterMs, sent: new Set(sent) });
    this.view = pictureOf(this.#model, this.view).view;
  }

  press(...keys: readonly (string | { readonly key: KeyName } | Key)[]): this {
    for (const each of keys) {
      const { rows } = pictureOf(this.#model, this.view);
      const { view, effect } = pressKey(this.view, toKey(each), { rows, nowMs: this.#model.nowMs });
      this.view = view;
      if (effect !== undefined) this.effects.push(effect);
    }
    return this;
  }

  get draft(): string | undefined {
    return this.view.editor && draftText(this.view.editor.draft);
  }
}

function toKey(given: string | { readonly key: KeyName } | Key): Key {
  if (typeof given === "string") return { kind: "text", text: given };
  return "key" in given ? { kind: "named", name: given.key } : given;
}

const DOWN = { key: "down" } as const;
const ENTER = { key: "enter" } as const;
const ESCAPE = { key: "escape" } as const;

test("the first thing that is asked is selected by itself and takes a decision only after a moment", () => {
  const person = new Person([...START, APPROVAL]);
  expect(person.view.selection).toMatchObject({ status: "on", id: "item:apr_91" });
  person.press("a");
  expect(person.effects).toEqual([]);
  person.see([...START, APPROVAL], 5000);
  person.press("a");
  expect(person.effects).toEqual([expect.objectContaining({ kind: "decide", verdict: "yes" })]);
});

test("a row that a person selects takes a decision at once", () => {
  const person = new Person().press(DOWN, DOWN, "a");
  expect(person.effects).toEqual([
    {
      kind: "decide",
      verdict: "yes",
      comment: "",
      item: expect.objectContaining({ id: "apr_91" }),
    },
  ]);
});

const PERMISSION: EventData = {
  type: "permission-requested",
  id: "prm_1",
  agent: "coder",
  turn: 1,
  tool: "Bash",
  input: { command: "git push" },
};

test("a permission is given for the rest of the run, an approval is not [USE-8.run]", () => {
  const person = new Person();
  person.see([...START, PERMISSION, APPROVAL]);
  person.press({ key: "home" }, "w");
  expect(person.effects).toEqual([
    expect.objectContaining({
      kind: "decide",
      verdict: "always",
      item: expect.objectContaining({ id: "prm_1" }),
    }),
  ]);
  person.press(DOWN, "w");
  expect(person.effects).toHaveLength(1);
  expect(person.view.notice?.text).toBe("only a permission is given for the run");
});

test("a rejection takes its reason in place, and escape takes it back", () => {
  const person = new Person().press(DOWN, DOWN, "r", "too", ESCAPE);
  expect(person.view.editor).toBe(undefined);
  person.press("r", "too soon", ENTER);
  expect(person.effects).toEqual([
    expect.objectContaining({ kind: "decide", verdict: "no", comment: "too soon" }),
  ]);
});

test("an approval may have a comment, which is written in place [STP-8, CLI-1]", () => {
  const person = new Person().press(DOWN, DOWN, "c", "mind the tests", ENTER);
  expect(person.effects).toEqual([
    expect.objectContaining({ kind: "decide", verdict: "yes", comment: "mind the tests" }),
  ]);
});

test("neither a rejection nor an answer goes out empty", () => {
  const person = new Person().press(DOWN, DOWN, "r", ENTER);
  expect(person.effects).toEqual([]);
  expect(person.view.notice?.text).toBe("a rejection needs a text");
  expect(person.draft).toBe("");
});

test("an answer may have several lines and goes to the question for which it was begun", () => {
  const person = new Person().press(DOWN, ENTER, "80", { key: "new-line" }, "81", ENTER);
  expect(person.effects).toEqual([
    { kind: "answer", text: "80\n81", item: expect.objectContaining({ id: "qst_2" }) },
  ]);
});

test("while a text is written no letter is a command and nothing else gets selected", () => {
  const person = new Person().press(DOWN, ENTER, "a", "r", "p", "?", "j", DOWN);
  expect(person.draft).toBe("arp?j");
  expect(person.effects).toEqual([]);
  expect(person.view.selection).toMatchObject({ id: "item:qst_2" });
});

test("rows may come and go: the text stays with its question", () => {
  const person = new Person().press(DOWN, ENTER, "80");
  person.see([...ASKED, ANSWERED]);
  expect(person.draft).toBe("80");
  expect(person.press(ENTER).effects).toEqual([
    { kind: "answer", text: "80", item: expect.objectContaining({ id: "qst_2" }) },
  ]);
});

test("a question that somebody else answers takes its text with it; no other gets it", () => {
  const person = new Person().press(DOWN, { key: "up" }, ENTER, "SQLite");
  person.see([...ASKED, ANSWERED]);
  expect(person.view.editor).toBe(undefined);
  expect(person.view.notice?.text).toBe("qst_1 was answered by anna; your text was not sent");
  person.press(ENTER);
  expect(person.effects).toEqual([]);
});

test("after what was selected was decided elsewhere, a key that was meant for it decides nothing", () => {
  const person = new Person().press(DOWN, DOWN);
  person.see([...ASKED, APPROVED]);
  expect(person.view.selection).toEqual({ status: "lost" });
  expect(person.view.notice?.text).toBe("apr_91 was approved by anna");
  expect(person.press("a", "a", "r").effects).toEqual([]);
  expect(person.view.editor).toBe(undefined);
});

test("after an own decision the next thing is selected, and a doubled key does not decide it", () => {
  const person = new Person([...START, APPROVAL, asked("qst_1", "Which DB?")]).press(
    DOWN,
    { key: "up" },
    "a",
  );
  person.see([...START, APPROVAL, asked("qst_1", "Which DB?"), APPROVED], 4000, ["apr_91"]);
  expect(person.view.selection).toMatchObject({ status: "on", id: "item:qst_1" });
  expect(person.press("a").view.editor).toBe(undefined);
  expect(person.effects).toHaveLength(1);
});

test("what was decided and is on its way takes no second decision", () => {
  const person = new Person().press(DOWN, DOWN, "a");
  person.see(ASKED, 9000, ["apr_91"]);
  expect(person.press("a", "r").effects).toHaveLength(1);
  expect(person.view.editor).toBe(undefined);
});

test("neither a paste nor a burst of characters is a command", () => {
  const person = new Person().press(DOWN, DOWN, { kind: "paste", text: "a" }, "approve", "rap", {
    kind: "paste",
    text: "p",
  });
  expect(person.effects).toEqual([]);
  expect(person.view.editor).toBe(undefined);
});

test("a message goes to the agent of the selected row", () => {
  const nobody = new Person(BEGINNING).press("m");
  expect(nobody.view.notice?.text).toContain("select a row");
  const person = new Person(START).press(DOWN, "m", "stop it", ENTER);
  expect(person.effects).toEqual([{ kind: "send", agent: "coder", text: "stop it" }]);
});

test("pause, interrupt and suspend are asked for, also while a text is written", () => {
  const person = new Person().press(DOWN, ENTER, "80", { key: "interrupt" });
  expect(person.view.isStopping).toBe(true);
  expect(person.draft).toBe("80");
  person.press({ key: "suspend" }, ESCAPE, "p");
  expect(person.effects.map(({ kind }) => kind)).toEqual(["interrupt", "suspend", "pause"]);
});

test("the order, the help and the pane are switched and switched back", () => {
  const person = new Person().press("g");
  expect(person.view.layout).toBe("tree");
  expect(person.press("g").view.layout).toBe("list");
  expect(person.press("?").view.isHelpShown).toBe(true);
  expect(person.press("a").view.isHelpShown).toBe(false);
  expect(person.press(DOWN, DOWN, ENTER).view.isPeeking).toBe(true);
  expect(person.press(ESCAPE).view.isPeeking).toBe(false);
  expect(person.effects).toEqual([]);
});

test("whoever watches a run of another process leaves it with d or ctrl-c, and stops nothing", () => {
  const guest = new Person();
  guest.view = { ...guest.view, isGuest: true };
  guest.press("d", { key: "interrupt" }, "p");
  expect(guest.effects).toEqual([{ kind: "leave" }, { kind: "leave" }, { kind: "pause" }]);
  expect(guest.view.isStopping).toBe(false);
  const owner = new Person().press({ key: "interrupt" });
  expect(owner.effects).toEqual([{ kind: "interrupt" }]);
});

test("d lets go of a run for the background, or says why it stays [USE-10.detach]", () => {
  const person = new Person().press("d");
  expect(person.effects).toEqual([{ kind: "detach" }]);
  expect(person.view.isStopping).toBe(true);
  const kept = new Person();
  kept.view = { ...kept.view, staysBecause: "--record needs this terminal" };
  kept.press("d");
  expect(kept.effects).toEqual([]);
  expect(kept.view).toMatchObject({
    isStopping: false,
    notice: { text: "--record needs this terminal" },
  });
});

const MANY = Array.from({ length: 30 }, (_, index) => ({
  id: `step-${index}`,
  agent: index === 17 ? "reviewer" : "coder",
  dependsOn: [],
}));

/** The view after these keys in front of 30 steps, and where it is then. */
function inLongList(...keys: readonly Key[]): { readonly at: string; readonly notice: string } {
  const model = modelOf(BEGINNING, { plan: MANY });
  const { rows } = pictureOf(model);
  const view = keys.reduce<ViewState>(
    (before, key) => pressKey(before, key, { rows, nowMs: model.nowMs }).view,
    INITIAL_VIEW,
  );
  const { selection, notice } = view;
  return { at: selection.status === "on" ? selection.id : "", notice: notice?.text ?? "" };
}

const press = (name: KeyName): Key => ({ kind: "named", name });
const typed = (text: string): Key => ({ kind: "text", text });

test("page up, page down, home and end go far in a long list [USE-6.keys]", () => {
  expect(inLongList(press("end")).at).toBe("step:step-29");
  expect(inLongList(press("home")).at).toBe("step:step-0");
  expect(inLongList(press("home"), press("page-down")).at).toBe("step:step-10");
  expect(inLongList(press("end"), press("page-up")).at).toBe("step:step-19");
  expect(inLongList(press("end"), press("page-down")).at).toBe("step:step-29");
});

test("a slash seeks a row by its text, and n the next one [USE-6.keys]", () => {
  expect(inLongList(typed("/"), typed("review")).at).toBe("step:step-17");
  const eight = [typed("/"), typed("p"), typed("-8"), press("enter")];
  expect(inLongList(...eight).at).toBe("step:step-8");
  const two = [typed("/"), typed("step-2"), press("enter")];
  expect(inLongList(...two, typed("n")).at).toBe("step:step-20");
  expect(inLongList(...two, typed("n"), press("home"), typed("n")).at).toBe("step:step-2");
  expect(inLongList(typed("/"), typed("nothing")).notice).toBe('no row has "nothing"');
  // What is typed while a text is sought decides nothing.
  expect(inLongList(typed("/"), typed("a"), press("escape")).notice).toBe("");
});
