import { RE2JS } from "re2js";
import { TroupeError } from "../../foundation/errors.ts";
import { isRecord } from "../../foundation/json.ts";
import { didYouMean } from "../../foundation/near-names.ts";
import { compileRegex, type LinearRegex } from "../language/regex.ts";
import type { JsonPath } from "./parts/json-path.ts";
import { type KeywordKind, typeNames } from "./parts/keyword-kinds.ts";
import type { SchemaResources } from "./parts/schema-resources.ts";

/** The value of a keyword, in the document where it stands. */
export interface KeywordValue {
  readonly word: string;
  readonly value: unknown;
  readonly kind: KeywordKind;
  /** Base address of the schema around it. */
  readonly base: string;
  readonly resources: SchemaResources;
}

/** Something wrong with the value of a keyword. */
export interface ValueFault {
  /** Where below the keyword; itself when absent. */
  readonly below?: JsonPath;
  readonly isKey?: boolean;
  readonly problem: string;
  readonly hint?: string;
}

const ANCHOR = /^[A-Za-z_][-A-Za-z0-9._]*$/;
const DIALECTS = /^https?:\/\/json-schema\.org\/(draft\/(2019-09|2020-12)|draft-0[67])\/schema#?$/;
const MAX_SHOWN_CHARS = 80;

/** What keeps the value of a keyword from meaning anything; schemas inside of it are judged by themselves. */
export function judgeValue(given: KeywordValue): readonly ValueFault[] {
  const { value, kind } = given;
  switch (kind) {
    case "schema":
      return Array.isArray(value) && given.word === "items"
        ? [{ problem: "must be one schema", hint: "a list of schemas by position is prefixItems" }]
        : [];
    case "schema-list":
      return Array.isArray(value) && value.length > 0 ? [] : must("be a list of schemas");
    case "schema-map":
      return isRecord(value) ? [] : must("be an object of schemas");
    case "pattern-map":
      return isRecord(value) ? judgePatterns(value) : must("be an object of schemas");
    case "dependencies":
      return isRecord(value) ? judgeDependencies(value) : must("be an object");
    case "type":
      return judgeType(value);
    case "pattern":
      return typeof value === "string" ? judgePattern(value) : must("be a pattern");
    case "reference":
      return judgeReference(given);
    default:
      return judgePlain(kind, value);
  }
}

function judgePlain(kind: KeywordKind, value: unknown): readonly ValueFault[] {
  switch (kind) {
    case "count":
      return isNumber(value) && Number.isInteger(value) && value >= 0
        ? []
        : must("be a whole number of at least 0");
    case "number":
      return isNumber(value) ? [] : must("be a number");
    case "positive":
      return isNumber(value) && value > 0 ? [] : must("be a number above 0");
    case "boolean":
      return typeof value === "boolean" ? [] : must("be true or false");
    case "text":
      return typeof value === "string" ? [] : must("be a text");
    case "names":
      return isNames(value) ? [] : must("be a list of names");
    case "names-map":
      return isRecord(value) ? judgeNames(value) : must("be an object of lists of names");
    case "list":
      return Array.isArray(value) ? [] : must("be a list");
    default:
      return judgeIdentity(kind, value);
  }
}

function judgeIdentity(kind: KeywordKind, value: unknown): readonly ValueFault[] {
  if (kind === "id")
    return typeof value === "string" && !/#./.test(value)
      ? []
      : must("be an address without a fragment");
  if (kind === "anchor")
    return typeof value === "string" && ANCHOR.test(value) ? [] : must("be a plain name");
  if (kind === "dialect" && !(typeof value === "string" && DIALECTS.test(value)))
    return [
      {
        problem: `names a dialect that is not known: ${shown(value)}`,
        hint: "leave it out: schemas are read as JSON Schema 2020-12",
      },
    ];
  return [];
}

function judgeType(value: unknown): readonly ValueFault[] {
  const names: readonly unknown[] = Array.isArray(value) ? value : [value];
  if (names.length === 0) return must("name a type");
  return names.flatMap((name, index) => {
    if (typeNames.some((known) => known === name)) return [];
    const hint = didYouMean(String(name).slice(0, MAX_SHOWN_CHARS), typeNames, "types");
    return [
      {
        ...(Array.isArray(value) ? { below: [index] } : {}),
        problem: `cannot be ${shown(name)}`,
        ...(hint === undefined ? {} : { hint }),
      },
    ];
  });
}

function judgeReference({ value, base, resources }: KeywordValue): readonly ValueFault[] {
  if (typeof value !== "string") return must("be a reference");
  const { status } = resources.resolve(value, base);
  if (status === "found") return [];
  if (status === "missing")
    return [
      {
        problem: `leads nowhere: ${shown(value)}`,
        hint: "a reference is #/$defs/NAME, or #ANCHOR",
      },
    ];
  return [
    {
      problem: `leads out of the schema: ${shown(value)}`,
      hint: "copy what it means into $defs, and refer to #/$defs/NAME: nothing is fetched",
    },
  ];
}

function judgePatterns(patterns: Readonly<Record<string, unknown>>): readonly ValueFault[] {
  return Object.keys(patterns).flatMap((pattern) =>
    judgePattern(pattern).map((fault) => ({ ...fault, below: [pattern], isKey: true })),
  );
}

function judgePattern(pattern: string): readonly ValueFault[] {
  try {
    compilePattern(pattern);
    return [];
  } catch (error) {
    if (!(error instanceof TroupeError)) throw error;
    const { message, hint } = error;
    return [{ problem: `cannot be used: ${message}`, ...(hint === undefined ? {} : { hint }) }];
  }
}

function judgeDependencies(value: Readonly<Record<string, unknown>>): readonly ValueFault[] {
  return judgeNames(
    Object.fromEntries(Object.entries(value).filter(([, of]) => Array.isArray(of))),
  );
}

function judgeNames(value: Readonly<Record<string, unknown>>): readonly ValueFault[] {
  return Object.entries(value).flatMap(([name, names]) =>
    isNames(names) ? [] : [{ below: [name], problem: "must be a list of names" }],
  );
}

function must(rest: string): readonly ValueFault[] {
  return [{ problem: `must ${rest}` }];
}

function isNumber(value: unknown): value is number {
  return typeof value === "number" && Number.isFinite(value);
}

function isNames(value: unknown): boolean {
  return Array.isArray(value) && value.every((name: unknown) => typeof name === "string");
}

function shown(value: unknown): string {
  const text = JSON.stringify(value) ?? "nothing";
  return text.length > MAX_SHOWN_CHARS ? `${text.slice(0, MAX_SHOWN_CHARS)}…` : text;
}

/** Compiles a pattern of a JSON Schema, whose spelling is that of JavaScript. Raises EXPRESSION_REGEX. */
export function compilePattern(pattern: string): LinearRegex {
  return compileRegex(RE2JS.translateRegExp(pattern));
}
