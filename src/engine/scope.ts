/** An operation that its scope can cancel. */
export interface ScopedOperation {
  cancel(reason: string): void;
}

/** How a scope stands. `final`: nothing new begins below it either, shielded or not. */
export type ScopeStatus =
  | { readonly status: "open" }
  | { readonly status: "cancelled"; readonly reason: string; readonly final: boolean };

const OPEN: ScopeStatus = { status: "open" };
const OVER = "its scope is over";
const NOTHING: readonly never[] = [];

/**
 * One branch of a program: names its operations by path, kind and ordinal (I4) and cancels them
 * together, down the tree. Cancelling is a decision of the program, so it needs no event of its own.
 */
export class ScopeNode {
  readonly path: string;
  readonly #isShielded: boolean;
  readonly #parent: ScopeNode | undefined;
  // Made on first use: a run may have many thousand scopes with a step or two each.
  #children: Set<ScopeNode> | undefined;
  #operations: Set<ScopedOperation> | undefined;
  #ordinals: Map<string, number> | undefined;
  #status: ScopeStatus = OPEN;

  constructor(
    path: string,
    options: { readonly parent?: ScopeNode; readonly shielded?: boolean } = {},
  ) {
    this.path = path;
    this.#parent = options.parent;
    this.#isShielded = options.shielded ?? false;
    if (options.parent === undefined) return;
    const inherited = options.parent.#status;
    if (inherited.status === "cancelled" && (inherited.final || !this.#isShielded))
      this.#status = inherited;
    options.parent.#children ??= new Set();
    options.parent.#children.add(this);
  }

  get status(): ScopeStatus {
    return this.#status;
  }

  /** `worker-2`, and `worker-2#2` the second time the name is used here. */
  child(name: string, shielded: boolean): ScopeNode {
    // `/` and `#` structure ids; in a name they could make two ids the same.
    const safeName = name.replace(/[%/#]/g, encodeURIComponent);
    const ordinal = this.#next(`scope:${safeName}`);
    return new ScopeNode(this.qualify(ordinal === 1 ? safeName : `${safeName}#${ordinal}`), {
      parent: this,
      shielded,
    });
  }

  /** The id of the next operation or note of a kind. */
  nextId(kind: string): string {
    return this.qualify(`${kind}#${this.#next(kind)}`);
  }

  /** A name within this scope. */
  qualify(name: string): string {
    return this.path === "" ? name : `${this.path}/${name}`;
  }

  /** Counts uses of a name from 1. */
  #next(name: string): number {
    this.#ordinals ??= new Map();
    const ordinal = (this.#ordinals.get(name) ?? 0) + 1;
    this.#ordinals.set(name, ordinal);
    return ordinal;
  }

  add(operation: ScopedOperation): void {
    this.#operations ??= new Set();
    this.#operations.add(operation);
  }

  delete(operation: ScopedOperation): void {
    this.#operations?.delete(operation);
  }

  /** Cancels what is open here and below. Shielded scopes are spared, now and later, unless `final`. */
  cancel(reason: string, final = false): void {
    if (this.#status.status === "cancelled" && (this.#status.final || !final)) return;
    this.#status = { status: "cancelled", reason, final };
    for (const operation of this.#operations ?? NOTHING) operation.cancel(reason);
    for (const child of this.#children ?? NOTHING) {
      if (final || !child.#isShielded) child.cancel(reason, final);
    }
  }

  /** The branch has returned: what it left open is cancelled, and its parent forgets it. */
  close(): void {
    this.cancel(OVER, true);
    if (this.#parent !== undefined) this.#parent.#children?.delete(this);
  }
}
