/** An operation that its scope can cancel. */
export interface ScopedOperation {
  cancel(reason: string): void;
}

/** How a scope stands. */
export type ScopeStatus =
  | { readonly status: "open" }
  | { readonly status: "cancelled"; readonly reason: string }
  | { readonly status: "over" };

/**
 * One branch of a program: names its operations by path, kind and ordinal (I4) and cancels them
 * together, down the tree. Cancelling is a decision of the program, so it needs no event of its own.
 */
export class ScopeNode {
  readonly path: string;
  readonly #shielded: boolean;
  readonly #parent: ScopeNode | undefined;
  readonly #children = new Set<ScopeNode>();
  readonly #operations = new Set<ScopedOperation>();
  readonly #ordinals = new Map<string, number>();
  #status: ScopeStatus = { status: "open" };

  constructor(
    path: string,
    options: { readonly parent?: ScopeNode; readonly shielded?: boolean } = {},
  ) {
    this.path = path;
    this.#parent = options.parent;
    this.#shielded = options.shielded ?? false;
    const inherited = options.parent?.status;
    if (inherited?.status === "cancelled" && !this.#shielded) this.#status = inherited;
    if (options.parent !== undefined) options.parent.#children.add(this);
  }

  get status(): ScopeStatus {
    return this.#status;
  }

  /** `worker-2`, and `worker-2#2` the second time the name is used here. */
  child(name: string, shielded: boolean): ScopeNode {
    const ordinal = this.#next(`scope:${name}`);
    return new ScopeNode(this.qualify(ordinal === 1 ? name : `${name}#${ordinal}`), {
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
    const ordinal = (this.#ordinals.get(name) ?? 0) + 1;
    this.#ordinals.set(name, ordinal);
    return ordinal;
  }

  add(operation: ScopedOperation): void {
    this.#operations.add(operation);
  }

  delete(operation: ScopedOperation): void {
    this.#operations.delete(operation);
  }

  /** Cancels what is open here and below; shielded scopes are spared unless `force`. */
  cancel(reason: string, force = false): void {
    if (this.#status.status === "over") return;
    if (this.#status.status === "open") this.#status = { status: "cancelled", reason };
    for (const operation of [...this.#operations]) operation.cancel(reason);
    for (const child of [...this.#children]) {
      if (force || !child.#shielded) child.cancel(reason, force);
    }
  }

  /** The branch has returned: what it left open is cancelled, and its parent forgets it. */
  close(): void {
    this.cancel("its scope is over", true);
    this.#status = { status: "over" };
    if (this.#parent !== undefined) this.#parent.#children.delete(this);
  }
}
