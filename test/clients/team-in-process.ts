import { join } from "node:path";
import { onTestFinished } from "vitest";
import { createCommandBackend } from "../../src/agents/backends/command/command-backend.ts";
import type { AgentSpec } from "../../src/contracts/agent.ts";
import { systemClock } from "../../src/foundation/clock.ts";
import { createHost } from "../../src/host/host.ts";
import { createContextServer } from "../../src/mcp/context-server.ts";
import { runAgents } from "../agents/agents-run.ts";
import type { Team, TeamEvent } from "./team.ts";

const QUIET_MS = 300;

/**
 * Runs a team in this process, with the tools on a port of loopback: as backends of CLIs have it, and the
 * command backend, whose programs are all kinds of programs, has not. All agents have the same rights.
 */
export async function runTeamInProcess(
  { cwd, agents, kickoff }: Team,
  rights: Pick<AgentSpec, "spawns" | "signals"> = {},
): Promise<readonly TeamEvent[]> {
  const host = createHost({ run: "run_agents", clock: systemClock, env: process.env });
  const server = createContextServer({ socketPath: join(cwd, "run/c.sock"), version: "0.0.0" });
  onTestFinished(async () => {
    await host.close();
    await server.close();
  });
  const run = runAgents(
    async (context) => {
      for (const [id, { backend, command, env }] of Object.entries(agents)) {
        const spec = { id, backend, cwd, session: "keep", settings: { command } } as const;
        await context.spawn({ ...spec, ...rights, env: host.baseEnv(env) });
      }
      await context.post({ text: kickoff });
      await context.quiescent({ quietMs: QUIET_MS });
      return null;
    },
    {
      backend: { ...createCommandBackend({ host }), reach: "http", takesMessages: true },
      clock: systemClock,
      contextDoor: server,
    },
  );
  await run.over();
  return run.events;
}
