import { expect, test } from "vitest";
import { type ChatInput, EMPTY_INPUT, pressChatKey } from "../../../src/cli/chat/chat-input.ts";
import type { Key, KeyName } from "../../../src/cli/view/live/key.ts";
import { draftText } from "../../../src/cli/view/live/text-draft.ts";
import type { InboxItem } from "../../../src/fold/state/inbox-state.ts";

const text = (value: string): Key => ({ kind: "text", text: value });
const named = (name: KeyName): Key => ({ kind: "named", name });
const permission: InboxItem = {
  ...{
    kind: "permission",
    id: "prm_1",
    agent: "a",
    turn: 1,
    tool: "Bash",
    input: { command: "ls" },
  },
  ...{ text: "Bash: ls", createdAt: 0, seq: 1, step: undefined, expiresAt: undefined },
  known: undefined,
};

/** Presses keys one after the other; what they asked for, and what is written in the end. */
function press(
  keys: readonly Key[],
  scene: Parameters<typeof pressChatKey>[2],
  from: ChatInput = EMPTY_INPUT,
) {
  let input = from;
  const effects = keys.flatMap((key) => {
    const pressed = pressChatKey(input, key, scene);
    input = pressed.input;
    return pressed.effect === undefined ? [] : [pressed.effect];
  });
  return { input, effects, written: draftText(input.draft) };
}

const IDLE = { item: undefined, isWorking: false };
const BUSY = { item: undefined, isWorking: true };

test("enter says what is written, with its lines; what is empty says nothing [CHAT-2]", () => {
  const said = press(
    [text("one"), named("new-line"), text("two"), named("enter"), named("enter")],
    IDLE,
  );
  expect([said.effects, said.written]).toEqual([[{ kind: "submit", text: "one\ntwo" }], ""]);
});

test("up and down bring back what was said before, and the way down ends at an empty text [CHAT-1]", () => {
  const said = press(
    [text("a"), named("enter"), text("b"), named("enter"), named("up"), named("up")],
    IDLE,
  );
  expect(said.written).toBe("a");
  expect(press([named("down")], IDLE, said.input).written).toBe("b");
  expect(press([named("down"), named("down")], IDLE, said.input).written).toBe("");
});

test("one key decides what is asked where nothing is written, and is a letter where something is [CHAT-1]", () => {
  const asked = { item: permission, isWorking: true };
  expect(press([text("w")], asked).effects).toEqual([
    { kind: "decide", item: permission, verdict: "always" },
  ]);
  expect(press([text("x"), text("y")], asked)).toMatchObject({ effects: [], written: "xy" });
  expect(press([text("y")], IDLE).written).toBe("y");
});

test("esc cuts off what goes on, and at once again forgets what waits; another key between makes it the first [CHAT-2]", () => {
  const waiting = { ...EMPTY_INPUT, queue: ["later"] };
  const once = press([named("escape")], BUSY, waiting);
  expect([once.effects, once.input.queue]).toEqual([[{ kind: "interrupt" }], ["later"]]);
  expect(press([named("escape")], BUSY, once.input).input.queue).toEqual([]);
  const apart = press([text("x"), named("escape")], BUSY, once.input);
  expect(apart.input.queue).toEqual(["later"]);
  expect(press([named("escape")], IDLE, waiting).effects).toEqual([]);
});

test("ctrl-d leaves where nothing is written; ctrl-c forgets what is written, and twice leaves [CHAT-2]", () => {
  expect(press([named("end-of-input")], IDLE).effects).toEqual([{ kind: "leave" }]);
  expect(press([text("x"), named("end-of-input")], IDLE)).toMatchObject({
    effects: [],
    written: "x",
  });
  const once = press([text("x"), named("interrupt")], IDLE);
  expect(once).toMatchObject({ effects: [], written: "" });
  expect(press([named("interrupt")], IDLE, once.input).effects).toEqual([{ kind: "leave" }]);
});
