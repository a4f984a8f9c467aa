import type { RunStore } from "../../../contracts/ports/store.ts";
import type { RunState } from "../../../fold/state/run-state.ts";
import { isOver } from "../../../fold/waiting.ts";
import { TroupeError } from "../../../foundation/errors.ts";
import { runHasParent } from "../errors.ts";
import { readState } from "../run-lookup.ts";
import { rootOf } from "./run-families.ts";

/** Raises RUN_HAS_PARENT for a run whose parent still has to go on. One whose parent is not here goes on alone. */
export function assertNotBelow(store: RunStore, state: RunState): void {
  const { id: run, parent } = state.run;
  if (parent === undefined) return;
  const above = stateOf(store, parent.run);
  if (above === undefined || isOver(above)) return;
  const root = rootOf(store, parent.run);
  throw runHasParent({ run, parent: parent.run, root, command: "resume" });
}

function stateOf(store: RunStore, run: string): RunState | undefined {
  try {
    return readState(store, run);
  } catch (error) {
    if (error instanceof TroupeError && error.code === "RUN_NOT_FOUND") return undefined;
    throw error;
  }
}
