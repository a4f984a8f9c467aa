import type { JSX } from "preact";
import type { WaitingItem } from "../../../contracts/run.ts";
import { resultOutput } from "../../../fold/result-output.ts";
import { runningMsAt } from "../../../fold/running-time.ts";
import type { RunState } from "../../../fold/state/run-state.ts";
import { waitingItems } from "../../../fold/waiting.ts";
import { formatDuration } from "../../../foundation/duration.ts";
import type { Json } from "../../../foundation/json.ts";
import { toVisibleText } from "../../../foundation/printable.ts";
import { LOOK_WORDS, lookOfRun } from "../model/look.ts";
import type { RunModel } from "../model/run-model.ts";
import type { OutlineView } from "../model/run-outline.ts";
import { startedRuns } from "../model/runs-below.ts";
import { About } from "../summary/about.tsx";
import { Agents } from "../summary/agents.tsx";
import { Failures } from "../summary/failures.tsx";
import { Files } from "../summary/files.tsx";
import { RunsBelow } from "../summary/runs-below.tsx";
import { formatCount } from "../text/figures.ts";
import { Prose, Words } from "../text/prose.tsx";
import { LookIcon } from "../ui/look-icon.tsx";

/** What the run is about and how it stands: what needs people, what failed and why, what came out of it. */
export function SummaryPage({ model }: { model: RunModel }): JSX.Element {
  const { state, steps } = model.moment.value;
  const output = resultOutput(state);
  return (
    <div class="page summary">
      <Verdict state={state} steps={steps} />
      <StepStrip steps={steps} model={model} />
      <div class="columns">
        <div class="main-column">
          <NeedsYou items={waitingItems(state)} run={model.report.run} />
          <Failures model={model} state={state} steps={steps} />
          {output.trim() === "" ? null : (
            <section class="card">
              <h2>{state.phase.status === "ended" ? "Result" : "Latest output"}</h2>
              <Prose text={output} />
            </section>
          )}
          <RunsBelow runs={startedRuns(state)} />
          {state.run.input === undefined ? null : (
            <section class="card">
              <h2>Input</h2>
              <Prose text={inputText(state.run.input)} />
            </section>
          )}
          {state.run.task === undefined ? null : (
            <section class="card">
              <h2>Task</h2>
              <Prose text={state.run.task} />
            </section>
          )}
        </div>
        <div class="side-column">
          <Agents agents={[...state.agents.values()]} />
          <Files state={state} />
          <About model={model} state={state} />
        </div>
      </div>
    </div>
  );
}

/** A text as it is, other JSON as code. */
function inputText(input: Json): string {
  return typeof input === "string" ? input : `~~~json\n${JSON.stringify(input, null, 2)}\n~~~`;
}

function Verdict({
  state,
  steps,
}: {
  state: RunState;
  steps: readonly OutlineView[];
}): JSX.Element {
  const { look, word } = lookOfRun(state);
  return (
    <section class={`verdict look-${look}`} aria-label="Outcome">
      <LookIcon look={look} />
      <div>
        <p class="verdict-word">{word}</p>
        <p class="verdict-text">
          <Words text={sentenceOf(state, steps)} />
        </p>
      </div>
    </section>
  );
}

function sentenceOf(state: RunState, steps: readonly OutlineView[]): string {
  const { phase, lastAt } = state;
  const all = steps.filter(({ kind }) => kind === "step").length;
  const { counts, retries } = state.steps;
  const parts = [
    `${counts.completed} of ${formatCount(all, "step")} completed`,
    ...(counts.failed > 0 ? [`${counts.failed} failed`] : []),
    ...(counts.skipped > 0 ? [`${counts.skipped} skipped`] : []),
    ...(counts.blocked > 0 ? [`${counts.blocked} blocked`] : []),
    ...(retries > 0 ? [formatCount(retries, "retry", "retries")] : []),
  ].join(", ");
  switch (phase.status) {
    case "created":
      return "It has not begun at this moment.";
    case "running":
      return `${parts}, for ${formatDuration(runningMsAt(state, lastAt))} so far.`;
    case "suspended":
      return `${parts}. Its process let go of it (${phase.reason}); troupe resume ${state.run.id} goes on.`;
    case "ended": {
      const why = phase.reason === "" || phase.reason === phase.outcome ? "" : ` ${phase.reason}.`;
      return `${parts}, in ${formatDuration(phase.durationMs)}.${phase.outcome === "completed" ? "" : why}`;
    }
  }
}

function NeedsYou({
  items,
  run,
}: {
  items: readonly WaitingItem[];
  run: string;
}): JSX.Element | null {
  if (items.length === 0) return null;
  return (
    <section class="card needs" aria-live="polite">
      <h2>
        <LookIcon look="waiting" /> Needs you
      </h2>
      <ul>
        {items.map((item) => (
          <li key={item.id}>
            <p>
              <strong>{item.kind}</strong>{" "}
              <span class="muted">{item.agent ?? item.step ?? ""}</span>
            </p>
            <p class="asked">
              <Words text={item.text} />
            </p>
            <code class="command">{commandFor(item, run)}</code>
          </li>
        ))}
      </ul>
    </section>
  );
}

function commandFor({ kind, id }: WaitingItem, run: string): string {
  if (kind === "question") return `troupe answer ${id} "…"`;
  return kind === "pause" ? `troupe resume ${run}` : `troupe approve ${id}`;
}

// More would be too narrow to be read or hit.
const MAX_LINKS = 60;

/** All steps in a row, each with its state. */
function StepStrip({
  steps,
  model,
}: {
  steps: readonly OutlineView[];
  model: RunModel;
}): JSX.Element | null {
  const shown = steps.filter(({ kind }) => kind === "step");
  if (shown.length === 0 || shown.length > MAX_LINKS) return null;
  return (
    <ul class="strip" aria-label="Steps">
      {shown.map(({ path, look }) => (
        <li key={path} class={`look-${look}`}>
          <a href={model.linkTo({ tab: "steps", step: path })}>
            <LookIcon look={look} label={LOOK_WORDS[look]} />
            <span>{toVisibleText(path)}</span>
          </a>
        </li>
      ))}
    </ul>
  );
}
