import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  type DaemonClient,
  daemonStatusOf,
  ensureDaemon,
  startInDaemon,
  stopDaemon,
} from "../../src/app/background/ask-daemon.ts";
import { createMachineAt, type Machine } from "../../src/app/machine/machine.ts";
import { type CommandReceipt, commandRun } from "../../src/app/run/commands/command-run.ts";
import { readEvents } from "../../src/app/runs/run-events.ts";
import { loadFile } from "../../src/app/workflow/load-file.ts";
import { writeRecipe } from "../../src/app/workflow/shapes/run-recipe.ts";
import type { JournalEvent } from "../../src/contracts/events/event.ts";
import { delay } from "../../src/foundation/abort.ts";
import { systemClock } from "../../src/foundation/clock.ts";

/** A user with a real daemon that can be killed, and one started team. */
export interface DaemonSandbox {
  readonly run: string;
  /** Starts the daemon unless it lives; resolves with its pid once it carries the team out. */
  carriedOut(): Promise<number>;
  /** Sends a message under a key, as often as it takes until somebody has taken it. */
  send(text: string, key: string): Promise<void>;
  stop(): Promise<CommandReceipt>;
  events(): readonly JournalEvent[];
  /** Resolves once so many events are durable, or after `patienceMs`. */
  hasEvents(count: number, patienceMs: number): Promise<void>;
  remove(): Promise<void>;
}

const LOOK_MS = 5;

/** Makes the user, starts the team of `text` and resolves once it is carried out. */
export async function createDaemonSandbox(text: string): Promise<DaemonSandbox> {
  const root = mkdtempSync(join(tmpdir(), "crash-"));
  const cwd = join(root, "p");
  mkdirSync(join(cwd, ".troupe"), { recursive: true });
  const env = {
    PATH: process.env["PATH"] ?? "",
    HOME: root,
    TROUPE_HOME: join(root, "h"),
    XDG_RUNTIME_DIR: root,
    XDG_CONFIG_HOME: join(root, "none"),
  };
  const client: DaemonClient = { env, clock: systemClock };
  const machine = createMachineAt({ cwd, env });
  const run = await startTeam(machine, client, text);
  const { store } = machine;
  return {
    run,
    carriedOut: async () => {
      await ensureDaemon(client);
      for (;;) {
        const status = await daemonStatusOf(client);
        if (status === undefined) throw new Error("the daemon has gone by itself");
        if (status.givenUp.length > 0) throw new Error(JSON.stringify(status.givenUp));
        if (status.runs.length > 0) return status.pid;
        await pause(LOOK_MS);
      }
    },
    send: (message, key) => sendUntilTaken(machine, { run, text: message, key }),
    stop: () => commandRun(machine, run, { command: { kind: "stop" } }),
    events: () => readEvents(machine, run),
    hasEvents: async (count, patienceMs) => {
      const untilMs = systemClock.monotonic() + patienceMs;
      const journal = store.open(run, "read");
      while (journal.lastSeq() < count && systemClock.monotonic() < untilMs) await pause(LOOK_MS);
      journal.close();
    },
    remove: async () => {
      await stopDaemon(client);
      rmSync(root, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
    },
  };
}

/** Waits for real time: what happens in another process cannot be told to hurry. */
export function pause(durationMs: number): Promise<void> {
  return delay(systemClock, durationMs, new AbortController().signal);
}

async function startTeam(machine: Machine, client: DaemonClient, text: string): Promise<string> {
  const { definition } = await loadFile(machine, { file: "team.yaml", text, until: "stopped" });
  if (definition === undefined) throw new Error("the team cannot be loaded");
  const { text: recipe } = writeRecipe({ definition });
  const place = { cwd: machine.project.cwd, env: client.env };
  const env = Object.fromEntries(
    Object.entries(place.env).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, value]],
    ),
  );
  return (await startInDaemon(client, { ...place, env, recipe, options: {} })).run;
}

async function sendUntilTaken(
  machine: Machine,
  { run, text, key }: { readonly run: string; readonly text: string; readonly key: string },
): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      await commandRun(machine, run, { command: { kind: "send", text, key } });
      return;
    } catch (error) {
      // Its owner was killed in between: whether it took the message nobody knows, so it is sent again.
      if (attempt >= 100) throw error;
      await pause(LOOK_MS);
    }
  }
}
