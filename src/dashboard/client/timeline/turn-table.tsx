import type { JSX } from "preact";
import { formatDuration } from "../../../foundation/duration.ts";
import { toVisibleText } from "../../../foundation/printable.ts";
import { lookOfSpan } from "../model/look.ts";
import type { RunModel } from "../model/run-model.ts";
import { endAt, type TurnSpan } from "../model/spans.ts";
import { formatClock } from "../text/figures.ts";
import { LookBadge } from "../ui/look-icon.tsx";
import { Person } from "../ui/person.tsx";
import { type Column, VirtualTable } from "../ui/virtual-table.tsx";

const COLUMNS: readonly Column[] = [
  { name: "time", title: "Began" },
  { name: "agent", title: "Agent" },
  { name: "turn", title: "Turn", isWide: true },
  { name: "step", title: "Step" },
  { name: "state", title: "State" },
  { name: "lasted", title: "Time", isWide: true },
  { name: "says", title: "What it said", isWide: true },
];

const MAX_CHARS = 160;

/** The turns so far as a table: what the timeline shows, in words. */
export function TurnTable({ model }: { model: RunModel }): JSX.Element {
  const { position } = model.moment.value;
  const turns = model.history.turns.filter((turn) => turn.position <= position);
  return (
    <VirtualTable
      label="Turns"
      columns={COLUMNS}
      count={turns.length}
      rowHeight={36}
      empty="No turn has begun at this moment."
      follow={turns.length - 1}
      cells={(index) => cellsOf(turns[index], model)}
    />
  );
}

function cellsOf(turn: TurnSpan | undefined, model: RunModel): readonly JSX.Element[] {
  if (turn === undefined) return [];
  const { position } = model.moment.value;
  const end = endAt(turn, position);
  const lasted = end === "running" ? "" : formatDuration((turn.endedAt ?? 0) - turn.startedAt);
  const says = end === "running" ? "" : (turn.detail ?? turn.text ?? "");
  return [
    <a key="time" href={model.linkTo({ at: turn.position })} title="Go to this moment">
      {formatClock(turn.startedAt)}
    </a>,
    <Person key="agent" id={turn.agent} />,
    <span key="turn">{turn.turn}</span>,
    turn.step === undefined ? (
      <span key="step" />
    ) : (
      <a key="step" href={model.linkTo({ tab: "steps", step: turn.step })}>
        {toVisibleText(turn.step)}
      </a>
    ),
    <LookBadge key="state" look={lookOfSpan(end)} word={end} />,
    <span key="lasted">{lasted}</span>,
    <span key="says" class="one-line">
      {toVisibleText(says.slice(0, MAX_CHARS))}
    </span>,
  ];
}
