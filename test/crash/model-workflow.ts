import type { PatternDefinition } from "../../src/contracts/definition.ts";
import { defineTestWorkflow } from "../../src/testing/define-test-workflow.ts";
import { type Step, scriptText } from "../clients/model-server/script.ts";

/** What the model of the run says: commands with an effect, others that only look, and messages. */
export function modelSteps(ledger: string): readonly Step[] {
  const append = (what: string) => ({ shell: `echo ${what} >> ${ledger}` });
  const send = { tool: "channel_send", args: { message: "half of it is done" } };
  const prompt = scriptText({ calls: [append("child")] }, { text: "the task is done" });
  const task = { tool: "Task", args: { description: "a part", prompt } };
  return [
    { text: "first", calls: [append("one"), append("two")] },
    { calls: [{ tool: "LS" }, { tool: "Glob", args: { pattern: "*" } }, send, task] },
    { calls: [append("three"), send] },
    { text: "DONE: all of it" },
  ];
}

/** A run of one agent that is a model. */
export function modelWorkflow(ledger: string): PatternDefinition {
  return defineTestWorkflow({
    agents: [{ id: "coder", backend: "model", model: "anthropic/scripted", spawns: true }],
    steps: [{ id: "work", agent: "coder", prompt: scriptText(...modelSteps(ledger)) }],
  });
}
