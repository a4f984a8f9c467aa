import { expect, test } from "vitest";
import { SealKeeper } from "../../src/engine/run-journal.ts";
import { createManualClock } from "../../src/testing/manual-clock.ts";

/** A log whose first seals fail with what is given. */
function logOf(...failures: readonly Error[]) {
  const tries: string[] = [];
  const seal = () => {
    const failure = failures[tries.length];
    tries.push(failure === undefined ? "sealed" : "failed");
    if (failure !== undefined) throw failure;
  };
  const never = () => {
    throw new Error("only sealed here");
  };
  const rest = { append: never, read: never, blob: never, beginWork: never, giveUpWork: never };
  return { tries, log: { run: "run_aaaaaa", seal, ...rest } };
}

const short = () =>
  new Error("cannot write", {
    cause: Object.assign(new Error("too many open files"), { code: "EMFILE" }),
  });

test("a seal between commits that finds no descriptor is written at the next interval, and nobody is told", async () => {
  const { tries, log } = logOf(short());
  const timers = createManualClock();
  const heard: unknown[] = [];
  new SealKeeper(log, timers, (error) => heard.push(error)).committed();
  await timers.advance(5000);
  await timers.advance(5000);
  expect([tries, heard]).toEqual([["failed", "sealed"], []]);
});

test("the last seal of a run waits for a descriptor", async () => {
  const { tries, log } = logOf(short(), short());
  const timers = createManualClock();
  const closing = new SealKeeper(log, timers, () => {}).close();
  await timers.advance(50);
  await timers.advance(100);
  await closing;
  expect(tries).toEqual(["failed", "failed", "sealed"]);
});

test("whoever keeps the run hears of a seal that fails for another reason", async () => {
  const broken = new Error("the disk is broken");
  const { tries, log } = logOf(broken);
  const timers = createManualClock();
  const heard: unknown[] = [];
  new SealKeeper(log, timers, (error) => heard.push(error)).committed();
  await timers.advance(10_000);
  expect([tries, heard]).toEqual([["failed"], [broken]]);
});
