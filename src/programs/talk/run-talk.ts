import type { AgentSpec } from "../../contracts/agent.ts";
import type { PatternDefinition } from "../../contracts/definition.ts";
import type { Context } from "../../contracts/ports/context.ts";
import type { Pattern } from "../../contracts/ports/pattern.ts";
import type { ProgramResult } from "../../contracts/ports/program.ts";
import { toErrorReport } from "../../foundation/errors.ts";
import { memberFailed } from "../errors.ts";
import { channelNameOf } from "../primitives/channel-name.ts";
import { runSteps } from "../primitives/run-steps.ts";
import { followShadows } from "../primitives/shadows/last-words.ts";
import { dependenciesIn, stepOrder } from "../primitives/step-order.ts";
import { spawnTeam } from "../primitives/team.ts";
import { Talk } from "./talk.ts";
import type { Role } from "./talk-turn.ts";

/** How a pattern ended, without what follows from its moves. */
export type TalkEnd = Omit<ProgramResult, "metadata">;

/** What makes a pattern of turns that it gives itself. */
export interface TalkPattern extends Required<Pick<Pattern, "members" | "metadata">> {
  readonly role: (definition: PatternDefinition, agent: string) => Role;
  /** Whether the place of an agent's work is made before its first turn. Defaults to no. */
  readonly isPlaced?: (agent: AgentSpec, definition: PatternDefinition) => boolean;
  /** Gives the turns. */
  readonly talk: (talk: Talk) => Promise<TalkEnd>;
}

/**
 * Carries a pattern out that leaves the order of steps to the file: its steps under its conventions, or, without any,
 * the turns that it gives itself (PAT-steps).
 */
export async function runTalk(
  context: Context,
  written: PatternDefinition,
  pattern: TalkPattern,
): Promise<ProgramResult> {
  const definition = { ...written, agents: pattern.members(written) };
  if (definition.steps.length > 0) return runItsSteps(context, definition, pattern);
  const channel = channelNameOf(definition.channel, context.run.id);
  const shadows = followShadows(context, definition);
  const isPlaced = (agent: AgentSpec) => pattern.isPlaced?.(agent, definition) ?? false;
  const team = await spawnTeam(context, { definition, channel, isPlaced });
  const talk = new Talk({ context, definition, team, channel });
  const end = await endOf(talk, pattern);
  if (team.reflections !== undefined) await team.reflections.end("cut");
  await shadows.lastWords();
  return { ...end, metadata: pattern.metadata(definition, talk.advances) };
}

function runItsSteps(
  context: Context,
  definition: PatternDefinition,
  { role }: TalkPattern,
): Promise<ProgramResult> {
  return runSteps(context, definition, {
    dependsOn: dependenciesIn(stepOrder({ order: "mode" }, definition.mode), definition.steps),
    convention: (_step, facts) => role(definition, facts.agent).convention(facts),
    metadata: () => ({}),
  });
}

async function endOf(talk: Talk, pattern: TalkPattern): Promise<TalkEnd> {
  try {
    return await pattern.talk(talk);
  } catch (thrown) {
    const error = toErrorReport(thrown);
    if (error.code !== memberFailed.code) throw thrown;
    return { outcome: "failed", reason: error.message, error };
  }
}

/** Agents whose turns their pattern alone gives: no message starts one, and only some signals of roles count. */
export function givenTurns(
  agents: readonly AgentSpec[],
  roleOf: (agent: AgentSpec) => Pick<AgentSpec, "writesTo" | "signals">,
): readonly AgentSpec[] {
  return agents.map((agent) =>
    agent.shadow === undefined ? { ...agent, wakes: "never", ...roleOf(agent) } : agent,
  );
}

/** Agents whose answers alone matter: they write to nobody, unless they have steps, which post the signals that end them. */
export function answeringOnly({
  agents,
  steps,
}: Pick<PatternDefinition, "agents" | "steps">): readonly AgentSpec[] {
  const writes = steps.length === 0 ? { writesTo: [] } : {};
  return givenTurns(agents, () => ({ ...writes, signals: [] }));
}
