import type { StopReason, TurnUpdate } from "../contracts/backend.ts";
import type { EventData } from "../contracts/events/event.ts";
import { addUsage, toUsage, type Usage } from "../contracts/usage.ts";
import { type BoundedText, createBoundedText } from "../foundation/bounded-text.ts";
import type { ErrorReport } from "../foundation/errors.ts";
import { endOfOutput, MAX_OUTPUT_CHARS } from "../foundation/output-end.ts";

const MAX_TOOL_RESULT_CHARS = 65_536;

/** How a turn's stream ended. */
export type StreamEnd =
  | { readonly status: "stopped"; readonly reason: StopReason }
  | { readonly status: "failed"; readonly error: ErrorReport; readonly sessionLost: boolean };

/** What the stream of a turn adds up to, in bounded memory. */
export class TurnCollector {
  readonly #agent: string;
  readonly #turn: number;
  readonly #deltas: BoundedText = createBoundedText(MAX_OUTPUT_CHARS);
  #final: string | undefined;
  readonly #priced: (usage: Usage) => Usage;
  #usage: Usage = {};
  #end: StreamEnd | undefined;
  #hasActed = false;

  /** `priced` adds what the turn costs, if only its tokens were told and a price is known. */
  constructor(agent: string, turn: number, priced: (usage: Usage) => Usage) {
    this.#agent = agent;
    this.#turn = turn;
    this.#priced = priced;
  }

  /** The end of the stream; undefined while it runs, or when it broke off without one. */
  get end(): StreamEnd | undefined {
    return this.#end;
  }

  /** Whether the turn has called a tool or changed a file: asked again, it could do so twice. */
  get hasActed(): boolean {
    return this.#hasActed;
  }

  get usage(): Usage {
    return this.#priced(this.#usage);
  }

  /** The final text, and whether its beginning was cut. */
  get text(): { readonly text: string; readonly truncated: boolean } {
    const { text, isTruncated } = endOfOutput(this.#final?.toWellFormed() ?? this.#deltas.text);
    const hasLost = this.#final === undefined && this.#deltas.isTruncated;
    return { text, truncated: isTruncated || hasLost };
  }

  /** Takes one update in; resolves to the fact that the journal should keep of it, if any. */
  take(update: TurnUpdate): EventData | undefined {
    const at = { agent: this.#agent, turn: this.#turn };
    if (update.type === "tool-call" || update.type === "file-change") this.#hasActed = true;
    switch (update.type) {
      case "text-delta":
        this.#deltas.append(update.text.toWellFormed());
        return undefined;
      case "thinking":
      case "activity":
      case "retrying":
        return undefined;
      case "usage":
        this.#usage = addUsage(this.#usage, toUsage(update.usage));
        return undefined;
      case "tool-call":
        return {
          type: "tool-called",
          ...at,
          call: update.call,
          tool: update.tool,
          input: update.input,
        };
      case "tool-result": {
        const { call, tool, isError, result } = update;
        return { type: "tool-returned", ...at, call, tool, isError, result: shorten(result) };
      }
      case "file-change":
        return { type: "file-changed", ...at, path: update.path, kind: update.kind };
      case "stop":
        this.#final = update.text;
        this.#end ??= { status: "stopped", reason: update.reason };
        return undefined;
      case "error":
        this.#final = update.text;
        this.#end ??= {
          status: "failed",
          error: update.error,
          sessionLost: update.sessionLost ?? false,
        };
        return undefined;
    }
  }
}

function shorten(text: string): string {
  const wellFormed = text.toWellFormed();
  return wellFormed.length > MAX_TOOL_RESULT_CHARS
    ? `…${wellFormed.slice(-MAX_TOOL_RESULT_CHARS)}`.toWellFormed()
    : wellFormed;
}
