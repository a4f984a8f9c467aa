import type { TurnUpdate } from "../../contracts/backend.ts";

const MAX_CALLS = 20;
const MAX_INPUT_CHARS = 160;
const MAX_WORDS_CHARS = 2000;

/** What a turn has done so far, for a session that takes it over without its memory. */
export class HandOver {
  readonly #calls = new Map<string, string>();
  #callCount = 0;

  /** Takes an update of the turn in. */
  take(update: TurnUpdate): void {
    if (update.type === "tool-call") this.#begin(update.call, update.tool, update.input);
    if (update.type !== "tool-result") return;
    const line = this.#calls.get(update.call);
    if (line !== undefined) this.#calls.set(update.call, `${line} (${resultOf(update)})`);
  }

  /** The turn in a few lines; undefined when it had done and said nothing. */
  tell(words: string): string | undefined {
    const lines = [...this.#calls.values()];
    const left = this.#callCount - lines.length;
    const said = words.trim().slice(-MAX_WORDS_CHARS).toWellFormed();
    const parts = [
      ...(lines.length === 0 ? [] : ["It called these tools:"]),
      ...(left > 0 ? [`> … ${left} earlier`] : []),
      ...lines.map((line) => `> ${line}`),
      ...(said === "" ? [] : ["It had said last:", ...said.split("\n").map((line) => `> ${line}`)]),
    ];
    return parts.length === 0 ? undefined : parts.join("\n");
  }

  #begin(call: string, tool: string, input: unknown): void {
    this.#callCount += 1;
    this.#calls.set(call, `${oneLine(tool)} ${oneLine(JSON.stringify(input) ?? "")}`);
    if (this.#calls.size <= MAX_CALLS) return;
    const [oldest] = this.#calls.keys();
    if (oldest !== undefined) this.#calls.delete(oldest);
  }
}

function resultOf({ isError }: { readonly isError: boolean }): string {
  return isError ? "failed" : "done";
}

function oneLine(text: string): string {
  const line = text.slice(0, MAX_INPUT_CHARS).replaceAll(/\s+/g, " ").toWellFormed();
  return text.length > MAX_INPUT_CHARS ? `${line}…` : line;
}
