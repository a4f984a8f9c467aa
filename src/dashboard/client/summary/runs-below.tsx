import type { JSX } from "preact";
import { formatDuration } from "../../../foundation/duration.ts";
import type { RunBelow } from "../model/runs-below.ts";
import { costText, formatCount } from "../text/figures.ts";
import { Prose, Words } from "../text/prose.tsx";

/** The runs that this one started, each with its end, what it took and what came out of it. */
export function RunsBelow({ runs }: { runs: readonly RunBelow[] }): JSX.Element | null {
  if (runs.length === 0) return null;
  return (
    <section class="card">
      <h2>Runs below</h2>
      <ul>
        {runs.map((run) => (
          <Row key={run.run} run={run} />
        ))}
      </ul>
    </section>
  );
}

function Row({
  run: { run, workflow, path, end, output, ...took },
}: {
  run: RunBelow;
}): JSX.Element {
  return (
    <li>
      <p>
        <strong>
          <Words text={workflow} />
        </strong>{" "}
        <span class="muted">
          <Words text={path === undefined ? run : `${run}, for ${path}`} />
        </span>{" "}
        <span class="chip">{end?.outcome ?? "not over"}</span>{" "}
        <span class="muted">{figuresOf(took)}</span>
      </p>
      {end === undefined || end.outcome === "completed" ? null : (
        <p class="asked">
          <Words text={end.reason} />
        </p>
      )}
      {output.trim() === "" ? null : (
        <details>
          <summary>Output</summary>
          <Prose text={output} />
        </details>
      )}
    </li>
  );
}

function figuresOf({ durationMs, use }: Pick<RunBelow, "durationMs" | "use">): string {
  const parts = [
    formatDuration(durationMs),
    ...(use === undefined ? [] : [formatCount(use.turns, "turn")]),
    ...(use === undefined || use.cost === 0 ? [] : [costText({ costUsd: use.cost })]),
  ];
  return parts.join(" · ");
}
