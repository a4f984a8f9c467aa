import type { LanguageModelV4, LanguageModelV4FunctionTool } from "@ai-sdk/provider";
import { type AgentSpec, isNamedBy, UNCHOSEN } from "../../../contracts/agent.ts";
import type { AgentSession, SessionRequest } from "../../../contracts/backend.ts";
import type { OwnTool } from "../../../contracts/own-model.ts";
import type { ServerPins } from "../../../contracts/ports/server-pins.ts";
import { FORK_MARK } from "../../../contracts/session-record.ts";
import type { DescribedTool } from "../../../contracts/tool.ts";
import type { Clock } from "../../../foundation/clock.ts";
import { sha256 } from "../../../foundation/hash.ts";
import { present } from "../../../foundation/present.ts";
import { seededRandom } from "../../../foundation/random.ts";
import { type DialPorts, resolveByMachine } from "../../../host/egress/dial-target.ts";
import type { ProcessHost } from "../../../host/host.ts";
import { sessionUnknown } from "../parts/errors.ts";
import { TurnGate, type TurnWork } from "../parts/turn-gate.ts";
import { FileAccess } from "./files/file-access.ts";
import { entriesBefore } from "./loop/conversation.ts";
import { MAX_MODEL_CALLS } from "./loop/next-step.ts";
import type { ServerPlace } from "./mcp/mcp-server.ts";
import type { McpServers } from "./mcp/mcp-servers.ts";
import { ModelCalls, type OfferedTools } from "./model-calls.ts";
import { runModelTurn } from "./model-turn.ts";
import type { ChosenModel } from "./provider/choose-model.ts";
import { systemPrompt } from "./system-prompt.ts";
import { type ToolBox, ToolCalls } from "./tool-calls.ts";
import { BackgroundJobs } from "./tools/background-jobs.ts";
import type { ModelTool } from "./tools/model-tool.ts";
import { toModelTools } from "./tools/own-tools.ts";
import { modelTools, offByDefault } from "./tools/registry.ts";
import { Transcript } from "./transcript.ts";

/** What a session of a model is made of. */
export interface ModelSessionParts {
  readonly host: ProcessHost;
  readonly clock: Clock;
  readonly chosen: ChosenModel;
  readonly model: LanguageModelV4;
  /** Of whoever embeds Troupe. */
  readonly ownTools: readonly OwnTool[];
  /** Variables with keys: nothing that a tool starts sees them. */
  readonly secretVariables: readonly string[];
  /** What the project knows of the tools of MCP servers. Absent: nothing that outlives the session. */
  readonly pins?: ServerPins | undefined;
}

/** Opens a session, or goes on with the one of a record. Raises BACKEND_SESSION_UNKNOWN for one without entries. */
export async function openModelSession(
  request: SessionRequest,
  parts: ModelSessionParts,
): Promise<AgentSession> {
  const { spec, session, resume, record } = request;
  const { host, clock, chosen, model } = parts;
  const forkOf = resume?.startsWith(FORK_MARK) ? resume.slice(FORK_MARK.length) : undefined;
  const before = entriesBefore(spec.id, spec.settings);
  const transcript = new Transcript(record, { forkOf, before });
  if (resume !== undefined && record !== undefined && transcript.isNew)
    throw sessionUnknown({ agent: spec.id, resume });
  const jobs = new BackgroundJobs(host);
  const box = await openToolBox(request, { parts, transcript, jobs });
  const tools = new ToolCalls(box);
  const system = await systemPrompt(request);
  const random = seededRandom(`${request.run}/${spec.id}/${session}`);
  const offered = createOffer(box);
  const { effort: reasoning, maxOutputTokens } = spec;
  const bounds = present({ reasoning, maxOutputTokens });
  const models = new ModelCalls({
    ...{ agent: spec.id, chosen, model, system, tools: offered, transcript, clock, random, bounds },
  });
  const gate = new TurnGate({ agent: spec.id, session });
  const { maxTurns: maxCalls = MAX_MODEL_CALLS } = spec;
  const words = createWords();
  return {
    ...present({ resume: record && (resume ?? `${session}@${clock.now()}`) }),
    prompt: (turn) =>
      gate.run(turn, (work) =>
        words.during(() =>
          runModelTurn(work, {
            ...{ transcript, models, tools, system, maxCalls, takeWords: words.take },
            prepare: box.prepare,
          }),
        ),
      ),
    steer: async (text) => words.add(text),
    close: async () => {
      await gate.close();
      await Promise.all([jobs.close(), box.close()]);
    },
  };
}

interface BoxParts {
  readonly parts: ModelSessionParts;
  readonly transcript: Transcript;
  readonly jobs: BackgroundJobs;
}

/** The tools of a session, with those of its servers. */
interface OwnToolBox extends ToolBox {
  prepare(work: TurnWork): Promise<readonly string[]>;
  close(): Promise<void>;
}

async function openToolBox(
  request: SessionRequest,
  { parts, transcript, jobs }: BoxParts,
): Promise<OwnToolBox> {
  const { spec, cwd, confine, env } = request;
  const { constraints = {}, tools: named, disallowedTools } = spec;
  const { host } = parts;
  const ofOwner = toModelTools(parts.ownTools, { run: request.run, agent: spec.id });
  const own = [
    ...modelTools.filter(({ name }) => isOffered(name, named)),
    ...ofOwner.filter(({ name }) => isChosen(name, spec)),
  ];
  const files = new FileAccess({ cwd, constraints, confine }, transcript.seen);
  const toolEnv = withoutKeys(env, request, parts.secretVariables);
  const web = mayUseNetwork(spec) ? { ...PUBLIC_WEB, clock: parts.clock } : undefined;
  const place = { session: request, env: toolEnv, host, files, jobs, web };
  const shared = (await request.tools?.()) ?? [];
  const servers = await openServers(request, {
    place: { host, session: request, env: toolEnv, mayUseNetwork: mayUseNetwork(spec) },
    transcript,
    pins: parts.pins,
  });
  return {
    get own() {
      return [...own, ...(servers?.tools ?? [])];
    },
    shared: shared.filter(({ name }) => !isNamedBy(disallowedTools, name)),
    ...{ place, transcript },
    prepare: async ({ request: { turn }, client }) => {
      transcript.turn = turn;
      return (await servers?.prepare(client)) ?? [];
    },
    close: async () => servers?.close(),
  };
}

function isOffered(tool: string, named: readonly string[] | undefined): boolean {
  if (offByDefault.has(tool) && isUnchosen(named)) return false;
  return named === undefined || named.includes(tool);
}

/** Whether an agent may use a tool of one's own: those that are not named are left out where others are. */
function isChosen(tool: string, { tools, disallowedTools }: AgentSpec): boolean {
  return (isUnchosen(tools) || isNamedBy(tools, tool)) && !isNamedBy(disallowedTools, tool);
}

function isUnchosen(named: readonly string[] | undefined): boolean {
  return named === undefined || named.includes(UNCHOSEN);
}

const PUBLIC_WEB: DialPorts = {
  reach: { hosts: "public", local: [] },
  resolveName: resolveByMachine,
};

/** In a sandbox only where that is said. */
function mayUseNetwork({ isolation, constraints }: AgentSpec): boolean {
  return constraints?.network ?? isolation !== "sandbox";
}

/** Where servers are started, and what is known of their tools. */
interface ServerMeans {
  readonly place: ServerPlace;
  readonly transcript: Transcript;
  readonly pins: ServerPins | undefined;
}

/** Loaded by agents that have servers. */
async function openServers(
  { spec }: SessionRequest,
  { place, transcript, pins }: ServerMeans,
): Promise<McpServers | undefined> {
  const { mcpServers, tools, disallowedTools } = spec;
  if (mcpServers === undefined) return undefined;
  const [{ McpServers }, { createMemoryPins }] = await Promise.all([
    import("./mcp/mcp-servers.ts"),
    import("./mcp/memory-pins.ts"),
  ]);
  const session = { of: transcript.pinOf, keep: transcript.pin };
  const known = { project: pins ?? createMemoryPins(), session };
  const choice = { tools, disallowedTools };
  return McpServers.open(mcpServers, place, { choice, known });
}

/** What the workflow itself gives to its agent stays. */
function withoutKeys(
  env: SessionRequest["env"],
  { spec }: Pick<SessionRequest, "spec">,
  secretVariables: readonly string[],
): SessionRequest["env"] {
  const given = { ...spec.env, ...spec.envFrom };
  return Object.fromEntries(
    Object.entries(env).filter(
      ([name]) => !secretVariables.includes(name) || Object.hasOwn(given, name),
    ),
  );
}

/** What a model may call; put together again when that changes, as it does with servers that come late. */
function createOffer(box: ToolBox): () => OfferedTools {
  let described: readonly (ModelTool | DescribedTool)[] = [];
  let offered = toOffered(described);
  return () => {
    const now = [...box.own, ...box.shared];
    const isSame =
      now.length === described.length && now.every((tool, at) => tool === described[at]);
    if (isSame) return offered;
    described = now;
    offered = toOffered(now);
    return offered;
  };
}

function toOffered(described: readonly (ModelTool | DescribedTool)[]): OfferedTools {
  const tools = described.map(
    ({ name, description, inputSchema }): LanguageModelV4FunctionTool => ({
      type: "function",
      name,
      description,
      inputSchema: { ...inputSchema },
    }),
  );
  return { tools, hash: sha256(JSON.stringify(tools)) };
}

/** What is put into the turn that runs. */
function createWords() {
  let waiting: string[] = [];
  let isOpen = false;
  return {
    during: async <Result>(turn: () => Promise<Result>): Promise<Result> => {
      isOpen = true;
      try {
        return await turn();
      } finally {
        isOpen = false;
        waiting = [];
      }
    },
    add: (text: string): boolean => {
      if (isOpen) waiting.push(text);
      return isOpen;
    },
    take: (): string | undefined => {
      const text = waiting.join("\n\n");
      waiting = [];
      return text === "" ? undefined : text;
    },
  };
}
