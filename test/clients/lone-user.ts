import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { onTestFinished, type TestContext } from "vitest";
import { type Ended, startTroupe } from "../e2e/troupe-process.ts";
import type { AgentFixture, FixturePlaces } from "./conformance/agent-fixture.ts";
import { fixtures } from "./conformance/fixtures.ts";
import { killSeenProcesses, ROOT_VARIABLE } from "./conformance/seen-processes.ts";
import { installedClient } from "./installed-client.ts";
import type { ModelServer } from "./model-server/model-server.ts";
import type { ClientName } from "./pinned-clients.ts";
import { startedModel } from "./started-model.ts";

/** A person who installed one client as people do: it is on PATH, and Troupe was told nothing else of it. */
export interface LoneUser {
  readonly fixture: AgentFixture;
  readonly model: ModelServer;
  /** Holds all that is this person's. */
  readonly root: string;
  readonly home: string;
  /** A git repository with `work.yaml`, in which an agent does the task that the run is given. */
  readonly cwd: string;
  /** The directory on PATH that holds the client. */
  readonly bin: string;
  /** Runs one command line of Troupe to its end. */
  type(args: readonly string[], env?: { readonly [name: string]: string }): Promise<Ended>;
}

const AGENT = "worker";

/** Makes the person; skips the test where the client is missing. All of it ends with the test. */
export function createLoneUser(
  client: ClientName,
  context: TestContext,
  { signedInBy = "key" }: { readonly signedInBy?: "key" | "login" } = {},
): Promise<LoneUser> {
  const program = installedClient(client, context);
  return equip({ fixture: fixtures[client], program, signedInBy });
}

interface Equipment {
  readonly fixture: AgentFixture;
  readonly program: readonly string[];
  readonly signedInBy: "key" | "login";
}

async function equip({ fixture, program, signedInBy }: Equipment): Promise<LoneUser> {
  const root = mkdtempSync(join(tmpdir(), "troupe-lone-"));
  onTestFinished(async () => {
    await killSeenProcesses(root);
    rmSync(root, { recursive: true, force: true, maxRetries: 5 });
  });
  const place = (name: string) => join(root, name);
  const [home, cwd, bin, own] = [place("home"), place("project"), place("bin"), place("troupe")];
  for (const path of [home, join(cwd, ".troupe"), bin, own, place("tmp")])
    mkdirSync(path, { recursive: true });
  spawnSync("git", ["init", "-q", cwd]);
  const words = program.map((word) => `'${word}'`).join(" ");
  writeFileSync(join(bin, fixture.client), `#!/bin/sh\nexec ${words} "$@"\n`, { mode: 0o755 });
  const model = await startedModel();
  const places = { modelUrl: model.urlFor(AGENT), home };
  if (signedInBy === "login") fixture.login?.write(places);
  // opencode asks for a package of its own, which nothing turns off; here it is told that there is none.
  const marks = { [ROOT_VARIABLE]: root, npm_config_registry: model.urlFor("registry") };
  const backend = { ...configured(fixture, places.modelUrl, signedInBy), env: marks };
  // JSON is YAML.
  const config = JSON.stringify({ backends: { [fixture.client]: backend } });
  writeFileSync(join(own, "config.yaml"), config);
  writeFileSync(join(cwd, "work.yaml"), JSON.stringify(workflowOf(fixture)));
  const base = {
    HOME: home,
    TMPDIR: place("tmp"),
    TROUPE_HOME: own,
    PATH: [bin, process.env["PATH"]].join(delimiter),
    ...accessOf(fixture, places, signedInBy),
  };
  const type: LoneUser["type"] = (args, env) => startTroupe(cwd, args, { ...base, ...env }).ended;
  return { fixture, model, root, home, cwd, bin, type };
}

/** Where the environment cannot say it: opencode knows no address of a model. */
function configured({ client }: AgentFixture, modelUrl: string, signedInBy: "key" | "login") {
  if (client !== "opencode") return {};
  const key = signedInBy === "key" ? { apiKeyEnv: "OPENAI_API_KEY" } : {};
  return { baseUrl: `${modelUrl}/v1`, model: "scripted/model", ...key };
}

/** A key that the person who runs the tests has would win over a login. */
function accessOf({ keyEnv, login }: AgentFixture, places: FixturePlaces, by: "key" | "login") {
  const env = keyEnv(places);
  if (by === "key") return env;
  return {
    ...Object.fromEntries(Object.keys(env).map((name) => [name, ""])),
    ...login?.env(places),
  };
}

function workflowOf({ client, spec }: AgentFixture) {
  return {
    version: "1.0",
    name: "work",
    pattern: "pipeline",
    agents: [{ id: AGENT, cli: client, permissionMode: "bypass", ...spec }],
    steps: [{ id: "work", agent: AGENT, prompt: "{{task}}" }],
  };
}
