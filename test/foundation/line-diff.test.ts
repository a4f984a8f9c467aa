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
  const text = fc.array(fc.constantFrom("a", "b", "c"), { maxLength: 7 });
  fc.assert(
    fc.property(text, text, (old, fresh) => {
      const lines = diffLines(old.join("\n"), fresh.join("\n"));
      const without = (kind: string) =>
        lines.flatMap((line) => (line.kind === kind ? [] : [line.text])).join("\n");
      expect(without("added")).toBe(old.join("\n"));
      expect(without("removed")).toBe(fresh.join("\n"));
      const same = lines.filter(({ kind }) => kind === "same");
      expect(same).toHaveLength(longestCommon(old, fresh));
    }),
  );
});

test("two long texts without a common line are not compared pair by pair", () => {
  const lines = (name: string) => Array.from({ length: 20_000 }, (_, line) => `${name} ${line}`);
  const changed = diffLines(lines("old").join("\n"), lines("new").join("\n"));
  expect(changed).toHaveLength(40_000);
});

test("what was removed stands before what came in its place", () => {
  expect(show("a\nb", "c\nd")).toEqual(["-a", "-b", "+c", "+d"]);
  expect(show("a\nx\nb", "c\nx\nd")).toEqual(["-a", "+c", " x", "-b", "+d"]);
  expect(show("", "")).toEqual([]);
  expect(show("a\n\n", "a\n")).toEqual([" a", "-"]);
});

test("a thousand lines against a thousand are compared, more are replaced as a whole", () => {
  const lines = (count: number, name: string) =>
    Array.from({ length: count }, (_, line) => (line === 500 ? "same" : `${name} ${line}`)).join(
      "\n",
    );
  const kept = (count: number) =>
    diffLines(lines(count, "old"), lines(1000, "new")).filter(({ kind }) => kind === "same").length;
  expect([kept(1000), kept(1001)]).toEqual([1, 0]);
});

/** Lines that both have in the same order, at most. */
function longestCommon(left: readonly string[], right: readonly string[]): number {
  const [first, second] = [left[0], right[0]];
  if (first === undefined || second === undefined) return 0;
  if (first === second) return 1 + longestCommon(left.slice(1), right.slice(1));
  return Math.max(longestCommon(left.slice(1), right), longestCommon(left, right.slice(1)));
}
