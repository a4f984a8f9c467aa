import { describe, expect, test } from "vitest";
import { readRecipe } from "../../../../src/app/workflow/shapes/run-recipe.ts";
import type { WorkflowDefinition } from "../../../../src/contracts/definition.ts";
import {
  hasOneLanguage,
  inFormatOf,
  NEWEST_FORMAT,
} from "../../../../src/contracts/definition-format.ts";
import { defineTestWorkflow } from "../../../../src/testing/define-test-workflow.ts";
import {
  defineStepWorkflow,
  runWorkflowInMemory,
} from "../../../../src/testing/run-workflow-in-memory.ts";
import { loadKickoff } from "../../../workflows/load-options.ts";

const pattern = defineTestWorkflow({ agents: [{ id: "a" }] });
const { definition: kickoff } = loadKickoff("agents: { a: {} }\nkickoff: '@a begin'\n");
if (kickoff === undefined) throw new Error("the workflow is wrong");
const child = defineStepWorkflow({ steps: [{ id: "one", type: "transform" }] });
const parent = defineStepWorkflow({ steps: [], workflows: { child, pattern } });
const shapes: readonly (readonly [string, WorkflowDefinition])[] = [
  ["pattern", pattern],
  ["kickoff", kickoff],
  ["steps", parent],
];
const read = (definition: object) => readRecipe("run_a", JSON.stringify({ definition }));

describe.each(shapes)("a definition of the shape %s", (_shape, definition) => {
  test("has the newest format when it is resolved, and comes back from a journal in either [REP-1.stamp, REP-1.one]", async () => {
    expect(definition.format).toBe(NEWEST_FORMAT);
    expect(hasOneLanguage(definition)).toBe(true);
    for (const format of [1, 2]) {
      const recorded = { ...definition, format };
      expect((await read(recorded)).definition).toEqual(recorded);
    }
    expect(hasOneLanguage({ ...definition, format: 1 })).toBe(false);
  });

  test("is refused in a format that only a newer version knows, with a hint that says so [REP-1.newer]", async () => {
    await expect(read({ ...definition, format: NEWEST_FORMAT + 1 })).rejects.toMatchObject({
      code: "WORKFLOW_DEFINITION_INVALID",
      hint: expect.stringContaining("made by a newer Troupe"),
    });
    await expect(read({ ...definition, name: 1 })).rejects.toMatchObject({ hint: undefined });
  });
});

test("a child of a newer format is told as such, and a definition takes the format of another with its children [REP-1.newer, REP-6.file]", async () => {
  const newer = { ...parent, workflows: { child: { ...child, format: NEWEST_FORMAT + 1 } } };
  await expect(read(newer)).rejects.toMatchObject({
    hint: expect.stringContaining("made by a newer Troupe"),
  });
  expect(inFormatOf(parent, { ...pattern, format: 1 })).toEqual({
    ...parent,
    format: 1,
    workflows: { child: { ...child, format: 1 }, pattern: { ...pattern, format: 1 } },
  });
});

test("the format is in no input hash [REP-3]", async () => {
  const hashes = async (format: 1 | 2) => {
    const { events } = await runWorkflowInMemory(
      {
        ...{ format, agents: [{ id: "a" }] },
        steps: [{ id: "one", agent: "a", prompt: "do {{task}}" }],
      },
      { task: "x", functions: { a: () => "done" } },
    );
    return events.flatMap((event) => (event.type === "step-started" ? [event.inputHash] : []));
  };
  const before = await hashes(1);
  expect(before).toEqual([expect.any(String)]);
  expect(await hashes(2)).toEqual(before);
});
