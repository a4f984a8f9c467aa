import type { AgentSpec } from "../../contracts/agent.ts";
import type { TraitsOf } from "../../contracts/backend.ts";
import type { KickoffDefinition } from "../../contracts/definition.ts";
import type { Context, Scope } from "../../contracts/ports/context.ts";
import type { Program, ProgramResult } from "../../contracts/ports/program.ts";
import type { SelectorKind, Subscription } from "../../contracts/selector.ts";
import { count } from "../../foundation/count.ts";
import { toErrorReport } from "../../foundation/errors.ts";
import { findMentions } from "../../messaging/mentions.ts";
import { renderAgent } from "../language/templates/render-agent.ts";
import { fillTemplate, type VariableLookup } from "../language/templates/render-template.ts";
import { parseTemplate, scanTemplate } from "../language/templates/template.ts";
import { markedText } from "../patterns/conventions/marked-text.ts";
import { crewOf, shadowsIn, shadowsToAsk } from "../primitives/shadows/crew.ts";
import { type FollowedShadows, followShadows } from "../primitives/shadows/last-words.ts";
import { withShadowConventions } from "../primitives/shadows/shadow-conventions.ts";
import { kickoffConventions } from "./conventions.ts";
import { CONVERSATION_KINDS, type Conversation, hear, SILENCE } from "./conversation.ts";
import { renderName, startValues, textLookup } from "./kickoff-variables.ts";
import { ownText } from "./own-text.ts";
import { runSetup } from "./setup.ts";

/** The program of kickoff workflows: setup, agents, a first message, and then it is theirs. */
export function kickoffProgram(traitsOf: TraitsOf, name = "kickoff"): Program<KickoffDefinition> {
  return { name, run: (context, definition) => run(context, definition, traitsOf) };
}

async function run(
  context: Context,
  definition: KickoffDefinition,
  traitsOf: TraitsOf,
): Promise<ProgramResult> {
  const setup = await runSetup(context, definition, startValues(context, definition));
  if (setup.status === "failed")
    return { outcome: "failed", reason: inOneShortLine(setup.error.message), metadata: {} };
  const lookup = await textLookup(context, definition, setup.values);
  const tell = (text: string) =>
    markedText(
      fillTemplate(parseTemplate(text, "dollar"), lookup, ({ segments }) =>
        sourceOf(segments, { context, definition }),
      ),
      "after",
    );
  const subscription = context.subscribe({ kinds: kindsOf(definition) });
  const shadows = followShadows(context, definition);
  await Promise.all(
    definition.agents.map((spec) =>
      context.spawn(withConventions(spec, { definition, context, lookup, tell, traitsOf })),
    ),
  );
  const hasChannel = definition.context?.channel !== undefined;
  if (hasChannel) await context.post({ text: "Workflow started" });
  const opening = await kickOff(context, definition, tell);
  return untilOver(context, { definition, subscription, opening, shadows });
}

/** What only goes on until it is stopped, unbounded, listens to nothing else: its journal is to stay small. */
function kindsOf({ until, bounds }: KickoffDefinition): readonly SelectorKind[] {
  const isBounded = Object.keys(bounds).length > 0;
  return until === "idle" || isBounded ? CONVERSATION_KINDS : ["agent-exited"];
}

interface SpawnParts {
  readonly definition: KickoffDefinition;
  readonly context: Context;
  readonly lookup: VariableLookup;
  readonly tell: (text: string) => string;
  readonly traitsOf: TraitsOf;
}

/** Where a value is from, unless the author of the file or the person who started the run wrote it. */
function sourceOf(
  [root]: readonly string[],
  { context, definition: { setup } }: Pick<SpawnParts, "context" | "definition">,
): string | undefined {
  if (root === "task" && context.run.isChild) return "task from the workflow that runs this one";
  return setup.some((task) => task.as === root)
    ? `output of the setup command for ${root}`
    : undefined;
}

function withConventions(
  spec: AgentSpec,
  { definition, context, lookup, tell, traitsOf }: SpawnParts,
): AgentSpec {
  const rendered = withEnvFrom(renderAgent(spec, lookup, { syntax: "dollar", tell }), spec);
  const channel = renderName(definition.channel, context.run);
  if (spec.shadow !== undefined) return withShadowConventions(rendered, channel);
  // A program or a person is told what comes in, and nothing else.
  if (traitsOf(spec.backend)?.worker !== undefined) return rendered;
  const conventions = kickoffConventions({
    agent: spec.id,
    agents: crewOf(definition.agents).map(({ id }) => id),
    shadows: shadowsToAsk(definition.agents, spec.id),
    channel,
    context: definition.context,
  });
  const { systemPrompt } = rendered.settings ?? {};
  const texts = [typeof systemPrompt === "string" ? systemPrompt.trim() : "", conventions];
  const told = texts.filter((text) => text !== "").join("\n\n");
  return told === ""
    ? rendered
    : { ...rendered, settings: { ...rendered.settings, systemPrompt: told } };
}

/** How a run began. */
interface Opening {
  /** Prompts that agents without a channel were given. */
  readonly prompts: readonly Scope<unknown>[];
  /** Agents whose prompt failed, with the reason; grows while the run goes on. */
  readonly failures: readonly string[];
  /** Whether anybody was asked for anything. */
  readonly isHeard: boolean;
}

/** Posts the kickoff; agents without a channel get it as their prompt (KCK-2). */
async function kickOff(
  context: Context,
  { agents, kickoff, context: shared }: KickoffDefinition,
  tell: (text: string) => string,
): Promise<Opening> {
  if (kickoff === undefined) return { prompts: [], failures: [], isHeard: false };
  const text = tell(kickoff);
  // Only what the file itself says can wake somebody, never what a command printed.
  const mentionsIn = ownText(kickoff);
  if (shared?.channel !== undefined) {
    const { recipients } = await context.post({ text, mentionsIn });
    return { prompts: [], failures: [], isHeard: recipients.length > 0 };
  }
  const known = agents.map(({ id }) => id);
  const { mentions } = findMentions(mentionsIn, { known, sender: "system" });
  return prompt(context, known.length === 1 ? known : mentions, text);
}

function prompt(context: Context, agents: readonly string[], text: string): Opening {
  const failures: string[] = [];
  const prompts = agents.map((agent) => {
    const scope = context.scope(`kickoff-${agent}`, (branch) => branch.turn(agent, text));
    scope.result.catch((error: unknown) => {
      const { code, message } = toErrorReport(error);
      if (code !== "ENGINE_CANCELLED")
        failures.push(`agent "${agent}": ${inOneShortLine(message)}`);
    });
    return scope;
  });
  return { prompts, failures, isHeard: agents.length > 0 };
}

interface Conversing {
  readonly definition: KickoffDefinition;
  readonly subscription: Subscription;
  readonly opening: Opening;
  readonly shadows: FollowedShadows;
}

/** Follows the conversation until nobody has anything left to do, a bound is broken, or nobody is left. */
async function untilOver(
  context: Context,
  { definition, subscription, opening, shadows }: Conversing,
): Promise<ProgramResult> {
  const { bounds, until, quietMs } = definition;
  const members = new Set(crewOf(definition.agents).map(({ id }) => id));
  const watchers = new Set(shadowsIn(definition.agents).map(({ id }) => id));
  let conversation: Conversation = SILENCE;
  // It hears of the end of members alone: whom one of them has spawned leaves the team where it is.
  const isDeserted = () => conversation.exited.size === members.size;
  const following = context.scope("conversation", async (branch) => {
    while (conversation.broken === undefined && !isDeserted()) {
      const event = await branch.next(subscription);
      if (event !== undefined)
        conversation = hear(conversation, event, { members, watchers, bounds });
    }
  });
  const quiet =
    until === "idle" ? context.scope("idle", (branch) => branch.quiescent({ quietMs })) : undefined;
  await Promise.race([following.result, ...(quiet === undefined ? [] : [quiet.result])]);
  for (const scope of [following, ...(quiet === undefined ? [] : [quiet]), ...opening.prompts]) {
    scope.result.catch(() => {}); // Whatever is cancelled here has nothing more to say.
    scope.cancel("the run is over");
  }
  if (until === "idle" && conversation.broken === undefined) await shadows.lastWords();
  const { failures, isHeard } = opening;
  const reason = reasonOf({ isDeserted: isDeserted(), isHeard });
  return decideOutcome(conversation, { reason, failures, isStanding: until === "stopped" });
}

function reasonOf({ isDeserted, isHeard }: { isDeserted: boolean; isHeard: boolean }): string {
  if (isDeserted) return "all agents were stopped";
  return isHeard ? "nobody has anything left to do" : "nobody was mentioned, so nobody was woken";
}

/** What is known of the end beside the conversation. */
interface OverFacts {
  /** Why it is over. */
  readonly reason: string;
  /** Prompts that failed, a line each. */
  readonly failures: readonly string[];
  /** Whether it went on until somebody stopped it: then what failed on the way is no failure of the whole. */
  readonly isStanding: boolean;
}

/** What a conversation has come to, told truthfully: whoever gave up is no success (KCK-3, ENG-11). */
function decideOutcome(conversation: Conversation, over: OverFacts): ProgramResult {
  const { broken, turns, messages } = conversation;
  if (broken !== undefined) return { outcome: "limit-reached", reason: broken, metadata: {} };
  const [failure] = [...failuresOf(conversation, over.isStanding), ...over.failures];
  if (failure !== undefined) return { outcome: "failed", reason: failure, metadata: {} };
  // What has no end of its own is not counted on the way.
  const counts = `: ${count(turns, "turn")}, ${count(messages, "message")}`;
  const reason = over.isStanding ? over.reason : over.reason + counts;
  return { outcome: "completed", reason, metadata: {} };
}

/** What went wrong, gravest first, a line each. */
function failuresOf(
  { exitErrors, negatives, deadLetters }: Conversation,
  isStanding: boolean,
): readonly string[] {
  const exits = [...exitErrors].map(
    ([agent, error]) => `agent "${agent}" gave up: ${inOneShortLine(error)}`,
  );
  if (isStanding) return exits;
  return [
    ...exits,
    ...deadLetters.map((agent) => `a message to agent "${agent}" was given up`),
    ...[...negatives].map(([agent, said]) => `agent "${agent}" says ${inOneShortLine(said)}`),
  ];
}

/** A text as one line, at most 2,000 characters of it. */
function inOneShortLine(text: string): string {
  return text.replace(/\s+/g, " ").trim().slice(0, 2000).toWellFormed();
}

/**
 * The rendered declaration of an agent with the variables that it only hands on, `KEY: ${{ env.KEY }}`, named
 * instead of filled in: what they hold reaches its processes and never the journal.
 */
function withEnvFrom(rendered: AgentSpec, written: AgentSpec): AgentSpec {
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
