import type { AgentSpec } from "../../contracts/agent.ts";
import { scanTemplate } from "../language/templates/template.ts";

/**
 * The rendered declaration of an agent with the variables that it only hands on, `KEY: ${{ env.KEY }}`, named
 * instead of filled in: what they hold reaches its processes and never the journal.
 */
export function withEnvFrom(rendered: AgentSpec, written: AgentSpec): AgentSpec {
  const sources = new Map(
    Object.entries(written.env ?? {}).flatMap(([name, text]) => {
      const source = handedOn(text);
      return source === undefined ? [] : [[name, source] as const];
    }),
  );
  if (sources.size === 0) return rendered;
  const env = Object.entries(rendered.env ?? {}).filter(([name]) => !sources.has(name));
  const envFrom = { ...rendered.envFrom, ...Object.fromEntries(sources) };
  return { ...rendered, env: Object.fromEntries(env), envFrom };
}

/** The variable that is all of a text. */
function handedOn(text: string): string | undefined {
  const [part, ...others] = scanTemplate(text, "dollar").parts;
  if (part?.kind !== "variable" || others.length > 0) return undefined;
  const [root, name] = part.segments;
  return root === "env" ? name : undefined;
}
