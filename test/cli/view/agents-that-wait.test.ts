import { expect, test } from "vitest";
import { createPlainView } from "../../../src/cli/view/plain-view.ts";
import type { EventData } from "../../../src/contracts/events/event.ts";
import { modelOf, pictureOf, spawned, step, turnStarted } from "./live/sample-model.ts";
import { BEGINNING, formatUtcTime, play, toJournal } from "./sample-journal.ts";

const HOSTILE = "lab\u001b[2J\u202e key";
const WAIT = `waits for ${HOSTILE}: rate limit until 2026-11-21T10:05:00.000Z`;

const waiting = (id?: string): readonly EventData[] => [
  spawned("coder", "claude"),
  ...(id === undefined
    ? []
    : [{ ...step(id), type: "step-started", attempt: 1, agent: "coder" } as const]),
  turnStarted("coder", 1, id),
  { type: "turn-interrupted", agent: "coder", turn: 1, reason: "rate-limited" },
  { type: "agent-status", agent: "coder", status: "idle", reason: WAIT },
];

function plainOf(events: readonly EventData[]): readonly string[] {
  const lines: string[] = [];
  const view = createPlainView({ write: (line) => lines.push(line), formatTime: formatUtcTime });
  play(toJournal([...BEGINNING, ...events]), view.show);
  return lines.map((line) => line.slice("10:00:00 ".length));
}

test("whoever waits for a provider is shown with what it waits for, beside its step or alone, until it works again [LOOP-5, CLI-1, T12]", () => {
  const shown = /^waits for lab\P{Cc}* key: rate limit until/u;
  const rowOf = (events: readonly EventData[], id: string) =>
    pictureOf(modelOf([...BEGINNING, ...events])).rows.find((row) => row.id === id);
  const ofStep = rowOf(waiting("code"), "step:code");
  expect(ofStep).toMatchObject({ group: "retrying", text: expect.stringMatching(shown) });
  const alone = rowOf(waiting(), "agent:coder");
  expect(alone).toMatchObject({ group: "retrying", text: expect.stringMatching(shown) });
  const again = rowOf([...waiting("code"), turnStarted("coder", 1, "code")], "step:code");
  expect(again).toMatchObject({ group: "working" });
  expect(rowOf([...waiting(), turnStarted("coder", 1)], "agent:coder")).toMatchObject({
    group: "working",
  });
  expect(plainOf(waiting()).filter((line) => line.startsWith("coder"))).toEqual([
    expect.stringContaining("joined (claude)"),
    expect.stringMatching(/waits for lab\P{Cc}* key: rate limit until 2026-11-21T10:05/u),
  ]);
});

test("each thing that is done about a stuck agent is a line [AGT-8.stuck, CLI-1]", () => {
  const nudged = (rung: "nudge" | "interrupt" | "restart" | "fail"): EventData => ({
    ...{ type: "agent-nudged", agent: "coder", turn: 1, session: "coder/main" },
    rung,
    observation: "no sign of life for 10m00s",
  });
  const lines = plainOf([
    spawned("coder", "claude"),
    turnStarted("coder", 1),
    { type: "agent-status", agent: "coder", status: "stuck", reason: "no sign of life for 10m00s" },
    ...(["nudge", "interrupt", "restart", "fail"] as const).map(nudged),
    { type: "agent-status", agent: "coder", status: "working" },
    { type: "turn-interrupted", agent: "coder", turn: 1, reason: "stuck" },
  ]);
  expect(lines.filter((line) => line.startsWith("coder")).slice(1)).toEqual([
    "coder    ▲ stuck: no sign of life for 10m00s",
    "coder    ▲ asked whether it goes on",
    "coder    ▲ cut off, and told why",
    "coder    ▲ starts anew in a session of its own",
    "coder    ▲ given up",
  ]);
});
