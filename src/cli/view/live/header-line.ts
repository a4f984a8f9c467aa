import { runningMsAt } from "../../../fold/running-time.ts";
import { toPrintable } from "../../../foundation/printable.ts";
import { cutTo, toSteady, widthOf } from "../../terminal/measure.ts";
import { tellCost, tellTokens, usageSoFar } from "./amounts.ts";
import { type LiveModel, progressOf } from "./live-model.ts";
import type { LiveStyle } from "./live-style.ts";
import { formatStopwatch } from "./row-times.ts";

interface Facts {
  readonly name: string;
  readonly instance: string;
  readonly steps: string;
  readonly busy: string;
  readonly needs: number;
  readonly cost: string;
  readonly tokens: string;
  readonly time: string;
}

/** The run in one line: `code-review @pr-123   4/6 steps   2 busy   ▲ 1 needs you   $0.42   12.4k tok   01:44`. */
export function headerLine(model: LiveModel, columns: number, style: LiveStyle): string {
  const facts = readFacts(model);
  const forms = formsOf(facts, style);
  const fitting = forms.find((parts) => widthOf(join(parts)) <= columns) ?? forms.at(-1) ?? [];
  return cutTo(join(fitting), columns, style.glyphs.ellipsis);
}

function readFacts(model: LiveModel): Facts {
  const { state, nowMs } = model;
  const { done, total, busy, needs } = progressOf(model);
  const usage = usageSoFar(model);
  return {
    name: steadyLine(state.run.workflow === "" ? state.run.id : state.run.workflow),
    instance: state.run.instance === "" ? "" : `@${steadyLine(state.run.instance)}`,
    steps: `${done}/${total}`,
    busy: busy === 0 ? "" : `${busy} busy`,
    needs,
    cost: tellCost({ ...usage, unpricedTurns: state.unpricedTurns }, state.run.limits.budget?.cost),
    tokens: tellTokens(usage),
    time: formatStopwatch(runningMsAt(state, nowMs)),
  };
}

function steadyLine(text: string): string {
  return toSteady(toPrintable(text));
}

/** From all there is to say to what must be said; what fits first is taken. */
function formsOf(facts: Facts, { glyphs, paint }: LiveStyle): readonly (readonly string[])[] {
  const { instance, steps, busy, needs, cost, tokens, time } = facts;
  const name = paint(facts.name, "message");
  const asks = needs === 1 ? "1 needs you" : `${needs} need you`;
  const long = needs === 0 ? "" : paint(`${glyphs.attention} ${asks}`, "attention");
  const short = needs === 0 ? "" : paint(`${glyphs.attention}${needs}`, "attention");
  return [
    [`${name} ${instance}`, `${steps} steps`, busy, long, cost, tokens, time],
    [`${name} ${instance}`, `${steps} steps`, busy, long, cost, time],
    [name, `${steps} steps`, busy, long, cost, time],
    [name, steps, short, busy, cost, time],
    [name, steps, short, busy, time],
    [name, steps, short, time],
    [steps, short, time, name],
  ];
}

function join(parts: readonly string[]): string {
  return parts.filter((part) => part !== "").join("   ");
}
