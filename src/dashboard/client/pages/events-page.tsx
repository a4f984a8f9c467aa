import type { JSX } from "preact";
import { useMemo, useState } from "preact/hooks";
import type { JournalEvent } from "../../../contracts/events/event.ts";
import { toVisibleText } from "../../../foundation/printable.ts";
import { describeEvent } from "../model/describe-event.ts";
import type { RunModel } from "../model/run-model.ts";
import { formatClock, formatCount } from "../text/figures.ts";
import { Plain } from "../text/prose.tsx";
import { type Column, VirtualTable } from "../ui/virtual-table.tsx";

const COLUMNS: readonly Column[] = [
  { name: "seq", title: "Seq" },
  { name: "time", title: "Time", isWide: true },
  { name: "type", title: "Type" },
  { name: "what", title: "What" },
];

/** The journal as it is, with those events still to come dimmed, and all of the one that is selected. */
export function EventsPage({ model }: { model: RunModel }): JSX.Element {
  const [filter, setFilter] = useState("");
  const { events } = model;
  const { position } = model.moment.value;
  const found = useFound(events, filter);
  const wanted = model.route.value.event;
  const selected = wanted === undefined ? undefined : events[wanted - 1];
  const countBefore = found.findIndex((index) => index >= position);
  const current = countBefore === -1 ? found.length - 1 : countBefore - 1;
  return (
    <div class={selected === undefined ? "page" : "page split"}>
      <div class="list-side">
        <div class="tools">
          <label>
            Filter{" "}
            <input
              type="search"
              value={filter}
              placeholder="type, agent, any text"
              onInput={({ currentTarget }) => setFilter(currentTarget.value)}
            />
          </label>
          <span class="muted" aria-live="polite">
            {formatCount(found.length, "event")}
          </span>
        </div>
        <VirtualTable
          label="Events"
          columns={COLUMNS}
          count={found.length}
          rowHeight={30}
          empty="No event holds this text."
          follow={current}
          selected={wanted === undefined ? -1 : found.indexOf(wanted - 1)}
          rowClass={(row) => rowClassOf(found[row] ?? 0, position)}
          cells={(row) => cellsOf(events[found[row] ?? 0], found[row] ?? 0, model)}
        />
      </div>
      {selected === undefined ? null : <EventDetail event={selected} model={model} />}
    </div>
  );
}

function rowClassOf(index: number, position: number): string {
  if (index >= position) return "later";
  return index + 1 === position ? "current" : "";
}

function cellsOf(
  event: JournalEvent | undefined,
  index: number,
  model: RunModel,
): readonly JSX.Element[] {
  if (event === undefined) return [];
  return [
    <a key="seq" href={model.linkTo({ event: index + 1 })}>
      {event.seq}
    </a>,
    <span key="time">{formatClock(event.at)}</span>,
    <code key="type">{toVisibleText(event.type)}</code>,
    <span key="what" class="one-line">
      {toVisibleText(describeEvent(event))}
    </span>,
  ];
}

function EventDetail({ event, model }: { event: JournalEvent; model: RunModel }): JSX.Element {
  return (
    <aside class="detail" aria-label={`Event ${event.seq}`}>
      <div class="detail-head">
        <h2>
          Event {event.seq} <span class="muted">{toVisibleText(event.type)}</span>
        </h2>
        <a class="close" href={model.linkTo({ event: undefined })} aria-label="Close">
          ×
        </a>
      </div>
      <p class="facts">
        <a href={model.linkTo({ at: model.events.indexOf(event) + 1 })}>Go to this moment</a>
      </p>
      <Plain text={JSON.stringify(event, null, 2)} label="Event as JSON" />
    </aside>
  );
}

/** Indexes of the events whose JSON holds the text; the JSON of all is written once, when it is first needed. */
function useFound(events: readonly JournalEvent[], filter: string): readonly number[] {
  const isFiltered = filter !== "";
  const texts = useMemo(
    () => (isFiltered ? events.map((event) => JSON.stringify(event).toLowerCase()) : undefined),
    [events, isFiltered],
  );
  return useMemo(() => {
    const wanted = filter.toLowerCase();
    return events.flatMap((_, index) =>
      texts?.[index]?.includes(wanted) === false ? [] : [index],
    );
  }, [events, texts, filter]);
}
