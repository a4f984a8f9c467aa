import type { DescribedProgram } from "../../../agents/backends/parts/backend-descriptor.ts";
import { builtInBackends } from "../../../agents/backends/registry.ts";

/** A backend that is a program of somebody else. */
export interface AgentProgram extends DescribedProgram {
  readonly backend: string;
}

/** The programs that troupe knows, those that may be chosen by themselves first. */
export const agentPrograms: readonly AgentProgram[] = builtInBackends.flatMap(
  ({ name, program }) => (program === undefined ? [] : [{ backend: name, ...program }]),
);

/** Backends of which the first that is ready runs agents for which nothing else is chosen (WF-12). */
export const CHOSEN_BY_THEMSELVES: readonly string[] = builtInBackends.flatMap(
  ({ name, isChosenByItself }) => (isChosenByItself === true ? [name] : []),
);

/**
 * What is to be said of the version that a program tells of itself; undefined for one of the series that troupe
 * was tested with.
 */
export function versionNote({ tested }: AgentProgram, told: string): string | undefined {
  if (tested === undefined) return "never driven by troupe's own tests";
  const [version] = /\d+\.\d+(?:\.\d+)?/.exec(told) ?? [];
  if (version === undefined || seriesOf(version) === seriesOf(tested)) return undefined;
  const age = isOlder(version, tested) ? "older" : "newer";
  return `${age} than ${tested}, which troupe was tested with`;
}

/** Patches change no protocol. */
function seriesOf(version: string): string {
  return version.split(".").slice(0, 2).join(".");
}

function isOlder(left: string, right: string): boolean {
  const [ours, theirs] = [left, right].map((version) => version.split(".").map(Number));
  const index = (ours ?? []).findIndex((part, at) => part !== theirs?.[at]);
  return (ours?.[index] ?? 0) < (theirs?.[index] ?? 0);
}
