import type { JSX } from "preact";
import { tokensOf } from "../../../contracts/usage.ts";
import type { AgentState } from "../../../fold/state/agent-state.ts";
import { costText, formatCount, formatTokens } from "../text/figures.ts";
import { Words } from "../text/prose.tsx";
import { Person } from "../ui/person.tsx";

/** Who takes part, and what each has used so far. */
export function Agents({ agents }: { agents: readonly AgentState[] }): JSX.Element | null {
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
