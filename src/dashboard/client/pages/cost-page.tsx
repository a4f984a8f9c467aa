import type { JSX } from "preact";
import { tokensOf } from "../../../contracts/usage.ts";
import { toVisibleText } from "../../../foundation/printable.ts";
import type { RunModel } from "../model/run-model.ts";
import { measureOf, type UsageSum, usageBy } from "../model/spending.ts";
import { costText, formatTokens } from "../text/figures.ts";
import { type Column, VirtualTable } from "../ui/virtual-table.tsx";

/** What the run has used so far, by agent and by step. What nobody reported is unknown, never zero. */
export function CostPage({ model }: { model: RunModel }): JSX.Element {
  const { position, state } = model.moment.value;
  const { turns } = model.history;
  const byAgent = usageBy(turns, position, ({ agent }) => agent);
  const byStep = usageBy(turns, position, ({ step }) => step ?? "outside of steps");
  const unknown = byAgent.reduce((sum, { unknownTurns }) => sum + unknownTurns, 0);
  const { usage, turnsEnded } = state;
  return (
    <div class="page cost">
      <dl class="totals">
        <Total name="Cost" value={costText(usage)} />
        <Total name="Input tokens" value={formatTokens(usage.inputTokens)} />
        <Total name="Output tokens" value={formatTokens(usage.outputTokens)} />
        <Total name="From cache" value={formatTokens(usage.cachedTokens)} />
        <Total name="Turns" value={String(turnsEnded)} />
      </dl>
      {unknown === 0 ? null : (
        <p class="note">
          {unknown === 1 ? "One turn" : `${unknown} turns`} did not tell what was used, so the sums
          are at least this much.
        </p>
      )}
      <SpendingTable title="By agent" spendings={byAgent} />
      <SpendingTable title="By step" spendings={byStep} />
    </div>
  );
}

function Total({ name, value }: { name: string; value: string }): JSX.Element {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{value}</dd>
    </div>
  );
}

interface SpendingTableProps {
  readonly title: string;
  readonly spendings: readonly UsageSum[];
}

function SpendingTable({ title, spendings }: SpendingTableProps): JSX.Element {
  const measure = measureOf(spendings);
  const largest = Math.max(...spendings.map((each) => measure?.valueOf(each) ?? 0), 0);
  const partOf = (each: UsageSum) => (largest === 0 ? 0 : (measure?.valueOf(each) ?? 0) / largest);
  const columns: readonly Column[] = [
    { name: "name", title: "Name" },
    { name: "turn", title: "Turns", isWide: true },
    { name: "tokens", title: "Input" },
    { name: "tokens-out", title: "Output" },
    { name: "cost", title: "Cost" },
    { name: "bar", title: `Part of the largest, by ${measure?.unit ?? "cost"}`, isWide: true },
  ];
  return (
    <section class="card spending">
      <h2>{title}</h2>
      <VirtualTable
        label={title}
        columns={columns}
        count={spendings.length}
        rowHeight={34}
        empty="No turn has ended at this moment."
        cells={(index) => {
          const each = spendings[index];
          return each === undefined ? [] : cellsOf(each, partOf(each));
        }}
      />
    </section>
  );
}

function cellsOf({ name, turns, usage }: UsageSum, part: number): readonly JSX.Element[] {
  const isKnown = usage.costUsd !== undefined || tokensOf(usage) !== undefined;
  return [
    <strong key="name">{toVisibleText(name)}</strong>,
    <span key="turns">{turns}</span>,
    <span key="input">{formatTokens(usage.inputTokens)}</span>,
    <span key="output">{formatTokens(usage.outputTokens)}</span>,
    <span key="cost">{costText(usage)}</span>,
    isKnown ? (
      <svg key="bar" class="spend-bar" width="100%" height="10" aria-hidden="true">
        <rect width={`${Math.max(0.5, part * 100)}%`} height="10" rx="3" />
      </svg>
    ) : (
      <span key="bar" class="muted">
        unknown
      </span>
    ),
  ];
}
