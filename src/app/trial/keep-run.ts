import type { RunStore } from "../../contracts/ports/store.ts";
import { toIsoTime } from "../../foundation/iso-time.ts";
import { isJsonObject, type Json } from "../../foundation/json.ts";
import { present } from "../../foundation/present.ts";
import type { Machine } from "../machine/machine.ts";
import { makeRunsDirectory } from "../machine/place/believed-places.ts";
import type { Stage } from "./stage.ts";

/**
 * Copies the journals of a stage into the project, where commands find them. What happened on the clock of the stage is
 * moved as a whole so that its last event happens now: lists tell the true age, and `gc` goes by it. Raises STORE_* errors,
 * RUN_DIRECTORY_UNWRITABLE.
 */
export async function keepRuns(machine: Machine, stage: Stage): Promise<void> {
  if (machine.keepsFiles) makeRunsDirectory(machine.project);
  const runs = stage.store.list();
  const lastAt = Math.max(...runs.map((run) => lastEventAt(stage.store, run)));
  // One distance for all runs of the stage: parents and children stay together.
  const shiftMs = machine.clock.now() - lastAt;
  for (const run of runs) await copyRun(stage, { store: machine.store, shiftMs }, run);
}

function lastEventAt(store: RunStore, run: string): number {
  const journal = store.open(run, "read");
  try {
    const [last] = journal.read(journal.lastSeq() - 1);
    return last?.at ?? 0;
  } finally {
    journal.close();
  }
}

interface KeptPlace {
  readonly store: RunStore;
  readonly shiftMs: number;
}

/** The summary of a run with its times moved. */
function shiftHead(head: Json, shiftMs: number): Json {
  if (!isJsonObject(head)) return head;
  const moved = ["startedAt", "endedAt", "lastAt"].flatMap((key) => {
    const time = head[key];
    return typeof time === "string" ? [[key, toIsoTime(Date.parse(time) + shiftMs)]] : [];
  });
  return { ...head, ...Object.fromEntries(moved) };
}

async function copyRun(stage: Stage, { store, shiftMs }: KeptPlace, run: string): Promise<void> {
  const source = stage.store.open(run, "read");
  const copy = store.create(run);
  const { blobs, head } = stage.partsOf(run);
  const nobody = {
    pid: 1,
    pidStartedAt: "0",
    bootId: "none",
    socketPath: "",
    command: "troupe test",
  };
  const attempt = copy.takeLease({ ...nobody, nowMs: 0 }, { ttlMs: 0, isGone: () => true });
  if (attempt.status === "taken") {
    const { epoch } = attempt;
    const events = [...source.read()].map((event) => ({ ...event, at: event.at + shiftMs }));
    await copy.append({
      ...{ epoch, events, blobs },
      ...present({ head: head && shiftHead(head, shiftMs) }),
    });
    copy.releaseLease(epoch);
  }
  copy.close();
  source.close();
}
