/** A node of a graph with what it waits for. */
export interface QueueNode {
  readonly id: string;
  readonly dependsOn: readonly string[];
  /** Never handed out, needs no place: others depend on it until `finish` is called for it. */
  readonly isExternal?: boolean;
  /** Those of a group are out at most `most` at a time. */
  readonly group?: QueueGroup;
}

/** Nodes that have a limit of their own. */
export interface QueueGroup {
  readonly id: string;
  readonly most: number;
}

/** What a group has out, and what waits for a place in it. */
interface GroupState {
  running: number;
  readonly held: NodeState[];
}

interface NodeState {
  readonly node: QueueNode;
  readonly dependents: NodeState[];
  waitsFor: number;
  status: "waiting" | "ready" | "running" | "over";
}

/**
 * Hands out the nodes of a graph the moment their own dependencies are over, at most `maxConcurrency` at a
 * time, in the order in which they became ready. Linear in nodes plus edges.
 */
export class ReadyQueue {
  readonly #nodes = new Map<string, NodeState>();
  readonly #ready: NodeState[] = [];
  readonly #groups = new Map<string, GroupState>();
  readonly #maxConcurrency: number;
  #nextReady = 0;
  #running = 0;

  /** The graph must be valid: known dependencies, no cycle. */
  constructor(nodes: readonly QueueNode[], maxConcurrency: number = Infinity) {
    this.#maxConcurrency = maxConcurrency;
    for (const node of nodes) this.#add(node);
    for (const state of this.#nodes.values()) this.#connect(state);
    for (const state of this.#nodes.values()) {
      if (state.waitsFor === 0 && state.node.isExternal !== true) this.#makeReady(state);
    }
  }

  /** Nodes that may start now; each is handed out once. */
  take(): readonly string[] {
    const taken: string[] = [];
    while (this.#running < this.#maxConcurrency && this.#nextReady < this.#ready.length) {
      const state = this.#ready[this.#nextReady];
      this.#nextReady += 1;
      if (state === undefined) break;
      if (!this.#hasPlace(state)) continue;
      state.status = "running";
      this.#running += 1;
      taken.push(state.node.id);
    }
    return taken;
  }

  /** A node that was taken, or an external one, is over, whatever came out of it. */
  finish(id: string): void {
    const state = this.#nodes.get(id);
    const isDue =
      state?.status === "running" ||
      (state?.node.isExternal === true && state.status === "waiting");
    if (state === undefined || !isDue) return;
    if (state.status === "running") {
      this.#running -= 1;
      this.#leaveGroup(state);
    }
    state.status = "over";
    for (const dependent of state.dependents) {
      dependent.waitsFor -= 1;
      if (dependent.waitsFor === 0) this.#makeReady(dependent);
    }
  }

  /** Nodes that depend on this one. */
  dependents(id: string): readonly string[] {
    return (this.#nodes.get(id)?.dependents ?? []).map((state) => state.node.id);
  }

  #add(node: QueueNode): void {
    this.#nodes.set(node.id, { node, dependents: [], waitsFor: 0, status: "waiting" });
  }

  #connect(state: NodeState): void {
    for (const dependency of state.node.dependsOn) {
      const other = this.#nodes.get(dependency);
      // A dependency that is named twice has this node as its last dependent already.
      if (other === undefined || other.dependents.at(-1) === state) continue;
      other.dependents.push(state);
      state.waitsFor += 1;
    }
  }

  /** Whether a node may be out beside those of its group; otherwise it is held back until one of them is over. */
  #hasPlace(state: NodeState): boolean {
    const { group } = state.node;
    if (group === undefined) return true;
    const known = this.#groups.get(group.id) ?? { running: 0, held: [] };
    this.#groups.set(group.id, known);
    if (known.running >= group.most) {
      known.held.push(state);
      return false;
    }
    known.running += 1;
    return true;
  }

  #leaveGroup({ node }: NodeState): void {
    const group = node.group === undefined ? undefined : this.#groups.get(node.group.id);
    if (group === undefined) return;
    group.running -= 1;
    const next = group.held.shift();
    if (next !== undefined) this.#ready.push(next);
  }

  #makeReady(state: NodeState): void {
    state.status = "ready";
    this.#ready.push(state);
  }
}
