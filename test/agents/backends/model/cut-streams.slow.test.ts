import { describe, expect, test } from "vitest";
import { type Clock, systemClock } from "../../../../src/foundation/clock.ts";
import { createMemoryRecord } from "./memory-record.ts";
import { DIALECTS, type Dialect, modelRun } from "./model-run.ts";
import { rawModelServer, streamOf, toPieces, type WholeReply } from "./raw-model-server.ts";

/** A clock whose waits are over at once. */
const hurried: Clock = {
  ...systemClock,
  startTimer: (_delayMs, fire) => systemClock.startTimer(0, fire),
};
const dialects = Object.keys(DIALECTS).filter((name): name is Dialect => name in DIALECTS);

const CALLING = {
  text: "I shall look here.",
  calls: [
    { tool: { name: "Read" }, args: { file_path: "nothing.txt" } },
    { tool: { name: "LS" }, args: { path: "." } },
  ],
};
const DONE = { text: "done", calls: [] };

/** The stream cut after each of its events, and in the middle of each. */
function everyCut(pieces: readonly string[], ending: WholeReply["ending"]): readonly WholeReply[] {
  return pieces.flatMap((piece, index) => {
    const before = pieces.slice(0, index);
    const half = piece.slice(0, Math.floor(piece.length / 2));
    return [
      { pieces: before, ending },
      { pieces: [...before, half], ending },
    ];
  });
}

describe.each(dialects)("%s", (dialect) => {
  test.each(["broken", "ended"] as const)(
    "an answer whose stream is %s at any point is never taken for a whole one: it is asked for again, and its tools run once [LOOP-5, LOOP-10]",
    async (ending) => {
      const whole = streamOf(dialect, CALLING);
      const cuts = everyCut(toPieces(dialect, CALLING), ending);
      let record = createMemoryRecord();
      const answersFrom = (from: number) =>
        record.kept.slice(from).filter(({ fact }) => fact.type === "model-called");
      let next: { readonly from: number; cut: WholeReply | undefined } = {
        from: 0,
        cut: undefined,
      };
      const server = await rawModelServer(() => {
        const { from, cut } = next;
        next = { from, cut: undefined };
        return answersFrom(from).length > 0 ? streamOf(dialect, DONE) : (cut ?? whole);
      });
      const { path } = DIALECTS[dialect];
      const settings = { baseUrl: `${server.url}${path}` };
      let run = await modelRun({ dialect, record, settings, clock: hurried });
      for (const [index, cut] of cuts.entries()) {
        // Each request holds all that was said before: a new session now and then keeps them short.
        if (index > 0 && index % 8 === 0) {
          record = createMemoryRecord();
          run = await modelRun({ dialect, record, settings, clock: hurried, like: run });
        }
        const turn = index + 1;
        const from = record.kept.length;
        next = { from, cut };
        const updates = await run.turn([], { prompt: `look ${turn}`, turn });
        const where = `cut ${index} of ${cuts.length}: ${JSON.stringify(cut.pieces.at(-1) ?? "")}`;
        expect(updates.at(-1), where).toEqual({ type: "stop", reason: "end_turn", text: "done" });
        const calls = updates.flatMap((update) =>
          update.type === "tool-call" ? [[update.tool, update.input]] : [],
        );
        expect(calls, where).toEqual(CALLING.calls.map(({ tool, args }) => [tool.name, args]));
        const answers = answersFrom(from);
        expect(answers, where).toHaveLength(2);
        expect(JSON.stringify(answers[0]?.entry), where).toContain(CALLING.text);
      }
    },
  );
});
