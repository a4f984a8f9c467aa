import type { JSX } from "preact";
import { useMemo, useState } from "preact/hooks";
import { formatDuration } from "../../../foundation/duration.ts";
import { toVisibleText } from "../../../foundation/printable.ts";
import { busyBefore } from "../model/run-history.ts";
import type { RunModel } from "../model/run-model.ts";
import { createTimeScale, type TimeScale } from "../model/time-scale.ts";
import { type Bar, type Lane, toLanes } from "../timeline/lanes.ts";
import { TurnTable } from "../timeline/turn-table.tsx";
import { Person } from "../ui/person.tsx";
import { useViewport } from "../ui/use-size.ts";

const ROW_PX = 20;
const LANE_PAD_PX = 8;
const AXIS_PX = 24;
const NAME_PX = 132;
const ZOOMS = [1, 2, 5, 10, 25];

/** Who worked and who waited, when: a lane per agent, and a line at the moment that is shown. */
export function TimelinePage({ model }: { model: RunModel }): JSX.Element {
  const [scroller, viewport] = useViewport<HTMLDivElement>();
  const [zoom, setZoom] = useState(1);
  const { events, history } = model;
  const scale = useMemo(() => {
    const busy = busyBefore(history, events.length);
    return createTimeScale(
      events.map(({ at }, index) => ({ atMs: at, isBusyBefore: busy[index] === true })),
    );
  }, [events, history]);
  const width = Math.max(240, viewport.width - NAME_PX - 24) * zoom;
  const lanes = useMemo(() => {
    const endedAt = events.at(-1)?.at ?? 0;
    return toLanes(history, { scale, width, endedAt });
  }, [history, events, scale, width]);
  return (
    <div class="page timeline-page">
      <div class="tools">
        <label>
          Zoom{" "}
          <select
            value={String(zoom)}
            onChange={({ currentTarget }) => setZoom(Number(currentTarget.value))}
          >
            {ZOOMS.map((factor) => (
              <option key={factor} value={String(factor)}>
                {factor}×
              </option>
            ))}
          </select>
        </label>
        {scale.gaps.length === 0 ? null : (
          <span class="muted">Long pauses are cut short; their length stands at the break.</span>
        )}
      </div>
      <section class="timeline" ref={scroller} tabIndex={0} aria-label="Timeline">
        {lanes.length === 0 ? (
          <p class="empty">No agent has had a turn in this run.</p>
        ) : (
          <Chart lanes={lanes} scale={scale} width={width} model={model} />
        )}
      </section>
      <TurnTable model={model} />
    </div>
  );
}

interface ChartProps {
  readonly lanes: readonly Lane[];
  readonly scale: TimeScale;
  readonly width: number;
  readonly model: RunModel;
}

function Chart({ lanes, scale, width, model }: ChartProps): JSX.Element {
  const tops: number[] = [];
  let height = AXIS_PX;
  for (const { rows } of lanes) {
    tops.push(height);
    height += rows.length * ROW_PX + LANE_PAD_PX;
  }
  const bars = useMemo(
    () =>
      lanes.map((lane, index) => <LaneBars key={lane.name} lane={lane} top={tops[index] ?? 0} />),
    [lanes],
  );
  const { event, position } = model.moment.value;
  const playhead = position === 0 ? 0 : scale.place(event?.at ?? 0) * width;
  return (
    <div class="chart" style={{ width: `${width + NAME_PX}px`, height: `${height}px` }}>
      {lanes.map(({ name, kind }, index) => (
        <div
          class="lane-name"
          key={name}
          style={{ top: `${tops[index] ?? 0}px`, width: `${NAME_PX}px` }}
        >
          {kind === "people" ? <span class="person">▲ you</span> : <Person id={name} />}
        </div>
      ))}
      <svg width={width} height={height} style={{ left: `${NAME_PX}px` }} role="presentation">
        <Axis scale={scale} width={width} height={height} />
        {bars}
        <rect
          class="veil"
          x={playhead}
          y={AXIS_PX}
          width={Math.max(0, width - playhead)}
          height={height}
        />
        <line class="playhead" x1={playhead} x2={playhead} y1={0} y2={height} />
      </svg>
    </div>
  );
}

function LaneBars({ lane, top }: { lane: Lane; top: number }): JSX.Element {
  return (
    <g>
      {lane.rows.map((row, index) =>
        row.map((bar) => <BarShape key={bar.position} bar={bar} y={top + index * ROW_PX + 4} />),
      )}
    </g>
  );
}

function BarShape({ bar, y }: { bar: Bar; y: number }): JSX.Element {
  const { x, width, look, label, step } = bar;
  const text = step !== undefined && width > step.length * 7 + 10 ? toVisibleText(step) : "";
  return (
    <g class={`bar look-${look}`}>
      <title>{toVisibleText(label)}</title>
      <rect x={x} y={y} width={width} height={ROW_PX - 4} rx={Math.min(3, width / 2)} />
      {look === "failed" && width >= 10 ? (
        <path d={`M${x + 3},${y + 4}l8,8m0,-8l-8,8`} class="cross" />
      ) : null}
      {text === "" ? null : (
        <text x={x + (look === "failed" ? 16 : 6)} y={y + 12}>
          {text}
        </text>
      )}
    </g>
  );
}

interface AxisProps {
  readonly scale: TimeScale;
  readonly width: number;
  readonly height: number;
}

function Axis({ scale, width, height }: AxisProps): JSX.Element {
  const ticks = Math.max(1, Math.floor(width / 120));
  const stepMs = scale.shownMs / ticks;
  return (
    <g class="axis">
      {scale.gaps.length > 0
        ? null
        : Array.from({ length: ticks }, (_, index) => (
            <g key={index}>
              <line x1={(index * width) / ticks} x2={(index * width) / ticks} y1={0} y2={height} />
              <text x={(index * width) / ticks + 4} y={14}>
                {index === 0 ? "0" : formatDuration(index * stepMs)}
              </text>
            </g>
          ))}
      {scale.gaps.map(({ place, durationMs }) => (
        <g key={place} class="gap">
          <line x1={place * width} x2={place * width} y1={0} y2={height} />
          <text x={place * width + 4} y={14}>
            {formatDuration(durationMs)}
          </text>
        </g>
      ))}
    </g>
  );
}
