import type { WaitingItem } from "../../../contracts/run.ts";
import type { RunRuntime } from "../../../engine/run-runtime.ts";
import { isWaitingForPerson, waitingItems } from "../../../fold/waiting.ts";
import { toJson } from "../../../foundation/json.ts";
import { isSameJson } from "../../../foundation/same-json.ts";
import type { TreeMember } from "../owner/run-tree.ts";

/** A child run that this process carries out, as its parent sees it. */
export interface ChildWatch {
  readonly isStill: boolean;
  /** Lets go of the child; what it asks stays told. */
  suspend(): void;
}

/** Tells the parent what the child asks people for, and when only they can move it on. */
export function watchChild(
  parent: RunRuntime,
  { child, op }: { readonly child: string; readonly op: string },
  { runtime: below, suspend }: TreeMember,
): ChildWatch {
  let told: Asking = { waitingFor: [], isBlocked: false };
  let isLeaving = false;
  const tell = (asking: Asking) => {
    if (isLeaving || isSame(told, asking)) return;
    told = asking;
    parent.append({ type: "child-waiting", child, op, ...asking });
  };
  below.onQuiet(() => {
    tell(askingOf(below, child));
    parent.checkRest();
  });
  // That it goes on counts at once: the parent's clock stands until then.
  below.onAppended(() => {
    if (told.isBlocked && !isWaitingForPerson(below.state)) tell(askingOf(below, child));
  });
  return {
    get isStill() {
      return below.isStill;
    },
    suspend: () => {
      isLeaving = true;
      if (isWaitingForPerson(below.state)) suspend("waiting", WAITING_EXIT_CODE);
      else suspend("interrupted", INTERRUPTED_EXIT_CODE);
    },
  };
}

const WAITING_EXIT_CODE = 3;
const INTERRUPTED_EXIT_CODE = 130;

interface Asking {
  readonly waitingFor: readonly WaitingItem[];
  readonly isBlocked: boolean;
}

function askingOf({ state }: RunRuntime, run: string): Asking {
  return {
    waitingFor: waitingItems(state).map((item) => ({ ...item, run: item.run ?? run })),
    isBlocked: isWaitingForPerson(state),
  };
}

function isSame(left: Asking, right: Asking): boolean {
  return isSameJson(toJson(left, "what a child asks"), toJson(right, "what a child asks"));
}
