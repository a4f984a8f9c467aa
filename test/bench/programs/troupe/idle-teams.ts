// Teams that wait in the daemon for a word: what each of so many holds (KB), what all take of a processor (percent), and
// how often they sync the disk (syncs), in 20 s.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import {
  daemonStatusOf,
  ensureDaemon,
  startInDaemon,
  stopDaemon,
} from "../../../../src/app/background/ask-daemon.ts";
import { createMachineAt } from "../../../../src/app/machine/machine.ts";
import { loadFile } from "../../../../src/app/workflow/load-file.ts";
import { writeRecipe } from "../../../../src/app/workflow/shapes/run-recipe.ts";
import { memoryMbOf } from "../../family-memory.ts";
import { countArgument, printFigure, withFolder } from "../../figure.ts";

const TEAM = `name: desk
context:
agents:
  answerer: { backend: script, system_prompt: "Answer questions about this project.", script: [{ say: "Run npm ci." }] }
  editor: { backend: script, system_prompt: "Say what our pages lack.", script: [{ say: "The version of Node." }] }
`;
// A team that was started seals its journal within 5 s, and what starting it has left behind is cleared away.
const SETTLED_S = 30;
const WATCHED_S = 20;
// How long Linux counts as one tick of a processor.
const TICKS_PER_S = 100;

const count = countArgument(500);
const reading = process.argv[3] ?? "percent";

await withFolder(async (folder) => {
  const home = join(folder, "home");
  const sockets = join(folder, "s");
  mkdirSync(home);
  mkdirSync(sockets, { mode: 0o700 });
  mkdirSync(join(folder, ".troupe"));
  writeFileSync(join(folder, "desk.yaml"), TEAM);
  const { TROUPE_DIR: _directory, ...inherited } = process.env;
  const given = { ...inherited, HOME: home, TROUPE_HOME: home, XDG_RUNTIME_DIR: sockets };
  const env = Object.fromEntries(
    Object.entries(given).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
  const machine = createMachineAt({ cwd: folder, env });
  const loaded = await loadFile(machine, { file: join(folder, "desk.yaml"), until: "stopped" });
  if (loaded.definition === undefined) throw new Error(JSON.stringify(loaded.problems));
  const recipe = writeRecipe({ definition: loaded.definition }).text;
  const start = (index: number) =>
    startInDaemon(machine, {
      ...{ cwd: folder, env, trustsProject: true, recipe },
      options: { instance: `desk-${index}` },
    });
  await ensureDaemon(machine);
  try {
    const pid = (await daemonStatusOf(machine))?.pid ?? 0;
    await start(0);
    await wait(SETTLED_S * 1000);
    const firstMb = memoryMbOf(pid);
    for (let index = 1; index < count; index += 1) await start(index);
    await wait(SETTLED_S * 1000);
    if (reading === "KB") printFigure(((memoryMbOf(pid) - firstMb) * 1024) / (count - 1));
    else if (reading === "syncs") printFigure(await syncsOf(pid));
    else printFigure(await percentOf(pid));
  } finally {
    await stopDaemon(machine);
  }
});

async function percentOf(pid: number): Promise<number> {
  const before = ticksOf(pid);
  await wait(WATCHED_S * 1000);
  return ((ticksOf(pid) - before) / TICKS_PER_S / WATCHED_S) * 100;
}

/** Processor time of a process so far, its own and the system's for it, in ticks. */
function ticksOf(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return Number(fields[11]) + Number(fields[12]);
}

async function syncsOf(pid: number): Promise<number> {
  const log = join(process.cwd(), `syncs-${pid}`);
  const options = ["-f", "-qq", "-o", log, "-e", "trace=fsync,fdatasync", "-p", `${pid}`];
  const watcher = spawn("strace", options, { stdio: "ignore" });
  const ended = once(watcher, "exit");
  await wait(WATCHED_S * 1000);
  watcher.kill("SIGINT");
  await ended;
  return readFileSync(log, "utf8")
    .split("\n")
    .filter((line) => line.includes("sync(")).length;
}
