import { knownBackends } from "../../../agents/backends/registry.ts";
import type { OwnModel } from "../../../contracts/own-model.ts";
import type { StepGuard } from "../../../contracts/ports/step-type.ts";
import { ID_PATTERN } from "../../../foundation/ids.ts";
import { present } from "../../../foundation/present.ts";
import { builtInPatterns } from "../../../programs/patterns/registry.ts";
import { blockKeyOf } from "../../../programs/primitives/own-turns.ts";
import { builtInStepTypes } from "../../../programs/steps/registry.ts";
import { toPattern } from "../../../programs/talk/own-pattern.ts";
import { PATTERN_FILE_KEYS } from "../../../workflows/schema/pattern-file-schema.ts";
import type {
  OwnCode,
  UserBackend,
  UserPattern,
  UserStepType,
  WorkflowCode,
} from "../code/workflow-code.ts";
import {
  backendInvalid,
  guardInvalid,
  patternInvalid,
  routeInvalid,
  stepTypeInvalid,
} from "./errors.ts";
import { isOwnModel, toBackendEntry } from "./to-backend.ts";
import { toStepType } from "./to-step-type.ts";

// Keys of every step: none of them can be a setting or a route of one type.
const COMMON_KEYS: ReadonlySet<string> = new Set([
  ...["id", "type", "description", "when", "next", "on_error", "max_retries", "max_attempts"],
  ...["retry_delay_ms", "timeout_ms", "budget", "input", "output", "verify", "step", "steps"],
]);

const ID_RULE = "is no id: a letter, then letters, digits, _ and -, at most 64 characters";
const PATTERN_NAME = /^[a-z][a-z0-9]*(-[a-z0-9]+)*$/;

/** The file of the plug-in that a piece of code came with; undefined for what was given in code. */
export type OriginOf = (item: object) => string | undefined;

/**
 * Code as it can be used. Raises WORKFLOW_STEP_TYPE_INVALID, WORKFLOW_GUARD_INVALID, WORKFLOW_PATTERN_INVALID,
 * WORKFLOW_BACKEND_INVALID and HANDOFF_ROUTE_INVALID.
 */
export function checkCode(
  { stepTypes = [], guards = [], patterns = [], backends = [], routes = [] }: OwnCode,
  originOf: OriginOf = () => undefined,
): WorkflowCode {
  assertEach(stepTypes, builtInStepTypes, (type, problem) => {
    assertStepType(type, (text) => stepTypeInvalid(faultIn(type, text, originOf)), problem);
  });
  assertEach(guards, [], (guard, problem) => {
    assertGuard(guard, (text) => guardInvalid(faultIn(guard, text, originOf)), problem);
  });
  assertEach(patterns, builtInPatterns, (pattern, problem) => {
    assertPattern(pattern, (text) => patternInvalid(faultIn(pattern, text, originOf)), problem);
  });
  assertBlockKeys(patterns, originOf);
  const taken = knownBackends.map((name) => ({ name }));
  assertEach(backends, taken, (backend, problem) => {
    assertBackend(backend, (text) => backendInvalid(faultIn(backend, text, originOf)), problem);
  });
  assertEach(routes, [], (route, problem) => {
    const error = (text: string) => routeInvalid(faultIn(route, text, originOf));
    assertName(route, error, problem);
    assertFunction(route, "test", error);
  });
  return {
    stepTypes: stepTypes.map(toStepType),
    guards,
    patterns: patterns.map(toPattern),
    backends: backends.map(toBackendEntry),
    routes,
  };
}

interface Named {
  readonly name: string;
}

/** Builds the error of a problem. */
type ToError = (problem: string) => Error;

function faultIn(item: Named, problem: string, originOf: OriginOf) {
  return { name: String(item.name), problem, ...present({ file: originOf(item) }) };
}

/** Checks one after the other; `problem` says that a name is taken. */
function assertEach<Item extends Named>(
  items: readonly Item[],
  taken: readonly Named[],
  assertItem: (item: Item, problem: string | undefined) => void,
): void {
  const names = new Set(taken.map(({ name }) => name));
  for (const item of items) {
    assertItem(item, names.has(item.name) ? "is there already" : undefined);
    names.add(item.name);
  }
}

function assertStepType(type: UserStepType, error: ToError, problem: string | undefined): void {
  const { routes = [], expressions = [], templates = [] } = type;
  assertName(type, error, problem);
  assertFunction(type, "execute", error);
  if (routes.length > 0 && typeof type.route !== "function")
    throw error("has routes and no function route that chooses between them");
  const clash = [...routes, ...expressions, ...templates].find((key) => COMMON_KEYS.has(key));
  if (clash !== undefined) throw error(`takes the key "${clash}", which every step has`);
}

function assertGuard(guard: StepGuard, error: ToError, problem: string | undefined): void {
  assertName(guard, error, problem);
  assertFunction(guard, "check", error);
}

function assertPattern(pattern: UserPattern, error: ToError, problem: string | undefined): void {
  const { name, block, goalKey } = pattern;
  if (typeof name !== "string" || !PATTERN_NAME.test(name) || name.length > 64)
    throw error("has a name that is none: lower-case words joined by -, at most 64 characters");
  if (problem !== undefined) throw error(problem);
  assertFunction(pattern, "run", error);
  if (block !== undefined && typeof Reflect.get(block, "safeParse") !== "function")
    throw error("has a block that is no zod schema");
  if (block === undefined && goalKey !== undefined)
    throw error("has a goalKey, and no block that it could be a key of");
  const key = blockKeyOf(pattern);
  if (block !== undefined && PATTERN_FILE_KEYS.has(key))
    throw error(`has a block under the key "${key}", which every pattern file has; set blockKey`);
}

/** No two patterns may have the same key. */
function assertBlockKeys(patterns: readonly UserPattern[], originOf: OriginOf): void {
  const keys = new Map(builtInPatterns.map((known) => [blockKeyOf(known), known.name]));
  for (const pattern of patterns) {
    const key = blockKeyOf(pattern);
    const owner = keys.get(key);
    if (owner !== undefined) {
      const problem = `has a block under the key "${key}", which is that of ${owner}; set blockKey`;
      throw patternInvalid(faultIn(pattern, problem, originOf));
    }
    keys.set(key, pattern.name);
  }
}

function assertBackend(backend: UserBackend, error: ToError, problem: string | undefined): void {
  assertName(backend, error, problem);
  if (isOwnModel(backend)) assertModel(backend, error);
  else assertFunction(backend, "create", error);
}

/** What its model and tools are is seen when an agent is to have them. */
function assertModel({ model, tools = [], contextWindow = 1 }: OwnModel, error: ToError): void {
  const isModel = typeof model === "function" || typeof model === "object";
  if (model !== undefined && !isModel) throw error("has a model that is none of AI SDK");
  if (!Number.isSafeInteger(contextWindow) || contextWindow < 1)
    throw error("has a contextWindow that is no number of tokens");
  for (const tool of tools) {
    assertFunction(tool, "run", (text) => error(`has a tool "${tool.name}" that ${text}`));
    if (typeof Reflect.get(tool.input ?? {}, "safeParse") !== "function")
      throw error(`has a tool "${tool.name}" with an input that is no zod schema`);
  }
}

function assertName({ name }: Named, error: ToError, problem: string | undefined): void {
  if (typeof name !== "string" || !ID_PATTERN.test(name)) throw error(ID_RULE);
  if (problem !== undefined) throw error(problem);
}

function assertFunction(item: object, key: string, error: ToError): void {
  if (typeof Reflect.get(item, key) !== "function") throw error(`has no function ${key}`);
}
