import fc from "fast-check";
import { expect, test } from "vitest";
import { fitLine } from "../../../src/cli/terminal/fit-line.ts";
import { fitTable } from "../../../src/cli/terminal/fit-table.ts";
import { UNICODE_GLYPHS } from "../../../src/cli/terminal/glyphs.ts";
import { widthOf } from "../../../src/cli/terminal/measure.ts";
import { createPaint } from "../../../src/cli/terminal/paint.ts";
import { toPrintable } from "../../../src/foundation/printable.ts";

const COLUMNS = [60, 80, 120, 200];

const word = fc.oneof(
  fc.string({ unit: "grapheme", minLength: 1, maxLength: 90 }),
  fc.string({ minLength: 1, maxLength: 30 }),
  fc.constantFrom("数据库", "a-long-name-".repeat(8), "✔ completed", "▲ waiting, needs you"),
);

function settingsFor(maxColumns: number, isColored: boolean) {
  return { glyphs: UNICODE_GLYPHS, paint: createPaint(isColored), maxColumns };
}

test.each(COLUMNS)(
  "no row of a table is wider than %i columns, whatever the names are [USE-6.fit]",
  (columns) => {
    const rows = fc.array(fc.array(word, { minLength: 6, maxLength: 6 }), { maxLength: 8 });
    fc.assert(
      fc.property(rows, fc.boolean(), (cells, isColored) => {
        const settings = settingsFor(columns, isColored);
        const options = { settings, hasHeader: true, cuts: [1, 4], drops: [3, 2], below: 5 };
        for (const line of fitTable(cells, options))
          expect(widthOf(line)).toBeLessThanOrEqual(columns);
      }),
    );
  },
);

test.each(COLUMNS)(
  "no line is wider than %i columns, and none of its words is lost [USE-6.fit]",
  (columns) => {
    const lines = fc.array(word, { minLength: 1, maxLength: 40 });
    fc.assert(
      fc.property(lines, fc.constantFrom(" ", " · "), (words, between) => {
        const line = toPrintable(words.join(between));
        const fitted = fitLine(line, columns);
        for (const each of fitted) expect(widthOf(each)).toBeLessThanOrEqual(columns);
        const bare = (text: string) => text.normalize().replace(/\s/gu, "");
        expect(bare(fitted.join(""))).toBe(bare(line));
      }),
    );
  },
);

test("ids and commands are whole where a name has to give way, and colours are there only if wanted [USE-6.fit]", () => {
  const row = [
    "run_7k2fq3",
    "a-very-long-workflow-name@default",
    "✔ completed",
    "troupe show run_7k2fq3 --step test",
  ];
  const table = (columns: number, isColored = false) =>
    fitTable([row], { settings: settingsFor(columns, isColored), cuts: [1], below: 3 });
  expect(table(200)).toEqual([row.join("  ")]);
  expect(table(40)).toEqual([
    "run_7k2fq3  a-very-long-wo…  ✔ completed",
    "    troupe show run_7k2fq3 --step test",
  ]);
  expect(table(200, true)[0]).toContain("\u001b[32m✔ completed\u001b[39m");
});

test("a line is broken behind its dots, so that no command of it is in two [USE-6.fit]", () => {
  const line = '    troupe approve prm_1 · troupe reject prm_1 -m "why"';
  expect(fitLine(line, 40)).toEqual([
    "    troupe approve prm_1 ·",
    '      troupe reject prm_1 -m "why"',
  ]);
});

test("what is broken over several lines has no more spaces than before, within a word none [USE-6.fit]", () => {
  const path = `/home/ada/${"projects/".repeat(20)}end`;
  const fitted = fitLine(`  see ${path}`, 60);
  expect(fitted.length).toBeGreaterThan(3);
  expect(fitted.slice(1).every((line) => !line.trim().includes(" "))).toBe(true);
  const sentence = `  ${"what was done, ".repeat(20)}end`;
  expect(
    fitLine(sentence, 60)
      .map((line) => line.trim())
      .join(" "),
  ).toBe(sentence.trim());
});
