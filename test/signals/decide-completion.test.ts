import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Signal } from "../../src/contracts/signal.ts";
import {
  completionOf,
  demandedMarker,
  effectiveSignals,
  outputOf,
  type SignalDemand,
} from "../../src/signals/decide-completion.ts";
import { readSignals } from "../../src/signals/read-signals.ts";

const agent: SignalDemand = { expects: undefined, demandsSignal: true };
const program: SignalDemand = { expects: undefined, demandsSignal: false };
const none: SignalDemand = { expects: "none", demandsSignal: true };

function text(kind: string, value = ""): Signal {
  return { kind, value, by: "text" };
}

function tool(kind: string, value = ""): Signal {
  return { kind, value, by: "tool" };
}

describe("signals that count", () => {
  test("the last of a kind wins [SIG-4]", () => {
    expect(effectiveSignals([text("done", "a"), text("ack"), text("done", "b")])).toEqual([
      text("done", "b"),
      text("ack"),
    ]);
  });

  test("an explicit negative beats a positive of the same turn, in either order [SIG-4]", () => {
    for (const negative of [text("blocked", "x"), text("failed", "x")]) {
      const others = [text("done"), text("team_done"), text("PLAN_COMPLETE"), text("ack")];
      expect(effectiveSignals([...others, negative])).toEqual([negative, text("ack")]);
      expect(effectiveSignals([negative, ...others])).toEqual([negative, text("ack")]);
    }
    const reject = text("vote", "reject");
    expect(effectiveSignals([reject, text("vote", "approve")])).toEqual([reject]);
    expect(effectiveSignals([text("vote", "approve"), reject])).toEqual([reject]);
  });

  test("a structured signal is preferred to text of the same kind [SIG-2]", () => {
    expect(effectiveSignals([tool("done", "a"), text("done", "b")])).toEqual([tool("done", "a")]);
    expect(effectiveSignals([tool("vote", "approve"), text("vote", "reject")])).toEqual([
      tool("vote", "approve"),
    ]);
  });

  test("marks and progress take nothing back: each of them counts, those by tool before all [SIG-4]", () => {
    const laid = [text("deposit", "a 1"), text("progress", "10%"), text("deposit", "b 2")];
    expect(effectiveSignals([...laid, text("progress", "20%")])).toEqual([
      text("deposit", "a 1"),
      text("deposit", "b 2"),
      text("progress", "10%"),
      text("progress", "20%"),
    ]);
    const byTool = [tool("deposit", "a 1"), tool("deposit", "a 1")];
    expect(effectiveSignals([...byTool, text("deposit", "b 2")])).toEqual(byTool);
  });

  test("only a vote is rejected by its value [SIG-4]", () => {
    expect(effectiveSignals([text("done", "reject"), text("done", "x")])).toEqual([
      text("done", "x"),
    ]);
    expect(effectiveSignals([text("vote", "approve"), text("ack", "reject")])).toEqual([
      text("vote", "approve"),
      text("ack", "reject"),
    ]);
  });

  test("deciding again changes nothing", () => {
    const signal = fc.record({
      kind: fc.constantFrom("done", "vote", "failed", "blocked", "ack", "MARK"),
      value: fc.constantFrom("", "approve", "reject", "x"),
      by: fc.constantFrom("tool" as const, "text" as const),
    });
    fc.assert(
      fc.property(fc.array(signal), (signals) => {
        const once = effectiveSignals(signals);
        expect(effectiveSignals(once)).toEqual(once);
        expect(new Set(once.map(({ kind }) => kind)).size).toBe(once.length);
      }),
    );
  });
});

describe("what a turn means for its step", () => {
  test("an explicit negative comes before DONE, DONE before the mere end [SIG-5.order]", () => {
    const [failed, done] = [text("failed", "no"), text("done", "yes")];
    const stopReason = "end_turn";
    expect(completionOf({ signals: [done, failed], stopReason }, agent)).toEqual({
      status: "negative",
      signal: failed,
    });
    expect(completionOf({ signals: [done], stopReason }, agent)).toEqual({
      status: "done",
      reason: "done-signal",
      signal: done,
    });
    expect(completionOf({ signals: [done], stopReason }, none)).toEqual({
      status: "done",
      reason: "done-signal",
      signal: done,
    });
    expect(completionOf({ signals: [], stopReason }, none)).toEqual({
      status: "done",
      reason: "exit",
    });
  });

  test("a step with checks is left to them, whatever its agent does not say, but for a failure that it reports and a cancelled turn [SIG-5.verified]", () => {
    const verified = { expects: "PLAN", demandsSignal: true, isVerified: true };
    for (const stopReason of ["end_turn", "max_turns", "max_tokens", "refusal"] as const)
      expect(completionOf({ signals: [], stopReason }, verified)).toEqual({
        status: "done",
        reason: "exit",
      });
    const failed = text("failed", "no");
    expect(completionOf({ signals: [failed], stopReason: "end_turn" }, verified)).toEqual({
      status: "negative",
      signal: failed,
    });
    expect(completionOf({ signals: [], stopReason: "cancelled" }, verified)).toEqual({
      status: "stopped",
      stopReason: "cancelled",
    });
  });

  test("a turn without the demanded signal is unsignalled, however it ended [SIG-5.order]", () => {
    for (const stopReason of ["end_turn", "max_turns", "max_tokens"] as const)
      expect(completionOf({ signals: [text("ack")], stopReason }, agent)).toEqual({
        status: "unsignalled",
        marker: "DONE",
      });
  });

  test("where a step names its marker, only that completes it [SIG-8]", () => {
    const demand = { expects: "PLAN_COMPLETE", demandsSignal: true };
    const [done, marker] = [text("done", "x"), text("PLAN_COMPLETE")];
    const stopReason = "end_turn";
    expect(completionOf({ signals: [done], stopReason }, demand)).toEqual({
      status: "unsignalled",
      marker: "PLAN_COMPLETE",
    });
    expect(completionOf({ signals: [marker, done], stopReason }, demand)).toMatchObject({
      status: "done",
      signal: marker,
    });
    expect(completionOf({ signals: [text("blocked"), marker], stopReason }, demand)).toMatchObject({
      status: "negative",
    });
  });

  test("a failure completes a step that asks for it, and stops it where another one is asked for", () => {
    const [failed, blocked] = [text("failed", "as told"), text("blocked", "no key")];
    const demand = { expects: "FAILED", demandsSignal: true };
    const stopReason = "end_turn";
    expect(completionOf({ signals: [failed], stopReason }, demand)).toEqual({
      status: "done",
      reason: "done-signal",
      signal: failed,
    });
    expect(completionOf({ signals: [failed, blocked], stopReason }, demand)).toEqual({
      status: "negative",
      signal: blocked,
    });
  });

  test("what a program says by tool is a statement about its task", () => {
    const failed = tool("failed", "no disk");
    expect(completionOf({ signals: [failed], stopReason: "end_turn" }, program)).toEqual({
      status: "negative",
      signal: failed,
    });
  });

  test("a rejecting vote completes a step that asks for a vote", () => {
    const vote = text("vote", "reject");
    const demand = { expects: "VOTE", demandsSignal: true };
    expect(completionOf({ signals: [vote], stopReason: "end_turn" }, demand)).toEqual({
      status: "done",
      reason: "done-signal",
      signal: vote,
    });
  });

  test("what a program prints decides nothing unless a marker is asked for", () => {
    const signals = [text("failed", "0 tests"), text("done", "x")];
    expect(completionOf({ signals, stopReason: "end_turn" }, program)).toEqual({
      status: "done",
      reason: "exit",
    });
    const demand = { expects: "DONE", demandsSignal: false };
    expect(completionOf({ signals, stopReason: "end_turn" }, demand)).toMatchObject({
      status: "done",
      reason: "done-signal",
    });
  });

  test("a turn that was cut off or refused completes nothing by itself", () => {
    for (const stopReason of ["refusal", "cancelled"] as const)
      for (const demand of [agent, none])
        expect(completionOf({ signals: [], stopReason }, demand)).toEqual({
          status: "stopped",
          stopReason,
        });
    expect(completionOf({ signals: [], stopReason: "max_turns" }, none)).toEqual({
      status: "stopped",
      stopReason: "max_turns",
    });
  });

  test("the demanded marker is DONE by default, the step's own, or none", () => {
    expect([agent, program, none].map(demandedMarker)).toEqual(["DONE", undefined, undefined]);
    expect(demandedMarker({ expects: "X", demandsSignal: false })).toBe("X");
  });
});

describe("output", () => {
  test.each([
    ["notes\nDONE: plan ready", undefined, "plan ready"],
    ["the plan\nPLAN_COMPLETE", "PLAN_COMPLETE", "the plan"],
    ["  the plan\n\nDONE:\n", undefined, "the plan"],
    ["a\r\nACK: b\r\nc\r\nDONE", undefined, "a\r\nc"],
    ["x\nVOTE: approve it is fine", "VOTE", "approve it is fine"],
  ])(
    "of %j is the payload, else the text without signal lines [SIG-8]",
    (given, expects, output) => {
      const demand = { expects, demandsSignal: true };
      const { signals, rest } = readSignals(given, { markers: [demandedMarker(demand) ?? ""] });
      const completion = completionOf({ signals, stopReason: "end_turn" }, demand);
      expect(completion.status === "done" && outputOf(rest, completion)).toBe(output);
    },
  );

  test("of a signal without a payload is the text beside it [SIG-8]", () => {
    const done = (value: string) =>
      ({ status: "done", reason: "done-signal", signal: tool("done", value) }) as const;
    expect([outputOf(" all of it\n", done("")), outputOf("x", done(" yes "))]).toEqual([
      "all of it",
      "yes",
    ]);
  });

  test("of a turn that simply ended is its text [SIG-8]", () => {
    expect(outputOf(" all of it\n", { status: "done", reason: "exit" })).toBe("all of it");
  });
});
