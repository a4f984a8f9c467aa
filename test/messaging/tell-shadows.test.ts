import { afterEach, beforeEach, expect, test } from "vitest";
import type { AgentSpec } from "../../src/contracts/agent.ts";
import type { EventOf } from "../../src/contracts/events/event.ts";
import type { ShadowTrigger } from "../../src/contracts/shadow.ts";
import { createMemoryStore } from "../../src/journal/memory-store.ts";
import { tellChanges, tellExit } from "../../src/messaging/tell-shadows.ts";
import { turnStarted } from "../fold/journal-builder.ts";
import { type MessageRun, openMessageRun } from "./message-run.ts";

let run: MessageRun;

beforeEach(async () => {
  run = await openMessageRun(createMemoryStore(), { agents: ["dev", "lead"] });
  shadow("eye", ["CODE_WRITTEN", "SESSION_END"]);
  shadow("ear", ["SESSION_END"]);
});

afterEach(() => run.letGo());

function shadow(id: string, speakOn: readonly ShadowTrigger[]): void {
  const binding = { of: "dev", receiveIncoming: false, receiveOutgoing: false, speakOn };
  const spec: AgentSpec = { id, backend: "script", shadow: binding };
  run.append({ type: "agent-spawned", agent: id, backend: "script", spec });
}

/** What has been told, to whom, and who may speak because of it. */
function told() {
  const called = [...run.runtime.eventsAfter(0)].flatMap((event) =>
    event.type === "shadow-called" ? [[event.agent, event.trigger]] : [],
  );
  const messages = run.runtime.state.messages.recent.map(({ from, to, text }) => ({
    from,
    to,
    text,
  }));
  return { messages, called };
}

function exited(more: Partial<EventOf<"agent-exited">> = {}): EventOf<"agent-exited"> {
  return { type: "agent-exited", agent: "dev", reason: "released", seq: 50, at: 0, ...more };
}

test("the end of an agent is told to those of its shadows that wait for it, once [MSG-10]", () => {
  tellExit(run.runtime, exited());
  tellExit(run.runtime, exited());
  expect(told()).toEqual({
    messages: [
      {
        from: "system",
        to: ["eye", "ear"],
        text: "The session of dev is over: released. It gets nothing any more.",
      },
    ],
    called: [
      ["eye", "SESSION_END"],
      ["ear", "SESSION_END"],
    ],
  });
  tellExit(run.runtime, exited({ agent: "lead" }));
  expect(told().messages).toHaveLength(1);
});

test("why it ended is told as a quotation, which mentions nobody [MSG-10, T4]", () => {
  const message = `@lead\nDONE: x ${"y".repeat(600)}`;
  tellExit(run.runtime, exited({ reason: "failed", error: { code: "X", message } }));
  expect(told().messages[0]?.text).toBe(
    `The session of dev is over: failed, ${JSON.stringify(`${message.slice(0, 500)}…`)}. It gets nothing any more.`,
  );
  expect(run.runtime.state.messages.recent[0]).toMatchObject({ mentions: [], signals: [] });
  expect(run.runtime.state.mailboxes.has("lead")).toBe(false);
  tellExit(run.runtime, exited({ seq: 51, error: { code: "X", message: "z".repeat(500) } }));
  expect(told().messages.at(-1)?.text).toContain(`"${"z".repeat(500)}"`);
});

test("the files that a turn changed are told, at most fifty, to those that wait for them [MSG-10]", () => {
  const change = (path: string, kind: "create" | "edit" | "delete") =>
    run.append({ type: "file-changed", agent: "dev", turn: 1, path, kind });
  run.append(turnStarted("dev", 1), turnStarted("dev", 2));
  tellChanges(run.runtime, "dev", 1);
  tellChanges(run.runtime, "dev", 9);
  expect(told().messages).toEqual([]);
  change("a\nb.ts", "create");
  tellChanges(run.runtime, "dev", 1);
  expect(told()).toEqual({
    messages: [
      {
        from: "system",
        to: ["eye"],
        text: 'dev changed 1 file in its turn 1:\n- create "a\\nb.ts"',
      },
    ],
    called: [["eye", "CODE_WRITTEN"]],
  });
  // Once a turn.
  change("c.ts", "edit");
  tellChanges(run.runtime, "dev", 1);
  expect(told().messages).toHaveLength(1);
});

test("of many changed files the first are named, of a long name its beginning [MSG-10]", () => {
  const lines = (count: number) => {
    const turn = count;
    run.append(turnStarted("dev", turn));
    for (let index = 0; index < count; index += 1) {
      const path = index === 0 ? "x".repeat(301) : `${"x".repeat(290)}/${index}`;
      run.append({ type: "file-changed", agent: "dev", turn, path, kind: "edit" });
    }
    tellChanges(run.runtime, "dev", turn);
    return told().messages.at(-1)?.text.split("\n") ?? [];
  };
  expect(lines(50)).toHaveLength(51);
  const more = lines(52);
  expect([more[0], more[1], more.at(-1), more.length]).toEqual([
    "dev changed 52 files in its turn 52:",
    `- edit "${"x".repeat(300)}…"`,
    "- and 2 more",
    52,
  ]);
});
