import { expect, test } from "vitest";
import { localClock, localTime } from "../../../src/cli/terminal/local-time.ts";

// The zone of the machine counts, whatever it is.
const at = (year: number, month: number, day: number, ...clock: [number, number, number]) =>
  new Date(year, month - 1, day, ...clock).getTime();

test("people read times in the zone of this machine, all parts with two digits", () => {
  expect(localTime(at(2026, 1, 2, 3, 4, 5))).toBe("2026-01-02 03:04");
  expect(localTime(at(2026, 12, 31, 23, 59, 59))).toBe("2026-12-31 23:59");
  expect(localClock(at(2026, 1, 2, 3, 4, 5))).toBe("03:04:05");
  expect(localClock(at(2026, 12, 31, 23, 59, 59))).toBe("23:59:59");
});
