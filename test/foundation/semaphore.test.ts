import { getEventListeners } from "node:events";
import { describe, expect, test } from "vitest";
import { bothOf, createSemaphore, type Semaphore } from "../../src/foundation/semaphore.ts";

const free = () => new AbortController().signal;

/** Asks for a place and notes in `log` when it is there. */
function ask(
  semaphore: Semaphore,
  { name, log }: { readonly name: string; readonly log: string[] },
  signal = free(),
): Promise<void> {
  return semaphore.acquire(signal).then(
    () => void log.push(name),
    (reason: unknown) => void log.push(`${name} not: ${String(reason)}`),
  );
}

/** Lets all that can go on now do so. */
async function settle(): Promise<void> {
  for (let turn = 0; turn < 10; turn += 1) await Promise.resolve();
}

describe("a semaphore", () => {
  test("gives as many places as it has, then in the order of asking", async () => {
    const semaphore = createSemaphore(2);
    const log: string[] = [];
    for (const name of ["a", "b", "c", "d"]) void ask(semaphore, { name, log });
    await settle();
    expect([log, semaphore.waiting, semaphore.isShared]).toEqual([["a", "b"], 2, false]);
    semaphore.release();
    await settle();
    expect([log, semaphore.waiting]).toEqual([["a", "b", "c"], 1]);
    for (let place = 0; place < 3; place += 1) semaphore.release();
    await settle();
    expect([log, semaphore.waiting]).toEqual([["a", "b", "c", "d"], 0]);
    // All places are back: two more may come, and a third one waits.
    for (const name of ["e", "f", "g"]) void ask(semaphore, { name, log });
    await settle();
    expect([log.slice(4), semaphore.waiting]).toEqual([["e", "f"], 1]);
  });

  test("whoever no longer wants a place waits no more, and takes none from those behind", async () => {
    const semaphore = createSemaphore(1);
    const log: string[] = [];
    const leaving = new AbortController();
    void ask(semaphore, { name: "a", log });
    void ask(semaphore, { name: "b", log }, leaving.signal);
    void ask(semaphore, { name: "c", log });
    leaving.abort("gone");
    await settle();
    expect([log, semaphore.waiting]).toEqual([["a", "b not: gone"], 1]);
    semaphore.release();
    await settle();
    expect(log).toEqual(["a", "b not: gone", "c"]);
    await ask(createSemaphore(1), { name: "d", log }, AbortSignal.abort("early"));
    expect(log.at(-1)).toBe("d not: early");
  });

  test("whoever has its place is not heard again when it aborts", async () => {
    const semaphore = createSemaphore(1);
    const log: string[] = [];
    const ending = new AbortController();
    void ask(semaphore, { name: "a", log });
    void ask(semaphore, { name: "b", log }, ending.signal);
    semaphore.release();
    expect(getEventListeners(ending.signal, "abort")).toEqual([]);
    ending.abort();
    void ask(semaphore, { name: "c", log });
    await settle();
    expect([log, semaphore.waiting]).toEqual([["a", "b"], 1]);
    semaphore.release();
    await settle();
    expect(log).toEqual(["a", "b", "c"]);
  });

  test("one without bounds never lets anybody wait", async () => {
    const semaphore = createSemaphore(Number.POSITIVE_INFINITY);
    const log: string[] = [];
    for (let place = 0; place < 100; place += 1) await ask(semaphore, { name: "x", log });
    expect([log.length, semaphore.waiting]).toEqual([100, 0]);
  });
});

describe("a place of two semaphores", () => {
  test("is there when both have one, and goes back to both", async () => {
    const [outer, inner] = [createSemaphore(2), createSemaphore(1)];
    const both = bothOf(outer, inner);
    const log: string[] = [];
    for (const name of ["a", "b", "c"]) void ask(both, { name, log });
    await settle();
    expect([log, outer.waiting, inner.waiting, both.waiting]).toEqual([["a"], 1, 1, 2]);
    both.release();
    await settle();
    expect([log, outer.waiting, inner.waiting]).toEqual([["a", "b"], 0, 1]);
  });

  test("whoever stops waiting for the inner one keeps none of the outer", async () => {
    const [outer, inner] = [createSemaphore(2), createSemaphore(1)];
    const both = bothOf(outer, inner);
    const log: string[] = [];
    const leaving = new AbortController();
    void ask(both, { name: "a", log });
    void ask(both, { name: "b", log }, leaving.signal);
    await settle();
    leaving.abort("gone");
    void ask(outer, { name: "c", log });
    await settle();
    expect(log.toSorted()).toEqual(["a", "b not: gone", "c"]);
  });

  test("is seen by other processes as soon as one of both is", () => {
    const own = createSemaphore(1);
    const shared = { ...createSemaphore(1), isShared: true };
    expect(
      [bothOf(own, own), bothOf(shared, own), bothOf(own, shared)].map(({ isShared }) => isShared),
    ).toEqual([false, true, true]);
  });
});
