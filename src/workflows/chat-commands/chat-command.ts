import type { TroupeError } from "../../foundation/errors.ts";

/** What a person can say to an agent of a chat by one word, as a Markdown file has it. */
export interface ChatCommand {
  readonly name: string;
  /** The file as people know it. */
  readonly file: string;
  readonly description: string | undefined;
  /** What it takes, for people. */
  readonly argumentHint: string | undefined;
  /** The model of the turn that it begins. */
  readonly model: string | undefined;
  /** All that this turn may use, as rules; undefined: what its agent may. */
  readonly tools: readonly string[] | undefined;
  /** What is said, with `$ARGUMENTS` and `$1` in it. */
  readonly body: string;
}

/** What the file of a command comes to. */
export type FoundChatCommand =
  | { readonly status: "found"; readonly name: string; readonly command: ChatCommand }
  /** It cannot be used: it is damaged, or nobody trusts the project. */
  | { readonly status: "refused"; readonly name: string; readonly error: TroupeError };

/** Whether a command takes single words. */
export function takesWords({ body }: Pick<ChatCommand, "body">): boolean {
  return /\$\d/.test(body);
}

/**
 * What is said for a command that was given `rest`, whose words are `words`. What was given is put in once and as it is;
 * a command that takes nothing has it behind.
 */
export function fillChatCommand(
  { body }: Pick<ChatCommand, "body">,
  rest: string,
  words: readonly string[],
): string {
  const filled = body.replace(/\$(?:ARGUMENTS\b|(\d+))/g, (_, place: string | undefined) =>
    place === undefined ? rest : (words[Number(place) - 1] ?? ""),
  );
  const isTaken = /\$(?:ARGUMENTS\b|\d)/.test(body);
  return isTaken || rest === "" ? filled : `${filled}\n\n${rest}`;
}
