import { expect, test } from "vitest";
import { parseWorkflow } from "../../../src/workflows/parse-workflow.ts";
import { loadOptions } from "../load-options.ts";

const load = (text: string) => parseWorkflow(text, "flow.yaml", loadOptions);

test("a hostile file is read in time, and its errors are not lost [WF-9.relay, WF-3]", () => {
  const many = "{{steps.no.output}} {{v1}} {{ ".repeat(30_000);
  const step = `{ name: s, agent: a, task: go, prompt: "${many}" }`;
  const { definition, problems } = load(
    `swarm: { pattern: dag }\nagents: [{ name: a, cli: claude, tools: [x] }]\nworkflows: [{ name: w, steps: [${step}] }]\n`,
  );
  expect(problems.map(({ code }) => code)).toContain("WORKFLOW_IMPORT_REFUSED");
  expect(definition).toBeUndefined();
  const names = (count: number, of: (index: number) => string) =>
    Array.from({ length: count }, (_, index) => of(index)).join(", ");
  const chain = names(
    1500,
    (at) => `{ name: s${at}, command: "echo {{steps.s${at - 1}.output}}" }`,
  );
  const long = `name: n\nswarm: { pattern: dag }\nworkflows: [{ steps: [${chain}] }]`;
  expect(load(long).definition).toMatchObject({ steps: { length: 1500 } });
});
