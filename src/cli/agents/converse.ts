import type { Machine } from "../../app/machine/machine.ts";
import type { Answer } from "../../app/run/commands/answer-watch.ts";
import { type Answers, awaitAnswers } from "../../app/run/commands/await-answers.ts";
import { answerMissing, mentionUnknown, waitOver } from "../../app/run/commands/errors.ts";
import {
  assertOwned,
  type PersonalMessage,
  type SentMessage,
  sendAsPerson,
} from "../../app/run/commands/send-message.ts";
import type { Target } from "../../app/runs/resolve-target.ts";
import { inspectRun } from "../../app/runs/run-lookup.ts";
import type { Json } from "../../foundation/json.ts";
import { toPrintable, toPrintableLines } from "../../foundation/printable.ts";
import { TROUPE } from "../command/called-as.ts";
import type { Invocation } from "../command/command.ts";
import { EXIT } from "../command/exit-codes.ts";
import { reportWarning } from "../command/report-error.ts";
import type { Io } from "../terminal/io.ts";

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

/** What is known where the waiting is over. */
interface AnswerTelling {
  readonly run: string;
  /** How many were asked: the words of one stand alone. */
  readonly asked: number;
  readonly timeoutMs: number | undefined;
}

/** Prints the answers; raises RUN_NO_ANSWER, LIMIT_WAIT_TIME for those that did not come. */
function tellAnswers(
  { answers, missing, late }: Answers,
  { run, asked, timeoutMs }: AnswerTelling,
  { io }: Pick<Invocation, "io">,
): void {
  const texts = answers.map((answer) => toText(answer, asked > 1, io));
  if (texts.length > 0) io.stdout.write(texts.join("\n"));
  if (late.length > 0) throw waitOver({ run, agents: late, waitedMs: timeoutMs ?? 0 });
  if (asked === 0 || missing.length > 0) throw answerMissing({ run, missing });
}

/** The exit code of a waiting whose answers were printed as JSON. */
function answersExitCode({ answers, missing, late }: Answers): number {
  if (late.length > 0) return EXIT.limit;
  return missing.length > 0 || answers.length === 0 ? EXIT.failed : EXIT.completed;
}

function toText({ agent, text }: Answer, isNamed: boolean, { stdout }: Io): string {
  // A pipe gets what the agent said; a terminal gets nothing that could drive it.
  const said = stdout.isTerminal ? toPrintableLines(text).join("\n") : text;
  const whole = said.endsWith("\n") ? said : `${said}\n`;
  return isNamed ? `${toPrintable(agent)}:\n${whole}` : whole;
}

/** What `send --json` prints of a message. */
function toSentDocument(sent: SentMessage): { readonly [key: string]: Json } {
  const { run } = sent;
  if (sent.status === "recorded")
    return { v: 1, run, id: null, seq: null, delivered: [], queued: true };
  const { id, seq, recipients } = sent;
  return { v: 1, run, id, seq, delivered: [...recipients], queued: false };
}

/** What became of a message, in one line. */
function sentLine({ agent }: Target, sent: SentMessage): string {
  const { run } = sent;
  if (sent.status === "recorded") return `recorded; nobody runs it: ${TROUPE} resume ${run}`;
  if (agent !== undefined) return `sent to @${agent} of ${run}`;
  const names = sent.recipients.map((name) => `@${name}`);
  if (names.length === 0) return `posted in ${run}; it mentions nobody, so it wakes nobody`;
  return `posted in ${run} to ${names.join(", ")}`;
}

/** Warns about names that nobody has. */
function warnOfUnknown(
  machine: Machine,
  sent: SentMessage,
  { io, settings }: Pick<Invocation, "io" | "settings">,
): void {
  if (sent.status === "recorded" || sent.unknownMentions.length === 0) return;
  const known = [...inspectRun(machine, sent.run).agents.keys()];
  reportWarning(mentionUnknown({ names: sent.unknownMentions, known }), io, settings);
}
