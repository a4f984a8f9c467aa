import type { JSX } from "preact";
import { useEffect, useMemo } from "preact/hooks";
import { type Marker, type MarkerKind, nextMarker, thinMarkers } from "../model/markers.ts";
import { eventsPerSecond } from "../model/playback.ts";
import type { RunModel } from "../model/run-model.ts";
import { formatClock } from "../text/figures.ts";
import { Words } from "../text/prose.tsx";
import { useViewport } from "./use-size.ts";

const SPEEDS = [0.5, 1, 2, 4, 8];
const TICK_PX = 13;

interface TransportBarProps {
  readonly model: RunModel;
  readonly onHelp: () => void;
}

/** Moves through the run: everything on the page shows the run after the event that is chosen here. */
export function TransportBar({ model, onHelp }: TransportBarProps): JSX.Element {
  const { events, moment, isPlaying, speed } = model;
  const { position, event, isEnd } = moment.value;
  usePlayback(model);
  const jump = (direction: 1 | -1) => moveToMarker(model, direction);
  const marker = model.markers.find((each) => each.position === position);
  const what = marker?.label ?? event?.type ?? "before the first event";
  const when = event === undefined ? "" : formatClock(event.at);
  return (
    <section class="transport" aria-label="Time travel">
      <div class="buttons">
        <button type="button" aria-label="Previous marker (Shift+Left)" onClick={() => jump(-1)}>
          <Shape d="M3 2V14M14 2L5 8L14 14Z" />
        </button>
        <button
          type="button"
          class="play"
          aria-label={isPlaying.value ? "Pause (Space)" : "Play (Space)"}
          onClick={() => togglePlaying(model)}
        >
          <Shape d={isPlaying.value ? "M4 2V14M12 2V14" : "M3 1.5L14 8L3 14.5Z"} />
        </button>
        <button type="button" aria-label="Next marker (Shift+Right)" onClick={() => jump(1)}>
          <Shape d="M13 2V14M2 2L11 8L2 14Z" />
        </button>
        <select
          aria-label="Speed"
          value={String(speed.value)}
          onChange={({ currentTarget }) => {
            speed.value = Number(currentTarget.value);
          }}
        >
          {SPEEDS.map((factor) => (
            <option key={factor} value={String(factor)}>
              {factor}×
            </option>
          ))}
        </select>
        <button type="button" class="help" aria-label="Keys (?)" onClick={onHelp}>
          ?
        </button>
      </div>
      <div class="track">
        <Ticks model={model} />
        <input
          type="range"
          min={0}
          max={events.length}
          step={1}
          value={position}
          aria-label="Event"
          aria-valuetext={`event ${position} of ${events.length}, ${what} ${when}`}
          onInput={({ currentTarget }) => {
            isPlaying.value = false;
            model.moveTo(currentTarget.valueAsNumber);
          }}
        />
      </div>
      <div class="where">
        <span class="count">
          {position}/{events.length}
        </span>
        <span class="when">{when}</span>
        <span class="what">
          <Words text={what} />
        </span>
        <button
          type="button"
          class="to-end"
          disabled={isEnd}
          onClick={() => model.moveTo(Infinity)}
        >
          End
        </button>
      </div>
    </section>
  );
}

/** Starts to play, from the beginning if the end is reached, or stops. */
export function togglePlaying(model: RunModel): void {
  const { isPlaying, moment } = model;
  if (!isPlaying.value && moment.value.isEnd) model.moveTo(0);
  isPlaying.value = !isPlaying.value;
}

/** Goes to the next marker in a direction; without one, to the end or the beginning. */
export function moveToMarker(model: RunModel, direction: 1 | -1): void {
  model.isPlaying.value = false;
  const marker = nextMarker(model.markers, model.moment.value.position, direction);
  model.moveTo(marker?.position ?? (direction === 1 ? Infinity : 0));
}

function Ticks({ model }: { model: RunModel }): JSX.Element {
  const { events, markers } = model;
  const [element, { width }] = useViewport<HTMLDivElement>();
  return useMemo(() => {
    const distance = Math.max(1, (events.length * TICK_PX) / Math.max(1, width));
    const ticks = thinMarkers(markers, distance);
    return (
      <div class="ticks" ref={element} aria-hidden>
        {ticks.map((marker) => (
          <Tick key={marker.position} marker={marker} length={events.length} />
        ))}
      </div>
    );
  }, [events, markers, width, element]);
}

const TICK_PATHS: { readonly [kind in MarkerKind]: string } = {
  person: "M5 1L9.5 9H0.5Z",
  failure: "M1.5 1.5L8.5 8.5M8.5 1.5L1.5 8.5",
  document: "M2 1H8V9H2ZM3.5 4H6.5M3.5 6H6.5",
};

function Tick({ marker, length }: { marker: Marker; length: number }): JSX.Element {
  const left = `${(marker.position / Math.max(1, length)) * 100}%`;
  return (
    <svg class={`tick tick-${marker.kind}`} viewBox="0 0 10 10" style={{ left }} aria-hidden="true">
      <path d={TICK_PATHS[marker.kind]} />
    </svg>
  );
}

function Shape({ d }: { d: string }): JSX.Element {
  return (
    <svg class="icon" viewBox="0 0 16 16" aria-hidden="true">
      <path d={d} />
    </svg>
  );
}

function usePlayback(model: RunModel): void {
  const isPlaying = model.isPlaying.value;
  useEffect(() => {
    if (!isPlaying) return undefined;
    const rate = () => eventsPerSecond(model.events.length, model.speed.value);
    let exact = model.moment.value.position;
    let lastMs: number | undefined;
    let frame = 0;
    const advance = (nowMs: number) => {
      exact += (rate() * Math.min(100, nowMs - (lastMs ?? nowMs))) / 1000;
      lastMs = nowMs;
      model.moveTo(Math.floor(exact));
      if (exact >= model.events.length) model.isPlaying.value = false;
      else frame = requestAnimationFrame(advance);
    };
    frame = requestAnimationFrame(advance);
    return () => cancelAnimationFrame(frame);
  }, [isPlaying, model]);
}
