import type { IncomingHttpHeaders, IncomingMessage } from "node:http";
import type { TroupeError } from "../foundation/errors.ts";
import { contextRoutes } from "./context-routes.ts";
import { accessDenied, requestForbidden, requestInvalid } from "./errors.ts";
import type { Guest, GuestList } from "./guests.ts";
import type { Refusal } from "./refusal.ts";
import { createRouteFinder, type ServedRoute } from "./route-table.ts";

/** What the guard looks at. */
export interface RequestFacts {
  readonly headers: IncomingHttpHeaders;
  /** The port that the request came in by; undefined for the unix socket. */
  readonly port: number | undefined;
}

/** Whose request it is, or why it is refused. */
export type Ruling = { readonly guest: Guest } | { readonly refusal: Refusal };

/**
 * Decides whether a request comes from an agent's session. A web page is told by its `Origin` or, when it has
 * bent a name to this machine, by its `Host`; an agent by its token and by nothing else (T1, T3).
 */
function judgeRequest({ headers, port }: RequestFacts, guests: Pick<GuestList, "find">): Ruling {
  const { host, origin, authorization } = headers;
  const hosts = hostsOf(port);
  if (host === undefined || !hosts.includes(host))
    return forbidden("its Host header names another server");
  if (origin !== undefined && !hosts.some((own) => origin === `http://${own}`))
    return forbidden("it was sent by a web page");
  if (authorization === undefined) return denied("the request carries no token");
  const [, token = ""] = /^Bearer +(\S+)$/i.exec(authorization) ?? [];
  const guest = guests.find(token);
  if (guest === undefined) return denied("nobody has this token, or its session has ended");
  const name = headers["x-agent-id"];
  if (name !== undefined && !guest.isCalled(String(name)))
    return {
      refusal: { status: 403, error: otherAgent(guest.visitor.agent), agent: guest.visitor.agent },
    };
  return { guest };
}

/** How a request may call this server. Nothing but an own process gets to a unix socket, whatever it calls it. */
function hostsOf(port: number | undefined): readonly string[] {
  const names = ["127.0.0.1", "localhost"];
  return port === undefined ? names : names.map((name) => `${name}:${port}`);
}

function otherAgent(agent: string): TroupeError {
  return requestForbidden({ problem: `its token is that of "${agent}", its X-Agent-Id is not` });
}

function denied(problem: string): Ruling {
  return { refusal: { status: 401, error: accessDenied({ problem }) } };
}

function forbidden(problem: string): Ruling {
  return { refusal: { status: 403, error: requestForbidden({ problem }) } };
}

/** Whose request it is and what it leads to, or why it is refused. */
type Judgement =
  | { readonly guest: Guest; readonly route: ServedRoute; readonly rest: string }
  | { readonly refusal: Refusal };

const findRoute = createRouteFinder(contextRoutes);

/** Looks at the head of a request. Only who may come in at all learns what there is. */
export function judge(
  { headers, socket, url = "/" }: IncomingMessage,
  method: string,
  guests: Pick<GuestList, "find">,
): Judgement {
  const ruling = judgeRequest({ headers, port: socket.localPort }, guests);
  if ("refusal" in ruling) return ruling;
  const [path = "/"] = url.split("?", 1);
  const match = findRoute(method, path);
  if (match.status === "found") return { ...ruling, route: match.route, rest: match.rest };
  const [status, problem] =
    match.status === "unknown-path"
      ? ([404, `there is nothing at ${path}`] as const)
      : ([405, `${path} takes ${match.allowed.join(", ")}`] as const);
  const { agent } = ruling.guest.visitor;
  return { refusal: { status, error: requestInvalid({ problem }), agent } };
}
