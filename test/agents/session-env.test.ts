import { expect, test } from "vitest";
import { confinedAccess, sessionEnv, toAccessEnv } from "../../src/agents/session-env.ts";
import { systemClock } from "../../src/foundation/clock.ts";
import { createHost } from "../../src/host/host.ts";
import { agent, playedBackend, said } from "./agents-run.ts";

const OWN = { PATH: "/bin", KEY: "key", SECRET: "secret", OTHER: "other" };

function envOf(
  { passes, spec = {} }: { passes?: readonly string[]; spec?: Parameters<typeof agent>[1] },
  over?: { readonly [name: string]: string },
) {
  const host = createHost({ run: "", clock: systemClock, env: OWN, reaper: false });
  const changes = passes === undefined ? {} : { passes };
  const backend = playedBackend(async function* () {
    yield said("ok");
  }, changes);
  const env = sessionEnv({ spec: agent("a", spec), backend, host }, over);
  const names = ["KEY", "SECRET", "OTHER", "MINE", "GONE"];
  return Object.fromEntries(Object.entries(env).filter(([name]) => names.includes(name)));
}

test("the processes of an agent get of Troupe's own environment what their backend needs, and nothing else [T11]", () => {
  expect(envOf({})).toEqual({});
  expect(envOf({ passes: ["KEY", "GONE"] })).toEqual({ KEY: "key" });
});

test("what the declaration of an agent gives beats what its backend needs, and what Troupe gives beats both [T11]", () => {
  const spec = { env: { MINE: "1", KEY: "mine" }, envFrom: { SECRET: "OTHER", GONE: "NOWHERE" } };
  expect(envOf({ passes: ["KEY", "SECRET"], spec })).toEqual({
    ...{ MINE: "1", KEY: "mine", SECRET: "other" },
  });
  expect(envOf({ spec: { envFrom: { KEY: "KEY" }, env: { KEY: "mine" } } })).toEqual({
    KEY: "key",
  });
  expect(envOf({ spec }, { MINE: "2" })).toMatchObject({ MINE: "2" });
});

test("processes are told the ways in that they have; confined ones the port alone [T11, SEC-5.network]", () => {
  const renew = () => "other";
  const access = { token: "t", renew };
  expect(toAccessEnv(undefined)).toEqual({});
  expect(toAccessEnv(access)).toStrictEqual({ TROUPE_CONTEXT_TOKEN: "t" });
  const socketAlone = { ...access, socketPath: "/s", mention: () => {}, close: async () => {} };
  const whole = { ...socketAlone, url: "http://127.0.0.1:1" };
  expect(toAccessEnv(whole)).toEqual({
    TROUPE_CONTEXT_TOKEN: "t",
    TROUPE_CONTEXT_SOCKET: "/s",
    TROUPE_CONTEXT_URL: "http://127.0.0.1:1",
  });
  expect(confinedAccess(whole)).toStrictEqual({ token: "t", renew, url: "http://127.0.0.1:1" });
  expect(confinedAccess(socketAlone)).toStrictEqual({ token: "t", renew });
});
