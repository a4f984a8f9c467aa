import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { z } from "zod";
import type { AgentFixture } from "../clients/conformance/agent-fixture.ts";
import { fixtures } from "../clients/conformance/fixtures.ts";
import { clientsFolder } from "../clients/install-client.ts";
import { type ModelServer, startModelServer } from "../clients/model-server/model-server.ts";
import { scriptText } from "../clients/model-server/script.ts";
import { type ClientName, pinnedClients } from "../clients/pinned-clients.ts";
import { watchFamilyMemory } from "./family-memory.ts";
import { printFigure } from "./figure.ts";

type Program = readonly [string, ...string[]];

/** Where one turn of a client is measured. */
export interface AgentBench {
  readonly fixture: AgentFixture;
  readonly program: Program;
  readonly model: ModelServer;
  readonly modelUrl: string;
  /** Holds what follows; it goes when the measurement is over. */
  readonly root: string;
  readonly home: string;
  readonly cwd: string;
  /** The whole environment: an agent's key, the address of its model, and nothing of this machine's user. */
  readonly env: { readonly [name: string]: string };
  /** Told the moment when the first word of the answer is there. */
  heard(): void;
}

/** What the model is told to say, and says. */
export const ANSWER = "one word and another";
/** A prompt that takes one request. */
export const PROMPT = scriptText({ text: ANSWER });

const argumentsSchema = z.tuple([
  z.enum(["claude", "codex", "gemini", "opencode"]),
  z.enum(["first", "end", "memory"]),
]);

/** The program of an installed client; undefined where `npm run test:clients` has not brought it. */
export function findClient(name: ClientName): Program | undefined {
  const pinned = pinnedClients.find((client) => client.name === name);
  if (pinned === undefined) return undefined;
  return pinned.findProgram(
    join(clientsFolder(), `${pinned.name}-${pinned.version}`, "node_modules"),
  );
}

/**
 * Measures one turn of the client that the first argument names, and prints what the second asks for: ms until
 * the `first` word, ms until the `end`, or the most `memory` of its processes in MB.
 */
export async function measureTurn(takeTurn: (bench: AgentBench) => Promise<void>): Promise<void> {
  const [name, figure] = argumentsSchema.parse(process.argv.slice(2));
  const program = findClient(name);
  if (program === undefined) throw new Error(`${name} is not installed`);
  const root = mkdtempSync(join(tmpdir(), "troupe-bench-"));
  const model = await startModelServer();
  const [home, cwd] = [join(root, "home"), join(root, "project")];
  for (const path of [home, cwd, join(root, "tmp")]) mkdirSync(path);
  const fixture = fixtures[name];
  const modelUrl = model.urlFor(name);
  const { PATH = "" } = process.env;
  const env = {
    PATH,
    HOME: home,
    TMPDIR: join(root, "tmp"),
    LANG: "C.UTF-8",
    npm_config_registry: model.urlFor("registry"),
    ...fixture.keyEnv({ modelUrl, home }),
  };
  let firstMs: number | undefined;
  try {
    // Looking at memory costs time, so a turn is measured for one of them.
    const memory = figure === "memory" ? watchFamilyMemory() : undefined;
    const startedMs = performance.now();
    const heard = () => {
      firstMs ??= performance.now() - startedMs;
    };
    await takeTurn({ fixture, program, model, modelUrl, root, home, cwd, env, heard });
    const endMs = performance.now() - startedMs;
    const peakMb = await memory?.stop();
    printFigure(peakMb ?? (figure === "first" ? (firstMs ?? Number.NaN) : endMs));
  } finally {
    await model.close();
    rmSync(root, { recursive: true, force: true, maxRetries: 5 });
  }
}
