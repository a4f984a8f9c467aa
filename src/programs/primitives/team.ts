import { z } from "zod";
import type { AgentHandle, AgentSpec } from "../../contracts/agent.ts";
import type { PatternDefinition } from "../../contracts/definition.ts";
import { hasOneLanguage } from "../../contracts/definition-format.ts";
import type { Context, TurnResult } from "../../contracts/ports/context.ts";
import type { Lesson } from "../../contracts/trajectory.ts";
import { TroupeError } from "../../foundation/errors.ts";
import { toJson } from "../../foundation/json.ts";
import { present } from "../../foundation/present.ts";
import { agentTemplates, renderAgent } from "../language/templates/render-agent.ts";
import type { ConventionFacts, Peer } from "../patterns/conventions/convention-facts.ts";
import { type PlaceOfWork, placeOfAgent } from "../step/gates/work-place.ts";
import type { ReflectedTeam } from "./adjuster.ts";
import { type AskedTurn, leadOf, Reflections } from "./reflections.ts";
import { crewOf, describeShadow, shadowsIn, shadowsToAsk } from "./shadows/crew.ts";
import { withShadowConventions } from "./shadows/shadow-conventions.ts";
import { prepareLookup } from "./step-variables.ts";

/** The agents of a run, spawned. */
export interface Team extends Omit<ReflectedTeam, "handle"> {
  /** Raises nothing for agents of the definition: all of them are there. */
  handle(agent: string): AgentHandle;
  /** The agent as the definition has it. */
  spec(agent: string): AgentSpec | undefined;
  /** Absolute directory where an agent works whose place was made when it joined, or that has none of its own. */
  cwd(agent: string): string;
  /** Place in which the turns of an agent work, whenever it is made. */
  place(agent: string): PlaceOfWork;
  /** Whether an agent works in a worktree of its own. */
  hasWorktree(agent: string): boolean;
  /** Spawns one more. Rejects with AGENT_EXISTS and AGENT_LIMIT_* errors. */
  admit(spec: AgentSpec): Promise<AgentHandle>;
  /** What an agent is told about the run, whatever the pattern. */
  facts(agent: string, marker: string | undefined): ConventionFacts;
  /** Gives a turn, with what a reflection has changed about its agent's part. */
  turn(branch: Context, asked: AskedTurn): Promise<TurnResult>;
  /** Absent: nobody reflects on the work. */
  readonly reflections: Reflections | undefined;
}

// A prompt that named ten thousand peers would hold nothing else.
const MAX_PEERS = 20;

/** What agents join. */
export interface TeamParts {
  readonly definition: PatternDefinition;
  readonly channel: string;
  /** Whether the place of an agent's work is made at once, so that others can look at it before its first turn. */
  readonly isPlaced?: (spec: AgentSpec) => boolean;
}

/** Spawns every agent of the definition, so that all can be mentioned from the first message on. */
export async function spawnTeam(
  context: Context,
  { definition, channel, isPlaced = () => false }: TeamParts,
): Promise<Team> {
  // Runs of format 1 gave agents an empty text for what git says.
  const asked = hasOneLanguage(definition) ? definition.agents.flatMap(agentTemplates) : [];
  const lookup = await prepareLookup({ context, definition, results: new Map() }, asked);
  // Agents of the workflow around the pattern are there already, and their texts are filled in.
  const isShared = definition.within !== undefined;
  const handles = await Promise.all(
    definition.agents.map((spec) => {
      const place = isPlaced(spec) ? ({ isPlaced: true } as const) : {};
      return isShared
        ? context.spawn(spec, { isShared, ...place })
        : context.spawn(withShadowConventions(renderAgent(spec, lookup), channel), place);
    }),
  );
  const byId = new Map(handles.map((handle) => [handle.id, handle]));
  const specs = new Map(definition.agents.map((spec) => [spec.id, spec]));
  const shadows = shadowsIn(definition.agents);
  const crew = crewOf(definition.agents)
    .slice(0, MAX_PEERS + 1)
    .map(toPeer);
  const lessons = await learn(context, definition);
  const parts = new Map<string, string>();
  const cwdOf = (agent: string) =>
    byId.get(agent)?.directory ?? specs.get(agent)?.cwd ?? context.run.cwd;
  // In runs that began before handles said so, the order of what was asked for knows of no worktree.
  const hasWorktree = (agent: string) =>
    byId.get(agent)?.isApart === true && specs.get(agent)?.isolation === "worktree";
  const team: ReflectedTeam & Pick<Team, "cwd" | "place" | "hasWorktree" | "turn"> = {
    handle: (agent) => {
      const handle = byId.get(agent);
      if (handle === undefined) throw new Error(`agent "${agent}" is not in the definition`);
      return handle;
    },
    admit: async (spec) => {
      const handle = await context.spawn(
        withShadowConventions(renderAgent(spec, lookup), channel),
        isShared ? { isShared } : {},
      );
      specs.set(spec.id, spec);
      byId.set(handle.id, handle);
      return handle;
    },
    reassign: (agent, part) => void parts.set(agent, part),
    turn: (branch, asked) => giveTurn(branch, asked, parts),
    spec: (agent) => specs.get(agent),
    cwd: cwdOf,
    place: (agent) => placeOfAgent(agent, { cwd: cwdOf(agent), isWorktree: hasWorktree(agent) }),
    hasWorktree,
    facts: (agent, marker) => ({
      agent,
      channel,
      ...present({ channels: specs.get(agent)?.channels }),
      peers: [
        ...shadowsToAsk(shadows, agent).map(toWatcher),
        ...crew.filter((peer) => peer.id !== agent).slice(0, MAX_PEERS),
      ],
      marker,
      form: byId.get(agent)?.conventions === "tools" ? "tools" : "text",
      ...toolFacts(byId.get(agent), specs.get(agent)),
      ...reflectionFacts(definition),
      ...(definition.trajectory === undefined ? {} : { isTold: true }),
      ...(lessons.length > 0 && plans(definition, agent) ? { lessons } : {}),
    }),
  };
  return { ...team, reflections: reflectionsOf(context, definition, team) };
}

/** What earlier work teaches about the task, looked up once in a run (TRJ-4). */
async function learn(
  context: Context,
  { trajectory, description = "", within }: PatternDefinition,
): Promise<readonly Lesson[]> {
  if (trajectory?.learnFrom !== true) return [];
  const task = `${within?.task ?? context.run.task ?? ""}\n${description}`;
  const found = await context.step(
    "lessons",
    async ({ lessons }) => toJson(await lessons(task), "what earlier work teaches"),
    { given: () => task },
  );
  return lessonsSchema.parse(found);
}

const lessonsSchema = z.array(z.object({ of: z.string(), text: z.string() }));

/** Whether an agent plans the work: the lead, without one whoever has the first step, and without steps all. */
function plans({ agents, steps }: PatternDefinition, agent: string): boolean {
  const lead = leadOf(crewOf(agents))?.id ?? steps.find((step) => step.agent !== undefined)?.agent;
  return lead === undefined || lead === agent;
}

function reflectionsOf(
  context: Context,
  { agents, reflection: spec }: PatternDefinition,
  team: ReflectedTeam,
): Reflections | undefined {
  return spec && new Reflections({ context, spec, agents: crewOf(agents), team });
}

/** What all are told of reflections, where there are some. */
function reflectionFacts({
  agents,
  reflection,
}: PatternDefinition): Pick<ConventionFacts, "reflector"> {
  if (reflection === undefined) return {};
  return { reflector: reflection.reflector ?? leadOf(crewOf(agents))?.id ?? "Troupe" };
}

/** Gives a turn; once more, when it was cut off because its agent has another part from now on. */
async function giveTurn(
  branch: Context,
  { agent, prompt, options }: AskedTurn,
  parts: Map<string, string>,
): Promise<TurnResult> {
  for (;;) {
    const part = parts.get(agent);
    parts.delete(agent);
    try {
      if (part === undefined) return await branch.turn(agent, prompt, options);
      const { task } = options;
      const changed = present({ task: task && withPart(part, task) });
      return await branch.turn(agent, withPart(part, prompt), { ...options, ...changed });
    } catch (error) {
      const isCutOff = error instanceof TroupeError && error.code === "AGENT_INTERRUPTED";
      if (!isCutOff || !parts.has(agent)) throw error;
    }
  }
}

function withPart(part: string, prompt: string): string {
  return `After a reflection on the work you have another part from now on:\n\n${part}\n\nWhat you were to do before:\n\n${prompt}`;
}

/** Runs whose handles say nothing of tools began before agents were told of them. */
function toolFacts(
  handle: AgentHandle | undefined,
  spec: AgentSpec | undefined,
): Pick<ConventionFacts, "toolPrefix" | "spawns"> {
  const { toolPrefix } = handle ?? {};
  if (toolPrefix === undefined) return {};
  return { toolPrefix, ...(spec?.spawns === true ? { spawns: true } : {}) };
}

function toWatcher(shadow: AgentSpec): Peer {
  return { id: shadow.id, role: describeShadow(shadow) };
}

function toPeer({ id, name, role }: PatternDefinition["agents"][number]): Peer {
  return { id, ...present({ name, role }) };
}
