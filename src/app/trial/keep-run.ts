import type { RunStore } from "../../contracts/ports/store.ts";
import type { Machine } from "../machine/machine.ts";
import { makeRunsDirectory } from "../machine/place/believed-places.ts";
import type { Stage } from "./stage.ts";

/** Copies the journals of a stage into the project, where commands find them. Raises STORE_* errors, RUN_DIRECTORY_UNWRITABLE. */
export async function keepRuns(machine: Machine, stage: Stage): Promise<void> {
  if (machine.keepsFiles) makeRunsDirectory(machine.project);
  for (const run of stage.store.list()) await copyRun(stage, machine.store, run);
}

async function copyRun(stage: Stage, store: RunStore, run: string): Promise<void> {
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
    const events = [...source.read()];
    await copy.append(
      head === undefined ? { epoch, events, blobs } : { epoch, events, blobs, head },
    );
    copy.releaseLease(epoch);
  }
  copy.close();
  source.close();
}
