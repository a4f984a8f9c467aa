import type { JSX } from "preact";
import { nextCommands, stepReport } from "../../../fold/failed-output.ts";
import type { RunState } from "../../../fold/state/run-state.ts";
import type { RunModel } from "../model/run-model.ts";
import type { OutlineView } from "../model/run-outline.ts";
import { formatCount } from "../text/figures.ts";
import { Plain, Words } from "../text/prose.tsx";
import { ErrorBox } from "../ui/error-box.tsx";
import { LookIcon } from "../ui/look-icon.tsx";
import { Person } from "../ui/person.tsx";

const MAX_FAILURES = 10;

interface FailuresProps {
  readonly model: RunModel;
  readonly state: RunState;
  readonly steps: readonly OutlineView[];
}

/** The steps that failed for good, with reports of what their programs and checks printed, and what to do next. */
export function Failures({ model, state, steps }: FailuresProps): JSX.Element | null {
  const failed = steps.flatMap((step) =>
    step.state?.status === "failed" ? [{ ...step, failure: step.state }] : [],
  );
  const { phase } = state;
  const error = phase.status === "ended" ? phase.error : undefined;
  if (failed.length === 0 && error === undefined) return null;
  return (
    <section class="card">
      <h2>What failed</h2>
      {error === undefined || failed.length > 0 ? null : <ErrorBox error={error} />}
      {failed.slice(0, MAX_FAILURES).map(({ path, agent, failure }) => {
        const { message, lines } = stepReport(state, failure);
        return (
          <article key={path} class="failure">
            <h3>
              <LookIcon look="failed" />
              <a href={model.linkTo({ tab: "steps", step: path })}>
                <Words text={path} />
              </a>
              {agent === undefined ? null : <Person id={agent} />}
              <span class="muted">{formatCount(failure.attempt, "attempt")}</span>
            </h3>
            <ErrorBox error={{ ...failure.error, message }} />
            {lines.length === 0 ? null : (
              <Plain text={lines.join("\n")} label={`Report of what ${path} printed`} />
            )}
          </article>
        );
      })}
      {failed.length <= MAX_FAILURES ? null : (
        <p class="muted">
          and {failed.length - MAX_FAILURES} more, see{" "}
          <a href={model.linkTo({ tab: "steps" })}>steps</a>
        </p>
      )}
      {nextCommands(state).map((command) => (
        <code key={command} class="command">
          {command}
        </code>
      ))}
    </section>
  );
}
