import { expect, test } from "vitest";
import { endedProcessesMs } from "../testing/processor-time.ts";
import { createVictim } from "./victim.ts";

const bomb = ["a: &a [x,x,x,x,x,x,x,x,x]"]
  .concat(
    [..."bcdefghi"].map((name, index) => {
      const before = "abcdefgh"[index];
      return `${name}: &${name} [${Array(9).fill(`*${before}`).join(",")}]`;
    }),
  )
  .join("\n");

/** A step workflow of one condition. */
function condition(text: string): string {
  return `id: slow\nsteps:\n  - { id: c, type: condition, condition: ${JSON.stringify(text)}, then: e }\n  - { id: e, type: transform, transform: "1" }\n`;
}

test.each([
  ["aliases that blow up", `name: x\npattern: fan-out\n${bomb}\n`, 2],
  ["100,000 levels of lists", `name: ${"[".repeat(100_000)}`, 2],
  ["100,000 brackets in an expression", condition(`${"(".repeat(100_000)}1`), 2],
  [
    "a regular expression that doubles its ways",
    condition(`matches("${"a".repeat(40)}!", "^(a+)+$")`),
    0,
  ],
  [
    "a step that goes on to itself",
    "id: loop\nsteps:\n  - { id: a, type: transform, transform: '1', next: a }\n",
    5,
  ],
  [
    "a template that repeats itself",
    `id: t\nsteps:\n  - { id: a, type: shell, command: [echo, "${"{{#each input}}".repeat(5000)}"] }\n`,
    2,
  ],
])("%s ends soon, with what is wrong [T9]", async (_what, text, exitCode) => {
  const victim = createVictim({ "hostile.yaml": text });
  const before = endedProcessesMs();
  const ended = await victim.troupe("run", "hostile.yaml");
  expect(ended.exitCode).toBe(exitCode);
  expect(ended.err + ended.out).not.toContain("INTERNAL");
  expect(endedProcessesMs() - before).toBeLessThan(10_000);
});
