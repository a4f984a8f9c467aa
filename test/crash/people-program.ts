import type { PatternDefinition } from "../../src/contracts/definition.ts";
import type { Program } from "../../src/contracts/ports/program.ts";
import { appendToLedger } from "./ledger.ts";

const BOT = {
  id: "bot",
  backend: "script",
  settings: {
    script: [
      {
        do: [
          { send: { text: "@user is it you?" } },
          { permission: { tool: "Bash", input: { command: "git push" } } },
        ],
        say: "DONE: pushed",
      },
    ],
  },
};

/**
 * A program that waits for people in every way at once: an approval, a person who is an agent, a permission,
 * and a message that asks; then it does something.
 */
export function peopleProgram(ledger: string): Program<PatternDefinition> {
  return {
    name: "crash/people",
    run: async (context) => {
      await context.spawn({ id: "ann", backend: "human" });
      await context.spawn(BOT);
      const [decision, answer, turn] = await Promise.all([
        context.approval({ message: "Deploy?", show: { version: 7 } }),
        context.turn("ann", "Which database?"),
        context.turn("bot", "push it"),
      ]);
      await context.step("after", ({ key, attempt }) => {
        appendToLedger(ledger, { mark: "end", key, step: "after", attempt });
        return "after";
      });
      const metadata = { approved: decision.approved, answer: answer.text, said: turn.text };
      return { outcome: "completed", reason: "decided", metadata };
    },
  };
}
