import type { JSX } from "preact";
import { formatDuration } from "../../../foundation/duration.ts";
import { toVisibleText } from "../../../foundation/printable.ts";
import { otherFiles } from "../model/file-edits.ts";
import { lookOfSpan } from "../model/look.ts";
import type { RunModel } from "../model/run-model.ts";
import type { OutlineView } from "../model/run-outline.ts";
import { type AttemptSpan, type CheckResult, endAt, type TurnSpan } from "../model/spans.ts";
import { formatClock } from "../text/figures.ts";
import { Plain, Prose, Words } from "../text/prose.tsx";
import { ErrorBox } from "./error-box.tsx";
import { LookBadge, LookIcon } from "./look-icon.tsx";
import { Person } from "./person.tsx";
import { TextChanges } from "./text-changes.tsx";

/** Everything about one step up to the moment that is shown: what it got, tried, gave and how it was checked. */
export function StepDetail({ model, step }: { model: RunModel; step: OutlineView }): JSX.Element {
  const { position } = model.moment.value;
  const { history } = model;
  const { state } = step;
  const attempts = history.attempts.filter(
    (attempt) => attempt.path === step.path && attempt.position <= position,
  );
  const turns = history.turns.filter(
    (turn) => turn.step === step.path && turn.position <= position,
  );
  const checks = history.checks.filter(
    (check) => check.step === step.name && check.position <= position,
  );
  return (
    <aside class="detail" aria-label={`Step ${step.path}`}>
      <div class="detail-head">
        <h2>
          <Words text={step.path} />
        </h2>
        <LookBadge look={step.look} />
        <a class="close" href={model.linkTo({ step: undefined })} aria-label="Close">
          ×
        </a>
      </div>
      <p class="facts">
        {step.agent === undefined ? null : <Person id={step.agent} />}
        {step.after.length === 0 ? null : (
          <span>
            after <Words text={step.after.join(", ")} />
          </span>
        )}
        {step.condition === undefined ? null : (
          <span>
            when <code>{toVisibleText(step.condition)}</code>
          </span>
        )}
        {state !== undefined && "durationMs" in state ? (
          <span>{formatDuration(state.durationMs)}</span>
        ) : null}
      </p>
      {state === undefined ? <p class="empty">It has not begun at this moment.</p> : null}
      {state?.status === "failed" || state?.status === "retrying" ? (
        <ErrorBox error={state.error} />
      ) : null}
      {state?.status === "skipped" || state?.status === "cancelled" ? (
        <p>
          <Words text={state.reason} />
        </p>
      ) : null}
      {state?.status === "blocked" ? (
        <p>
          It can never begin: <Words text={state.by.join(", ")} /> failed.
        </p>
      ) : null}
      {state?.status === "completed" ? <Output text={state.output} whole={state.text} /> : null}
      <Attempts attempts={attempts} model={model} />
      <Checks checks={checks} />
      <Turns turns={turns} model={model} />
    </aside>
  );
}

function Output({ text, whole }: { text: string; whole: string }): JSX.Element {
  return (
    <section>
      <h3>Output</h3>
      {text === "" ? <p class="empty">It gave no output.</p> : <Prose text={text} />}
      {whole === text || whole === "" ? null : (
        <details>
          <summary>Whole text</summary>
          <Prose text={whole} />
        </details>
      )}
    </section>
  );
}

interface AttemptsProps {
  readonly attempts: readonly AttemptSpan[];
  readonly model: RunModel;
}

function Attempts({ attempts, model }: AttemptsProps): JSX.Element | null {
  const { position } = model.moment.value;
  if (attempts.length === 0) return null;
  return (
    <section>
      <h3>Attempts</h3>
      <ol class="attempts">
        {attempts.map((attempt) => {
          const look = lookOfSpan(endAt(attempt, position));
          const lasted = (attempt.endedAt ?? attempt.startedAt) - attempt.startedAt;
          return (
            <li key={attempt.position}>
              <LookIcon look={look} label={look} />{" "}
              <a href={model.linkTo({ at: attempt.endPosition ?? attempt.position })}>
                {attempt.execution > 1 ? `execution ${attempt.execution}, ` : ""}attempt{" "}
                {attempt.attempt}
              </a>{" "}
              <span class="muted">
                {formatClock(attempt.startedAt)}
                {look === "running" ? "" : `, ${formatDuration(lasted)}`}
              </span>
              {look === "failed" && attempt.error !== undefined ? (
                <ErrorBox error={attempt.error} />
              ) : null}
            </li>
          );
        })}
      </ol>
    </section>
  );
}

const CHECK_LOOKS = {
  passed: "completed",
  failed: "failed",
  "changed tests": "waiting",
} as const;

function Checks({ checks }: { checks: readonly CheckResult[] }): JSX.Element | null {
  if (checks.length === 0) return null;
  return (
    <section>
      <h3>Verification</h3>
      <ul class="attempts">
        {checks.map((check) => (
          <li key={check.position}>
            <LookBadge look={CHECK_LOOKS[check.outcome]} word={check.outcome} />{" "}
            <code>
              <Words text={check.check} />
            </code>
            {check.output === "" ? null : <Plain text={check.output} label="Output of the check" />}
          </li>
        ))}
      </ul>
    </section>
  );
}

function Turns({
  turns,
  model,
}: {
  turns: readonly TurnSpan[];
  model: RunModel;
}): JSX.Element | null {
  const { position } = model.moment.value;
  if (turns.length === 0) return null;
  return (
    <section>
      <h3>Turns</h3>
      {turns.map((turn) => {
        const look = lookOfSpan(endAt(turn, position));
        const isOver = look !== "running";
        return (
          <details key={turn.position}>
            <summary>
              <LookIcon look={look} label={look} /> {turn.agent}, turn {turn.turn}
              {turn.tools === 0 ? "" : `, ${turn.tools} tool calls`}
            </summary>
            {turn.detail !== undefined && isOver ? (
              <p class="error-text">
                <Words text={turn.detail} />
              </p>
            ) : null}
            {turn.prompt === undefined ? null : (
              <>
                <h4>Prompt</h4>
                <Plain text={turn.prompt} label="Prompt" />
              </>
            )}
            <Edits turn={turn} position={position} />
            {turn.text === undefined || !isOver ? null : (
              <>
                <h4>Answer</h4>
                <Prose text={turn.text} />
              </>
            )}
          </details>
        );
      })}
    </section>
  );
}

/** What a turn has changed in files up to a moment, as far as its tools told. */
function Edits({ turn, position }: { turn: TurnSpan; position: number }): JSX.Element | null {
  const edits = turn.edits.filter((edit) => edit.position <= position);
  const others = (turn.endPosition ?? Infinity) <= position ? otherFiles(turn.files, edits) : [];
  if (edits.length === 0 && others.length === 0) return null;
  return (
    <>
      <h4>Changes to files</h4>
      {edits.map(({ path, before, after, call, isFailed }, index) => (
        <details key={`${call} ${index}`} open={edits.length === 1}>
          <summary>
            <code>{toVisibleText(path)}</code>
            {isFailed ? <span class="error-text"> was not changed</span> : null}
          </summary>
          <TextChanges before={before} after={after} label={`Changes to ${path}`} />
        </details>
      ))}
      {others.length === 0 ? null : (
        <p class="muted">
          Also changed: <Words text={others.join(", ")} />
        </p>
      )}
    </>
  );
}
