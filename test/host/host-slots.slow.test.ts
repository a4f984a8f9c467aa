import { fork } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { systemClock } from "../../src/foundation/clock.ts";
import { openHostSlots } from "../../src/host/host-slots.ts";
import { OwnerBeats } from "../../src/host/owner-beats.ts";
import { createProcessTable } from "../../src/host/process-table.ts";
import { currentProcessIdentity } from "../../src/host/system/process-identity.ts";

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "troupe-slots-"));
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

const table = createProcessTable();
const open = (places: number) =>
  openHostSlots({
    path: join(directory, "state", "host.db"),
    places,
    identity: currentProcessIdentity(table),
    table,
    clock: systemClock,
    beats: new OwnerBeats(),
  });
const never = new AbortController().signal;

test("a place is free again when it is given back [ENG-9]", async () => {
  const slots = open(1);
  await slots.acquire(never);
  const second = slots.acquire(never);
  expect(slots.waiting).toBe(1);
  slots.release();
  await second;
  slots.close();
});

test("a waiter that is told to stop leaves the queue [ENG-9]", async () => {
  const slots = open(1);
  await slots.acquire(never);
  const stop = new AbortController();
  const waiting = slots.acquire(stop.signal);
  stop.abort(new Error("enough"));
  await expect(waiting).rejects.toThrow("enough");
  slots.close();
});

test("a run that ends gives back its own places, not those of another run of the same process [ENG-9, DMN-1]", async () => {
  const [ending, going] = [open(2), open(2)];
  await going.acquire(never);
  await ending.acquire(never);
  ending.close();
  await going.acquire(never);
  const third = going.acquire(never);
  expect(going.waiting).toBe(1);
  going.release();
  await third;
  going.close();
});

test("two processes share the places, and those of a killed one are free [ENG-9, AGT-9]", async () => {
  const child = fork(
    new URL("./slot-holder.ts", import.meta.url),
    [join(directory, "state", "host.db")],
    { execArgv: [] },
  );
  await once(child, "message");
  const slots = open(1);
  const waiting = slots.acquire(never);
  expect(slots.waiting).toBe(1);
  const exited = once(child, "exit");
  child.kill("SIGKILL");
  await exited;
  await waiting;
  slots.close();
});
