import type { JSX } from "preact";
import type { RunState } from "../../../fold/state/run-state.ts";
import { Words } from "../text/prose.tsx";

const MAX_FILES = 50;

/** The files that agents have touched so far. */
export function Files({ state }: { state: RunState }): JSX.Element | null {
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
