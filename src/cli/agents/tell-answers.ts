import type { Answer } from "../../app/run/commands/answer-watch.ts";
import type { Answers } from "../../app/run/commands/await-answers.ts";
import { answerMissing, waitOver } from "../../app/run/commands/errors.ts";
import { toPrintable, toPrintableLines } from "../../foundation/printable.ts";
import type { Invocation } from "../command/command.ts";
import { EXIT } from "../command/exit-codes.ts";
import type { Io } from "../terminal/io.ts";

/** What is known where the waiting is over. */
export interface AnswerTelling {
  readonly run: string;
  /** How many were asked: the words of one stand alone. */
  readonly asked: number;
  readonly timeoutMs: number | undefined;
}

/** Prints the answers; raises RUN_NO_ANSWER, LIMIT_WAIT_TIME for those that did not come. */
export function tellAnswers(
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
export function answersExitCode({ answers, missing, late }: Answers): number {
  if (late.length > 0) return EXIT.limit;
  return missing.length > 0 || answers.length === 0 ? EXIT.failed : EXIT.completed;
}

function toText({ agent, text }: Answer, isNamed: boolean, { stdout }: Io): string {
  // A pipe gets what the agent said; a terminal gets nothing that could drive it.
  const said = stdout.isTerminal ? toPrintableLines(text).join("\n") : text;
  const whole = said.endsWith("\n") ? said : `${said}\n`;
  return isNamed ? `${toPrintable(agent)}:\n${whole}` : whole;
}
