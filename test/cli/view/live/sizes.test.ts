import { stripVTControlCharacters } from "node:util";
import fc from "fast-check";
import { expect, test } from "vitest";
import { ASCII_GLYPHS, UNICODE_GLYPHS } from "../../../../src/cli/terminal/glyphs.ts";
import { widthOf } from "../../../../src/cli/terminal/measure.ts";
import { INITIAL_VIEW } from "../../../../src/cli/view/live/view-state.ts";
import type { EventData } from "../../../../src/contracts/events/event.ts";
import { BEGINNING } from "../sample-journal.ts";
import { linesOf, modelOf, pictureOf, spawned, step, turnStarted } from "./sample-model.ts";

const COLUMNS = [60, 80, 120, 200];
const SIZES = [3, 30, 300];

/** A team of which every third agent is at work, every fifth has failed at its step. */
function team(count: number, nameOf: (index: number) => string, text: string) {
  const agents = Array.from({ length: count }, (_, index) => nameOf(index));
  const events = agents.flatMap((agent, index): readonly EventData[] => [
    spawned(agent, "claude"),
    ...(index % 3 === 0 ? [turnStarted(agent, 1, `step-${index}`)] : []),
    { ...step(`step-${index}`), type: "step-started", attempt: 1, agent },
    ...(index % 5 === 4 ? [failed(index, agent, text)] : []),
  ]);
  const plan = agents.map((agent, index) => ({ id: `step-${index}`, agent, dependsOn: [] }));
  return modelOf([...BEGINNING, ...events], { plan });
}

function failed(index: number, agent: string, message: string): EventData {
  const error = { code: "STEP_SHELL_FAILED", message };
  return { ...step(`step-${index}`), type: "step-failed", attempt: 1, error, durationMs: 9, agent };
}

test.each(SIZES)(
  "a team of %i agents looks as it is kept, at every width, in Unicode and in ASCII [USE-6.live]",
  async (size) => {
    const model = team(size, (index) => `agent-${index + 1}`, "exit 1: two tests failed");
    const screens = COLUMNS.flatMap((columns) =>
      [UNICODE_GLYPHS, ASCII_GLYPHS].map((glyphs) => {
        const picture = pictureOf(model, INITIAL_VIEW, glyphs);
        const lines = linesOf(picture, { columns, rows: 30, glyphs });
        const colored = linesOf(picture, { columns, rows: 30, glyphs, isColored: true });
        expect(colored.map(stripVTControlCharacters)).toEqual(lines);
        for (const line of lines) expect(widthOf(line)).toBeLessThan(columns);
        return [`== ${columns} columns`, ...lines].join("\n");
      }),
    );
    const golden = `golden/team-of-${size}.txt`;
    await expect(`${screens.join("\n\n")}\n`).toMatchFileSnapshot(golden);
  },
);

const word = fc.oneof(
  fc.string({ unit: "grapheme", minLength: 1, maxLength: 90 }),
  fc.constantFrom("数据库", "a-long-name-".repeat(8), "\u001b[31mred", "two\nlines", "👨‍👩‍👧‍👦"),
);

const screen = fc.record({
  name: word,
  text: word,
  size: fc.constantFrom(3, 30),
  isTree: fc.boolean(),
});

test.each(COLUMNS)(
  "no line of the live view is wider than %i columns, whatever names and texts are [USE-6.live]",
  (columns) => {
    fc.assert(
      fc.property(screen, ({ name, text, size, isTree }) => {
        const model = team(size, (index) => `${name}${index}`, text);
        const layout = isTree ? ("tree" as const) : INITIAL_VIEW.layout;
        const picture = pictureOf(model, { ...INITIAL_VIEW, layout });
        for (const line of linesOf(picture, { columns, rows: 30 }))
          expect(widthOf(line)).toBeLessThan(columns);
      }),
      { numRuns: 40 },
    );
  },
);
