/**
 * Records runs of this version that are stopped half-way, for stopped-runs.slow.test.ts:
 * node test/recorded/stopped/record-stopped-program.ts NAME...
 * Each situation is carried out whole once, then stopped at each of its stops. What is recorded is never changed: later versions have to
 * go on with it, so that new situations get new names.
 */
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { text } from "node:stream/consumers";
import { createMachineAt } from "../../../src/app/machine/machine.ts";
import { readEvents } from "../../../src/app/runs/run-events.ts";
import { CLIENT_SETTINGS, SCRIPTED_KEY } from "../../clients/client-settings.ts";
import { clientsFolder, installClient } from "../../clients/install-client.ts";
import { type ModelServer, startModelServer } from "../../clients/model-server/model-server.ts";
import { pinnedClients } from "../../clients/pinned-clients.ts";
import { askedOf, type ClientOfPlace, configureModel } from "./model-of-place.ts";
import { factsFileOf, type HeldPlace, holdPlace, keepPlace, type Place } from "./place.ts";
import { CHAT, CLIENT_SITUATIONS, SITUATIONS, type Situation, type Stop } from "./situations.ts";
import { endsOf, parseShown, readLedger, readTold, type Shown } from "./stopped-run.ts";

const bin = join(import.meta.dirname, "../../../bin/troupe.js");
const KEYS = Object.fromEntries(
  Object.values(CLIENT_SETTINGS).map(({ keyVariable }) => [keyVariable, SCRIPTED_KEY]),
);
const NOTHING = { ends: [], ledger: [], told: [], asked: [] };
const LOOK_MS = 5;
const PATIENCE_MS = 600_000;

for (const name of process.argv.slice(2)) {
  const situation = [...SITUATIONS, CHAT, ...CLIENT_SITUATIONS].find((each) => each.name === name);
  if (situation === undefined) throw new Error(`there is no situation ${name}`);
  if (existsSync(factsFileOf(name))) throw new Error(`${name} is recorded, and stays as it is`);
  await recordAll(situation);
}

async function recordAll(situation: Situation): Promise<void> {
  // A chat has no end of its own.
  const whole = situation.says === undefined ? await recordWhole(situation) : NOTHING;
  process.stdout.write(`${situation.name} whole: ${JSON.stringify(whole.ends).slice(0, 300)}\n`);
  const stopped: { [name: string]: unknown } = {};
  for (const stop of situation.stops)
    stopped[stop.name] = await inPlace(situation, async (place, model) => {
      const run = await carryOut(situation, place, stop);
      const shown = await shownOf(place, run);
      keepPlace(place, `${situation.name}.${stop.name}`);
      process.stdout.write(
        `${situation.name}.${stop.name}: ${readLedger(place.root).join(", ")}\n`,
      );
      return { run, shown, asked: askedOf(model) };
    });
  writeFileSync(factsFileOf(situation.name), `${JSON.stringify({ whole, stopped }, null, 1)}\n`);
}

function recordWhole(situation: Situation) {
  return inPlace(situation, async (place, model) => {
    const run = await carryOut(situation, place, undefined);
    for (const args of situation.decide ?? []) {
      await type(
        place,
        args.map((arg) => arg.replace("@run", run)),
      );
      await type(place, ["resume", run]);
    }
    return {
      ends: endsOf(await shownOf(place, run)),
      ledger: readLedger(place.root),
      told: readTold(place.root),
      asked: askedOf(model),
    };
  });
}

async function inPlace<Result>(
  situation: Situation,
  use: (place: Place, model: ModelServer | undefined) => Promise<Result>,
): Promise<Result> {
  const place = holdPlace(situation.name);
  const model = situation.asksModel === true ? await startModelServer() : undefined;
  try {
    await furnish(place, situation);
    if (model !== undefined) configureModel(place, model, await clientOf(situation));
    return await use(place, model);
  } finally {
    await model?.close();
    place.release();
  }
}

/** The client of a situation, which is installed where it is missing. */
async function clientOf({ client }: Situation): Promise<ClientOfPlace | undefined> {
  const pinned = pinnedClients.find(({ name }) => name === client);
  if (pinned === undefined) return undefined;
  const state = await installClient(pinned, clientsFolder());
  if (state.status === "missing") throw new Error(state.reason);
  return { name: pinned.name, program: state.program };
}

/** Makes project and home of a situation. */
async function furnish(
  place: HeldPlace,
  { files, hasGit, isTrusted, before = [] }: Situation,
): Promise<void> {
  for (const file of ["work.sh", ...files]) {
    mkdirSync(dirname(join(place.project, file)), { recursive: true });
    cpSync(join(import.meta.dirname, "files", file), join(place.project, file));
  }
  writeFileSync(place.env["GIT_CONFIG_GLOBAL"] ?? "", "[user]\nname = R\nemail = r@localhost\n");
  if (hasGit === true) {
    writeFileSync(join(place.project, ".gitignore"), ".troupe/\n");
    const git = (...args: readonly string[]) =>
      spawnSync("git", args, { cwd: place.project, env: environment(place) });
    git("init", "-q", "-b", "main", "--template=");
    git("add", "-A");
    git("commit", "-q", "-m", "begin");
  }
  mkdirSync(join(place.project, ".troupe"), { recursive: true });
  if (isTrusted === true) await type(place, ["trust", "--yes"]);
  for (const args of before) await type(place, args);
}

/** Begins the run of a situation; it ends, lets go, or is killed at the stop. Its id. */
async function carryOut(
  { args, says }: Situation,
  place: Place,
  stop: Stop | undefined,
): Promise<string> {
  const machine = createMachineAt({ cwd: place.project, env: environment(place) });
  const earlier = new Set(machine.store.list());
  const newest = () => machine.store.list().filter((run) => !earlier.has(run));
  if (stop?.at !== undefined) writeFileSync(join(place.root, "stop-at"), stop.at);
  const child = says === undefined ? begin(place, args) : beginInTerminal(place, args, says);
  const ended = new Promise<void>((resolve) => child.once("close", () => resolve()));
  const reached = join(place.root, "reached");
  if (stop?.at !== undefined) {
    await until(() => {
      if (child.exitCode !== null) throw new Error(`the run ended before ${stop.at}`);
      return existsSync(reached) && readFileSync(reached, "utf8") !== "";
    });
    await until(() => stop.event === undefined || hasEvent(newest()[0], stop.event));
    if (stop.meanwhile !== undefined) await type(place, stop.meanwhile);
    process.kill(says === undefined ? (child.pid ?? 0) : pidBelow(child.pid), "SIGKILL");
  }
  await ended;
  // What hung there ends with its run.
  if (existsSync(reached)) await until(() => !isAlive(Number(readFileSync(reached, "utf8"))));
  return topOf(newest());

  function hasEvent(run: string | undefined, type: string): boolean {
    return run !== undefined && readEvents(machine, run).some((event) => event.type === type);
  }

  /** The one that no other of them is above of. */
  function topOf(runs: readonly string[]): string {
    const top = runs.find((run) => {
      const [first] = readEvents(machine, run);
      return first?.type === "run-created" && first.parent === undefined;
    });
    if (top === undefined) throw new Error(`no run was seen of: ${args.join(" ")}`);
    return top;
  }
}

function begin(place: Place, args: readonly string[]): ChildProcess {
  return spawn(process.execPath, [bin, ...args], {
    cwd: place.project,
    env: environment(place),
    stdio: ["ignore", "ignore", "inherit"],
  });
}

/** As the only process below one that has a terminal. */
function beginInTerminal(place: Place, args: readonly string[], says: string): ChildProcess {
  const words = [process.execPath, bin, ...args].map((word) => `'${word}'`).join(" ");
  const child = spawn("script", ["-qfec", `exec ${words}`, "/dev/null"], {
    cwd: place.project,
    env: { ...environment(place), TERM: "xterm" },
    stdio: ["pipe", "pipe", "inherit"],
  });
  let seen = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    if (seen.includes("new line")) return;
    seen += text;
    if (seen.includes("new line")) child.stdin.write(`${says}\r`);
  });
  return child;
}

function pidBelow(pid: number | undefined): number {
  return Number(readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim());
}

/** The runs of a place, the one at the top first, as `show` tells of them. */
async function shownOf(place: Place, top: string): Promise<readonly Shown[]> {
  const machine = createMachineAt({ cwd: place.project, env: environment(place) });
  const others = machine.store.list().filter((run) => run !== top);
  const shown: Shown[] = [];
  for (const run of [top, ...others.toSorted()])
    shown.push(parseShown(await type(place, ["show", run, "--json"])));
  return shown;
}

/** Asynchronous, since the scripted model answers in this process. */
async function type(place: Place, args: readonly string[]): Promise<string> {
  const child = spawn(process.execPath, [bin, ...args], {
    cwd: place.project,
    env: environment(place),
    stdio: ["ignore", "pipe", "inherit"],
  });
  return text(child.stdout);
}

function environment({ env }: Place): { readonly [name: string]: string } {
  return {
    ...env,
    PATH: process.env["PATH"] ?? "",
    ...KEYS,
    TROUPE_CALLED_AS: "troupe",
  };
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

async function until(isSo: () => boolean): Promise<void> {
  const end = Date.now() + PATIENCE_MS;
  while (!isSo()) {
    if (Date.now() > end) throw new Error("it did not come to the stop");
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
  }
}
