import type { IncomingMessage, ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import type { Guest } from "./guests.ts";

/** Who may use a route and with what. */
export interface RoutePolicy {
  /** `agent`: whoever has the token of an agent's session, as that agent. There is no other way in. */
  readonly caller: "agent";
  /** What a request carries. */
  readonly body: "json" | "none";
}

/** A request that its route's policy lets through. */
export interface AdmittedRequest {
  readonly guest: Guest;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** What the request carried; undefined where the policy says `none`. */
  readonly body: unknown;
  /** What stands for the `*` of the path. */
  readonly rest: string;
}

/** A connection that its route's policy lets through, to be spoken on in lines. */
export interface AdmittedStream {
  readonly guest: Guest;
  readonly stream: Duplex;
}

/** Something that the context server answers. */
export type ServedRoute = {
  /** The path, a name at its end being anything where it ends in `*`. */
  readonly path: string;
  readonly policy: RoutePolicy;
} & (
  | {
      readonly method: "GET" | "POST" | "DELETE";
      answer(admitted: AdmittedRequest): Promise<void>;
    }
  /** A GET request that asks for another protocol on its connection. */
  | { readonly method: "UPGRADE"; take(admitted: AdmittedStream): Promise<void> }
);

/** What a method and a path lead to. */
export type RouteMatch =
  | { readonly status: "found"; readonly route: ServedRoute; readonly rest: string }
  | { readonly status: "unknown-path" }
  | { readonly status: "wrong-method"; readonly allowed: readonly string[] };

/** Finds the route of a request. */
export type RouteFinder = (method: string, path: string) => RouteMatch;

/** A finder for these routes. Throws a plain Error for one without a policy: nothing is served unguarded. */
export function createRouteFinder(routes: readonly ServedRoute[]): RouteFinder {
  for (const { method, path, policy } of routes) {
    const known: RoutePolicy | undefined = policy;
    if (known?.caller === undefined) throw new Error(`${method} ${path} has no policy`);
  }
  return (method, path) => {
    const fitting = routes.flatMap((route) => {
      const rest = restOf(route.path, path);
      return rest === undefined ? [] : [{ route, rest }];
    });
    const found = fitting.find(({ route }) => route.method === method);
    if (found !== undefined) return { status: "found", ...found };
    if (fitting.length === 0) return { status: "unknown-path" };
    return { status: "wrong-method", allowed: fitting.map(({ route }) => route.method) };
  };
}

/** What stands for the `*`, empty without one; undefined if the path is another. */
function restOf(pattern: string, path: string): string | undefined {
  if (!pattern.endsWith("*")) return path === pattern ? "" : undefined;
  const start = pattern.slice(0, -1);
  const rest = path.startsWith(start) ? path.slice(start.length) : "";
  return rest === "" || rest.includes("/") ? undefined : rest;
}
