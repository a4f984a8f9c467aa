import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { z } from "zod";
import { troupe } from "../e2e/troupe-process.ts";
import type { ClientAgent } from "./client-agent.ts";

/** Clients that work in one directory, and what they are told at the start. */
export interface Team {
  readonly cwd: string;
  readonly agents: { readonly [id: string]: ClientAgent };
  readonly kickoff: string;
}

/** An event of a journal. */
export interface TeamEvent {
  readonly type: string;
}

const eventSchema = z.looseObject({ type: z.string() });
const postedSchema = z.object({
  type: z.literal("message-posted"),
  from: z.string(),
  text: z.string(),
});

/** Runs a team as a workflow file, to an end that must be a good one; gives the journal. */
export async function runTeamFile({ cwd, ...team }: Team): Promise<readonly TeamEvent[]> {
  // JSON is YAML.
  writeFileSync(join(cwd, "team.yaml"), JSON.stringify({ context: {}, ...team }));
  const { exitCode, err, out } = await troupe(cwd, ["run", "team.yaml"]);
  expect({ exitCode, err }, out).toEqual({ exitCode: 0, err: "" });
  const logs = await troupe(cwd, ["logs", "@last", "--json"]);
  const lines = logs.out.trimEnd().split("\n");
  return lines.map((line) => eventSchema.parse(JSON.parse(line)));
}

/** What an agent posted, in order. */
export function postedBy(agent: string, events: readonly TeamEvent[]): readonly string[] {
  return events.flatMap((event) => {
    const posted = postedSchema.safeParse(event);
    return posted.success && posted.data.from === agent ? [posted.data.text] : [];
  });
}
