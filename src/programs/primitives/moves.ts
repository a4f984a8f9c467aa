import type { PatternDefinition } from "../../contracts/definition.ts";
import type { Context } from "../../contracts/ports/context.ts";
import type { PatternAdvance } from "../../contracts/ports/pattern.ts";
import type { Json } from "../../foundation/json.ts";

/** The moves of a pattern: each is noted in the journal, and kept for the result. */
export class Moves {
  readonly #context: Context;
  readonly #path: string | undefined;
  readonly #noted: PatternAdvance[] = [];

  constructor(context: Context, { within }: Pick<PatternDefinition, "within">) {
    this.#context = context;
    this.#path = within?.path;
  }

  /** What was noted so far. */
  get noted(): readonly PatternAdvance[] {
    return this.#noted;
  }

  /** Notes a move. */
  note(kind: string, data: Json): void {
    this.#noted.push({ kind, data });
    const note = { type: "pattern-advanced", kind, data } as const;
    this.#context.note(this.#path === undefined ? note : { ...note, path: this.#path });
  }
}
