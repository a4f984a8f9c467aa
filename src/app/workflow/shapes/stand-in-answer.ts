import type { PatternDefinition } from "../../../contracts/definition.ts";
import { demandedMarker } from "../../../signals/decide-completion.ts";
import type { RehearsedTurn } from "./shape.ts";

/** What must stand before the text of a signal that is more than text. */
const REQUIRED: ReadonlyMap<string, string> = new Map([
  ["VOTE", "approve, "],
  ["PROGRESS", "100% "],
  ["FITNESS", "1 "],
  ["DEPOSIT", "key 1 "],
]);

/**
 * What stands for the work of an agent: the signals that its step and the barriers wait for, each with a
 * placeholder that names the step.
 */
export function standInAnswer(
  { steps, barriers }: Pick<PatternDefinition, "steps" | "barriers">,
  { agent, step: id, demandsSignal }: RehearsedTurn,
): string {
  const output = `‹output of ${id ?? agent}›`;
  const step = steps.find((candidate) => candidate.id === id);
  const marker = demandedMarker({ expects: step?.expects, demandsSignal });
  const awaited = barriers
    .filter(({ waitFor }) => waitFor.includes(agent))
    .map(({ signal }) => signal);
  const given = new Set([...awaited.filter((signal) => signal !== marker)]);
  const lines = [...given].map((signal) => withMarker(signal, `‹${signal} of ${agent}›`));
  return [...lines, marker === undefined ? output : withMarker(marker, output)].join("\n");
}

function withMarker(marker: string, text: string): string {
  return `${marker}: ${REQUIRED.get(marker) ?? ""}${text}`;
}
