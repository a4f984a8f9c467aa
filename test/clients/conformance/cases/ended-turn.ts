import { expect } from "vitest";
import { scriptText } from "../../model-server/script.ts";
import type { Bench } from "../bench.ts";
import type { ConformanceCase } from "../conformance-case.ts";
import { beginTurn, takeTurn } from "../played-turn.ts";
import { commandThat, fileAppears, isToolOf, modelIsAsked } from "../tool-script.ts";

/** Turns that Troupe ends. */
export const endedTurnCases: readonly ConformanceCase[] = [
  {
    key: "cancel-tool",
    name: "a turn that is cancelled in the middle of a tool stops, and the tool with it [AGT-2, ENG-6, T8]",
    run: async (bench) => {
      const turn = beginTurn(await bench.open(), running(bench));
      await fileAppears(bench, "started");
      expect((await bench.living()).some((entry) => isToolOf(bench, entry))).toBe(true);
      turn.abort();
      expect((await turn.over).end).toMatchObject({ type: "stop", reason: "cancelled" });
      expect((await bench.living()).filter((entry) => isToolOf(bench, entry))).toEqual([]);
    },
  },
  {
    key: "cancel-next",
    name: "after a cancelled turn the session takes the next one, or goes on in a new process [AGT-2, AGT-7.crash]",
    run: async (bench) => {
      const session = await bench.open();
      await takeTurn(session, scriptText({ text: "the first" }));
      const turn = beginTurn(session, running(bench), { turn: 2 });
      await fileAppears(bench, "started");
      turn.abort();
      await turn.over;
      const next = scriptText({ text: "on we go" });
      let { end } = await takeTurn(session, next, { turn: 3 });
      if (end.type === "error" && end.sessionLost === true && session.resume !== undefined) {
        await session.close();
        const resumed = await bench.open({ resume: session.resume });
        ({ end } = await takeTurn(resumed, next, { turn: 3 }));
      }
      expect(end).toEqual({ type: "stop", reason: "end_turn", text: "on we go" });
      const replies =
        bench
          .asked()
          .at(-1)
          ?.entries.filter(({ kind }) => kind === "reply") ?? [];
      expect(replies.map(({ text }) => text).join("\n")).toContain("the first");
    },
  },
  {
    key: "silence",
    name: "a turn whose model says nothing can be cancelled [AGT-2, AGT-8.stuck]",
    run: async (bench) => {
      const turn = beginTurn(await bench.open(), scriptText({ text: "never", ending: "hang" }));
      await modelIsAsked(bench);
      turn.abort();
      expect((await turn.over).end).toMatchObject({ type: "stop", reason: "cancelled" });
    },
  },
  {
    key: "close",
    name: "closing a session in the middle of a tool ends its turn and every process [AGT-2, ENG-6]",
    run: async (bench) => {
      const session = await bench.open();
      const turn = beginTurn(session, running(bench));
      await fileAppears(bench, "started");
      await session.close();
      expect(await bench.living()).toEqual([]);
      expect((await turn.over).end).toMatchObject({ type: "stop", reason: "cancelled" });
    },
  },
  {
    key: "refusal",
    name: "a model that declines ends the turn as a refusal [AGT-2]",
    run: async (bench) => {
      const declines = scriptText({ text: "I will not help with this.", declines: true });
      const { end } = await takeTurn(await bench.open(), declines);
      expect(end).toMatchObject({ type: "stop", reason: "refusal" });
    },
  },
];

function running(bench: Bench): string {
  return scriptText({ calls: [{ shell: commandThat(bench) }] }, { text: "too late" });
}
