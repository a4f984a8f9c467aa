import { expect, test } from "vitest";
import { loadSteps } from "./load-steps.ts";

test("a JSON file of ten thousand steps loads, and one more is refused [WF-3]", () => {
  const file = (count: number) =>
    JSON.stringify({
      id: "f",
      steps: Array.from({ length: count }, (_, index) => ({
        id: `s${index}`,
        type: "transform",
        transform: index === 0 ? "input" : `context.s${index - 1}`,
        ...(index + 1 < count ? { next: `s${index + 1}` } : {}),
      })),
    });
  const loaded = loadSteps(file(10_000), {}, "many.json");
  expect(loaded.problems).toEqual([]);
  expect(loaded.definition?.steps).toHaveLength(10_000);
  const more = loadSteps(file(10_001), {}, "many.json").problems;
  expect(more.map(({ code }) => code)).toContain("WORKFLOW_STEPS_EXCESS");
});
