import { backendUnknown } from "../../agents/backends/parts/errors.ts";
import { knownBackends } from "../../agents/backends/registry.ts";
import { collabKindUnknown } from "../../agents/collab/errors.ts";
import { ID_PATTERN, RESERVED_AGENT_IDS } from "../../foundation/ids.ts";
import { present } from "../../foundation/present.ts";
import { escapeTemplate } from "../../programs/language/templates/template.ts";
import { configOf, configuredBackends } from "../machine/effective/effective-config.ts";
import {
  ORCHESTRATOR,
  type Roles,
  roleNames,
  roleOf,
} from "../machine/effective/find-child-kind.ts";
import type { Machine } from "../machine/machine.ts";
import type { FileRequest } from "./load-file.ts";
import { codeOf } from "./plugins/code-of.ts";

/** What the agent of the backend `human` is called, since `human` stands for whoever answers. */
const PERSON = "person";
/** What it is called where its backend is not named. */
const ANY = "worker";

/** The agent that a command line describes. */
export interface AskedAgent {
  /** Or a model, as `provider/name`. Undefined: the one that stands in for agents that name none. */
  readonly backend: string | undefined;
  /** The program of a command agent. */
  readonly argv: readonly string[];
}

/** The workflow that a run of one agent is: one step, which gets the task. Raises BACKEND_UNKNOWN and what codeOf raises. */
export async function singleAgentWorkflow(
  machine: Machine,
  asked: AskedAgent & { readonly backend: string },
): Promise<Pick<FileRequest, "file" | "text">> {
  const agent = await singleAgentEntry(machine, asked);
  const workflow = { version: "1.0", name: agent.id, pattern: "fan-out", agents: [agent] };
  return { file: `--agent ${asked.backend}`, text: JSON.stringify(workflow) };
}

interface AgentEntry {
  readonly id: string;
  readonly backend?: string;
  readonly model?: string;
  readonly command?: readonly string[];
}

/** The only agent of a workflow, as its file would say it; `others` could be meant too. Raises BACKEND_UNKNOWN. */
async function singleAgentEntry(
  machine: Machine,
  { backend, argv }: AskedAgent,
  others: readonly string[] = [],
): Promise<AgentEntry> {
  if (backend === undefined) return { id: ANY };
  const config = await configOf(machine);
  const own = (await codeOf(machine)).backends.map(({ name }) => name);
  const known = [...new Set([...knownBackends, ...configuredBackends(config), ...own])];
  const command = argv.length === 0 ? {} : { command: argv.map(escapeTemplate) };
  // Who its provider is, is a question for whoever reads the workflow.
  if (backend.includes("/")) return { id: nameOfModel(backend), model: backend, ...command };
  if (!known.includes(backend)) throw backendUnknown({ backend, known: [...known, ...others] });
  const id = RESERVED_AGENT_IDS.has(backend) ? PERSON : backend;
  return { id, backend, ...command };
}

/** What an agent is called that is one of a provider's models. */
function nameOfModel(model: string): string {
  const [provider = ""] = model.split("/");
  return ID_PATTERN.test(provider) && !RESERVED_AGENT_IDS.has(provider) ? provider : ANY;
}

/** Whom somebody wants to speak with. */
export interface ChatRequest extends AskedAgent {
  readonly model: string | undefined;
  /** A text, or a path as in workflow files: one line that ends in `.md` or `.txt`. */
  readonly systemPrompt: string | undefined;
}

/** What an agent is called that somebody speaks with and whose backend nobody names. */
const PARTNER = "agent";
const PROMPT_FILE = /^[^\n]+\.(?:md|txt)$/;

/** The workflow of one agent that waits to be spoken to. Raises BACKEND_UNKNOWN. */
export async function chatFile(
  machine: Machine,
  { model, systemPrompt, ...asked }: ChatRequest,
): Promise<Pick<FileRequest, "file" | "text">> {
  const { id, ...entry } = await singleAgentEntry(machine, asked);
  const name = asked.backend === undefined ? PARTNER : id;
  const prompt =
    systemPrompt === undefined || PROMPT_FILE.test(systemPrompt)
      ? systemPrompt
      : systemPrompt.replaceAll("${{", "\\${{");
  const agent = { ...entry, ...present({ model, system_prompt: prompt }) };
  const workflow = { name, context: false, agents: { [name]: agent } };
  return { file: "troupe chat", text: JSON.stringify(workflow) };
}

/** A collaboration as somebody asks for it. */
export interface CollabRequest {
  /** A role of the configuration, or a backend; undefined: the role `orchestrator`. */
  readonly agent: string | undefined;
  /** The program of a command agent. */
  readonly argv: readonly string[];
  readonly model: string | undefined;
  /** Roles that it is told of; undefined: those of the configuration. */
  readonly roles: readonly string[] | undefined;
  readonly turnTimeout: string | undefined;
}

/** The workflow that an agent is which spawns those whom it needs. Raises BACKEND_UNKNOWN, COLLAB_KIND_UNKNOWN. */
export async function collabFile(
  machine: Machine,
  request: CollabRequest,
): Promise<Pick<FileRequest, "file" | "text">> {
  const { agent: asked, argv, turnTimeout } = request;
  const { roles = {} } = (await configOf(machine)).settings;
  const isRole = asked === undefined || roleOf(roles, asked) !== undefined;
  const role = roleOf(roles, isRole ? (asked ?? ORCHESTRATOR) : ORCHESTRATOR) ?? {};
  const backend = isRole ? role.backend : asked;
  const entry = await singleAgentEntry(machine, { backend, argv }, roleNames(roles));
  const agent = {
    ...{ ...entry, id: ORCHESTRATOR, spawns: true },
    ...present({
      permissionMode: role.permissionMode,
      isolation: role.isolation,
      tools: role.tools,
    }),
    ...present({ model: request.model ?? (backend === role.backend ? role.model : undefined) }),
    ...present({ systemPrompt: role.instructions && escapeTemplate(role.instructions) }),
  };
  const workflow = {
    ...{ version: "1.0", name: "collab", pattern: "collab", agents: [agent] },
    collab: present({ roles: toldRoles(roles, request.roles) }),
    options: present({ turnTimeout }),
  };
  return { file: "troupe collab", text: JSON.stringify(workflow) };
}

/** Without any of one's own there is nothing to tell: its tools name the others. Raises COLLAB_KIND_UNKNOWN. */
function toldRoles(
  roles: Roles,
  asked: readonly string[] | undefined,
): readonly string[] | undefined {
  const known = roleNames(roles);
  const unknown = asked?.find((name) => !known.includes(name));
  if (unknown !== undefined) throw collabKindUnknown({ what: "role", name: unknown, known });
  if (asked !== undefined) return asked;
  const hasOwn = Object.keys(roles).some((name) => name !== ORCHESTRATOR);
  return hasOwn ? known.filter((name) => name !== ORCHESTRATOR) : undefined;
}

/** A series of iterations as somebody asks for it. */
export interface SeriesRequest {
  readonly agent: AskedAgent;
  readonly model: string | undefined;
  /** What ends it, as `iterate` of a file has it. */
  readonly bound: object;
  /** What else `iterate` of a file has. */
  readonly settings: object;
  /** What later iterations are asked for, as it is. */
  readonly continuation: string | undefined;
  /** Commands of checks, as they are. */
  readonly verify: readonly string[] | undefined;
  readonly maxRetries: number | undefined;
  readonly turnTimeout: string | undefined;
  /** Whether it works in a worktree of its own. */
  readonly worktree: boolean;
  /** Who sums iterations up; undefined: nobody is asked. */
  readonly summary:
    | (Pick<AskedAgent, "backend"> & { readonly model: string | undefined })
    | undefined;
}

/** What an agent is called that sums iterations up. */
const SCRIBE = "summarizer";

/** The workflow that a series of iterations of one agent is. Raises BACKEND_UNKNOWN. */
export async function seriesFile(
  machine: Machine,
  request: SeriesRequest,
): Promise<Pick<FileRequest, "file" | "text">> {
  const { model, bound, settings, continuation, verify, maxRetries, turnTimeout } = request;
  const { worktree, summary } = request;
  const agent = {
    ...(await singleAgentEntry(machine, request.agent)),
    ...present({ model, isolation: worktree ? "worktree" : undefined }),
  };
  const scribe = summary === undefined ? [] : [await summaryEntry(machine, summary)];
  const texts = present({
    continuation: continuation === undefined ? undefined : escapeTemplate(continuation),
    verify: verify?.map((command) => ({ command: escapeTemplate(command) })),
  });
  const workflow = {
    ...{ version: "1.0", name: "iter", pattern: "iterate", agents: [agent, ...scribe] },
    iterate: { ...bound, ...settings, ...texts },
    errorHandling: present({ maxRetries }),
    options: present({ turnTimeout }),
  };
  return { file: "troupe iter", text: JSON.stringify(workflow) };
}

async function summaryEntry(
  machine: Machine,
  { backend, model }: NonNullable<SeriesRequest["summary"]>,
): Promise<object> {
  const entry = await singleAgentEntry(machine, { backend, argv: [] });
  return { ...entry, id: SCRIBE, ...present({ model }) };
}

/** A team as somebody asks for it. */
export interface TeamRequest {
  readonly leader: AskedAgent;
  readonly model: string | undefined;
  /** Backends of workers. */
  readonly workers: readonly string[];
  /** What `team` of a file has. */
  readonly settings: object;
  readonly maxRetries: number | undefined;
  readonly turnTimeout: string | undefined;
}

/** The workflow that a team is. Raises BACKEND_UNKNOWN. */
export async function teamFile(
  machine: Machine,
  request: TeamRequest,
): Promise<Pick<FileRequest, "file" | "text">> {
  const { leader, model, workers, settings, maxRetries, turnTimeout } = request;
  const lead = await singleAgentEntry(machine, leader);
  const others = await Promise.all(
    workers.map((backend) => singleAgentEntry(machine, { backend, argv: [] })),
  );
  const agents = [
    { ...lead, id: "lead", role: "lead", ...present({ model }) },
    ...others.map((entry, index) => ({
      ...entry,
      id: `${entry.id}-${index + 1}`,
      role: "worker",
      ...(workers[index] === leader.backend ? present({ model }) : {}),
    })),
  ];
  const workflow = {
    ...{ version: "1.0", name: "team", pattern: "team", agents, team: settings },
    errorHandling: present({ maxRetries }),
    options: present({ turnTimeout }),
  };
  return { file: "troupe team", text: JSON.stringify(workflow) };
}
