import { RunDriver } from "../../src/engine/driver/run-driver.ts";
import { localDispatcher } from "../../src/engine/embedded/dispatcher.ts";
import { createRunLog } from "../../src/engine/embedded/run-log.ts";
import { systemClock } from "../../src/foundation/clock.ts";
import { sha256 } from "../../src/foundation/hash.ts";
import { createHost } from "../../src/host/host.ts";
import { createSqliteStore } from "../../src/journal/sqlite-store.ts";
import { startMirrors } from "../../src/messaging/mirrors/start-mirrors.ts";

const RUN = "run_mirror";

/** Takes the one run of a project, whoever had it, and shows it in the project's context directory. */
export function ownMirroredRun(place: {
  readonly runsDirectory: string;
  readonly directory: string;
}): RunDriver<null> {
  const store = createSqliteStore(place.runsDirectory);
  const isNew = !store.list().includes(RUN);
  const journal = isNew ? store.create(RUN) : store.open(RUN, "write");
  const holder = { pid: process.pid, pidStartedAt: "0", bootId: "b", socketPath: "", command: "t" };
  const lease = journal.takeLease({ ...holder, nowMs: 0 }, { ttlMs: 0, isGone: () => true });
  if (lease.status === "held") throw new Error("the run has an owner");
  const { epoch } = lease;
  const release = () => {
    journal.releaseLease(epoch);
    journal.close();
  };
  const driver = new RunDriver<null>({
    recorder: { log: createRunLog(journal, epoch), mask: undefined, stepTotal: 0 },
    ownership: { epoch, onLost: () => {}, release },
    timers: systemClock,
    dispatcher: localDispatcher,
    call: {
      program: {
        name: "idle",
        run: async (context) => {
          await context.sleep(1e9);
          return { outcome: "completed", reason: "done", metadata: {} };
        },
      },
      definition: null,
      host: createHost({ run: RUN, clock: systemClock, env: {} }),
      runPattern: async () => null,
    },
    beginning: { created: isNew ? CREATED : undefined, limits: undefined },
    suspendsWhenWaiting: false,
    toResult: () => null,
  });
  const { directory } = place;
  const files = { directory, channelFile: "channel.md", documentFile: "notes.md" };
  startMirrors({ runtime: driver, files, mainChannel: "main" });
  driver.start();
  return driver;
}

const CREATED = {
  event: {
    type: "run-created",
    workflow: "mirror",
    instance: "default",
    definitionHash: sha256("null"),
    program: "idle",
    seed: "seed",
    troupe: "0.0.0",
    cwd: "/",
    limits: {},
  },
  definitionText: "null",
} as const;
