import type { JSX } from "preact";
import { formatDuration } from "../../../foundation/duration.ts";
import { toVisibleText } from "../../../foundation/printable.ts";
import { LOOK_WORDS, LOOKS } from "../model/look.ts";
import type { RunModel } from "../model/run-model.ts";
import type { OutlineView } from "../model/run-outline.ts";
import { chooseSteps, countLooks, type StepChoice, saysOf } from "../model/step-list.ts";
import { formatCount } from "../text/figures.ts";
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

/** The steps that are chosen with their attempts, time and output, and all of the one that is selected. */
export function StepsPage({ model }: { model: RunModel }): JSX.Element {
  const route = model.route.value;
  const all = model.moment.value.steps.filter(({ kind }) => kind === "step");
  const steps = chooseSteps(all, route);
  const selected = all.find(({ path }) => path === route.step);
  return (
    <div class={selected === undefined ? "page" : "page split"}>
      <div class="list-side">
        <StepTools model={model} steps={all} shown={steps.length} />
        <VirtualTable
          label="Steps"
          columns={COLUMNS}
          count={steps.length}
          rowHeight={40}
          empty={all.length === 0 ? "This run has no steps." : "No step is like this."}
          selected={steps.findIndex(({ path }) => path === route.step)}
          cells={(index) => cellsOf(steps[index], model)}
        />
      </div>
      {selected === undefined ? null : <StepDetail model={model} step={selected} />}
    </div>
  );
}

interface StepToolsProps {
  readonly model: RunModel;
  /** All of them. */
  readonly steps: readonly OutlineView[];
  /** How many of them are shown. */
  readonly shown: number;
}

/** What is chosen stands in the address, so that a link leads to the same list. */
function StepTools({ model, steps, shown }: StepToolsProps): JSX.Element {
  const route = model.route.value;
  const { find = "", look, order } = route;
  const choose = (changes: Partial<StepChoice>) => model.show({ ...route, ...changes });
  const counts = countLooks(steps);
  // A state that no step is in at this moment can still be the one that was chosen.
  const looks = look === undefined || counts.some(([each]) => each === look) ? [] : [look];
  return (
    <div class="tools">
      <label>
        Filter{" "}
        <input
          type="search"
          value={find}
          placeholder="step, agent, output, error"
          onInput={({ currentTarget: { value } }) => choose({ find: value || undefined })}
        />
      </label>
      <label>
        State{" "}
        <select
          value={look ?? ""}
          onChange={({ currentTarget: { value } }) =>
            choose({ look: LOOKS.find((each) => each === value) })
          }
        >
          <option value="">all</option>
          {counts.map(([each, count]) => (
            <option key={each} value={each}>
              {LOOK_WORDS[each]} ({count})
            </option>
          ))}
          {looks.map((each) => (
            <option key={each} value={each}>
              {LOOK_WORDS[each]} (0)
            </option>
          ))}
        </select>
      </label>
      <label>
        <input
          type="checkbox"
          checked={order === "failed-first"}
          onChange={({ currentTarget: { checked } }) =>
            choose({ order: checked ? "failed-first" : undefined })
          }
        />{" "}
        Failed first
      </label>
      <span class="muted" aria-live="polite">
        {formatCount(shown, "step")}
      </span>
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
      {toVisibleText(saysOf(step).slice(0, MAX_CHARS))}
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
