import { TroupeError } from "../../foundation/errors.ts";
import { ID_PATTERN } from "../../foundation/ids.ts";
import { patternProblem } from "../../foundation/path-pattern.ts";
import { judgeSchema } from "../../programs/json-schema/judge-schema.ts";
import { jsonPathText } from "../../programs/json-schema/parts/json-path.ts";
import type { SchemaFault } from "../../programs/json-schema/schema-fault.ts";
import { compileRegex } from "../../programs/language/regex.ts";
import { VERIFICATION_KINDS } from "../../programs/step/written-check.ts";
import { isInside, resolveAgentDirectory } from "../resolve/resolve-paths.ts";
import { missingKey, wrongValue } from "../schema/errors.ts";
import {
  entryOf,
  type MapNode,
  nodeAt,
  type SourceNode,
  type SourceRange,
  toValue,
} from "../source/source-node.ts";
import type { CheckContext } from "./check-context.ts";
import { jsonSchemaFault, workflowPathOutside } from "./errors.ts";
import { type LocatedItem, labelOf, listAt, textAt, textsAt } from "./file-view.ts";

const VARIABLE_NAME = /^(?!TROUPE_)[A-Za-z_][A-Za-z0-9_]*$/;
const COMMAND_KEYS = ["expectExit", "timeout"];
const MORE_KEYS = [...COMMAND_KEYS, "in", "protect"];
/** What only a step of an agent can say, and what only one with a command can. */
const OF_AGENTS = ["agent", "prompt", "expects", "fallback", "budget", "receivesPreviousOutput"];
const OF_COMMANDS = ["cwd", "env", "allowFailure"];

/** Checks values of steps and barriers that a schema cannot judge: markers, attempts and verifications. */
export function checkStepValues(context: CheckContext): void {
  const { view } = context;
  for (const step of view.steps) {
    const place = `steps.${labelOf(step, view.steps)}`;
    checkMarker(context, step, { key: "expects", place });
    checkAttempts(context, step, place);
    checkWorker(context, step, place);
    checkCompensation(context, step, `${place}.compensate`);
  }
  checkVerifications(context);
  for (const barrier of view.barriers) {
    const place = `coordination.barriers.${labelOf(barrier, view.barriers)}`;
    checkMarker(context, barrier, { key: "signal", place });
  }
}

/** Checks that every item of `verify` is one check, and one that can be carried out. */
export function checkVerifications(context: CheckContext): void {
  const { steps } = context.view;
  for (const step of steps)
    for (const [index, check] of listAt(step.node, "verify").entries())
      checkVerification(context, check, `steps.${labelOf(step, steps)}.verify.${index}`);
}

function checkMarker(
  { report }: CheckContext,
  item: LocatedItem,
  { key, place }: { readonly key: string; readonly place: string },
): void {
  const marker = textAt(item.node, key);
  if (marker === undefined || ID_PATTERN.test(marker.text)) return;
  report(
    wrongValue({
      place: `${place}.${key}`,
      problem: `cannot be ${JSON.stringify(marker.text)}`,
      hint: "a marker is one word of letters, digits, _ and -, such as REVIEW_COMPLETE",
    }),
    marker.node,
  );
}

function checkAttempts({ report }: CheckContext, step: LocatedItem, place: string): void {
  const [retries, attempts] = ["maxRetries", "maxAttempts"].map((key) => entryOf(step.node, key));
  if (retries === undefined || attempts === undefined) return;
  const problem = "has both maxRetries and maxAttempts";
  const hint = "keep maxAttempts, which counts the first attempt too";
  report(wrongValue({ place, problem, hint }), retries.keyRange);
}

function checkWorker(context: CheckContext, { node }: LocatedItem, place: string): void {
  const { report, options } = context;
  const hasCommand = entryOf(node, "command") !== undefined;
  for (const key of hasCommand ? OF_AGENTS : OF_COMMANDS) {
    const entry = entryOf(node, key);
    if (entry === undefined) continue;
    const [problem, hint] = hasCommand
      ? [`has a command and ${key}`, `remove ${key}: a command is done by no agent`]
      : [`has ${key}, which only a step with a command takes`, `remove ${key}, or add a command`];
    report(wrongValue({ place, problem, hint }), entry.keyRange);
  }
  const cwd = textAt(node, "cwd");
  const root = options.projectRoot;
  if (cwd !== undefined && !isInside(resolveAgentDirectory(cwd.text, options), root))
    report(workflowPathOutside({ place: `${place}.cwd`, path: cwd.text, root }), cwd.node);
  const env = entryOf(node, "env")?.node;
  for (const name of env?.kind === "map" ? env.entries.values() : [])
    if (!VARIABLE_NAME.test(name.key)) report(variableNameRefused(name.key, place), name.keyRange);
}

function variableNameRefused(name: string, place: string): TroupeError {
  const problem = name.startsWith("TROUPE_")
    ? `sets ${name}, and names with TROUPE_ are Troupe's own`
    : `has ${JSON.stringify(name)}, which is no name of a variable`;
  return wrongValue({ place: `${place}.env`, problem });
}

/** What undoes a step is one thing, in a pattern that undoes. */
function checkCompensation(context: CheckContext, { node }: LocatedItem, place: string): void {
  const { pattern, report, view } = context;
  const entry = entryOf(node, "compensate");
  if (entry === undefined || pattern === undefined) return;
  if (pattern.compensates !== true) {
    const problem = `has no meaning in ${pattern.name}, which undoes nothing`;
    const hint = "remove compensate, or use pattern: saga";
    report(wrongValue({ place, problem, hint }), entry.keyRange);
    return;
  }
  const keys = ["prompt", "command", "agent"] as const;
  const [prompt, command, agent] = keys.map((key) => entryOf(entry.node, key));
  if (prompt === undefined && command === undefined) {
    const problem = "has neither command nor prompt";
    report(
      wrongValue({ place, problem, hint: "add a command, or a prompt for an agent" }),
      entry.keyRange,
    );
  }
  const second = command === undefined ? undefined : (prompt ?? agent);
  if (second !== undefined) {
    const problem = `has a command and ${second.key}`;
    const hint = "keep one: a command is done by no agent";
    report(wrongValue({ place, problem, hint }), second.keyRange);
  }
  if (command !== undefined || prompt === undefined || agent !== undefined) return;
  // A step that an agent does is undone by the same one.
  if (entryOf(node, "command") === undefined || view.agents.length === 1) return;
  const problem = "has a prompt and no agent, and its step has none either";
  report(wrongValue({ place, problem, hint: "add agent" }), prompt.keyRange);
}

function checkVerification(context: CheckContext, check: SourceNode, place: string): void {
  if (check.kind !== "map") return;
  const { spell = (key) => key } = context;
  const kinds = VERIFICATION_KINDS.filter((kind) => check.entries.has(kind));
  const second = kinds[1];
  if (kinds.length === 0) {
    // A misspelt kind is an unknown key already.
    if ([...check.entries.keys()].some((key) => !MORE_KEYS.includes(key))) return;
    const hint = `one of ${VERIFICATION_KINDS.map(spell).join(", ")}`;
    const [first] = check.entries.values();
    context.report(missingKey({ key: "command", place, hint }), first?.keyRange ?? check);
  } else if (second !== undefined) {
    const hint = "write each check as an item of its own";
    const problem = `has ${kinds.map(spell).join(" and ")}`;
    context.report(
      wrongValue({ place, problem, hint }),
      check.entries.get(second)?.keyRange ?? check,
    );
  } else if (!check.entries.has("command")) checkNoCommandKeys(context, check, place);
  checkPattern(context, check);
  checkWhere(context, check, place);
  checkProtect(context, check, `${place}.protect`);
  const schema = entryOf(check, "jsonSchema");
  const { report } = context;
  if (schema !== undefined)
    checkJsonSchema({ node: schema.node, place: `${place}.${spell("jsonSchema")}`, report });
}

function checkNoCommandKeys(context: CheckContext, check: SourceNode, place: string): void {
  for (const key of COMMAND_KEYS) {
    const entry = entryOf(check, key);
    if (entry === undefined) continue;
    const { spell = (name) => name } = context;
    const problem = `has ${spell(key)}, which only a command takes`;
    context.report(wrongValue({ place, problem, hint: "remove it" }), entry.keyRange);
  }
}

function checkWhere({ report }: CheckContext, check: MapNode, place: string): void {
  const entry = check.entries.get("in");
  if (entry === undefined || check.entries.has("outputMatches")) return;
  const problem = "has in, which only outputMatches takes";
  report(wrongValue({ place, problem, hint: "remove it" }), entry.keyRange);
}

function checkProtect({ report }: CheckContext, check: SourceNode, place: string): void {
  for (const pattern of textsAt(check, "protect")) {
    const problem = patternProblem(pattern.text);
    if (problem === undefined) continue;
    const hint = "write paths below the agent's cwd: test/**, package.json, **/*.test.ts";
    report(wrongValue({ place, problem, hint }), pattern.node);
  }
}

function checkPattern({ report }: CheckContext, check: SourceNode): void {
  const pattern = textAt(check, "outputMatches");
  if (pattern === undefined) return;
  try {
    compileRegex(pattern.text);
  } catch (error) {
    if (!(error instanceof TroupeError)) throw error;
    report(error, pattern.node);
  }
}

/** Where a JSON Schema stands in a file, and where what is wrong with it is reported. */
interface SchemaInFile {
  readonly node: SourceNode;
  /** How its key is called in messages. */
  readonly place: string;
  report(error: TroupeError, range: SourceRange): void;
}

/** Judges a JSON Schema of a file: what can never work, and words that mean nothing, each at its own place. */
export function checkJsonSchema({ node, place, report }: SchemaInFile): void {
  // Another kind of value is told by the schema of the file.
  if (node.kind !== "map") return;
  for (const fault of judgeSchema(toValue(node))) {
    const { problem, hint } = fault;
    const path = fault.isKey ? fault.path.slice(0, -1) : fault.path;
    const below = jsonPathText(path);
    const name = below === "" || below.startsWith("[") ? `${place}${below}` : `${place}.${below}`;
    const details = { place: name, problem, ...(hint === undefined ? {} : { hint }) };
    report(jsonSchemaFault(details), rangeOf(node, fault));
  }
}

function rangeOf(root: SourceNode, { path, isKey }: SchemaFault): SourceRange {
  const node = nodeAt(root, path) ?? root;
  if (!isKey) return node;
  return entryOf(nodeAt(root, path.slice(0, -1)), String(path.at(-1)))?.keyRange ?? node;
}
