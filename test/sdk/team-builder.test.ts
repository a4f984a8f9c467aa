import { expect, expectTypeOf, test } from "vitest";
import { workflow } from "../../src/index.ts";

const cat = { backend: "command", command: ["cat"] };

test("a chain of steps runs one after another, and those of parallel side by side [SDK-2]", async () => {
  const chain = workflow("chain")
    .description("Three steps")
    .agent("cat", cat)
    .step("plan", { agent: "cat", prompt: "plan" })
    .parallel({
      code: { agent: "cat", prompt: "code {{steps.plan.output}}" },
      test: { agent: "cat", prompt: "test {{steps.plan.output}}" },
    })
    .step("report", { agent: "cat", prompt: "{{steps.code.output}} and {{steps.test.output}}" });
  const { definition } = await chain.build();
  expect(definition).toMatchObject({ pattern: "dag", description: "Three steps" });
  expect(definition.steps.map(({ id, dependsOn }) => ({ id, dependsOn }))).toEqual([
    { id: "plan", dependsOn: [] },
    { id: "code", dependsOn: ["plan"] },
    { id: "test", dependsOn: ["plan"] },
    { id: "report", dependsOn: ["code", "test"] },
  ]);
  const { success, output } = await chain.run(undefined, { store: "memory" }).result;
  expect({ success, output }).toEqual({ success: true, output: "code plan and test plan" });
});

test("after a pattern was named the steps wait for what they name only", async () => {
  const { definition } = await workflow("graph")
    .agent("cat", cat)
    .pattern("dag")
    .agent("dog", cat)
    .step("one", { agent: "cat", prompt: "1" })
    .step("two", { agent: "dog", prompt: "2" })
    .step("three", { agent: "dog", prompt: "3", dependsOn: ["one"] })
    .build();
  expect(definition.steps.map(({ id, dependsOn }) => [id, dependsOn])).toEqual([
    ["one", []],
    ["two", []],
    ["three", ["one"]],
  ]);
});

test("a pattern takes its block", async () => {
  const { definition } = await workflow("vote")
    .agent("a", cat)
    .agent("b", cat)
    .pattern("consensus", { consensus: { proposal: "go", type: "unanimous" } })
    .build();
  expect(definition).toMatchObject({ pattern: "consensus", goal: "go" });
});

test("names of agents and steps that do not exist do not compile [SDK-2]", () => {
  const begun = workflow("typed").agent("cat", cat).step("one", { agent: "cat", prompt: "1" });
  // @ts-expect-error nobody is called dog
  begun.step("two", { agent: "dog", prompt: "2" });
  // @ts-expect-error no step is called zero
  begun.step("two", { agent: "cat", prompt: "2", dependsOn: ["zero"] });
  // @ts-expect-error the block of another pattern
  workflow("typed").agent("cat", cat).pattern("consensus", { mesh: {} });
  expectTypeOf(begun.step("two", { agent: "cat", dependsOn: ["one"] }).run).toBeFunction();
});
