import type { AgentConstraints } from "../../contracts/agent.ts";
import type { PlaceBreach } from "../../contracts/events/place-events.ts";
import { matchesPath } from "../../foundation/path-pattern.ts";

/** A file that is not as it was. */
export interface StrayFile {
  /** From the root of what was looked at. */
  readonly path: string;
  /** What a link that was made leads to is outside the agent's directory. */
  readonly leadsOut: boolean;
}

/** Where the agent's directory lies in what was looked at. */
export interface BreachScope {
  /** Path from the root, empty for the root itself. */
  readonly directory: string;
  /** Whether names that differ in case only are the same file here. */
  readonly foldsCase: boolean;
}

/** Whether constraints say anything about files. */
export function boundsFiles({ fileScope = {}, readOnly = [] }: AgentConstraints): boolean {
  const { include, exclude = [] } = fileScope;
  return include !== undefined || exclude.length > 0 || readOnly.length > 0;
}

/** What the constraints do not allow of what was changed; one entry per file. */
export function findBreaches(
  changed: readonly StrayFile[],
  constraints: AgentConstraints,
  scope: BreachScope,
): readonly PlaceBreach[] {
  return changed.flatMap((file): readonly PlaceBreach[] => {
    const rule = ruleOf(file, constraints, scope);
    return rule === undefined ? [] : [{ rule, path: file.path }];
  });
}

/** The rule that a change of a file would break; undefined for none. */
export function ruleOf(
  { path, leadsOut }: StrayFile,
  { fileScope = {}, readOnly = [] }: AgentConstraints,
  { directory, foldsCase }: BreachScope,
): PlaceBreach["rule"] | undefined {
  const { include, exclude = [] } = fileScope;
  const own = below(directory, path);
  const isOneOf = (patterns: readonly string[], folds: boolean) =>
    own !== undefined && patterns.some((pattern) => matchesPath(pattern, own, folds));
  if (isOneOf(readOnly, foldsCase)) return "readOnly";
  if (isOneOf(exclude, foldsCase)) return "exclude";
  if (include !== undefined && !isOneOf(include, false)) return "include";
  return leadsOut ? "link" : undefined;
}

function below(directory: string, path: string): string | undefined {
  if (directory === "") return path;
  return path.startsWith(`${directory}/`) ? path.slice(directory.length + 1) : undefined;
}
