import type { OperationCall, StopRequest } from "../contracts/operation.ts";

interface OperationStartParts {
  readonly op: string;
  readonly scope: string;
  readonly key: string;
  readonly attempt: number;
  readonly failedAttempts: number;
  readonly scheduledAt: number;
  readonly scheduledAtRunningMs: number;
  /** Journals the start of a further attempt. */
  readonly onNextAttempt: (attempt: number, delayMs: number) => Promise<void>;
}

/** One start of an operation's effect, and the handle that ends it. */
export class OperationStart implements OperationCall {
  readonly op: string;
  readonly scope: string;
  readonly key: string;
  readonly failedAttempts: number;
  readonly scheduledAt: number;
  readonly scheduledAtRunningMs: number;
  readonly #onNextAttempt: OperationStartParts["onNextAttempt"];
  #attempt: number;
  // Made on first use: most operations of a large run never look at their signal.
  #controller: AbortController | undefined;
  #stopRequest: StopRequest | undefined;

  constructor(parts: OperationStartParts) {
    this.op = parts.op;
    this.scope = parts.scope;
    this.key = parts.key;
    this.failedAttempts = parts.failedAttempts;
    this.scheduledAt = parts.scheduledAt;
    this.scheduledAtRunningMs = parts.scheduledAtRunningMs;
    this.#attempt = parts.attempt;
    this.#onNextAttempt = parts.onNextAttempt;
  }

  get attempt(): number {
    return this.#attempt;
  }

  get signal(): AbortSignal {
    this.#controller ??= new AbortController();
    if (this.#stopRequest !== undefined) this.#controller.abort(this.#stopRequest);
    return this.#controller.signal;
  }

  async beginAttempt(delayMs: number): Promise<number> {
    this.#attempt += 1;
    await this.#onNextAttempt(this.#attempt, delayMs);
    return this.#attempt;
  }

  /** Asks the effect to end. */
  stop(request: StopRequest): void {
    this.#stopRequest ??= request;
    this.#controller?.abort(request);
  }
}
