import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { onTestFinished, type TestContext } from "vitest";
import { createMachineAt } from "../../src/app/machine/machine.ts";
import { readEvents } from "../../src/app/runs/run-events.ts";
import type { EventData, EventOf, JournalEvent } from "../../src/contracts/events/event.ts";
import type { ProcessEntry } from "../../src/host/system/process-entry.ts";
import { type Ended, startTroupe, type TroupeProcess } from "../e2e/troupe-process.ts";
import { CLIENT_SETTINGS, SCRIPTED_KEY } from "./client-settings.ts";
import { ROOT_VARIABLE, seenProcesses } from "./conformance/seen-processes.ts";
import { installedClient } from "./installed-client.ts";
import type { ModelRequest } from "./model-server/model-request.ts";
import type { ModelServer } from "./model-server/model-server.ts";
import type { ClientName } from "./pinned-clients.ts";
import { startedModel } from "./started-model.ts";

/**
 * A person with a project, real clients and their keys, whose configuration sends these to the scripted model
 * and lets them use their shell.
 */
export interface ClientUser {
  readonly cwd: string;
  readonly model: ModelServer;
  /** What the model was asked by a client, with tools: side requests, such as for a title, have none. */
  asked(client: ClientName): readonly ModelRequest[];
  /** The journal of the project's only run. */
  events(): readonly JournalEvent[];
  /** Starts a real `troupe` in the project. */
  start(...args: readonly string[]): TroupeProcess;
  /** Runs one command line to its end. */
  type(...args: readonly string[]): Promise<Ended>;
  /** The living processes of clients that this person's runs have started, and whatever these started. */
  living(): Promise<readonly ProcessEntry[]>;
}

/** What the person has. */
export interface ClientUserOptions {
  readonly clients: readonly ClientName[];
  /** Files of the project. */
  readonly files: { readonly [path: string]: string };
  /** What sandboxes see beside all else. Defaults to nothing. */
  readonly read?: readonly string[];
  /** What the clients may do without asking. Defaults to their shell. */
  readonly allow?: readonly string[];
  /** What is started in place of a client. Defaults to the client. */
  readonly wrap?: (command: readonly string[]) => readonly string[];
  /** Where the clients find the scripted model. Defaults to its own URL. */
  readonly reach?: (modelUrl: string) => string;
}

/** Makes the person; skips the test where a client is missing. */
export async function createClientUser(
  context: TestContext,
  options: ClientUserOptions,
): Promise<ClientUser> {
  const { clients, files, read = [], allow = ["Bash"] } = options;
  const { wrap = (command) => command, reach = (url) => url } = options;
  const programs = clients.map((name) => [name, installedClient(name, context)] as const);
  const root = mkdtempSync(join(tmpdir(), "troupe-user-"));
  onTestFinished(async () => {
    // Only a test that failed has left any.
    for (const { pid } of await seenProcesses(root)) kill(pid);
    rmSync(root, { recursive: true, force: true, maxRetries: 5 });
  });
  const [home, cwd] = [join(root, "home"), join(root, "project")];
  mkdirSync(join(cwd, ".troupe"), { recursive: true });
  writeFiles(cwd, files);
  const model = await startedModel();
  const backends = programs.map(([name, command]) => {
    const { toBaseUrl, model: own } = CLIENT_SETTINGS[name];
    const baseUrl = toBaseUrl(reach(model.urlFor(name)));
    return [
      name,
      { command: wrap(command), baseUrl, model: own, env: { [ROOT_VARIABLE]: root } },
    ] as const;
  });
  // Agents of Troupe's own loop are sent there too.
  const anthropic = { baseUrl: `${model.urlFor("model")}/v1` };
  const config = {
    backends: { anthropic, ...Object.fromEntries(backends) },
    permissions: { allow },
    sandbox: { read },
  };
  // JSON is YAML.
  writeFiles(home, { ".config/troupe/config.yaml": JSON.stringify(config) });
  const env = {
    HOME: home,
    XDG_CONFIG_HOME: join(home, ".config"),
    ...Object.fromEntries(clients.map((name) => [CLIENT_SETTINGS[name].keyVariable, SCRIPTED_KEY])),
  };
  const start: ClientUser["start"] = (...args) => startTroupe(cwd, args, env);
  const machine = createMachineAt({ cwd, env });
  return {
    cwd,
    model,
    events: () => machine.store.list().flatMap((run) => [...readEvents(machine, run)]),
    start,
    type: (...args) => start(...args).ended,
    asked: (client) =>
      model
        .calls(client)
        .flatMap(({ request }) =>
          request === undefined || request.tools.length === 0 ? [] : [request],
        ),
    living: () => seenProcesses(root),
  };
}

/** The events of one type, in order. */
export function eventsOf<Type extends EventData["type"]>(
  events: readonly JournalEvent[],
  type: Type,
): readonly EventOf<Type>[] {
  return events.filter((event): event is EventOf<Type> => event.type === type);
}

function writeFiles(root: string, files: { readonly [path: string]: string }): void {
  for (const [path, text] of Object.entries(files)) {
    const file = join(root, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  }
}

function kill(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // It ended by itself meanwhile.
  }
}
