import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { toVisibleText } from "../../../foundation/printable.ts";
import { RunGraph } from "../graph/run-graph.tsx";
import type { RunModel } from "../model/run-model.ts";
import type { OutlineView } from "../model/run-outline.ts";
import { LookBadge } from "../ui/look-icon.tsx";
import { StepDetail } from "../ui/step-detail.tsx";
import { type Column, VirtualTable } from "../ui/virtual-table.tsx";

/** What waits for what, as a drawing or as a table, and all of the step that is selected. */
export function GraphPage({ model }: { model: RunModel }): JSX.Element {
  const [form, setForm] = useState<"drawing" | "table">("drawing");
  const { steps } = model.moment.value;
  const selected = steps.find(({ path }) => path === model.route.value.step);
  return (
    <div class={selected === undefined ? "page" : "page split"}>
      <div class="graph-side">
        <fieldset class="tools" aria-label="Form of the graph">
          <button
            type="button"
            aria-pressed={form === "drawing"}
            onClick={() => setForm("drawing")}
          >
            Drawing
          </button>
          <button type="button" aria-pressed={form === "table"} onClick={() => setForm("table")}>
            Table
          </button>
        </fieldset>
        {form === "drawing" && steps.length > 0 ? (
          <RunGraph model={model} steps={steps} />
        ) : (
          <GraphTable model={model} steps={steps} />
        )}
      </div>
      {selected === undefined ? null : <StepDetail model={model} step={selected} />}
    </div>
  );
}

const COLUMNS: readonly Column[] = [
  { name: "step", title: "Step" },
  { name: "state", title: "State" },
  { name: "after", title: "Waits for" },
  { name: "before", title: "Leads to", isWide: true },
];

function GraphTable({
  model,
  steps,
}: {
  model: RunModel;
  steps: readonly OutlineView[];
}): JSX.Element {
  const leadsTo = new Map<string, string[]>();
  for (const { path, after } of steps)
    for (const before of after) leadsTo.set(before, [...(leadsTo.get(before) ?? []), path]);
  return (
    <VirtualTable
      label="Graph as a table"
      columns={COLUMNS}
      count={steps.length}
      rowHeight={40}
      empty="This run has no steps."
      selected={steps.findIndex(({ path }) => path === model.route.value.step)}
      cells={(index) => {
        const step = steps[index];
        if (step === undefined) return [];
        return [
          <a key="step" href={model.linkTo({ step: step.path })}>
            {toVisibleText(step.path)}
          </a>,
          <LookBadge key="state" look={step.look} />,
          <span key="after">{toVisibleText(step.after.join(", "))}</span>,
          <span key="before">{toVisibleText((leadsTo.get(step.path) ?? []).join(", "))}</span>,
        ];
      }}
    />
  );
}
