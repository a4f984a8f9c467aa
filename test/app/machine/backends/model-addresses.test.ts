import { afterEach, describe, expect, test, vi } from "vitest";
import { MODEL_PROVIDERS } from "../../../../src/agents/backends/parts/model-providers.ts";
import { sessionEnv } from "../../../../src/agents/session-env.ts";
import { openBackends } from "../../../../src/app/machine/backends/backend-shelf.ts";
import { configOf } from "../../../../src/app/machine/effective/effective-config.ts";
import type { AgentSpec } from "../../../../src/contracts/agent.ts";
import { systemClock } from "../../../../src/foundation/clock.ts";
import { toErrorReport } from "../../../../src/foundation/errors.ts";
import { createHost } from "../../../../src/host/host.ts";
import { createTurnRequest } from "../../../../src/testing/turn-request.ts";
import { createMemoryRecord } from "../../../agents/backends/model/memory-record.ts";
import { takesAll } from "../../../cases.ts";
import { createConfigProject } from "../config/config-project.ts";

// Who says where a model is, and whose key is sent there.

const OWN_URL = "http://named.example/v1";
const USUAL = new Map(MODEL_PROVIDERS.map(({ name, baseUrl }) => [name, new URL(baseUrl).host]));

const ADDRESS_SOURCES = [
  ...(["nobody", "environment", "user config", "user env config"] as const),
  ...([
    "trusted project config",
    "untrusted project config",
    "workflow",
    "workflow by name",
  ] as const),
] as const;
const KEY_SOURCES = ["environment", "workflow", "workflow by name"] as const;

interface Case {
  readonly address: (typeof ADDRESS_SOURCES)[number];
  readonly key: (typeof KEY_SOURCES)[number];
}

/** All of them; every day one key for each address, another one for each provider. */
const casesFor = (provider: number): readonly Case[] =>
  ADDRESS_SOURCES.flatMap((address, row) =>
    KEY_SOURCES.flatMap((key, column) =>
      takesAll() || (provider + row) % KEY_SOURCES.length === column ? [{ address, key }] : [],
    ),
  );

afterEach(() => void vi.unstubAllGlobals());

/** What is asked, without a network: the host, and the key that it gets. */
function watchRequests(): string[] {
  const asked: string[] = [];
  vi.stubGlobal("fetch", async (input: string | URL, init: RequestInit) => {
    const headers = new Headers(init.headers);
    const names = ["x-api-key", "x-goog-api-key", "authorization"];
    const key = names.map((name) => headers.get(name)).find((value) => value !== null);
    asked.push(`${new URL(input).host} ${key?.replace("Bearer ", "") ?? "no key"}`);
    return new Response("{}", { status: 400, headers: { "content-type": "application/json" } });
  });
  return asked;
}

/** What a turn of such an agent asks, or the code with which it is refused, at the check and when it is opened. */
async function askedBy(provider: (typeof MODEL_PROVIDERS)[number], { address, key }: Case) {
  const { variable } = provider.address;
  const [keyName = "OLLAMA_KEY"] = provider.keys;
  const backends = (name: string, settings: object) =>
    JSON.stringify({ version: 1, backends: { [name]: settings } });
  const config = backends(provider.name, { baseUrl: OWN_URL });
  const isProject = address.endsWith("project config");
  const project = createConfigProject({
    ...(address === "user config" ? { user: config } : {}),
    ...(address === "user env config"
      ? { user: backends("model", { env: { [variable]: OWN_URL } }) }
      : {}),
    ...(isProject ? { project: config } : {}),
    env: {
      ...(address === "environment" ? { [variable]: OWN_URL } : {}),
      ...(key === "workflow" ? {} : { [keyName]: "user-key" }),
      OTHER_ADDRESS: OWN_URL,
    },
  });
  const machine = project.machine({ trustsProject: address === "trusted project config" });
  const { settings } = await configOf(machine);
  const host = createHost({ run: "run_aaaaaa", clock: systemClock, env: project.env });
  const parts = {
    ...{ host, clock: systemClock, cassette: undefined },
    ...{ functions: new Map(), importModule: async () => ({}) },
  };
  const shelf = await openBackends(parts, settings);
  const backend = await shelf.load("model");
  const spec: AgentSpec = {
    ...{ id: "worker", backend: "model", model: `${provider.name}/scripted` },
    env: {
      ...(address === "workflow" ? { [variable]: OWN_URL } : {}),
      ...(key === "workflow" ? { [keyName]: "workflow-key" } : {}),
    },
    envFrom: {
      ...(address === "workflow by name" ? { [variable]: "OTHER_ADDRESS" } : {}),
      ...(key === "workflow by name" ? { [keyName]: keyName } : {}),
    },
  };
  const asked = watchRequests();
  const problems = (await backend.check(spec)).map(({ message }) => message);
  try {
    const session = await backend.open({
      ...{ run: "run_aaaaaa", session: "worker", cwd: project.root, spec },
      ...{ env: sessionEnv({ spec, backend, host }), record: createMemoryRecord() },
    });
    for await (const _ of session.prompt(createTurnRequest({ prompt: "go" })));
    await session.close();
    return { problems, asked };
  } catch (error) {
    return { problems, asked, code: toErrorReport(error).code };
  }
}

/** What is right: a key is sent where its owner says, else nowhere. */
function expected(provider: string, { address, key }: Case) {
  const own = key === "workflow" ? "workflow-key" : "user-key";
  const sent = provider === "ollama" ? "no key" : own;
  const isNamed = address !== "nobody" && address !== "untrusted project config";
  const isOfWorkflow = address === "workflow" || address === "workflow by name";
  if (isOfWorkflow && key !== "workflow" && sent !== "no key") {
    const code = "BACKEND_SETTINGS_INVALID";
    const problem = expect.stringMatching(
      /the workflow sets .*, and the key in .* is not the workflow's/,
    );
    return { problems: [problem], asked: [], code };
  }
  const host = isNamed ? "named.example" : (USUAL.get(provider) ?? "");
  // A variable that names no port means ollama's own.
  const isByVariable = isNamed && !/^(?:user|trusted project) config$/.test(address);
  const port = isByVariable && provider === "ollama" ? ":11434" : "";
  return { problems: [], asked: [`${host}${port} ${sent}`] };
}

describe.each(MODEL_PROVIDERS)("a model of $name", (provider) => {
  test.each(casesFor(MODEL_PROVIDERS.indexOf(provider)))(
    "is asked where its $address says, with a key from its $key, or not at all [AGT-20.variables, AGT-20.keys]",
    async (given) => {
      expect(await askedBy(provider, given)).toEqual(expected(provider.name, given));
    },
  );
});
