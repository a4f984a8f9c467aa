import { expect, test } from "vitest";
import { localClock, localTime } from "../../../src/cli/terminal/local-time.ts";

test("people read times in the zone of this machine, all parts with two digits", () => {
  // Without a zone: that of the machine, whatever it is.
  const early = Date.parse("2026-01-02T03:04:05");
  const late = Date.parse("2026-12-31T23:59:59");
  expect([localTime(early), localClock(early)]).toEqual(["2026-01-02 03:04", "03:04:05"]);
  expect([localTime(late), localClock(late)]).toEqual(["2026-12-31 23:59", "23:59:59"]);
});
