import type { Machine } from "../../app/machine/machine.ts";
import { readState } from "../../app/runs/run-lookup.ts";
import { resultOutput } from "../../fold/result-output.ts";
import { TroupeError } from "../../foundation/errors.ts";

/** Whether a run has a text, in any case of letters: in its task, its messages, what its steps came to or its result. */
export function hasText({ store }: Pick<Machine, "store">, run: string, wanted: string): boolean {
  const sought = wanted.toLowerCase();
  return textsOf({ store }, run).some((text) => text.toLowerCase().includes(sought));
}

/** What a person may remember of a run; nothing of one that cannot be read. */
function textsOf({ store }: Pick<Machine, "store">, run: string): readonly string[] {
  try {
    const state = readState(store, run);
    const { workflow, instance, task = "", input } = state.run;
    const steps = [...state.steps.byPath.values()].flatMap((step) =>
      step.status === "completed" ? [step.output, step.text] : [],
    );
    const said = state.messages.all.map(({ text }) => text);
    const given = input === undefined ? "" : JSON.stringify(input);
    return [workflow, instance, task, given, ...steps, ...said, resultOutput(state)];
  } catch (error) {
    if (error instanceof TroupeError) return [];
    throw error;
  }
}
