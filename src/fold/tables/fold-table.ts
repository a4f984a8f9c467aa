import type { EventData, EventOf } from "../../contracts/events/event.ts";
import type { RunState } from "../state/run-state.ts";

/** Every event by its type. */
export type EventsByType = { readonly [Type in EventData["type"]]: EventOf<Type> };

/** How one noun of the state follows from events. Types without an entry leave it alone. */
export type FoldTable = {
  readonly [Type in keyof EventsByType]?: (state: RunState, event: EventsByType[Type]) => void;
};

/** Applies a table's entry for the event's type, if it has one. */
export function applyTable<Type extends keyof EventsByType>(
  table: { readonly [Each in Type]?: (state: RunState, event: EventsByType[Each]) => void },
  state: RunState,
  event: EventsByType[Type] & { readonly type: Type },
): void {
  table[event.type]?.(state, event);
}
