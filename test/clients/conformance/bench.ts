import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished, type TestContext } from "vitest";
import type { AgentSpec } from "../../../src/contracts/agent.ts";
import type { AgentBackend, AgentSession, SessionRequest } from "../../../src/contracts/backend.ts";
import { systemClock } from "../../../src/foundation/clock.ts";
import { createHost } from "../../../src/host/host.ts";
import type { ProcessEntry } from "../../../src/host/system/process-entry.ts";
import { installedClient } from "../installed-client.ts";
import type { ModelRequest } from "../model-server/model-request.ts";
import type { ModelServer } from "../model-server/model-server.ts";
import { startedModel } from "../started-model.ts";
import type { AgentFixture, FixturePlaces } from "./agent-fixture.ts";
import { ROOT_VARIABLE, seenProcesses } from "./seen-processes.ts";

type Program = readonly [string, ...string[]];

/** How one session differs from the usual one. */
export interface OpenOptions {
  readonly resume?: string;
  readonly access?: NonNullable<SessionRequest["access"]>;
  readonly env?: { readonly [name: string]: string };
  readonly spec?: Partial<AgentSpec>;
  /** What is started in place of the program. */
  readonly wrap?: (program: Program) => Program;
  /** Defaults to `key`. */
  readonly signedInBy?: "key" | "login";
}

/** One client with directories, a model and processes of its own; all of it ends with the test. */
export interface Bench extends FixturePlaces {
  readonly fixture: AgentFixture;
  readonly model: ModelServer;
  /** Holds all directories. */
  readonly root: string;
  /** The project that agents work in: a git repository without files. */
  readonly cwd: string;
  /** The private directory of the agent. */
  readonly directory: string;
  request(options?: OpenOptions): SessionRequest;
  /** A backend as another process of Troupe would have it. */
  createBackend(wrap?: OpenOptions["wrap"]): AgentBackend;
  /** Opens a session with a backend of its own; it is closed with the test. */
  open(options?: OpenOptions): Promise<AgentSession>;
  /** What the model was asked with tools: side requests, such as for a title, have none. */
  asked(): readonly ModelRequest[];
  /** A file of the project, whether it is there or not. */
  fileAt(name: string): string;
  exists(name: string): boolean;
  /** Files below the root that hold a text, all of them as paths. */
  filesWith(text: string): readonly string[];
  /** Skips the test, with the reason. */
  skip(reason: string): never;
  /** The living processes that came from this bench. */
  living(): Promise<readonly ProcessEntry[]>;
  /** The same client, with nothing in common with this bench. */
  another(): Promise<Bench>;
  /** Closes all sessions; what lives after that is killed and returned. */
  end(): Promise<readonly ProcessEntry[]>;
}

const AGENT = "worker";

/** A bench for the test that runs; skips it where the client is missing. */
export async function createBench(fixture: AgentFixture, context: TestContext): Promise<Bench> {
  const program = installedClient(fixture.client, context);
  const root = createRoot();
  const [home, cwd, directory, temporary] = [
    createIn(root, "home"),
    createIn(root, "project"),
    createIn(root, "agent"),
    createIn(root, "tmp"),
  ];
  spawnSync("git", ["init", "-q", cwd]);
  const model = await startedModel();
  const places = { modelUrl: model.urlFor(AGENT), home };
  const { PATH = "" } = process.env;
  const host = createHost({
    run: "run_clients",
    clock: systemClock,
    env: { PATH, HOME: home, TMPDIR: temporary, LANG: "C.UTF-8" },
    reaper: false,
    graceMs: 1000,
  });
  const sessions: AgentSession[] = [];
  const createBackend: Bench["createBackend"] = (wrap = (argv) => argv) =>
    fixture.createBackend({ ...places, program: wrap(program), host, clock: systemClock });
  const request: Bench["request"] = (options = {}) => {
    const { resume, access, env, spec, signedInBy = "key" } = options;
    const signedIn = signedInBy === "key" ? fixture.keyEnv(places) : fixture.login?.env(places);
    return {
      run: "run_clients",
      session: AGENT,
      cwd,
      directory,
      logFile: join(root, "agent.log"),
      env: host.baseEnv({ [ROOT_VARIABLE]: root, ...signedIn, ...env }),
      spec: { id: AGENT, backend: fixture.client, cwd, ...fixture.spec, ...spec },
      ...(resume === undefined ? {} : { resume }),
      ...(access === undefined ? {} : { access }),
    };
  };
  const living = () => seenProcesses(root);
  const end: Bench["end"] = async () => {
    await Promise.all(sessions.map((session) => session.close()));
    const left = await living();
    await host.close();
    for (const { pid } of await living()) kill(pid);
    return left;
  };
  return {
    ...places,
    fixture,
    model,
    root,
    cwd,
    directory,
    request,
    createBackend,
    open: async (options = {}) => {
      const session = await createBackend(options.wrap).open(request(options));
      sessions.push(session);
      return session;
    },
    asked: () =>
      model
        .calls(AGENT)
        .flatMap(({ request: asked }) =>
          asked === undefined || asked.tools.length === 0 ? [] : [asked],
        ),
    fileAt: (name) => join(cwd, name),
    exists: (name) => existsSync(join(cwd, name)),
    filesWith: (text) => searchUndisturbed(root, text),
    skip: (reason) => context.skip(reason),
    living,
    another: () => createBench(fixture, context),
    end,
  };
}

function kill(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // It ended by itself meanwhile.
  }
}

/**
 * The files below a directory that hold a text. The client may still be at work: a search during
 * which a lock or a temporary file vanished is made again, so that no file is missed.
 */
function searchUndisturbed(root: string, text: string): readonly string[] {
  for (let tries = 1; ; tries++) {
    try {
      return filesBelow(root).filter((file) => readFileSync(file).includes(text));
    } catch (error) {
      const vanished = error instanceof Error && "code" in error && error.code === "ENOENT";
      if (!vanished || tries === 100) throw error;
    }
  }
}

function filesBelow(root: string): readonly string[] {
  const entries = readdirSync(root, { withFileTypes: true, recursive: true });
  return entries.flatMap((entry) => (entry.isFile() ? [join(entry.parentPath, entry.name)] : []));
}

function createRoot(): string {
  const root = mkdtempSync(join(tmpdir(), "troupe-client-"));
  onTestFinished(() => rmSync(root, { recursive: true, force: true, maxRetries: 5 }));
  return root;
}

function createIn(root: string, name: string): string {
  const path = join(root, name);
  mkdirSync(path, { mode: 0o700 });
  return path;
}
