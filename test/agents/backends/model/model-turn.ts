import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { createModelBackend } from "../../../../src/agents/backends/model/model-backend.ts";
import type { AgentSpec } from "../../../../src/contracts/agent.ts";
import type { Context } from "../../../../src/contracts/ports/context.ts";
import { systemClock } from "../../../../src/foundation/clock.ts";
import { type RecordedCall, startModelServer } from "../../../clients/model-server/model-server.ts";
import { type Step, scriptText } from "../../../clients/model-server/script.ts";
import { type AgentsRun, type AgentsRunOptions, runAgents } from "../../agents-run.ts";
import { createTestHost } from "../test-host.ts";

export interface ModelTurnOptions extends Partial<AgentsRunOptions> {
  /** What happens between the agent's start and its turn. */
  readonly before?: (run: AgentsRun) => Promise<unknown>;
  /** What the program does after the turn. */
  readonly after?: (context: Context, run: AgentsRun) => Promise<unknown>;
}

/** A run of one turn of a scripted model. */
export async function modelTurn(
  steps: readonly Step[],
  spec: Partial<AgentSpec>,
  { before, after, ...options }: ModelTurnOptions = {},
): Promise<{
  readonly run: AgentsRun;
  readonly cwd: string;
  readonly calls: () => readonly RecordedCall[];
}> {
  const server = await startModelServer();
  const cwd = await mkdtemp(join(tmpdir(), "troupe-model-"));
  onTestFinished(async () => {
    await server.close();
    await rm(cwd, { recursive: true, force: true });
  });
  const settings = { anthropic: { baseUrl: `${server.urlFor("coder")}/v1` } };
  const backend = createModelBackend(
    { host: createTestHost(), clock: systemClock, settings },
    { name: "model", settings: undefined },
  );
  const env = { ANTHROPIC_API_KEY: "a-key" };
  const model = { id: "coder", backend: "model", model: "anthropic/scripted", env, cwd };
  const run: AgentsRun = runAgents(
    async (context) => {
      const { id } = await context.spawn({ ...model, ...spec });
      await before?.(run);
      const { text } = await context.turn(id, scriptText(...steps));
      await after?.(context, run);
      return text;
    },
    { backend, clock: systemClock, ...options },
  );
  return { run, cwd, calls: () => server.calls() };
}
