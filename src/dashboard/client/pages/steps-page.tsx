import type { JSX } from "preact";
import { formatDuration } from "../../../foundation/duration.ts";
import { toVisibleText } from "../../../foundation/printable.ts";
import type { RunModel } from "../model/run-model.ts";
import type { OutlineView } from "../model/run-outline.ts";
import { LookBadge } from "../ui/look-icon.tsx";
import { Person } from "../ui/person.tsx";
import { StepDetail } from "../ui/step-detail.tsx";
import { type Column, VirtualTable } from "../ui/virtual-table.tsx";

const COLUMNS: readonly Column[] = [
  { name: "step", title: "Step" },
  { name: "state", title: "State" },
  { name: "agent", title: "Agent", isWide: true },
  { name: "attempts", title: "Attempts", isWide: true },
  { name: "time", title: "Time", isWide: true },
  { name: "says", title: "Output or error", isWide: true },
];

/** Every step with its attempts, time and output, and all of the one that is selected. */
export function StepsPage({ model }: { model: RunModel }): JSX.Element {
  const wanted = model.route.value.step;
  const steps = model.moment.value.steps.filter(({ kind }) => kind === "step");
  const selected = steps.find(({ path }) => path === wanted);
  return (
    <div class={selected === undefined ? "page" : "page split"}>
      <VirtualTable
        label="Steps"
        columns={COLUMNS}
        count={steps.length}
        rowHeight={40}
        empty="This run has no steps."
        selected={steps.findIndex(({ path }) => path === wanted)}
        cells={(index) => cellsOf(steps[index], model)}
      />
      {selected === undefined ? null : <StepDetail model={model} step={selected} />}
    </div>
  );
}

function cellsOf(step: OutlineView | undefined, model: RunModel): readonly JSX.Element[] {
  if (step === undefined) return [];
  const { path, look, agent, state } = step;
  return [
    <a key="step" href={model.linkTo({ step: path })}>
      {toVisibleText(path)}
    </a>,
    <LookBadge key="state" look={look} />,
    agent === undefined ? <span key="agent" /> : <Person key="agent" id={agent} />,
    <span key="attempts">{state?.attempt ?? ""}</span>,
    <span key="time">{timeOf(step, model)}</span>,
    <span key="says" class="one-line">
      {saysOf(step)}
    </span>,
  ];
}

const MAX_CHARS = 160;

function timeOf({ state }: OutlineView, model: RunModel): string {
  if (state === undefined) return "";
  if ("durationMs" in state) return formatDuration(state.durationMs);
  const { lastAt } = model.moment.value.state;
  const isOpen = state.status === "running" || state.status === "retrying";
  return isOpen && state.startedAt !== undefined
    ? formatDuration(Math.max(0, lastAt - state.startedAt))
    : "";
}

function saysOf({ state }: OutlineView): string {
  switch (state?.status) {
    case "completed":
      return toVisibleText(state.output.slice(0, MAX_CHARS));
    case "failed":
    case "retrying":
      return toVisibleText(state.error.message.slice(0, MAX_CHARS));
    case "skipped":
    case "cancelled":
      return toVisibleText(state.reason.slice(0, MAX_CHARS));
    case "blocked":
      return toVisibleText(`waits for ${state.by.join(", ")}`);
    default:
      return "";
  }
}
