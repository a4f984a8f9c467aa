import type { JSX } from "preact";
import type { WaitingItem } from "../../../contracts/run.ts";
import { tokensOf } from "../../../contracts/usage.ts";
import { readableResult, resultOutput } from "../../../fold/result-output.ts";
import { runningMsAt } from "../../../fold/running-time.ts";
import type { AgentState } from "../../../fold/state/agent-state.ts";
import type { RunState } from "../../../fold/state/run-state.ts";
import { waitingItems } from "../../../fold/waiting.ts";
import { formatDuration } from "../../../foundation/duration.ts";
import type { Json } from "../../../foundation/json.ts";
import { toVisibleText } from "../../../foundation/printable.ts";
import { readableJson } from "../../../foundation/readable-json.ts";
import { LOOK_WORDS, lookOfRun } from "../model/look.ts";
import type { RunModel } from "../model/run-model.ts";
import type { OutlineView } from "../model/run-outline.ts";
import { startedRuns } from "../model/runs-below.ts";
import { Failures } from "../summary/failures.tsx";
import { RunsBelow } from "../summary/runs-below.tsx";
import { costText, formatCount, formatMoment, formatTokens } from "../text/figures.ts";
import { Prose, Words } from "../text/prose.tsx";
import { LookIcon } from "../ui/look-icon.tsx";
import { Person } from "../ui/person.tsx";

/** What the run is about and how it stands: what needs people, what failed and why, what came out of it. */
export function SummaryPage({ model }: { model: RunModel }): JSX.Element {
  const { state, steps, isLeft } = model.moment.value;
  const output = shownResult(state);
  return (
    <div class="page summary">
      <Verdict state={state} steps={steps} isLeft={isLeft} />
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

/** What came out as it is, data member by member. */
function shownResult(state: RunState): string {
  const [output, text] = [resultOutput(state), readableResult(state)];
  return output === text ? output : `~~~\n${text}\n~~~`;
}

/** A text as it is, other data member by member. */
function inputText(input: Json): string {
  return typeof input === "string" ? input : `~~~\n${readableJson(input)}\n~~~`;
}

interface VerdictProps {
  readonly state: RunState;
  readonly steps: readonly OutlineView[];
  /** Whether no process carries the run out. */
  readonly isLeft: boolean;
}

function Verdict({ state, steps, isLeft }: VerdictProps): JSX.Element {
  const { look, word } = lookOfRun(state, isLeft);
  return (
    <section class={`verdict look-${look}`} aria-label="Outcome">
      <LookIcon look={look} />
      <div>
        <p class="verdict-word">{word}</p>
        <p class="verdict-text">
          <Words text={sentenceOf({ state, steps, isLeft })} />
        </p>
      </div>
    </section>
  );
}

function sentenceOf({ state, steps, isLeft }: VerdictProps): string {
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
      if (isLeft)
        return `${parts}, after ${formatDuration(runningMsAt(state, lastAt))}. No process carried it out when this page was written; troupe resume ${state.run.id} goes on.`;
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

/** What the run was started with, and when. */
function About({ model, state }: { model: RunModel; state: RunState }): JSX.Element {
  const { run, phase } = state;
  const params = Object.entries(run.params);
  const rows: readonly (readonly [string, string | undefined])[] = [
    ["Run", model.report.run],
    ["File", run.file],
    ["Directory", run.cwd],
    ["Program", run.program],
    ["Params", params.length === 0 ? undefined : JSON.stringify(run.params)],
    ["Began", run.startedAt === undefined ? undefined : formatMoment(run.startedAt)],
    ["Ended", phase.status === "ended" ? formatMoment(phase.endedAt) : undefined],
    ["Written", formatMoment(model.report.writtenAt)],
    ["troupe", run.troupe],
  ];
  return (
    <section class="card">
      <h2>About</h2>
      <dl class="about">
        {rows.map(([name, value]) =>
          value === undefined || value === "" ? null : (
            <div key={name}>
              <dt>{name}</dt>
              <dd>
                <Words text={value} />
              </dd>
            </div>
          ),
        )}
      </dl>
    </section>
  );
}

const MAX_FILES = 50;

/** The files that agents have touched so far. */
function Files({ state }: { state: RunState }): JSX.Element | null {
  const files = [...state.changedFiles];
  if (files.length === 0) return null;
  return (
    <section class="card">
      <h2>Files</h2>
      <ul class="files">
        {files.slice(0, MAX_FILES).map(([path, { kind, agent }]) => (
          <li key={path}>
            <code>
              <Words text={path} />
            </code>{" "}
            <span class="muted">
              {kind} by {agent}
            </span>
          </li>
        ))}
      </ul>
      {files.length > MAX_FILES ? <p class="muted">and {files.length - MAX_FILES} more</p> : null}
    </section>
  );
}

/** Who takes part, and what each has used so far. */
function Agents({ agents }: { agents: readonly AgentState[] }): JSX.Element | null {
  if (agents.length === 0) return null;
  return (
    <section class="card">
      <h2>Agents</h2>
      <ul class="agents">
        {agents.map(({ id, backend, spec, status, turnsEnded, usage }) => (
          <li key={id}>
            <Person id={id} />
            <span class="muted">
              <Words text={spec.model === undefined ? backend : `${backend}, ${spec.model}`} />
            </span>
            <span class="chip">{status}</span>
            <span class="muted agent-figures">
              {formatCount(turnsEnded, "turn")}
              {tokensOf(usage) === undefined ? "" : ` · ${formatTokens(tokensOf(usage))} tokens`}
              {usage.costUsd === undefined ? "" : ` · ${costText(usage)}`}
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}
