import type { LinearRegex } from "../../language/regex.ts";
import type { SchemaObject } from "../parts/schema-parts.ts";
import type { SchemaResources } from "../parts/schema-resources.ts";
import type { MismatchList } from "./mismatch.ts";
import type { DataPlace } from "./place.ts";
import type { WorkLimit } from "./work-limit.ts";

/** What stays the same while one value is evaluated. */
export interface Evaluation {
  readonly resources: SchemaResources;
  readonly limit: WorkLimit;
  /** Whether anything asks for what others have evaluated. */
  readonly notesSeen: boolean;
  /** The rules for the keywords of each schema that was met. */
  readonly rules: Map<SchemaObject, NamedRules>;
  /** A pattern of the schema, compiled once. */
  pattern(pattern: string): LinearRegex;
  /** Texts of the values of an `enum` or `const` in one form, made once for each owner. */
  choices(owner: object, values: readonly unknown[]): ReadonlySet<string>;
}

/** Members and items that schemas of one place have looked at (2020-12, section 11). */
export interface Seen {
  readonly names: Set<string>;
  readonly items: Set<number>;
}

/** Where an evaluation stands: what leads there decides what dynamic references mean. */
export interface Standing {
  /** Base addresses of the schemas that lead here, the outermost first; neighbours differ. */
  readonly bases: readonly string[];
  /** Schemas that lead here. */
  readonly depth: number;
  /** Absent when only the answer counts. */
  readonly mismatches: MismatchList | undefined;
}

/** One schema at one place. */
export interface Application {
  readonly evaluation: Evaluation;
  readonly standing: Standing;
  readonly schema: SchemaObject;
  readonly place: DataPlace;
  readonly seen: Seen;
  /** Evaluates another schema, at this place or below. */
  apply(schema: unknown, request?: AppliedSchema): boolean;
  /** Tells what does not fit, and is false. */
  fail(problem: string | (() => string)): false;
}

/** How a schema inside of another one is evaluated. */
export interface AppliedSchema {
  /** Defaults to the place of the schema around it, whose seen parts it adds to. */
  readonly place?: DataPlace;
  /** Where mismatches go; `undefined` drops them. Absent: where they go already. */
  readonly mismatches?: MismatchList | undefined;
  /** The base address when it is another one. */
  readonly base?: string;
}

/** Judges the value of one keyword; true when the data fits. */
export type KeywordRule = (application: Application, argument: unknown) => boolean;

/** Rules by their keywords. */
export type NamedRules = readonly (readonly [string, KeywordRule])[];
