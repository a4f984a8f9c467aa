import type { ErrorReport } from "../../foundation/errors.ts";

/** A step whose latest execution failed, and nothing made up for it. */
export interface OpenFailure {
  readonly path: string;
  readonly error: ErrorReport;
}

/**
 * Which failures of a step workflow nothing has handled (ENG-11): the latest execution of each step decides. Steps
 * are told apart by keys; a step inside of another one lies below the other's key.
 */
export class Truth {
  readonly #open = new Map<string, OpenFailure>();
  /** Keys of open failures by that of the step around them. */
  readonly #below = new Map<string, Set<string>>();

  /** The first failure that is still open. */
  get first(): OpenFailure | undefined {
    for (const failure of this.#open.values()) return failure;
    return undefined;
  }

  fail(key: string, parent: string | undefined, failure: OpenFailure): void {
    this.#open.delete(key);
    this.#open.set(key, failure);
    if (parent === undefined) return;
    const below = this.#below.get(parent) ?? new Set();
    this.#below.set(parent, below.add(key));
  }

  /** A later execution of the step has succeeded. */
  succeed(key: string): void {
    this.#open.delete(key);
  }

  /** Something takes care of the failure of this step, and of those inside of it. */
  handle(key: string): void {
    this.#open.delete(key);
    this.handleBelow(key);
  }

  /** Failures inside of the step count no more: it succeeded in spite of them, or begins again. */
  handleBelow(key: string): void {
    const below = this.#below.get(key);
    this.#below.delete(key);
    for (const inner of below ?? []) this.handle(inner);
  }
}
