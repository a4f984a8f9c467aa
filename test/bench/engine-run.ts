import type { RunCreated } from "../../src/contracts/events/run-events.ts";
import type { Context } from "../../src/contracts/ports/context.ts";
import type { Journal, RunStore } from "../../src/contracts/ports/store.ts";
import { RunDriver } from "../../src/engine/driver/run-driver.ts";
import { localDispatcher } from "../../src/engine/embedded/dispatcher.ts";
import { createRunLog } from "../../src/engine/embedded/run-log.ts";
import { systemClock } from "../../src/foundation/clock.ts";
import { sha256 } from "../../src/foundation/hash.ts";
import { createHost } from "../../src/host/host.ts";

/** A program of the benchmark; `letGo` suspends the run, which ends the work that is measured. */
export type BenchProgram = (context: Context, letGo: () => void) => Promise<void>;

const run = "run_bench";
const definitionText = "{}";
const created: RunCreated = {
  type: "run-created",
  workflow: "bench",
  instance: "default",
  definitionHash: sha256(definitionText),
  program: "bench",
  seed: "bench",
  troupe: "0.0.0",
  cwd: process.cwd(),
  limits: {},
};

/** Creates the run and carries it out until it ends or lets go. */
export function runProgram(store: RunStore, program: BenchProgram): Promise<void> {
  return carryOut(store.create(run), program, { event: created, definitionText });
}

/** Goes on with the run. */
export function resumeProgram(store: RunStore, program: BenchProgram): Promise<void> {
  return carryOut(store.open(run, "write"), program, undefined);
}

async function carryOut(
  journal: Journal,
  program: BenchProgram,
  creation: { readonly event: RunCreated; readonly definitionText: string } | undefined,
): Promise<void> {
  const epoch = takeLease(journal);
  const driver = new RunDriver({
    recorder: { log: createRunLog(journal, epoch), mask: undefined, stepTotal: 0 },
    ownership: { epoch, onLost: () => {}, release: () => journal.releaseLease(epoch) },
    timers: systemClock,
    dispatcher: localDispatcher,
    call: {
      program: {
        name: "bench",
        run: async (context) => {
          await program(context, () => driver.suspend("interrupted", 143));
          return { outcome: "completed", reason: "done", metadata: {} };
        },
      },
      definition: {},
      host: createHost({ run, clock: systemClock, env: process.env }),
      runPattern: () => Promise.reject(new Error("the benchmark uses no patterns")),
    },
    beginning: { created: creation, limits: undefined },
    suspendsWhenWaiting: false,
    toResult: () => ({}),
  });
  driver.start();
  const parting = await driver.parted;
  journal.close();
  if (parting.status === "ended" && parting.event.outcome !== "completed") {
    throw new Error(`the run ended as ${parting.event.outcome}: ${parting.event.reason}`);
  }
}

function takeLease(journal: Journal): number {
  const holder = { pid: process.pid, pidStartedAt: "0", bootId: "bench" };
  const claim = { ...holder, socketPath: "", command: "bench", nowMs: systemClock.monotonic() };
  const attempt = journal.takeLease(claim, { ttlMs: 10_000, isGone: () => true });
  if (attempt.status === "held") throw new Error("somebody owns the run of the benchmark");
  return attempt.epoch;
}
