import { describe, expect, test } from "vitest";
import {
  createMarkSource,
  descendsFrom,
  isMark,
  isOutermost,
  ownerNumber,
  ownerOfMark,
  showMark,
} from "../../src/host/kernel-mark.ts";

const owner = { pid: 4_194_303, startedAt: "123456", bootId: "boot.1" };
const random = () => 0.5;
const source = (limit?: bigint) => createMarkSource({ owner, limit, random });
const INFINITY = 2n ** 64n - 1n;

describe("a mark", () => {
  test("is a number that every system call and shell takes, told from any other limit", () => {
    const mark = source().take() ?? 0n;
    expect(isMark(mark)).toBe(true);
    expect(mark < 2n ** 63n).toBe(true);
    expect(showMark(mark)).toMatch(/^54[0-9a-f]{14}$/);
    for (const limit of [0n, 1n, 1024n, 2n ** 32n, 2n ** 62n, INFINITY])
      expect(isMark(limit)).toBe(false);
  });

  test("names its owner, and another owner has another number", () => {
    const mark = source().take() ?? 0n;
    expect(ownerOfMark(mark)).toBe(ownerNumber(owner));
    expect(ownerNumber({ ...owner, startedAt: "123457" })).not.toBe(ownerNumber(owner));
    expect(ownerNumber({ ...owner, bootId: "boot.2" })).not.toBe(ownerNumber(owner));
  });

  test("is another one for each of 4096 living programs, and there is no more than that", () => {
    const marks = source();
    const taken = Array.from({ length: 4096 }, () => marks.take());
    expect(new Set(taken).size).toBe(4096);
    expect(taken).not.toContain(undefined);
    expect(marks.take()).toBeUndefined();
    marks.giveBack(taken[7] ?? 0n);
    expect(marks.take()).toBe(taken[7]);
  });

  test("of a Troupe below another lies below that of its program, which finds it", () => {
    const marks = source();
    const [outer = 0n, stranger = 0n] = [marks.take(), marks.take()];
    for (let depth = 0, limit = outer; depth < 8; depth += 1) {
      const inner = source(limit).take() ?? 0n;
      expect(inner < limit).toBe(true);
      expect([isOutermost(inner), descendsFrom(inner, outer)]).toEqual([false, true]);
      expect([descendsFrom(inner, stranger), descendsFrom(inner, limit)]).toEqual([
        false,
        limit === outer,
      ]);
      expect(descendsFrom(inner, inner)).toBe(true);
      limit = inner;
    }
  });

  test("is given by nobody whose limit somebody else has set, or that has no number left below it", () => {
    expect(source(100n).take()).toBeUndefined();
    const outer = source().take() ?? 0n;
    expect(source((outer >> 20n) << 20n).take()).toBeUndefined();
  });
});
