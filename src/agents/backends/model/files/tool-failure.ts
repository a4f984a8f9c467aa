import { type CutText, plainCut } from "./cut-text.ts";

/** A tool could not do what it was asked for: the model is told why, and goes on. */
export class ToolFailure extends Error {
  override readonly name = "ToolFailure";
  /** What the tool returned all the same; its words are the message. */
  readonly cut: CutText | undefined;

  constructor(told: string | CutText) {
    super(typeof told === "string" ? told : plainCut(told));
    this.cut = typeof told === "string" ? undefined : told;
  }
}
