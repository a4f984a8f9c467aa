import { computed, type ReadonlySignal, type Signal, signal } from "@preact/signals";
import type { JournalEvent } from "../../../contracts/events/event.ts";
import type { RunReport } from "../../../contracts/ports/run-report.ts";
import type { RunState } from "../../../fold/state/run-state.ts";
import { isRecord } from "../../../foundation/json.ts";
import { findMarkers, type Marker } from "./markers.ts";
import { formatRoute, type PageRoute } from "./route.ts";
import { openedBarriers, type RunHistory, readHistory } from "./run-history.ts";
import { type OutlineStep, type OutlineView, outlineOf, viewOutline } from "./run-outline.ts";
import { createTimeTravel } from "./time-travel.ts";

/** The run after some of its events. A new object at every move, though the state in it is the same one. */
export interface Moment {
  /** Number of events that have happened. */
  readonly position: number;
  readonly state: RunState;
  /** The outline as it looks. */
  readonly steps: readonly OutlineView[];
  /** The last of these events; undefined before the first. */
  readonly event: JournalEvent | undefined;
  readonly isEnd: boolean;
  /** Whether it is the end of what was seen of a run that no process carried out then. */
  readonly isLeft: boolean;
}

/** What all parts of the page show and move; made once per page. */
export interface RunModel {
  readonly report: RunReport;
  readonly events: readonly JournalEvent[];
  readonly history: RunHistory;
  readonly markers: readonly Marker[];
  readonly outline: readonly OutlineStep[];
  readonly route: ReadonlySignal<PageRoute>;
  readonly moment: ReadonlySignal<Moment>;
  readonly isPlaying: Signal<boolean>;
  /** Times the usual pace. */
  readonly speed: Signal<number>;
  /** Takes over what an address says. */
  show(route: PageRoute): void;
  /** Goes to a number of events; beyond the last one means the end, whatever comes later. */
  moveTo(position: number): void;
  /** The hash of the present view with some of it changed; undefined members are left out of it. */
  linkTo(changes: { readonly [Name in keyof PageRoute]?: PageRoute[Name] }): string;
}

/** The model of a report, showing what the route says. */
export function createRunModel(report: RunReport, firstRoute: PageRoute): RunModel {
  const { events } = report;
  const travel = createTimeTravel(report.run, events);
  const outline = outlineOf(report.graph, travel.stateAfter(events.length));
  const history = readHistory(events, report.isLeft);
  const route = signal(firstRoute);
  const position = computed(() => Math.min(route.value.at ?? events.length, events.length));
  const moment = computed(() => {
    const at = position.value;
    const state = travel.stateAfter(at);
    const isEnd = at === events.length;
    const isLeft = isEnd && report.isLeft === true;
    const steps = viewOutline(outline, state, { opened: openedBarriers(history, at), isLeft });
    return { position: at, state, steps, event: events[at - 1], isEnd, isLeft };
  });
  const isPlaying = signal(false);
  return {
    report,
    events,
    history,
    markers: findMarkers(events),
    outline,
    route,
    moment,
    isPlaying,
    speed: signal(1),
    show: (next) => {
      route.value = next;
    },
    moveTo: (wanted) => {
      const at = wanted >= events.length ? undefined : Math.max(0, Math.round(wanted));
      if (at !== route.value.at) route.value = { ...route.value, at };
    },
    linkTo: (changes) => formatRoute({ ...route.value, ...changes }),
  };
}

/** The report that stands in a page as JSON, packed or not; undefined when it is none that this page understands. */
export async function readReport(data: string): Promise<RunReport | undefined> {
  const value = parse(data);
  const packed = isRecord(value) ? value["packed"] : undefined;
  const report = typeof packed === "string" ? parse((await unpack(packed)) ?? "null") : value;
  return isReport(report) ? report : undefined;
}

// The page and its data are written together, so that a look at the outside tells whether they fit.
function isReport(value: unknown): value is RunReport {
  return (
    isRecord(value) &&
    value["v"] === 1 &&
    typeof value["run"] === "string" &&
    isRecord(value["graph"]) &&
    Array.isArray(value["events"])
  );
}

/** The text in base64 of gzip; undefined when a byte of it was lost or changed. */
async function unpack(packed: string): Promise<string | undefined> {
  try {
    const bytes = Uint8Array.from(atob(packed), (character) => character.charCodeAt(0));
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
    return await new Response(stream).text();
  } catch {
    // What base64 and gzip raise says no more to a reader than that the page is not whole.
    return undefined;
  }
}

function parse(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    // A file that was cut off; the caller says so.
    return undefined;
  }
}
