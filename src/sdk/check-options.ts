import { optionInvalid, optionUnknown } from "../app/workflow/shapes/errors.ts";
import { isRecord, toJson } from "../foundation/json.ts";

// What callers in plain JavaScript pass: the compiler has checked none of it. Schemas of zod would be loaded with the
// library, which is to cost next to nothing until the first run.

/** Where a value stands: the function that was called, and the path of the option in its arguments. */
interface OptionPlace {
  readonly call: string;
  readonly path: string;
}

/** Raises SDK_OPTION_UNKNOWN, SDK_OPTION_INVALID and VALUE_NOT_JSON. */
type Check = (value: unknown, place: OptionPlace) => void;

/** What an option takes. */
export interface OptionKind {
  readonly check: Check;
  readonly isRequired: boolean;
  /** What it takes, in words. */
  readonly wanted: string;
}

/** An entry for each option, so that a new one does not compile without its own. */
export type OptionTable<Options> = { readonly [Key in keyof Required<Options>]: OptionKind };

function kindOf(wanted: string, fits: (value: unknown) => boolean): OptionKind {
  return {
    wanted,
    isRequired: false,
    check: (value, place) => {
      if (!fits(value)) throw refused(wanted, value, place);
    },
  };
}

function refused(wanted: string, value: unknown, { call, path }: OptionPlace): Error {
  return optionInvalid({ call, option: path, wanted, found: describe(value) });
}

function describe(value: unknown): string {
  if (value === undefined) return "missing";
  if (value === null) return "null";
  if (Array.isArray(value)) return "a list";
  if (typeof value === "number" && !Number.isFinite(value)) return String(value);
  return typeof value === "object" ? "an object" : `a ${typeof value}`;
}

export const TEXT = kindOf("a text", (value) => typeof value === "string");
export const FLAG = kindOf("true or false", (value) => typeof value === "boolean");
export const NUMBER = kindOf("a finite number", Number.isFinite);
/** Any number: its range is checked where it is used. */
export const BARE_NUMBER = kindOf("a number", (value) => typeof value === "number");
/** Counts and times. */
export const AMOUNT = kindOf(
  "a finite number, 0 or more",
  (value) => typeof value === "number" && Number.isFinite(value) && value >= 0,
);
export const FUNCTION = kindOf("a function", (value) => typeof value === "function");
/** An object that its reader checks further: a model, a tool, a declaration. */
export const OBJECT = kindOf("an object", isRecord);
/** Variables of an environment. */
export const ENVIRONMENT = kindOf(
  "an object of texts",
  (value) =>
    isRecord(value) &&
    Object.values(value).every((each) => each === undefined || typeof each === "string"),
);
/** What `createMachine` makes. */
export const MACHINE = kindOf(
  "a machine of createMachine",
  (value) => isRecord(value) && hasFunctions(value, ["newRunId", "newKey", "readConfig"]),
);
export const CLOCK = kindOf(
  "a clock",
  (value) => isRecord(value) && hasFunctions(value, ["now", "monotonic", "startTimer"]),
);
export const SIGNAL = kindOf("an AbortSignal", (value) => value instanceof AbortSignal);

/** Any JSON. A cycle in it is VALUE_NOT_JSON. */
export const JSON_VALUE: OptionKind = {
  wanted: "JSON",
  isRequired: false,
  check: (value, { call, path }) => void toJson(value, `"${path}" of ${call}`),
};

/** One of these words. */
export function oneOf(...words: readonly string[]): OptionKind {
  const quoted = words.map((word) => `"${word}"`).join(", ");
  return kindOf(`one of ${quoted}`, (value) => typeof value === "string" && words.includes(value));
}

/** What fits one of these; the last one says what is wrong with objects. */
export function either(...kinds: readonly OptionKind[]): OptionKind {
  const wanted = kinds.map((kind) => kind.wanted).join(" or ");
  return {
    wanted,
    isRequired: false,
    check: (value, place) => {
      const [last] = kinds.slice(-1);
      if (isRecord(value) && last !== undefined) return last.check(value, place);
      if (!kinds.some((kind) => fits(kind, value, place))) throw refused(wanted, value, place);
    },
  };
}

function fits({ check }: OptionKind, value: unknown, place: OptionPlace): boolean {
  try {
    check(value, place);
    return true;
  } catch {
    return false;
  }
}

/** A list of what fits. */
export function listOf(item: OptionKind): OptionKind {
  return {
    wanted: "a list",
    isRequired: false,
    check: (value, { call, path }) => {
      if (!Array.isArray(value)) throw refused("a list", value, { call, path });
      for (const [index, each] of Array.from<unknown>(value).entries())
        item.check(each, { call, path: `${path}[${index}]` });
    },
  };
}

/** An object with any keys, whose values fit. */
export function mapOf(item: OptionKind): OptionKind {
  return {
    wanted: "an object",
    isRequired: false,
    check: (value, { call, path }) => {
      if (!isRecord(value)) throw refused("an object", value, { call, path });
      for (const [key, each] of Object.entries(value))
        if (each !== undefined) item.check(each, { call, path: `${path}.${key}` });
    },
  };
}

/** The same, which must be there. */
export function required(kind: OptionKind): OptionKind {
  return { ...kind, isRequired: true };
}

/** An object with these keys and no others. What is undefined counts as left out. */
export function optionsOf(table: { readonly [name: string]: OptionKind }): OptionKind {
  return {
    wanted: "an object",
    isRequired: false,
    check: (value, { call, path }) => {
      if (!isRecord(value)) throw refused("an object", value, { call, path });
      const at = (key: string) => (path === "options" ? key : `${path}.${key}`);
      for (const key of Object.keys(value))
        if (value[key] !== undefined && !Object.hasOwn(table, key))
          throw optionUnknown({ call, option: at(key), known: Object.keys(table) });
      for (const [key, kind] of Object.entries(table))
        if (kind.isRequired || value[key] !== undefined)
          kind.check(value[key], { call, path: at(key) });
    },
  };
}

/** Checks one argument of a function. Raises SDK_OPTION_UNKNOWN, SDK_OPTION_INVALID and VALUE_NOT_JSON. */
export function assertArgument(
  [call, path]: readonly [call: string, path: string],
  kind: OptionKind,
  value: unknown,
): void {
  kind.check(value, { call, path });
}

function hasFunctions(
  value: { readonly [name: string]: unknown },
  names: readonly string[],
): boolean {
  return names.every((name) => typeof value[name] === "function");
}
