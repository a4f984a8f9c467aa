import type { StepGuard } from "../../../contracts/ports/step-type.ts";
import { ID_PATTERN } from "../../../foundation/ids.ts";
import type { OwnCode, UserStepType, WorkflowCode } from "../code/workflow-code.ts";
import { guardInvalid, stepTypeInvalid } from "./errors.ts";
import { toStepType } from "./to-step-type.ts";

// Keys of every step: none of them can be a setting or a route of one type.
const COMMON_KEYS: ReadonlySet<string> = new Set([
  ...["id", "type", "description", "when", "next", "on_error", "max_retries", "max_attempts"],
  ...["retry_delay_ms", "timeout_ms", "budget", "input", "output", "verify", "step", "steps"],
]);

const ID_RULE = "is no id: a letter, then letters, digits, _ and -, at most 64 characters";

/**
 * Code as it can be used; `taken` are names of step types that are there already. Raises
 * WORKFLOW_STEP_TYPE_INVALID, WORKFLOW_GUARD_INVALID.
 */
export function checkCode(
  { stepTypes = [], guards = [] }: OwnCode,
  taken: Iterable<string>,
): WorkflowCode {
  const names = new Set(taken);
  for (const type of stepTypes) {
    assertStepType(type, names);
    names.add(type.name);
  }
  const guardNames = new Set<string>();
  for (const guard of guards) {
    assertGuard(guard, guardNames);
    guardNames.add(guard.name);
  }
  return { stepTypes: stepTypes.map(toStepType), guards };
}

function assertStepType(type: UserStepType, names: ReadonlySet<string>): void {
  const { name, routes = [], expressions = [], templates = [] } = type;
  const problem = (text: string) => stepTypeInvalid({ name: String(name), problem: text });
  if (!isId(name)) throw problem(ID_RULE);
  if (names.has(name)) throw problem("is there already");
  if (typeof type.execute !== "function") throw problem("has no function execute");
  if (routes.length > 0 && typeof type.route !== "function")
    throw problem("has routes and no function route that chooses between them");
  const clash = [...routes, ...expressions, ...templates].find((key) => COMMON_KEYS.has(key));
  if (clash !== undefined) throw problem(`takes the key "${clash}", which every step has`);
}

function assertGuard(guard: StepGuard, names: ReadonlySet<string>): void {
  const { name } = guard;
  const problem = (text: string) => guardInvalid({ name: String(name), problem: text });
  if (!isId(name)) throw problem(ID_RULE);
  if (names.has(name)) throw problem("is there already");
  if (typeof guard.check !== "function") throw problem("has no function check");
}

function isId(name: unknown): boolean {
  return typeof name === "string" && ID_PATTERN.test(name);
}
