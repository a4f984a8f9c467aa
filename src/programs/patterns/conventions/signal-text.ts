import { kindOfMarker } from "../../../signals/signal-forms.ts";
import type { ConventionFacts } from "./convention-facts.ts";

/** How to finish and how to give up, one sentence each. `result` says what the payload should hold. */
export function howToSignal(facts: ConventionFacts, result: string): readonly string[] {
  const { marker, form } = facts;
  if (marker === undefined)
    return [
      `Your last answer is the result: ${result}. Then end your turn; nothing else is needed.`,
    ];
  const line = `a line of your final answer that starts with \`${marker}:\``;
  const finish =
    form === "tools"
      ? `When the task is finished, call the tool signal with kind "${kindOfMarker(marker)}" and as value ${result}. If you cannot call it, ${line}, followed by the same, does it too.`
      : `When the task is finished, write ${line}, followed by ${result}.`;
  return [finish, giveUp(facts), `End your turn right after ${marker}; Troupe sees to the rest.`];
}

/** What an agent is told that ended its turn without the signal its task demands. */
export function reminderFor(marker: string, form: string = `${marker}: <result>`): string {
  return [
    `Your turn ended without the signal ${marker}, so nobody can tell whether the task is finished.`,
    `If it is, answer now with a line that starts exactly like this, followed by what came out of it:`,
    form,
    "If you cannot finish it, answer with one of these lines instead:",
    "BLOCKED: <what you wait for>\nFAILED: <what went wrong>",
    "The line must stand outside of quotes and code blocks. This is asked only once.",
  ].join("\n\n");
}

function giveUp({ form }: ConventionFacts): string {
  return form === "tools"
    ? 'If you cannot finish, give the signal "blocked" or "failed" with the reason as value.'
    : "If you cannot finish, write a line that starts with `BLOCKED:` or `FAILED:`, followed by the reason.";
}
