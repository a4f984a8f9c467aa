import { describe, expect, test } from "vitest";
import { defineError } from "../../src/foundation/errors.ts";
import {
  isShortage,
  outlastShortage,
  tooManyFiles,
  toShortageError,
} from "../../src/foundation/shortage.ts";
import { createVirtualTime } from "../../src/foundation/virtual-time.ts";

const lost = defineError("TEST_LOST", { message: () => "it is lost", about: "Lost." });

function failed(members: object, cause?: unknown): Error {
  return Object.assign(new Error("it failed", { cause }), members);
}

describe("too many open files", () => {
  test.each([
    ["of this process", failed({ code: "EMFILE" })],
    ["of all processes", failed({ code: "ENFILE" })],
    ["as Node tells it of what it asks for itself", failed({ info: { code: "EMFILE" } })],
    ["as the cause of an error", failed({ code: "OTHER" }, failed({ code: "EMFILE" }))],
  ])("are recognised %s", (_where, error) => {
    expect(isShortage(error)).toBe(true);
  });

  test.each([
    ["another code", failed({ code: "ENOENT", info: { code: "ENOENT" } })],
    ["information of another kind", failed({ info: "EMFILE" })],
    ["no error", { code: "EMFILE" }],
    ["an error without any", failed({}, { code: "EMFILE" })],
    ["nothing", undefined],
  ])("are not taken for %s", (_what, thrown) => {
    expect([isShortage(thrown), toShortageError(thrown)]).toEqual([false, undefined]);
  });

  test("are told with the file that could not be opened, however deep the reason lies", () => {
    const system = failed({ code: "EMFILE", path: "/a/b" });
    const thrown = failed({}, failed({}, system));
    expect(toShortageError(thrown)).toMatchObject({
      code: "HOST_TOO_MANY_FILES",
      message: "too many files are open to go on with /a/b",
      retryable: true,
      cause: thrown,
    });
    expect(toShortageError(failed({ code: "ENFILE" }))?.message).toBe(
      "too many files are open to go on",
    );
    const told = tooManyFiles({ action: "start" }, { cause: system });
    expect(toShortageError(told)).toBe(told);
    const other = lost({}, { cause: system });
    expect(toShortageError(other)).toMatchObject({ code: "HOST_TOO_MANY_FILES", cause: other });
  });
});

describe("outlasting them", () => {
  /** Tries with an attempt that fails so often; when each try was and what came of it. */
  async function outlast(failures: number, error: () => Error) {
    const time = createVirtualTime(0);
    const triedAt: number[] = [];
    let outcome: unknown;
    const attempt = () => {
      triedAt.push(time.monotonic());
      if (triedAt.length <= failures) throw error();
      return "done";
    };
    const waiting = outlastShortage(attempt, time).then(
      (result) => {
        outcome = result;
      },
      (reason: unknown) => {
        outcome = reason;
      },
    );
    while (outcome === undefined) {
      for (let turn = 0; turn < 10; turn += 1) await Promise.resolve();
      time.fireNext();
    }
    await waiting;
    return { triedAt, outcome, timerCount: time.timerCount };
  }
  const shortage = () => failed({ code: "EMFILE" });

  test("waits twice as long each time, a second at most", async () => {
    expect(await outlast(7, shortage)).toEqual({
      triedAt: [0, 50, 150, 350, 750, 1550, 2550, 3550],
      outcome: "done",
      timerCount: 0,
    });
  });

  test("ends after a minute with the last error", async () => {
    const { triedAt, outcome } = await outlast(1000, shortage);
    expect(outcome).toMatchObject({ code: "EMFILE" });
    expect(triedAt.at(-1)).toBe(60_550);
  });

  test("is not tried for any other error, nor once it works", async () => {
    expect(await outlast(1, () => failed({ code: "ENOENT" }))).toMatchObject({
      triedAt: [0],
      outcome: { code: "ENOENT" },
    });
    expect(await outlast(0, shortage)).toMatchObject({ triedAt: [0], outcome: "done" });
  });
});
