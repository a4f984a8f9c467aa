import type { Machine } from "../../app/machine/machine.ts";
import { awaitAnswers } from "../../app/run/commands/await-answers.ts";
import {
  assertOwned,
  type PersonalMessage,
  type SentMessage,
  sendAsPerson,
} from "../../app/run/commands/send-message.ts";
import type { Target } from "../../app/runs/resolve-target.ts";
import type { Invocation } from "../command/command.ts";
import { EXIT } from "../command/exit-codes.ts";
import { answersExitCode, tellAnswers } from "./tell-answers.ts";
import { sentLine, toSentDocument, warnOfUnknown } from "./tell-sent.ts";

/** A message on its way, and what is wanted of it. */
export interface MessageToSend {
  readonly target: Target;
  readonly message: PersonalMessage;
  /** `undefined` waits for no answer. */
  readonly wait: { readonly timeoutMs: number | undefined } | undefined;
  /** Whether it is said that the message was sent. */
  readonly tellsSent: boolean;
  readonly isJson: boolean;
}

/**
 * Sends a message and tells what became of it, and of the answers if they are waited for; resolves with the
 * exit code. Raises RUN_NOT_RUNNING where nobody could answer, RUN_NO_ANSWER, LIMIT_WAIT_TIME and what
 * sendMessage raises.
 */
export async function converse(
  machine: Machine,
  conversation: MessageToSend,
  invocation: Invocation,
): Promise<number> {
  const { target, message, wait, isJson, tellsSent } = conversation;
  if (wait !== undefined) assertOwned(machine, target.run);
  const sent = await sendAsPerson(machine, target, message);
  warnOfUnknown(machine, sent, invocation);
  const { io, settings } = invocation;
  if (tellsSent && !isJson && !settings.isQuiet) io.stdout.write(`${sentLine(target, sent)}\n`);
  if (wait !== undefined) return listen(machine, { sent, wait, isJson }, invocation);
  if (isJson) io.stdout.write(`${JSON.stringify(toSentDocument(sent))}\n`);
  return EXIT.completed;
}

interface Listening extends Pick<MessageToSend, "isJson"> {
  readonly sent: SentMessage;
  readonly wait: { readonly timeoutMs: number | undefined };
}

async function listen(
  machine: Machine,
  { sent, wait, isJson }: Listening,
  invocation: Invocation,
): Promise<number> {
  // The owner may have gone between the look and the message; then nobody answers here.
  const answers =
    sent.status === "recorded"
      ? { answers: [], missing: [], late: [] }
      : await awaitAnswers(machine, { ...sent, ...wait, agents: sent.recipients });
  if (isJson) {
    const document = { ...toSentDocument(sent), ...answers };
    invocation.io.stdout.write(`${JSON.stringify(document)}\n`);
    return answersExitCode(answers);
  }
  const asked = sent.status === "recorded" ? 0 : sent.recipients.length;
  tellAnswers(answers, { run: sent.run, asked, timeoutMs: wait.timeoutMs }, invocation);
  return EXIT.completed;
}
