import { isRecord } from "../../../foundation/json.ts";
import { SIZE_PATTERN } from "../../../foundation/size.ts";

/** A key of workflow files, as it may stand in one. */
export interface WorkflowKey {
  /** Where it stands: `steps.verify.command`; NAME stands for a name of one's own. */
  readonly path: string;
  readonly about: string;
  /** What its value is, in words. */
  readonly type: string;
  readonly isRequired: boolean;
  readonly default: string | null;
  /** A value, as YAML. */
  readonly example: string | null;
}

type Schema = Readonly<Record<string, unknown>>;

/** All keys that the JSON Schema of a file knows, in its order; turns of scripts are another format. */
export function fileKeys(schema: Schema): readonly WorkflowKey[] {
  const shapes = [schema, ...choicesIn(schema).map((shape) => withSteps(shape, schema))];
  const keys = new Map<string, WorkflowKey>();
  for (const key of shapes.flatMap((shape) => keysOf(shape, "")))
    if (!isOfScript(key) && !keys.has(key.path)) keys.set(key.path, key);
  return [...keys.values()];
}

/** The shapes of files, in the order in which they are told apart. */
function choicesIn(schema: Schema): readonly Schema[] {
  if (schema["then"] === undefined) return [schema];
  return [recordOf(schema["then"]), ...choicesIn(recordOf(schema["else"]))];
}

/** A step workflow with what its steps say in its place; those inside of them say the same. */
function withSteps(shape: Schema, { $defs: definitions }: Schema): Schema {
  const properties = recordOf(shape["properties"]);
  if (recordOf(recordOf(properties["steps"])["items"])["$ref"] !== "#/$defs/step") return shape;
  const steps = { ...recordOf(properties["steps"]), items: recordOf(definitions)["step"] };
  return { ...shape, properties: { ...properties, steps } };
}

function isOfScript({ path }: WorkflowKey): boolean {
  return path.includes(".script.");
}

/** The keys that somebody means by `maxRetries`, `steps.maxRetries` or `steps.plan.maxRetries`. */
export function findKeys(given: string, keys: readonly WorkflowKey[]): readonly WorkflowKey[] {
  const wanted = given.replaceAll("[]", "").replace(/^\.|\.$/g, "");
  const exact = keys.filter(({ path }) => path === wanted);
  if (exact.length > 0 && wanted.includes(".")) return exact;
  const ends = keys.filter(({ path }) => path === wanted || path.endsWith(`.${wanted}`));
  if (ends.length > 0) return ends;
  const [list, , ...rest] = wanted.split(".");
  // The name of an agent, a step or a param stands where the file has it.
  return keys.filter(
    ({ path }) =>
      rest.length > 0 &&
      [[list, ...rest].join("."), [list, "NAME", ...rest].join(".")].includes(path),
  );
}

function keysOf(schema: Schema, prefix: string): readonly WorkflowKey[] {
  const object = objectIn(schema);
  const required = object?.["required"];
  const names = Array.isArray(required) ? required : [];
  return Object.entries(recordOf(object?.["properties"])).flatMap(([name, value]) => {
    const member = recordOf(value);
    const path = `${prefix}${name}`;
    return [toKey(path, member, names.includes(name)), ...keysOf(member, `${path}.`)];
  });
}

/** The object that a value holds: itself, an item of it, or a member with any name. */
function objectIn(schema: Schema): Schema | undefined {
  if (isRecord(schema["properties"])) return schema;
  const { items, additionalProperties: named } = schema;
  if (isRecord(items)) return objectIn(items);
  if (isRecord(named) && isRecord(named["properties"]))
    return { properties: { NAME: { description: "A name of your own.", ...named } } };
  const branches = Array.isArray(schema["anyOf"]) ? schema["anyOf"].filter(isRecord) : [];
  return branches.map(objectIn).find((found) => found !== undefined);
}

function toKey(path: string, schema: Schema, isRequired: boolean): WorkflowKey {
  const whole = typeof schema["description"] === "string" ? schema["description"] : "";
  const [about = "", fallback] = whole.split(/\s*Default: /);
  return {
    path,
    about,
    type: typeOf(schema),
    isRequired,
    default: fallback?.replace(/\.$/, "") ?? null,
    example: keyExamples.get(path) ?? exampleOf(schema),
  };
}

const TYPE_NAMES: ReadonlyMap<unknown, string> = new Map([
  ["string", "text"],
  ["integer", "whole number"],
  ["boolean", "true or false"],
  ["array", "list"],
]);

function typeOf(schema: Schema): string {
  const { type, anyOf, enum: choices, minimum, maximum } = schema;
  if (Array.isArray(choices)) return choices.join(" | ");
  if (schema["const"] !== undefined) return String(schema["const"]);
  if (Array.isArray(anyOf)) {
    const kinds = new Set(anyOf.filter(isRecord).map(typeOf));
    return kinds.size > 4 ? "object" : [...kinds].join(" or ");
  }
  if (Array.isArray(type)) return type.map((kind) => TYPE_NAMES.get(kind) ?? kind).join(" or ");
  const name = unitOf(schema) ?? TYPE_NAMES.get(type) ?? String(type ?? "anything");
  const isBounded = typeof minimum === "number" && typeof maximum === "number" && maximum < 1e9;
  return isBounded ? `${name}, ${minimum} to ${maximum}` : name;
}

/** What a text measures. */
function unitOf({ type, pattern, examples }: Schema): string | undefined {
  if (type !== "string" || !Array.isArray(examples)) return undefined;
  return pattern === SIZE_PATTERN.source ? "size" : "duration";
}

function exampleOf(schema: Schema): string | null {
  const { examples, enum: choices, type } = schema;
  const [first] = [examples, choices].flatMap((list): unknown[] =>
    Array.isArray(list) ? list : [],
  );
  if (first !== undefined) return String(first);
  if (type === "boolean") return "true";
  return type === "integer" ? "2" : null;
}

function recordOf(value: unknown): Schema {
  return isRecord(value) ? value : {};
}

/** Values that show what a key is for, where its type does not, by the path of the key. */
export const keyExamples: ReadonlyMap<string, string> = new Map([
  ["name", "release-notes"],
  ["version", '"1.0"'],
  ["description", "Collects changes and writes release notes"],
  ["tags", "[release]"],
  ["template", "feature-dev"],
  ["overrides", "{ agents.reviewer.model: MODEL, options.timeout: 30m }"],
  ["pattern", "dag"],
  ["params", "{ target: { type: string, default: src } }"],
  ["params.NAME.values", "[fast, thorough]"],
  ["params.NAME.default", "src"],
  ["agents", "[{ id: writer, backend: claude }]"],
  ["agents.id", "writer"],
  ["agents.name", "Release Writer"],
  ["agents.backend", "claude"],
  ["agents.model", "claude-sonnet-4-5"],
  ["agents.reportsTo", "lead"],
  ["agents.cwd", "packages/api"],
  ["agents.env", '{ CI: "1" }'],
  ["agents.command", '["npm", "run", "lint"]'],
  ["agents.module", "./agents.ts#summarise"],
  ["agents.args", '["--verbose"]'],
  ["agents.systemPrompt", "Write for people who do not know the code."],
  ["agents.script", '[{ say: "DONE: written" }]'],
  ["steps", "[{ id: write, agent: writer }]"],
  ["steps.id", "write"],
  ["steps.agent", "writer"],
  ["steps.prompt", '"Write about {{steps.collect.output}}"'],
  ["steps.dependsOn", "[collect]"],
  ["steps.when", "'steps.check.status == \"failed\"'"],
  ["steps.expects", "NOTES_READY"],
  ["steps.verify", "[{ fileExists: NOTES.md }]"],
  ["steps.verify.command", '["npm", "test"]'],
  ["steps.verify.expectExit", "0"],
  ["steps.verify.fileExists", "NOTES.md"],
  ["steps.verify.outputMatches", "'^\\d+ findings'"],
  ["steps.verify.jsonSchema", "{ type: object }"],
  ["steps.fallback", "[second-writer]"],
  ["coordination", "{ barriers: [{ id: built, waitFor: [coder], signal: BUILT }] }"],
  ["coordination.barriers", "[{ id: built, waitFor: [coder], signal: BUILT }]"],
  ["coordination.barriers.id", "built"],
  ["coordination.barriers.waitFor", "[coder, tester]"],
  ["coordination.barriers.signal", "BUILT"],
  ["backend", "claude"],
  ["options", "{ timeout: 30m }"],
  ["options.channel", '"review-{{id}}"'],
  ["errorHandling", "{ maxRetries: 1, onFailure: continue }"],
  ["errorHandling.escalateTo", "lead"],
]);
