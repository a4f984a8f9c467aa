import type { Json } from "../../../foundation/json.ts";
import { memberNames, valueAt } from "../member-of.ts";

/** The values that paths start from: `{ steps: { plan: { status: "completed" } }, params: {} }`. */
export type ExpressionScope = { readonly [name: string]: Json };

/** Finds the values of paths where a whole scope would be too dear to build. Pure. */
export interface PathResolver {
  /** The value at a path of one segment or more; undefined when it leads nowhere. */
  resolve(segments: readonly string[]): Json | undefined;
  /** Names that can follow a path, the empty one too, for hints. Called for errors only. */
  keysAt(segments: readonly string[]): readonly string[];
}

/** Resolves paths in either; in a scope by own properties only. */
export function toPathResolver(scope: ExpressionScope | PathResolver): PathResolver {
  if (isPathResolver(scope)) return scope;
  return {
    resolve: (segments) => valueAt(scope, segments),
    keysAt: (segments) => memberNames(valueAt(scope, segments)),
  };
}

function isPathResolver(scope: ExpressionScope | PathResolver): scope is PathResolver {
  return typeof scope["resolve"] === "function";
}
