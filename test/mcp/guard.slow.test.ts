import { expect, test } from "vitest";
import type { ContextAccess } from "../../src/contracts/context-access.ts";
import { contextRoutes } from "../../src/mcp/context-routes.ts";
import { MAX_BODY_BYTES } from "../../src/mcp/read-body.ts";
import { createRouteFinder, type ServedRoute } from "../../src/mcp/route-table.ts";
import { goodHeaders, type MadeUpRequest, openDoor, send, WAYS } from "./door.ts";

/** Who is there when a request comes. */
interface Scene {
  readonly ada: ContextAccess;
  readonly bob: ContextAccess;
  /** Its session has ended. */
  readonly eve: ContextAccess;
}

/** One way for a request to be wrong. */
interface Forgery {
  readonly name: string;
  readonly status: number;
  readonly code: string;
  /** What is wrong about it; undefined where the route takes no such thing. */
  forge(good: MadeUpRequest, scene: Scene, route: ServedRoute): MadeUpRequest | undefined;
}

const header = (name: string, value: string) => (good: MadeUpRequest) => ({
  ...good,
  headers: { ...good.headers, [name]: value },
});
const withBody =
  (forge: Forgery["forge"]): Forgery["forge"] =>
  (good, scene, route) =>
    route.policy.body === "json" ? forge(good, scene, route) : undefined;
const denied = { status: 401, code: "MCP_ACCESS_DENIED" };
const forbidden = { status: 403, code: "MCP_REQUEST_FORBIDDEN" };

const forgeries: readonly Forgery[] = [
  {
    name: "no token",
    ...denied,
    forge: ({ headers, ...good }) => {
      const { Authorization: _, ...others } = headers ?? {};
      return { ...good, headers: others };
    },
  },
  {
    name: "an unknown token",
    ...denied,
    forge: header("Authorization", `Bearer tcx_${"A".repeat(43)}`),
  },
  { name: "an empty token", ...denied, forge: header("Authorization", "Bearer ") },
  {
    name: "a token that is not a bearer's",
    ...denied,
    forge: (good, { ada }) => header("Authorization", `Basic ${ada.token}`)(good),
  },
  {
    name: "the token of a session that has ended",
    ...denied,
    forge: (good, { eve }) => header("Authorization", `Bearer ${eve.token}`)(good),
  },
  {
    name: "another agent's token",
    ...forbidden,
    forge: (good, { bob }) =>
      header("X-Agent-Id", "ada")(header("Authorization", `Bearer ${bob.token}`)(good)),
  },
  { name: "a forged X-Agent-Id", ...forbidden, forge: header("X-Agent-Id", "bob") },
  {
    name: "the X-Agent-Id of another instance",
    ...forbidden,
    forge: header("X-Agent-Id", "ada@pr-8"),
  },
  {
    name: "two X-Agent-Ids",
    ...forbidden,
    forge: (good) => ({ ...good, headers: { ...good.headers, "X-Agent-Id": ["ada", "bob"] } }),
  },
  { name: "a foreign Host", ...forbidden, forge: header("Host", "evil.example") },
  { name: "a Host with a user", ...forbidden, forge: header("Host", "127.0.0.1@evil.example") },
  { name: "a foreign Origin", ...forbidden, forge: header("Origin", "http://evil.example") },
  { name: "an Origin that is none", ...forbidden, forge: header("Origin", "null") },
  {
    name: "the Origin of another server here",
    ...forbidden,
    forge: header("Origin", "http://127.0.0.1:1"),
  },
  {
    name: "a content type that any web page may send",
    status: 415,
    code: "MCP_REQUEST_INVALID",
    forge: withBody(header("Content-Type", "text/plain")),
  },
  {
    name: "a body that is too large",
    status: 413,
    code: "MCP_REQUEST_INVALID",
    forge: withBody((good) => ({ ...good, body: `"${"x".repeat(MAX_BODY_BYTES)}"` })),
  },
  {
    name: "a body in pieces that is too large",
    status: 413,
    code: "MCP_REQUEST_INVALID",
    forge: withBody((good) => ({
      ...header("Transfer-Encoding", "chunked")(good),
      body: `"${"x".repeat(MAX_BODY_BYTES)}"`,
    })),
  },
  {
    name: "a body of a million small values",
    status: 413,
    code: "MCP_REQUEST_INVALID",
    forge: withBody((good) => ({ ...good, body: `[${"{},".repeat(1_000_000)}0]` })),
  },
  {
    name: "a body that is no JSON",
    status: 400,
    code: "MCP_REQUEST_INVALID",
    forge: withBody((good) => ({ ...good, body: "{" })),
  },
];

const cases = contextRoutes.flatMap((route) =>
  WAYS.flatMap((way) =>
    forgeries.map(({ name, status, code, forge }) => ({ route, way, name, status, code, forge })),
  ),
);

test.each(cases)(
  "$route.method $route.path with $name by the $way is refused with $status [MCP-3, P24.routes, P24.tokens, T1, T3]",
  async ({ route, way, status, code, forge }) => {
    const { letIn } = openDoor();
    const calls: string[] = [];
    const call = async (tool: string) => {
      calls.push(tool);
      return null;
    };
    const scene = {
      ada: await letIn("ada", { call }),
      bob: await letIn("bob", { call }),
      eve: await letIn("eve", { call }),
    };
    await scene.eve.close();
    const forged = forge(goodRequest(scene.ada, route), scene, route);
    if (forged === undefined) return;
    const answer = await send(scene.ada, way, forged);
    expect(answer.status, answer.text).toBe(status);
    expect(JSON.parse(answer.text)).toMatchObject({ error: { code } });
    expect(calls).toEqual([]);
    expect(Object.keys(answer.headers).filter((name) => name.includes("control-allow"))).toEqual(
      [],
    );
  },
);

const goodCases = contextRoutes.flatMap((route) => WAYS.map((way) => ({ route, way })));

test.each(goodCases)(
  "$route.method $route.path by the $way is let in with the right token, and with a name that agrees [MCP-3]",
  async ({ route, way }) => {
    const ada = await openDoor().letIn("ada");
    for (const name of ["ada", "ada@pr-7"]) {
      const answer = await send(ada, way, header("X-Agent-Id", name)(goodRequest(ada, route)));
      expect([401, 403, 413, 415], answer.text).not.toContain(answer.status);
    }
  },
);

test("whoever has no token does not learn what there is; an agent is told what it may do [T3]", async () => {
  const ada = await openDoor().letIn("ada");
  const path = "/nothing";
  expect(await send(ada, "port", { path })).toMatchObject({ status: 401 });
  const headers = goodHeaders(ada);
  expect(await send(ada, "port", { path, headers })).toMatchObject({ status: 404 });
  const wrong = await send(ada, "port", { method: "PUT", headers, body: "{}" });
  expect(wrong.status).toBe(405);
  expect(wrong.text).toContain("/mcp takes POST, GET, DELETE");
  const preflight = await send(ada, "port", {
    method: "OPTIONS",
    headers: { Origin: "http://a.b" },
  });
  expect(preflight.status).toBe(403);
});

test("a route without a policy cannot be registered [T1, P24.policy]", () => {
  const answer = async () => {};
  // @ts-expect-error: nothing is served unguarded
  const unguarded: ServedRoute = { method: "GET", path: "/open", answer };
  expect(() => createRouteFinder([unguarded])).toThrow("GET /open has no policy");
});

test("what an agent may have open at the same time is limited [MCP-3]", async () => {
  const { promise, resolve } = Promise.withResolvers<null>();
  const ada = await openDoor().letIn("ada", { call: () => promise });
  const made = { path: "/tools/agents_list", headers: goodHeaders(ada), body: "{}" };
  const refused = Promise.withResolvers<void>();
  let refusals = 0;
  const answers = Array.from({ length: 40 }, async () => {
    const { status, text } = await send(ada, "socket", made);
    if (status === 200) return status;
    expect(JSON.parse(text)).toMatchObject({ error: { code: "MCP_TOO_MANY_REQUESTS" } });
    refusals += 1;
    if (refusals === 8) refused.resolve();
    return status;
  });
  await refused.promise;
  resolve(null);
  const statuses = await Promise.all(answers);
  expect(statuses.filter((status) => status === 200)).toHaveLength(32);
  expect(statuses.filter((status) => status === 429)).toHaveLength(8);
  expect(await send(ada, "socket", made)).toMatchObject({ status: 200 });
});

/** A request to a route that its policy lets in. */
function goodRequest(access: ContextAccess, { method, path, policy }: ServedRoute): MadeUpRequest {
  const headers = goodHeaders(access);
  const good = { path: path.replace("*", "agents_list"), headers };
  if (method === "UPGRADE") {
    const upgrade = { Connection: "Upgrade", Upgrade: "mcp-lines" };
    return { ...good, method: "GET", headers: { ...headers, ...upgrade } };
  }
  return { ...good, method, ...(policy.body === "json" ? { body: "{}" } : {}) };
}
