import type { PatternDefinition } from "../../src/contracts/definition.ts";
import { sha256 } from "../../src/foundation/hash.ts";
import { defineTestWorkflow } from "../../src/testing/define-test-workflow.ts";
import { type Step, scriptText } from "../clients/model-server/script.ts";

/** A file of which a model is shown a part. */
export const LONG_FILE = { name: "long.txt", text: "a line\n".repeat(3000) } as const;
const REST = { ref: sha256(LONG_FILE.text.trimEnd()), offset: "a line\n".length * 2995 };

/** What the model of the run says: commands with an effect, others that only look, and messages. */
export function modelSteps(ledger: string): readonly Step[] {
  const append = (what: string) => ({ shell: `echo ${what} >> ${ledger}` });
  const send = { tool: "channel_send", args: { message: "half of it is done" } };
  const prompt = scriptText({ calls: [append("child")] }, { text: "the task is done" });
  const task = { tool: "Task", args: { description: "a part", prompt } };
  return [
    { text: "first", calls: [append("one"), append("two")] },
    { calls: [{ tool: "LS" }, { tool: "Glob", args: { pattern: "*" } }, send, task] },
    { calls: [{ tool: "Read", args: { file_path: LONG_FILE.name } }] },
    { calls: [append("three"), send, { tool: "resource_read", args: REST }] },
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
