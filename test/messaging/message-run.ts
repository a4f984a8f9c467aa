import type { EventData } from "../../src/contracts/events/event.ts";
import type { RunStore } from "../../src/contracts/ports/store.ts";
import { RunDriver } from "../../src/engine/driver/run-driver.ts";
import { localDispatcher } from "../../src/engine/embedded/dispatcher.ts";
import { createRunLog } from "../../src/engine/embedded/run-log.ts";
import type { JournalMask } from "../../src/engine/run-journal.ts";
import { foldAll } from "../../src/fold/fold.ts";
import type { RunState } from "../../src/fold/state/run-state.ts";
import type { Clock } from "../../src/foundation/clock.ts";
import { sha256 } from "../../src/foundation/hash.ts";
import { createHost } from "../../src/host/host.ts";
import { type Sending, sendAsAgent } from "../../src/messaging/post-message.ts";
import { claim, RULES } from "../../src/testing/journal-case.ts";
import { createManualClock } from "../../src/testing/manual-clock.ts";

const RUN = "run_messages";

/** A run that does nothing by itself, in the hands of a real engine. */
export interface MessageRun {
  readonly runtime: RunDriver<null>;
  /** Sends as an agent, under a key of its own unless one is given. */
  send(from: string, draft: Sending["draft"], key?: string): ReturnType<typeof sendAsAgent>;
  append(...events: readonly EventData[]): void;
  /** The fold of what is durable, read by somebody else. */
  stored(): RunState;
  /** Lets go of the run. */
  letGo(): Promise<void>;
}

export interface MessageRunOptions {
  readonly clock?: Clock;
  readonly mask?: JournalMask;
  /** Spawned in a new run. Defaults to a, b and c. */
  readonly agents?: readonly string[];
}

/** Creates the run of a store with these agents, or goes on with it. */
export async function openMessageRun(
  store: RunStore,
  options: MessageRunOptions = {},
): Promise<MessageRun> {
  const { clock = createManualClock(), mask, agents = ["a", "b", "c"] } = options;
  const isNew = !store.list().includes(RUN);
  const journal = isNew ? store.create(RUN) : store.open(RUN, "write");
  const lease = journal.takeLease(claim({}), { ...RULES, isGone: () => true });
  if (lease.status === "held") throw new Error("the run has an owner");
  const { epoch } = lease;
  const runtime = new RunDriver<null>({
    recorder: { log: createRunLog(journal, epoch), mask, stepTotal: 0 },
    ownership: { epoch, onLost: () => {}, release: () => journal.releaseLease(epoch) },
    timers: clock,
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
      host: createHost({ run: RUN, clock, env: {} }),
      runPattern: async () => null,
    },
    beginning: { created: isNew ? CREATED : undefined, limits: undefined },
    suspendsWhenWaiting: false,
    toResult: () => null,
  });
  runtime.start();
  const append = (...events: readonly EventData[]) => {
    for (const event of events) runtime.append(event);
  };
  if (isNew) append(...agents.map(spawned));
  await runtime.flushed();
  let sent = 0;
  return {
    runtime,
    append,
    send: (from, draft, key) => {
      sent += 1;
      const sending = { from, draft, key: key ?? `${epoch}/${from}/${sent}`, mainChannel: "main" };
      return sendAsAgent(runtime, sending);
    },
    stored: () => {
      const reading = store.open(RUN, "read");
      const state = foldAll(RUN, reading.read());
      reading.close();
      return state;
    },
    letGo: async () => {
      runtime.suspend("interrupted", 130);
      await runtime.parted;
      journal.close();
    },
  };
}

const CREATED = {
  event: {
    type: "run-created",
    workflow: "messages",
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

function spawned(id: string): EventData {
  const spec = { id, backend: "script", session: "keep" } as const;
  return { type: "agent-spawned", agent: id, backend: "script", spec };
}
