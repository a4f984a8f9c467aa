import type { JournalEvent } from "../../../contracts/events/event.ts";

/** What a person looks for when going through a run. */
export type MarkerKind = "failure" | "person" | "document";

/** A tick of the transport bar. */
export interface Marker {
  readonly kind: MarkerKind;
  /** Number of events up to and with this one. */
  readonly position: number;
  readonly label: string;
}

/** The ticks of a run, in the order of its events. */
export function findMarkers(events: readonly JournalEvent[]): readonly Marker[] {
  return events.flatMap((event, index) => {
    const found = describe(event);
    return found === undefined ? [] : [{ ...found, position: index + 1 }];
  });
}

/** The nearest marker before (-1) or after (1) a position; undefined when there is none. */
export function nextMarker(
  markers: readonly Marker[],
  position: number,
  direction: 1 | -1,
): Marker | undefined {
  return direction === 1
    ? markers.find((marker) => marker.position > position)
    : markers.findLast((marker) => marker.position < position);
}

/** Markers at least `distance` positions apart; where several are near each other, the most important one stays. */
export function thinMarkers(markers: readonly Marker[], distance: number): readonly Marker[] {
  const kept = new Map<number, Marker>();
  const slotOf = (marker: Marker) => Math.floor(marker.position / distance);
  const isFree = (marker: Marker) =>
    [-1, 0, 1].every((offset) => {
      const near = kept.get(slotOf(marker) + offset);
      return near === undefined || Math.abs(near.position - marker.position) >= distance;
    });
  const byRank = markers.toSorted((left, right) => RANKS[left.kind] - RANKS[right.kind]);
  for (const marker of byRank) if (isFree(marker)) kept.set(slotOf(marker), marker);
  return [...kept.values()];
}

const RANKS: { readonly [kind in MarkerKind]: number } = { failure: 0, person: 1, document: 2 };

function describe(event: JournalEvent): Omit<Marker, "position"> | undefined {
  switch (event.type) {
    case "approval-requested":
      return { kind: "person", label: "approval asked for" };
    case "permission-requested":
      return { kind: "person", label: `${event.agent} asks for a permission` };
    case "question-asked":
      return { kind: "person", label: `${event.agent} asks a question` };
    case "step-failed":
      return { kind: "failure", label: `step ${event.path} failed` };
    case "step-retrying":
      return { kind: "failure", label: `step ${event.path} is tried again` };
    case "turn-failed":
      return { kind: "failure", label: `a turn of ${event.agent} failed` };
    case "verification-failed":
      return { kind: "failure", label: `a check of ${event.step} failed` };
    case "tests-changed":
      return { kind: "failure", label: `${event.step} changed tests` };
    case "message-dead":
      return { kind: "failure", label: `a message to ${event.agent} was given up` };
    case "budget-exceeded":
      return { kind: "failure", label: `the ${event.meter} budget of the ${event.of} is used up` };
    case "document-changed":
      return { kind: "document", label: `${event.document} at revision ${event.revision}` };
    default:
      return undefined;
  }
}
