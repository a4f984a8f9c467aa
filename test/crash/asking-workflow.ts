import { join } from "node:path";
import type { PatternDefinition } from "../../src/contracts/definition.ts";
import { defineTestWorkflow } from "../../src/testing/define-test-workflow.ts";

/** Behind the name of the ledger: the prompts that the program got. */
export const PROMPTS = ".prompts";

/** A run of one agent that is a program which speaks ACP and asks before its only call. */
export function askingWorkflow(ledger: string): PatternDefinition {
  // Bundled as this file is, beside it.
  const program = join(import.meta.dirname, "asking-agent.mjs");
  const command = [process.execPath, program, ledger, `${ledger}${PROMPTS}`];
  return defineTestWorkflow({
    agents: [{ id: "asker", backend: "acp", settings: { command } }],
    steps: [{ id: "work", agent: "asker", prompt: "write it down" }],
  });
}
