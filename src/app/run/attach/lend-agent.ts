import { existsSync } from "node:fs";
import { join } from "node:path";
import { createBackend } from "../../../agents/backends/registry.ts";
import { agentUnknown } from "../../../agents/errors.ts";
import { sessionEnv } from "../../../agents/session-env.ts";
import type {
  AgentBackend,
  InteractiveCommand,
  SessionRequest,
} from "../../../contracts/backend.ts";
import type { JournalEvent } from "../../../contracts/events/event.ts";
import { startControlServer } from "../../../control/server.ts";
import { fold } from "../../../fold/fold.ts";
import { findAgent } from "../../../fold/state/agent-lookup.ts";
import type { AgentState } from "../../../fold/state/agent-state.ts";
import { emptyRunState, NO_MESSAGES, type RunState } from "../../../fold/state/run-state.ts";
import type { TroupeError } from "../../../foundation/errors.ts";
import { createHost, type ProcessHost } from "../../../host/host.ts";
import { configuredBackend } from "../../machine/backends/configured-backend.ts";
import type { ConfigSettings } from "../../machine/config/config-settings.ts";
import { agentTrust } from "../../machine/effective/agent-trust.ts";
import { configOf } from "../../machine/effective/effective-config.ts";
import type { Machine } from "../../machine/machine.ts";
import { ownJournal } from "../../machine/own-journal.ts";
import { controlSocketPath } from "../../machine/place/project.ts";
import { assertOwnPlace } from "../../runs/assert-own-place.ts";
import { assertOwnRun } from "../../runs/assert-own-run.ts";
import { runAmbiguous } from "../../runs/errors.ts";
import { openTokens } from "../../workflow/sealed-environment.ts";
import { makeAgentDirectory } from "../owner/agent-directory.ts";
import { preflightFailed } from "../owner/errors.ts";
import { agentLent, agentNotAttachable } from "./errors.ts";

// Owns a run while a person works in the session of one of its agents.
// N1: nobody else uses the session meanwhile: this process holds the run's lease, whatever state the run is in.
// N2: the run's journal says nothing of it: the agent goes on with what its session remembers.

/** An agent whose session is a person's until it is given back. */
export interface LentAgent {
  readonly agent: string;
  readonly backend: string;
  /** What opens the session in a terminal. */
  readonly command: InteractiveCommand;
  /** Lets go of the run. Idempotent. */
  giveBack(): Promise<void>;
}

/** Whose session is wanted. */
export interface LendingRequest {
  readonly run: string;
  /** Defaults to the only one that has a session. */
  readonly agent: string | undefined;
}

/**
 * Takes a run that nobody carries out, for a person who goes on with the session of one of its agents. Raises
 * ENGINE_RUN_OWNED, RUN_SOCKET_UNUSABLE, STORE_* errors and what assertLendable raises.
 */
export async function lendAgent(machine: Machine, request: LendingRequest): Promise<LentAgent> {
  const { run } = request;
  const { pid } = machine.identity;
  let agent = request.agent ?? "";
  const kept = await keepRun(machine, run, () => agentLent({ agent, run, pid }));
  try {
    const found = findSession(kept.events(), request);
    agent = found.agent.id;
    const { backend } = found.agent;
    const command = await withBackend(machine, found, (lendable) =>
      lendable.interactive(sessionRequest(machine, found, lendable)),
    );
    return { agent, backend, command, giveBack: () => kept.letGo() };
  } catch (error) {
    await kept.letGo();
    throw error;
  }
}

/**
 * Whether an agent's session could be lent if nobody carried its run out. Raises AGENT_UNKNOWN,
 * RUN_AGENT_NOT_ATTACHABLE, BACKEND_* and STORE_* errors.
 */
export async function assertLendable(machine: Machine, request: LendingRequest): Promise<void> {
  assertOwnRun(machine.store, request.run);
  assertOwnPlace(machine, request.run);
  const journal = machine.store.open(request.run, "read");
  try {
    const found = findSession(journal.read(), request);
    await withBackend(machine, found, async () => {});
  } finally {
    journal.close();
  }
}

/** Does something with the backend of a session that a person can go on with. */
async function withBackend<Result>(
  machine: Machine,
  found: FoundSession,
  use: (lendable: Lendable) => Promise<Result>,
): Promise<Result> {
  const { clock, env } = machine;
  const { settings } = await configOf(machine);
  const run = found.state.run.id;
  const sealed = openTokens(run, [found.agent.spec.env ?? {}], machine.secrets);
  const host = createHost({ run, clock, env, allowEnv: settings.env?.allow ?? [], sealed });
  try {
    const made = await makeBackend(machine, found, { host, settings });
    const backend = configuredBackend(made, settings);
    const { interactive } = backend;
    if (interactive === undefined)
      throw refused(found, `backend "${found.agent.backend}" has no program for people`);
    await assertUsable(found, backend);
    return await use({ backend, host, settings, interactive });
  } finally {
    await host.close();
  }
}

interface Lendable {
  readonly backend: AgentBackend;
  readonly host: ProcessHost;
  readonly settings: ConfigSettings;
  readonly interactive: NonNullable<AgentBackend["interactive"]>;
}

async function assertUsable(found: FoundSession, backend: AgentBackend): Promise<void> {
  const { id, spec, place } = found.agent;
  if (place?.isConfined === true)
    throw refused(found, "it works in a sandbox, and a program in your terminal would not");
  const cwd = directoryOf(found);
  if (!existsSync(cwd)) throw refused(found, `its directory is gone: ${cwd}`);
  const problems = await backend.check(spec);
  if (problems.length === 0) return;
  throw preflightFailed({ problems: problems.map((problem) => ({ agent: id, ...problem })) });
}

function refused({ state, agent }: FoundSession, problem: string): TroupeError {
  return agentNotAttachable({ agent: agent.id, run: state.run.id, problem });
}

function directoryOf({ state, agent }: FoundSession): string {
  return agent.place?.directory ?? agent.spec.cwd ?? state.run.cwd;
}

/**
 * What the agent's own sessions are opened with, but for the way to Troupe's tools: nobody carries out the run
 * that they would be used in.
 */
function sessionRequest(
  machine: Machine,
  found: FoundSession,
  { backend, host, settings }: Lendable,
): SessionRequest {
  const { state, agent, session, resume } = found;
  const { spec } = agent;
  const run = state.run.id;
  const cwd = directoryOf(found);
  return {
    ...{ run, spec, session, cwd, resume },
    env: sessionEnv({ spec, backend, host }),
    directory: makeAgentDirectory(join(machine.project.runsDirectory, run), agent.id),
    trustsProject: agentTrust(machine, settings)(agent.backend, cwd),
  };
}

function makeBackend(
  { clock }: Machine,
  { agent }: FoundSession,
  { host, settings }: Pick<Lendable, "host" | "settings">,
): Promise<AgentBackend> {
  return createBackend(agent.backend, {
    host,
    clock,
    functions: new Map(),
    importModule: (path: string): Promise<unknown> => import(path),
    settings: settings.backends,
  });
}

/** The last session of an agent that a backend can go on with. */
interface FoundSession {
  readonly state: RunState;
  readonly agent: AgentState;
  readonly session: string;
  readonly resume: string;
}

/**
 * The last session of an agent that its backend can go on with; without a name, of the only agent that has one.
 * Raises AGENT_UNKNOWN, RUN_AMBIGUOUS, RUN_AGENT_NOT_ATTACHABLE.
 */
function findSession(
  events: Iterable<JournalEvent>,
  { run, agent: wanted }: { readonly run: string; readonly agent: string | undefined },
): FoundSession {
  const state = emptyRunState(run, NO_MESSAGES);
  const last = new Map<string, { readonly session: string; readonly resume: string }>();
  for (const event of events) {
    fold(state, event);
    // Sessions that ended well are forgotten by the fold; their programs still have them.
    if (event.type === "agent-ready" && event.resume !== undefined)
      last.set(event.agent, { session: event.session, resume: event.resume });
  }
  const known = [...state.agents.keys()];
  const named = wanted ?? onlyOne(run, [...(last.size === 0 ? known : last.keys())]);
  const agent = findAgent(state, named);
  if (agent === undefined) throw agentUnknown({ agent: named, known });
  const found = last.get(agent.id);
  if (found !== undefined) return { state, agent, ...found };
  const problem = "it has had no session that could be gone on with";
  throw agentNotAttachable({ agent: agent.id, run, problem });
}

function onlyOne(run: string, agents: readonly string[]): string {
  const [first = "", ...others] = agents;
  if (others.length === 0) return first;
  throw runAmbiguous({ given: run, matches: agents.map((agent) => `${agent}@${run}`) });
}

/** A run that nobody else can carry out or command. */
interface KeptRun {
  events(): Iterable<JournalEvent>;
  /** Idempotent. */
  letGo(): Promise<void>;
}

/**
 * Takes the lease of a run without carrying it out; whoever commands it meanwhile gets the `refusal`. Raises
 * ENGINE_RUN_OWNED, RUN_SOCKET_UNUSABLE and STORE_* errors.
 */
async function keepRun(
  machine: Machine,
  run: string,
  refusal: () => TroupeError,
): Promise<KeptRun> {
  const { project, env } = machine;
  const socketPath = controlSocketPath(project, run, env);
  assertOwnPlace(machine, run);
  const journal = machine.store.open(run, "write");
  const endings: (() => void | Promise<void>)[] = [() => journal.close()];
  let ending: Promise<void> | undefined;
  const letGo = () => {
    ending ??= (async () => {
      for (const end of endings.toReversed()) await end();
    })();
    return ending;
  };
  try {
    const lease = await ownJournal(machine, journal);
    endings.push(() => lease.release());
    const server = await startControlServer({ path: socketPath, run }, async () => {
      throw refusal();
    });
    endings.push(() => server.close());
    return { events: () => journal.read(), letGo };
  } catch (error) {
    await letGo();
    throw error;
  }
}
