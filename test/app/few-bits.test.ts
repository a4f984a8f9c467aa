import { expect, test } from "vitest";
import { createMachineAt } from "../../src/app/machine/machine.ts";
import { fanOut } from "../../src/index.ts";
import { newRunIdFor } from "../../src/sdk/begin-run.ts";
import { temporaryDirectory } from "../programs/temporary-directory.ts";

/** A generator of two bits: most of what is drawn with it is the same. */
function fewBits(): () => number {
  let state = 1;
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
    return Math.floor((state / 2 ** 31) * 4) / 4;
  };
}

test("runs that start at the same time with a generator of few bits are all there, each with its own result", async () => {
  const troupe = createMachineAt(
    { cwd: temporaryDirectory(), store: "memory" },
    { random: fewBits() },
  );
  const numbers = Array.from({ length: 40 }, (_, index) => `${index}`);
  const runs = numbers.map((task) => fanOut([{ task, run: (input) => input.task }], { troupe }));
  const results = await Promise.all(runs.map(({ result }) => result));
  expect(results.map(({ output }) => output)).toEqual(numbers);
  expect(troupe.store.list().toSorted()).toEqual(runs.map(({ id }) => id).toSorted());
});

test("an id that a run of the project has is nobody's new run", () => {
  const cwd = temporaryDirectory();
  const before = createMachineAt({ cwd }, { random: fewBits() });
  const first = before.newRunId();
  before.store.create(first).close();
  expect(createMachineAt({ cwd }, { random: fewBits() }).newRunId()).not.toBe(first);
  const drawn = newRunIdFor({ cwd }, fewBits());
  expect(drawn).not.toBe(first);
});

test("of messages whose keys meet none is lost without a word: the same one is one, another one is refused", async () => {
  const machine = createMachineAt({ cwd: temporaryDirectory(), store: "memory" });
  let key = "";
  const troupe = { ...machine, newKey: () => key };
  const begun = Promise.withResolvers<void>();
  const over = Promise.withResolvers<string>();
  const work = () => {
    begun.resolve();
    return over.promise;
  };
  const run = fanOut([{ task: "wait", run: work }], { troupe });
  await begun.promise;
  const accepted = new Set<string>();
  const refused: unknown[] = [];
  for (let number = 0; number < 32; number += 1) {
    key = `key-${number % 8}`;
    // Every second key comes back with what it was used for before.
    const text = number % 2 === 0 ? `text ${number % 8}` : `text ${number}`;
    await run.broadcast(text).then(
      () => accepted.add(text),
      (error: unknown) => refused.push(error),
    );
  }
  expect(run.state.messages.recent.map(({ text }) => text).toSorted()).toEqual(
    [...accepted].toSorted(),
  );
  expect(accepted.size).toBe(8);
  expect(refused).toHaveLength(12);
  for (const error of refused) expect(error).toMatchObject({ code: "MESSAGE_KEY_REUSED" });
  over.resolve("done");
  await run.result;
});
