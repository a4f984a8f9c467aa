import type { JSX } from "preact";
import type { RunState } from "../../../fold/state/run-state.ts";
import type { RunModel } from "../model/run-model.ts";
import { formatMoment } from "../text/figures.ts";
import { Words } from "../text/prose.tsx";

/** What the run was started with, and when. */
export function About({ model, state }: { model: RunModel; state: RunState }): JSX.Element {
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
