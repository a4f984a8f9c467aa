import { z } from "zod";
import type { AgentSpec } from "../../contracts/agent.ts";
import type { PatternDefinition } from "../../contracts/definition.ts";
import type { Context } from "../../contracts/ports/context.ts";
import type { PatternAdvance, PatternFault } from "../../contracts/ports/pattern.ts";
import type { Json } from "../../foundation/json.ts";
import { present } from "../../foundation/present.ts";
import type { DataBlock } from "../patterns/conventions/marked-text.ts";
import { faultsOfNames, memberNamed } from "./find-members.ts";
import { memberReports } from "./woken-group.ts";

// Without hub, lead or judge a pattern comes to nothing. Its fallback has no other part: it waits until that agent has
// failed for good, and takes its place (PAT-fail).

/** The key of a block that names who takes the place. */
export const fallbackKey = z.string().min(1).optional();

/** Whose place was taken by whom. */
export interface Takeover {
  readonly from: string;
  readonly to: string;
  readonly reason: string;
}

const NOTE = "takeover";
const takeoverNote = z.object({ from: z.string(), to: z.string(), reason: z.string() });

/** What a takeover needs of the talk. */
interface TakenTalk {
  readonly context: Pick<Context, "post">;
  readonly definition: PatternDefinition;
  readonly advances: readonly PatternAdvance[];
  advance(kind: string, data: Json): void;
}

/** Notes it, and says so to those that it concerns. */
export async function noteTakeover(
  talk: Pick<TakenTalk, "advance" | "context">,
  { from, to, reason }: Takeover,
  told: readonly string[],
): Promise<void> {
  talk.advance(NOTE, { from, to, reason });
  if (told.length === 0) return;
  await talk.context.post({ text: `${to} takes the place of ${from}`, to: told, mentionsIn: "" });
}

/** Whose place was taken; undefined while nobody's was. */
export function takeoverIn(advances: readonly PatternAdvance[]): Takeover | undefined {
  const note = advances.findLast(({ kind }) => kind === NOTE);
  return note === undefined ? undefined : takeoverNote.parse(note.data);
}

/** The first line of what whoever takes a place is told to do. */
export function takeoverLine({ from, reason }: Takeover): string {
  return `You take the place of ${from}, which takes part no more: ${reason.replace(/\s+/g, " ").trim()}.`;
}

/** How far the others have come, as data for whoever takes a place. */
export function inheritedBlocks(
  { definition, advances }: Pick<TakenTalk, "definition" | "advances">,
  { from, to }: Takeover,
): readonly DataBlock[] {
  return memberReports(definition, advances).flatMap(({ agent, status, summary }) =>
    agent === from || agent === to || status === "waiting"
      ? []
      : [{ label: `${agent}, ${status}`, text: summary === "" ? "(nothing said yet)" : summary }],
  );
}

/** What is wrong with the fallback that a block names for an agent. */
export function faultsOfFallback(
  { steps }: Pick<PatternDefinition, "steps">,
  crew: readonly AgentSpec[],
  { named, of }: { readonly named: string | undefined; readonly of: string | undefined },
): readonly PatternFault[] {
  const key = "fallback";
  if (named === undefined) return [];
  const unknown = faultsOfNames(key, [named], crew);
  if (unknown.length > 0) return unknown;
  const agent = memberNamed(crew, named);
  const fault = (problem: string, hint?: string) => [{ key, problem, ...present({ hint }) }];
  if (steps.length > 0)
    return fault("fallback changes nothing beside steps", "write fallback at the steps");
  if (of === undefined) return fault(`${named} would take the place of nobody`);
  if (agent?.id === of) return fault(`${named} would take its own place`, "name another agent");
  if (agent?.reportsTo !== undefined)
    return fault(
      `${named} reports to ${agent.reportsTo}, but has no part before`,
      "leave reportsTo out",
    );
  const below = crew.filter(({ reportsTo }) => reportsTo === agent?.id).map(({ id }) => id);
  return below.length === 0
    ? []
    : fault(`${below.join(", ")} would report to ${named}, which has no part before`);
}
