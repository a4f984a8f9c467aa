import { z } from "zod";
import type { Action } from "../command.ts";
import { decisionImpossible } from "../errors.ts";
import { carryDecision } from "../inbox/carry-decision.ts";
import { findEntry } from "../inbox/list-inbox.ts";
import { readAnswer } from "../inbox/read-answer.ts";
import { openMachine } from "../open-machine.ts";

const answerOptions = z.object({
  file: z.string().exactOptional(),
  resume: z.boolean().default(false),
});

/** `troupe answer` */
export const answerAction: Action = async (invocation) => {
  const [given = "", text] = invocation.args;
  const { file, resume } = answerOptions.parse(invocation.options);
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
