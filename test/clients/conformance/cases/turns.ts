import { expect } from "vitest";
import { scriptText } from "../../model-server/script.ts";
import type { ConformanceCase } from "../conformance-case.ts";
import { beginTurn, takeTurn } from "../played-turn.ts";

const SPEECH =
  "The parser reads one character at a time, and never looks back further than one line.";
const HUGE_CHARS = 1024 * 1024;
const OUTPUT_TOKENS_PER_ANSWER = 50;

/** What a turn says. */
export const turnCases: readonly ConformanceCase[] = [
  {
    key: "turn",
    name: "a turn ends with one stop that has the words of the model [AGT-1, AGT-2]",
    run: async (bench) => {
      const { end } = await takeTurn(await bench.open(), scriptText({ text: "all done" }));
      expect(end).toEqual({ type: "stop", reason: "end_turn", text: "all done" });
      const { spec, env } = bench.request();
      expect(await bench.createBackend().check({ ...spec, env })).toEqual([]);
    },
  },
  {
    key: "stream",
    name: "words arrive while the model still speaks, and together are its text [AGT-2]",
    run: async (bench) => {
      const session = await bench.open();
      const { streamed, end } = await takeTurn(session, scriptText({ text: SPEECH }));
      expect({ streamed, end }).toMatchObject({ streamed: SPEECH, end: { text: SPEECH } });
      // It never gets to the end of this one.
      const turn = beginTurn(session, scriptText({ text: SPEECH, ending: "stall" }));
      const { text } = await turn.seen("text-delta");
      expect(SPEECH.startsWith(text)).toBe(true);
      turn.abort();
      expect((await turn.over).end).toMatchObject({ type: "stop", reason: "cancelled" });
    },
  },
  {
    key: "system-prompt",
    name: "what the role of an agent says reaches the model beside the prompt [AGT-1]",
    run: async (bench) => {
      const systemPrompt = 'You are the "reviewer". $HOME `id` \\n\nNever merge.';
      const settings = { ...bench.fixture.spec?.settings, systemPrompt };
      const session = await bench.open({ spec: { settings } });
      const { end } = await takeTurn(session, scriptText({ text: "understood" }));
      expect(end).toMatchObject({ type: "stop", text: "understood" });
      const told = bench.asked().flatMap(({ entries }) => entries.map(({ text }) => text));
      expect(told.join("\n")).toContain(systemPrompt);
    },
  },
  {
    key: "huge",
    name: "a prompt of 1 MiB reaches the model whole [AGT-5]",
    run: async (bench) => {
      const head = `first $& \`"'\\ ü ${scriptText({ text: "read" })}`;
      const tail = " last";
      const filler = "lorem ipsum ".repeat(HUGE_CHARS / 12);
      const prompt = head + filler.slice(0, HUGE_CHARS - head.length - tail.length) + tail;
      const { end } = await takeTurn(await bench.open(), prompt);
      expect(end).toMatchObject({ type: "stop", text: "read" });
      const entries = bench.asked().flatMap((asked) => asked.entries);
      expect(entries.some(({ kind, text }) => kind === "prompt" && text.includes(prompt))).toBe(
        true,
      );
    },
  },
  {
    key: "usage",
    name: "each turn tells what it used itself, not what the session used so far [AGT-15]",
    run: async (bench) => {
      const session = await bench.open();
      const usages = [];
      for (const turn of [1, 2, 3]) {
        const askedBefore = bench.model.calls().length;
        const { usage } = await takeTurn(session, scriptText({ text: `turn ${turn}` }), { turn });
        const answers = bench.model.calls().length - askedBefore;
        expect(usage.inputTokens).toBeGreaterThan(0);
        expect(usage.outputTokens).toBeGreaterThan(0);
        expect(usage.outputTokens).toBeLessThanOrEqual(OUTPUT_TOKENS_PER_ANSWER * answers);
        usages.push(usage);
      }
      const twoAnswers = scriptText({ calls: [{ shell: "echo seen" }] }, { text: "done" });
      const { usage: ofTwo } = await takeTurn(session, twoAnswers, { turn: 4 });
      expect(ofTwo.outputTokens).toBeGreaterThan(OUTPUT_TOKENS_PER_ANSWER);
      const [, second = {}, third = {}] = usages;
      if (bench.createBackend().metering !== "exact" && second.costUsd === undefined) return;
      expect(second.costUsd).toBeGreaterThan(0);
      expect(third.costUsd).toBeCloseTo(second.costUsd ?? 0, 6);
    },
  },
];
