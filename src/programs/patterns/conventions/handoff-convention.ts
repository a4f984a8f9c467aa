import { present } from "../../../foundation/present.ts";
import { type ConventionTemplate, inOneLine, toolName } from "./convention.ts";
import type { ConventionFacts } from "./convention-facts.ts";

/** An agent that may get the task, and when in words. */
interface Receiver {
  readonly agent: string;
  readonly condition?: string;
}

/** Where a holder stands. */
export interface HolderParams extends Pick<ConventionFacts, "form" | "marker" | "toolPrefix"> {
  /** Whom it may hand over to. */
  readonly receivers: readonly Receiver[];
  readonly maxHandoffs: number;
}

/** The convention of an agent that may hold the task. */
export const holderConvention: ConventionTemplate<HolderParams> = {
  name: "handoff/holder",
  place: ({ maxHandoffs }) =>
    `This is a chain of hand-overs: one agent at a time holds the task, and you hold it now. It may be handed over ${maxHandoffs} ${maxHandoffs === 1 ? "time" : "times"} in all.`,
  result: () => "the answer to the whole task",
  rules: ({ receivers, form, marker, toolPrefix }) => [
    ...(receivers.length === 0 || marker === undefined
      ? []
      : [
          `If another agent is better suited, hand the task over: ${form === "tools" ? `call the tool ${toolName(present({ toolPrefix }), "handoff")} with its id and why, or write` : "write"} a line \`HANDOFF: <agent> <why>\`, and end your turn. It gets the task and all that was answered so far.`,
          `Who takes what: ${receivers.map(describeReceiver).join("; ")}.`,
        ]),
    "Write down what you found out before you hand over: it goes along.",
  ],
  data: () => [],
};

function describeReceiver({ agent, condition }: Receiver): string {
  return condition === undefined ? agent : `${agent} (${inOneLine(condition)})`;
}
