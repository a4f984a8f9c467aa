import type { PatternDefinition } from "../../contracts/definition.ts";
import type { PatternFault } from "../../contracts/ports/pattern.ts";
import { crewOf } from "../primitives/shadows/crew.ts";
import { faultsOfNames, memberNamed, onlyOfRole } from "./find-members.ts";

/** Who answers, and who makes one answer of all, as a block names them. */
export interface NamedSeats {
  readonly workers: readonly string[] | undefined;
  readonly gatherer: string | undefined;
}

/** The same by ids: who gathers is the only lead, else the last agent, and all others answer. */
export function seatsIn(
  { agents }: Pick<PatternDefinition, "agents">,
  named: NamedSeats,
): { readonly workers: readonly string[]; readonly gatherer: string } {
  const crew = crewOf(agents);
  const idOf = (name: string) => memberNamed(crew, name)?.id ?? name;
  const chosen = named.workers?.map(idOf);
  const free = crew.filter(({ id }) => chosen?.includes(id) !== true);
  const last = onlyOfRole(free, "lead") ?? free.at(-1);
  const gatherer = named.gatherer === undefined ? (last?.id ?? "") : idOf(named.gatherer);
  const others = crew.map(({ id }) => id).filter((id) => id !== gatherer);
  return { workers: chosen ?? others, gatherer };
}

/** What is wrong with who takes part; `keys` are their names in the block. */
export function faultsOfSeats(
  definition: PatternDefinition,
  named: NamedSeats,
  keys: { readonly workers: string; readonly gatherer: string },
): readonly PatternFault[] {
  const crew = crewOf(definition.agents);
  const { gatherer: one } = named;
  const faults = [
    ...faultsOfNames(keys.workers, named.workers ?? [], crew),
    ...faultsOfNames(keys.gatherer, one === undefined ? [] : [one], crew),
  ];
  if (faults.length > 0) return faults;
  const { workers, gatherer } = seatsIn(definition, named);
  if (gatherer === "")
    return [
      {
        problem: "nobody makes one answer of all",
        hint: `add an agent, and name it: ${keys.gatherer}`,
      },
    ];
  if (workers.length === 0)
    return [
      {
        problem: `nobody answers beside ${gatherer}`,
        hint: `add agents, or name them: ${keys.workers}`,
      },
    ];
  if (workers.includes(gatherer))
    return [
      {
        key: keys.gatherer,
        problem: `${gatherer} would gather its own answer`,
        hint: "name another agent",
      },
    ];
  return [];
}
