import type {
  OperationCall,
  OperationHandler,
  OperationOutcome,
  StopRequest,
} from "../contracts/operation.ts";
import { fromErrorReport } from "../foundation/errors.ts";
import type { Json } from "../foundation/json.ts";
import { present } from "../foundation/present.ts";
import { cancelled } from "./errors.ts";
import type { RecordedOperation } from "./recording.ts";
import type { RunJournal } from "./run-journal.ts";
import type { ScopedOperation, ScopeNode } from "./scope.ts";

/** What a program asks for. */
export interface OperationQuestion {
  readonly kind: string;
  readonly input: Json;
  /** Beats the registered handler of the kind: code that cannot be journaled. */
  readonly handler?: OperationHandler;
  /** What that code goes by, which is not journaled either. */
  readonly given?: (() => Json) | undefined;
}

/** Who waits for an outcome. */
export interface Asker {
  readonly resolve: (value: Json) => void;
  readonly reject: (error: unknown) => void;
}

/** What open operations share. */
export interface OperationPorts {
  readonly journal: RunJournal;
  readonly settle: (operation: LiveOperation, outcome: OperationOutcome) => void;
}

interface OpenOperationParts {
  readonly op: string;
  readonly scope: ScopeNode;
  readonly question: OperationQuestion;
  readonly handler: OperationHandler | undefined;
  readonly recorded: RecordedOperation | undefined;
  readonly scheduledAt: number;
  readonly scheduledAtRunningMs: number;
  readonly asker: Asker;
}

/** One operation from its asking to its delivery; its effect sees it as the call. */
export class LiveOperation implements ScopedOperation, OperationCall {
  readonly op: string;
  readonly kind: string;
  readonly input: Json;
  readonly handler: OperationHandler | undefined;
  readonly recorded: RecordedOperation | undefined;
  readonly scheduledAt: number;
  readonly scheduledAtRunningMs: number;
  readonly #ports: OperationPorts;
  readonly #scope: ScopeNode;
  readonly #asker: Asker;
  isSettled: boolean;
  #attempt: number;
  // Made on first use: most operations of a large run never look at their signal.
  #controller: AbortController | undefined;
  #stopRequest: StopRequest | undefined;

  constructor(ports: OperationPorts, parts: OpenOperationParts) {
    this.#ports = ports;
    this.op = parts.op;
    this.kind = parts.question.kind;
    this.input = parts.question.input;
    this.handler = parts.handler;
    this.recorded = parts.recorded;
    this.scheduledAt = parts.scheduledAt;
    this.scheduledAtRunningMs = parts.scheduledAtRunningMs;
    this.#scope = parts.scope;
    this.#asker = parts.asker;
    this.#attempt = parts.recorded?.attempt ?? 1;
    this.isSettled = parts.recorded?.isSettled ?? false;
    parts.scope.add(this);
  }

  get scope(): string {
    return this.#scope.path;
  }

  get key(): string {
    return `${this.#ports.journal.run}/${this.op}`;
  }

  get attempt(): number {
    return this.#attempt;
  }

  get failedAttempts(): number {
    return this.recorded?.failedAttempts ?? 0;
  }

  get signal(): AbortSignal {
    this.#controller ??= new AbortController();
    if (this.#stopRequest !== undefined) this.#controller.abort(this.#stopRequest);
    return this.#controller.signal;
  }

  async beginAttempt(delayMs: number): Promise<number> {
    this.journalAttempt("failed", delayMs);
    await this.#ports.journal.flushed();
    return this.#attempt;
  }

  /** Journals a further start. */
  journalAttempt(cause: "failed" | "owner-died" | "suspended", delayMs?: number): void {
    this.#attempt += 1;
    this.#ports.journal.append({
      type: "operation-attempted",
      op: this.op,
      attempt: this.#attempt,
      cause,
      ...present({ delayMs }),
    });
  }

  cancel(reason: string): void {
    this.#ports.settle(this, { status: "cancelled", reason });
  }

  /** Asks the effect to end; the first reason counts. */
  stop(request: StopRequest): void {
    this.#stopRequest ??= request;
    this.#controller?.abort(this.#stopRequest);
  }

  /** Gives the outcome to the program. */
  deliver(outcome: OperationOutcome): void {
    this.#scope.delete(this);
    if (outcome.status === "ok") this.#resolve(outcome.value);
    else if (outcome.status === "error") this.#asker.reject(fromErrorReport(outcome.error));
    else this.#asker.reject(cancelled({ reason: outcome.reason }));
  }

  #resolve(value: Json): void {
    try {
      this.#asker.resolve(value);
    } catch (error) {
      this.#asker.reject(error);
    }
  }
}
