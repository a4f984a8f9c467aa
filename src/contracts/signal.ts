/** A machine-readable statement of an agent (SPEC section 7). */
export interface Signal {
  /** Lower case: `done`, `ack`, `vote`, `blocked`, `failed`, ...; a step's own marker as written. */
  readonly kind: string;
  /** The payload, trimmed; for votes `approve` or `reject`. May be empty. */
  readonly value: string;
  /** What follows the value: a vote's reasoning. */
  readonly reason?: string;
  /** 0 to 1, from `[confidence=...]`. */
  readonly confidence?: number;
  readonly by: "tool" | "text";
}
