import type { ActionOf } from "../command/command.ts";
import { decisionImpossible } from "../command/errors.ts";
import { openMachine } from "../command/open-machine.ts";
import type { answerCommand } from "../commands/answer.ts";
import { carryDecision } from "../decide/carry-decision.ts";
import { readAnswer } from "../decide/read-answer.ts";
import { findEntry } from "../inbox/list-inbox.ts";

/** `troupe answer` */
export const answerAction: ActionOf<typeof answerCommand> = async (invocation) => {
  const [given = "", text] = invocation.args;
  const { file, resume } = invocation.options;
  const machine = await openMachine(invocation);
  const item = findEntry(machine, given);
  const { run, child = run, id, kind } = item;
  if (kind !== "question") throw decisionImpossible({ id, kind, command: "answer" });
  const answer = await readAnswer(item, { text, file }, invocation);
  const command = { kind: "answer-question", id, answer } as const;
  return carryDecision(
    machine,
    { run, child, command, told: `${id} answered`, resumes: resume },
    invocation,
  );
};
