import type { ParamSpec } from "../contracts/definition.ts";
import type { TroupeError } from "../foundation/errors.ts";
import type { Json } from "../foundation/json.ts";
import { paramMissing, paramType, paramUnknown, paramValue } from "./errors.ts";

/** Values of all params, or everything that is wrong with what was given. */
export interface ResolvedParams {
  /** One value per defined param; null for an optional one that was not given. */
  readonly values: { readonly [name: string]: Json };
  /** WORKFLOW_PARAM_UNKNOWN, _MISSING, _TYPE and _VALUE, by name. */
  readonly errors: readonly TroupeError[];
}

const NUMBER = /^-?(?:\d+(?:\.\d+)?|\.\d+)(?:e[+-]?\d+)?$/i;

/** Converts given values (texts from the command line, or JSON) to the types of a workflow's params. */
export function resolveParams(
  specs: { readonly [name: string]: ParamSpec },
  given: { readonly [name: string]: Json },
): ResolvedParams {
  const errors: TroupeError[] = [];
  const known = Object.keys(specs);
  for (const param of Object.keys(given)) {
    if (!Object.hasOwn(specs, param)) errors.push(paramUnknown({ param, known }));
  }
  const values = Object.entries(specs).map(([name, spec]): readonly [string, Json] => {
    const wanted = Object.hasOwn(given, name) ? given[name] : undefined;
    const converted = wanted === undefined ? absent(name, spec) : convert(name, spec, wanted);
    if ("error" in converted) errors.push(converted.error);
    return [name, "value" in converted ? converted.value : null];
  });
  return { values: Object.fromEntries(values), errors };
}

type Converted = { readonly value: Json } | { readonly error: TroupeError };

function absent(param: string, spec: ParamSpec): Converted {
  if (spec.default !== undefined) return { value: spec.default };
  if (!spec.required) return { value: null };
  return { error: paramMissing({ param, description: spec.description }) };
}

function convert(param: string, spec: ParamSpec, given: Json): Converted {
  const { type, values = [] } = spec;
  const value = type === "number" || type === "boolean" ? fromText(type, given) : given;
  const expected = type === "enum" ? "string" : type;
  if (typeof value !== expected)
    return {
      error: paramType({ param, type: expected, given: JSON.stringify(given).slice(0, 80) }),
    };
  if (type === "enum" && !values.some((allowed) => allowed === value))
    return { error: paramValue({ param, given: String(value), values }) };
  return { value };
}

function fromText(type: "number" | "boolean", given: Json): Json {
  if (typeof given !== "string") return given;
  if (type === "boolean") return given === "true" || (given === "false" ? false : given);
  const value = Number(given);
  return NUMBER.test(given) && Number.isFinite(value) ? value : given;
}
