import type { Cassette, Repeat, ScriptedTurn, TurnListSource } from "./cassette-schema.ts";

/** One list of turns and what follows its last one. */
export interface TurnList {
  /** The key it has in the cassette, or `script` for an inline one. */
  readonly key: string;
  readonly turns: readonly ScriptedTurn[];
  readonly repeat: Repeat;
}

/** Finds the list of an agent's turn; built once per cassette or inline script. */
export interface TurnLists {
  /** The list for an agent's turn in a step (empty: no step), or undefined when nothing covers it. */
  find(agent: string, step: string): TurnList | undefined;
}

/** Which turn an agent is about to play. */
export interface TurnPosition {
  readonly agent: string;
  /** Path of the step, empty for none. */
  readonly step: string;
  /** The agent's ended turns per step path (see TurnRequest). */
  readonly turnsBefore: { readonly [step: string]: number };
}

/** What a position plays: a turn, the end of a list that does not repeat, or nothing that covers it. */
export type SelectedTurn =
  | { readonly status: "turn"; readonly turn: ScriptedTurn; readonly entry: string }
  | { readonly status: "exhausted"; readonly list: TurnList }
  | { readonly status: "uncovered" };

/** The lists of a cassette: `id/step` beats `id` beats the longest glob beats `default`. */
export function listsOfCassette(cassette: Cassette): TurnLists {
  const lists = new Map(
    Object.entries(cassette.agents).map(([key, source]) => [
      key,
      toTurnList(key, source, cassette.repeat),
    ]),
  );
  const globs = [...lists.values()]
    .filter(({ key }) => isGlob(key))
    .sort((left, right) => right.key.length - left.key.length);
  const fallback = cassette.default && toTurnList("default", cassette.default, cassette.repeat);
  return {
    find: (agent, step) =>
      (step === "" ? undefined : ofStep(lists, agent, step)) ??
      lists.get(agent) ??
      globs.find(({ key }) => matchesGlob(key, agent)) ??
      fallback,
  };
}

/** The lists of an agent with an inline script: that one, whatever the step. */
export function listsOfScript(source: TurnListSource): TurnLists {
  const list = toTurnList("script", source, "last");
  return { find: () => list };
}

/** Whether a cassette has an entry of its own for an agent; `default` is none. */
export function cassetteCovers(cassette: Cassette, agent: string): boolean {
  return Object.keys(cassette.agents).some(
    (key) =>
      key === agent || key.startsWith(`${agent}/`) || (isGlob(key) && matchesGlob(key, agent)),
  );
}

/**
 * The entry that a turn plays. Its place in the list is the number of the agent's ended turns that
 * the same list covers, so a turn that is started again after a crash plays its entry again.
 */
export function selectTurn(lists: TurnLists, position: TurnPosition): SelectedTurn {
  const list = lists.find(position.agent, position.step);
  if (list === undefined) return { status: "uncovered" };
  // The place in a list of one turn that repeats is known without counting all turns of a long run.
  const isConstant = list.turns.length === 1 && list.repeat !== "fail";
  const index = isConstant ? 0 : indexOf(endedTurns(lists, list, position), list);
  const turn = index === undefined ? undefined : list.turns[index];
  if (turn === undefined || index === undefined) return { status: "exhausted", list };
  return { status: "turn", turn, entry: `turn ${index + 1} of ${list.key}` };
}

/** Turns of the agent that played this list. */
function endedTurns(lists: TurnLists, list: TurnList, position: TurnPosition): number {
  let ended = 0;
  for (const [step, count] of Object.entries(position.turnsBefore))
    if (lists.find(position.agent, step) === list) ended += count;
  return ended;
}

function toTurnList(key: string, source: TurnListSource, repeat: Repeat): TurnList {
  // Array.isArray does not narrow a union with a readonly list, `in` does.
  if (!("turns" in source)) return { key, turns: source, repeat };
  return { key, turns: source.turns, repeat: source.repeat ?? repeat };
}

/** `agent/a/b` with the whole path first, then `agent/b` with the id of the step alone. */
function ofStep(
  lists: ReadonlyMap<string, TurnList>,
  agent: string,
  step: string,
): TurnList | undefined {
  const id = step.slice(step.lastIndexOf("/") + 1).replace(/\[\d+\]$/, "");
  return lists.get(`${agent}/${step}`) ?? lists.get(`${agent}/${id}`);
}

function indexOf(before: number, list: TurnList): number | undefined {
  const { length } = list.turns;
  if (before < length) return before;
  switch (list.repeat) {
    case "last":
      return length - 1;
    case "cycle":
      return before % length;
    case "fail":
      return undefined;
  }
}

/**
 * Whether a name fits a pattern in which `*` stands for any characters and `?` for one. Everything
 * else stands for itself. Goes back to the last star only, so it takes at most name times pattern steps.
 */
export function matchesGlob(pattern: string, name: string): boolean {
  let at = 0;
  let inPattern = 0;
  let afterStar = -1;
  let starTook = 0;
  while (at < name.length) {
    const wanted = pattern[inPattern];
    if (wanted === "*") {
      inPattern += 1;
      afterStar = inPattern;
      starTook = at;
    } else if (wanted === "?" || wanted === name[at]) {
      inPattern += 1;
      at += 1;
    } else if (afterStar >= 0) {
      starTook += 1;
      at = starTook;
      inPattern = afterStar;
    } else return false;
  }
  while (pattern[inPattern] === "*") inPattern += 1;
  return inPattern === pattern.length;
}

/** Whether a name is a pattern at all. */
function isGlob(name: string): boolean {
  return name.includes("*") || name.includes("?");
}
