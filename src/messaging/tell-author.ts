import type { PostReceipt } from "../contracts/message.ts";
import type { RunRuntime } from "../engine/run-runtime.ts";
import type { RefusedSignal } from "../signals/read-signals.ts";

const MAX_TOLD = 5;
const MAX_SHOWN_CHARS = 120;

/** Whose text it was that went wrong. */
export interface Author {
  readonly agent: string;
  readonly turn: number;
  /** Whether it reads what it is told: a program that prints does not, and nobody starts it for that. */
  readonly reads: boolean;
}

/**
 * Tells an agent with its next turn, which it is not given for that alone, which signals of its text do not count, and why.
 */
export function tellRefused(
  runtime: RunRuntime,
  author: Author,
  refused: readonly RefusedSignal[],
): void {
  if (refused.length === 0 || !author.reads) return;
  const lines = refused.slice(-MAX_TOLD).map(({ signal, reason }) => {
    const value = signal.value.slice(0, MAX_SHOWN_CHARS).toWellFormed();
    return `- ${signal.kind} ${JSON.stringify(value)}: ${reason}`;
  });
  tell(runtime, author, ["These signals of your text do not count:", ...lines].join("\n"));
}

/** Tells the sender of a message with its next turn, and the run at once, that it mentions names that nobody has (MSG-2). */
export function tellUnknown(runtime: RunRuntime, author: Author, receipt: PostReceipt): void {
  const { unknownMentions } = receipt;
  if (unknownMentions.length === 0) return;
  const names = unknownMentions.map((name) => `@${name}`).join(", ");
  const known = [...runtime.state.agents.keys()].filter((id) => id !== author.agent);
  const wrote = author.reads ? "You mention" : `${author.agent} mentions`;
  const others = known.length === 0 ? "there is no other agent" : `known: ${shorten(known)}`;
  tell(runtime, author, `${wrote} ${names}, but nobody is called so; ${others}.`);
}

function tell(runtime: RunRuntime, { agent, turn }: Author, text: string): void {
  runtime.append({ type: "author-told", agent, turn, text });
}

function shorten(names: readonly string[]): string {
  const rest = names.length - 20;
  return `${names.slice(0, 20).join(", ")}${rest > 0 ? ` and ${rest} more` : ""}`;
}
