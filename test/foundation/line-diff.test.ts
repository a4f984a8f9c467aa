import fc from "fast-check";
import { expect, test } from "vitest";
import { diffLines } from "../../src/foundation/line-diff.ts";

function show(before: string, after: string): readonly string[] {
  const signs = { same: " ", added: "+", removed: "-" };
  return diffLines(before, after).map(({ kind, text }) => `${signs[kind]}${text}`);
}

test("only what changed is marked", () => {
  expect(show("a\nb\nc\nd\n", "a\nx\nc\nd\ne\n")).toEqual([" a", "-b", "+x", " c", " d", "+e"]);
  expect(show("", "a\n")).toEqual(["+a"]);
  expect(show("a\n", "")).toEqual(["-a"]);
  expect(show("a", "a")).toEqual([" a"]);
});

test("a diff holds both texts whole and in order, with no more changes than needed", () => {
  const text = fc.array(fc.constantFrom("a", "b", "c"), { maxLength: 12 });
  fc.assert(
    fc.property(text, text, (old, fresh) => {
      const lines = diffLines(old.join("\n"), fresh.join("\n"));
      const without = (kind: string) =>
        lines.flatMap((line) => (line.kind === kind ? [] : [line.text])).join("\n");
      expect(without("added")).toBe(old.join("\n"));
      expect(without("removed")).toBe(fresh.join("\n"));
    }),
  );
});

test("two long texts without a common line are not compared pair by pair", () => {
  const lines = (name: string) => Array.from({ length: 20_000 }, (_, line) => `${name} ${line}`);
  const changed = diffLines(lines("old").join("\n"), lines("new").join("\n"));
  expect(changed).toHaveLength(40_000);
});
