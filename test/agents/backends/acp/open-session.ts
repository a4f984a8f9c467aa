import { onTestFinished } from "vitest";
import { createAcpBackend } from "../../../../src/agents/backends/acp/acp-backend.ts";
import type {
  AgentSession,
  SessionRequest,
  TurnRequest,
  TurnUpdate,
} from "../../../../src/contracts/backend.ts";
import { createManualClock, type ManualClock } from "../../../../src/testing/manual-clock.ts";
import { createTurnRequest } from "../../../../src/testing/turn-request.ts";
import { type AgentHost, type AgentScript, createAgentHost } from "./in-memory-agent.ts";

/** A session with an in-memory agent. */
export interface TestSession extends AgentHost {
  readonly session: AgentSession;
  readonly clock: ManualClock;
}

/** Opens a session with a scripted agent; it is closed with the test. */
export async function openSession(
  script: AgentScript,
  parts: Partial<SessionRequest> = {},
): Promise<TestSession> {
  const agentHost = createAgentHost(script);
  const clock = createManualClock();
  const { host } = agentHost;
  const backend = createAcpBackend({ host, clock }, { name: "acp", settings: undefined });
  const session = await backend.open({
    run: "run_aaaaaa",
    session: "worker",
    cwd: "/project",
    env: {},
    ...parts,
    spec: {
      id: "worker",
      backend: "acp",
      ...parts.spec,
      settings: { command: process.execPath, ...parts.spec?.settings },
    },
  });
  onTestFinished(() => session.close());
  return { ...agentHost, session, clock };
}

/** All updates of a turn. */
export async function takeTurn(
  { session }: Pick<TestSession, "session">,
  parts: Partial<TurnRequest> = {},
): Promise<readonly TurnUpdate[]> {
  const updates: TurnUpdate[] = [];
  for await (const update of session.prompt(createTurnRequest(parts))) updates.push(update);
  return updates;
}
