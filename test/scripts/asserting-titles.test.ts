import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { assertingTitles } from "../../scripts/asserting-titles.ts";

function titlesOf(files: { readonly [name: string]: string }): readonly string[] {
  const directory = mkdtempSync(join(tmpdir(), "troupe-titles-"));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  mkdirSync(join(directory, "test"));
  for (const [name, text] of Object.entries(files))
    writeFileSync(join(directory, "test", name), text);
  return [...assertingTitles(join(directory, "test/it.test.ts"))];
}

test("a test asserts by itself, by a helper of its file or by one of another file", () => {
  const text = `
    import { judge as look } from "./judge.ts";
    const again = (value: number) => (value > 3 ? again(value - 1) : expect(value).toBe(3));
    test("itself", () => { expect(1).toBe(1); });
    test.each([1, 2])("each %i", (n) => assert.equal(n, n));
    test(\`a helper \${kind}\`, async () => { await again(9); });
    test("elsewhere", () => look(1));
    export const cases = [{ name: "a case", run: () => look(1) }];
  `;
  const judge = "export function judge(n: number) { return expect(n).toBe(1); }";
  const titles = ["itself", "each %i", `a helper \${kind}`, "elsewhere", "a case"];
  expect(titlesOf({ "it.test.ts": text, "judge.ts": judge })).toEqual(titles);
});

test("a test that only runs something asserts nothing", () => {
  const text = `
    import { run } from "./run.ts";
    const round = (): unknown => round();
    test("silent", async () => { await run(); });
    test("in circles", () => round());
    test("unrelated", () => { expected = 1; });
  `;
  expect(titlesOf({ "it.test.ts": text, "run.ts": "export const run = () => 1;" })).toEqual([]);
});
