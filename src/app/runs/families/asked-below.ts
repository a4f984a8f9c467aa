import type { InboxItem } from "../../../fold/state/inbox-state.ts";
import type { RunState } from "../../../fold/state/run-state.ts";
import { childItems, findItem } from "../../../fold/waiting.ts";
import { TroupeError } from "../../../foundation/errors.ts";
import type { Machine } from "../../machine/machine.ts";
import { readState } from "../run-lookup.ts";

/** What a run below another one asks a person for, with all that she has to see of it. */
export interface AskedBelow {
  readonly item: InboxItem;
  /** The run that asks, as it was when it was first looked at for this. */
  readonly state: RunState;
}

/** Looks up what the runs below one ask, each thing once: what is asked never changes. */
export class ItemsBelow {
  readonly #machine: Pick<Machine, "store">;
  #known: ReadonlyMap<string, AskedBelow> = new Map();

  constructor(machine: Pick<Machine, "store">) {
    this.#machine = machine;
  }

  /** By id, in the order in which they began to ask. What was decided a moment ago, or cannot be read, is left out. */
  of(state: RunState): ReadonlyMap<string, AskedBelow> {
    const found = new Map<string, AskedBelow>();
    for (const { id, run } of childItems(state)) {
      const asked = this.#known.get(id) ?? this.#find(run ?? "", id);
      if (asked !== undefined) found.set(id, asked);
    }
    this.#known = found;
    return found;
  }

  #find(run: string, id: string): AskedBelow | undefined {
    try {
      const state = readState(this.#machine.store, run);
      const item = findItem(state, id);
      return item === undefined ? undefined : { item, state };
    } catch (error) {
      // A journal that cannot be read is the concern of the run that it belongs to.
      if (error instanceof TroupeError) return undefined;
      throw error;
    }
  }
}
