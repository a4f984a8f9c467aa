import { toVisibleText } from "../../foundation/printable.ts";
import type { Invocation } from "../command/command.ts";
import { usageInvalid } from "../command/errors.ts";
import { editText } from "../editor/edit-text.ts";
import type { InboxEntry } from "../inbox/list-inbox.ts";
import { readInput, readStdin } from "../prepare/read-input.ts";

const SCISSORS = "------------------------ >8 ------------------------";

/**
 * The answer to a question: the text of the command line, standard input for `-`, a file, or without any
 * of them what the person writes in her editor. Raises USAGE_INVALID for none, two or an empty one, and
 * what reading and editing raise.
 */
export async function readAnswer(
  item: InboxEntry,
  given: { readonly text: string | undefined; readonly file: string | undefined },
  invocation: Invocation,
): Promise<string> {
  if (given.text !== undefined && given.file !== undefined)
    throw usageInvalid({ problem: "the answer is given twice: as a text and with --file" });
  const answer = await read(item, given, invocation);
  if (answer.trim() !== "") return answer;
  throw usageInvalid({ problem: `the answer is empty; ${item.id} still waits` });
}

async function read(
  item: InboxEntry,
  { text, file }: { readonly text: string | undefined; readonly file: string | undefined },
  invocation: Invocation,
): Promise<string> {
  if (file !== undefined) return withoutEnd(await readInput(file, invocation));
  if (text === "-") return withoutEnd(await readStdin(invocation.io));
  if (text !== undefined) return text;
  if (!invocation.settings.mayAsk)
    throw usageInvalid({
      problem: "the answer is missing, and there is no terminal to write it in",
      hint: `troupe answer ${item.id} "text", or - for standard input, or --file PATH`,
    });
  return edit(item, invocation);
}

async function edit(item: InboxEntry, invocation: Invocation): Promise<string> {
  const who = item.agent === null ? "" : ` of ${item.agent}`;
  const text = [
    "",
    "",
    SCISSORS,
    `Above: your answer to ${item.id}${who}. From the line with >8 on, nothing is sent.`,
    "",
    toVisibleText(item.text),
    "",
  ].join("\n");
  const edited = await editText({ name: `${item.id}.md`, text }, invocation);
  await edited.discard();
  const [answer = ""] = edited.text.split(SCISSORS, 1);
  return answer.trim();
}

/** What is piped in or saved ends its last line; that is no part of the answer. */
function withoutEnd(text: string): string {
  return text.replace(/\r?\n$/u, "");
}
