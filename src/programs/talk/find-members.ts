import type { AgentRole, AgentSpec } from "../../contracts/agent.ts";
import type { PatternDefinition } from "../../contracts/definition.ts";
import type { PatternFault } from "../../contracts/ports/pattern.ts";
import { didYouMean } from "../../foundation/near-names.ts";
import { present } from "../../foundation/present.ts";

// Who is what in a pattern whose block does not say so (PAT-who). Shadows are nobody.

/** Agents of a role, else all. */
export function ofRoleOrAll(members: readonly AgentSpec[], role: AgentRole): readonly AgentSpec[] {
  const own = members.filter((agent) => agent.role === role);
  return own.length === 0 ? members : own;
}

/** The only agent of a role; undefined when there is none or more than one. */
export function onlyOfRole(members: readonly AgentSpec[], role: AgentRole): AgentSpec | undefined {
  const [first, second] = members.filter((agent) => agent.role === role);
  return second === undefined ? first : undefined;
}

/** The agent of an id, however it is written. */
export function memberNamed(members: readonly AgentSpec[], id: string): AgentSpec | undefined {
  return members.find((agent) => agent.id.toLowerCase() === id.toLowerCase());
}

/** What is wrong with the names of agents under a key of the block: those of nobody, and those that stand there twice. */
export function faultsOfNames(
  key: string,
  names: readonly string[],
  members: readonly AgentSpec[],
): readonly PatternFault[] {
  const ids = members.map(({ id }) => id);
  return names.flatMap((name, index): readonly PatternFault[] => {
    const earlier = names.findIndex((other) => other.toLowerCase() === name.toLowerCase());
    if (memberNamed(members, name) === undefined) {
      const problem = `${key} names "${name}", who is no agent`;
      return [{ key, problem, ...present({ hint: didYouMean(name, ids) }) }];
    }
    return earlier < index ? [{ key, problem: `${key} names "${name}" twice` }] : [];
  });
}

/** Bounds of a pattern count for turns that it gives itself: with steps, these are the bound. */
export function faultsOfBounds(
  { steps }: Pick<PatternDefinition, "steps">,
  bounds: { readonly [key: string]: unknown },
): readonly PatternFault[] {
  if (steps.length === 0) return [];
  return Object.entries(bounds).flatMap(([key, value]) =>
    value === undefined
      ? []
      : [{ key, problem: `${key} bounds nothing beside steps`, hint: `remove ${key}, or steps` }],
  );
}
