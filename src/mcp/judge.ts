import type { IncomingMessage } from "node:http";
import { contextRoutes } from "./context-routes.ts";
import { requestInvalid } from "./errors.ts";
import { judgeRequest } from "./guard.ts";
import type { Guest } from "./guest.ts";
import type { GuestList } from "./guests.ts";
import type { Refusal } from "./refusal.ts";
import { createRouteFinder, type ServedRoute } from "./route-table.ts";

/** Whose request it is and what it leads to, or why it is refused. */
export type Judgement =
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
