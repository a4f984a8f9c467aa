import { expect, test } from "vitest";
import {
  runStepsInMemory,
  type TestStepWorkflow,
} from "../../../src/testing/run-workflow-in-memory.ts";
import { dataIn, failuresIn } from "./flow-data.ts";

const SCHEMA = { type: "object", required: ["files"] };
const MEBIBYTE = 1_048_576;

const planning = (demandsSignal = false): TestStepWorkflow => ({
  agents: [{ id: "planner", demandsSignal }],
  steps: [{ id: "plan", type: "agent", settings: { agent: "planner", output_schema: SCHEMA } }],
});

test("an answer that does not fit is asked for once more, and the second one counts [STP-10.answer]", async () => {
  const planner = [{ say: "I would change a.ts" }, { expect: "form", say: '{"files":["a.ts"]}' }];
  const run = await runStepsInMemory(planning(), { turns: { planner } });
  expect(run.outcome).toBe("completed");
  expect(dataIn(run)["plan"]).toEqual({ files: ["a.ts"] });
});

test("a second answer that does not fit fails the step with what is wrong with it [STP-10.answer]", async () => {
  const planner = [{ say: "no JSON" }, { say: '{"file":"a.ts"}' }];
  const run = await runStepsInMemory(planning(), { turns: { planner } });
  expect(failuresIn(run)).toEqual({ plan: "AGENT_ANSWER_INVALID" });
  expect(run.all("turn-started")).toHaveLength(2);
  expect(run.all("step-failed")[0]?.error.message).toContain("files");
});

test("an agent that is asked again and says that it failed has failed, whatever JSON stands beside it [STP-10.answer, SIG-2]", async () => {
  const planner = [
    { say: "no JSON" },
    { say: '{"files":["a.ts"]}\nFAILED: I cannot see the project' },
  ];
  const run = await runStepsInMemory(planning(true), { turns: { planner } });
  expect(failuresIn(run)).toEqual({ plan: "AGENT_REPORTED_FAILURE" });
  expect(run.all("step-failed")[0]?.error.message).toContain("I cannot see the project");
});

test("an answer whose beginning was cut passes no schema, though what is left of it would [STP-10.answer]", async () => {
  const planner = [{ say: `${"x".repeat(MEBIBYTE)}\n{"files":["a.ts"]}` }];
  const run = await runStepsInMemory(planning(), { turns: { planner } });
  expect(failuresIn(run)).toEqual({ plan: "AGENT_OUTPUT_TOO_LARGE" });
  expect(run.all("turn-started")).toHaveLength(1);
});
