import { expect, test } from "vitest";
import { actionOf, type KeyFocus } from "../../src/dashboard/client/model/keys.ts";
import { eventsPerSecond } from "../../src/dashboard/client/model/playback.ts";
import { formatRoute, parseRoute } from "../../src/dashboard/client/model/route.ts";
import { createTimeScale } from "../../src/dashboard/client/model/time-scale.ts";

function press(
  key: string,
  focus: KeyFocus = "page",
  held: { shiftKey?: true; ctrlKey?: true } = {},
) {
  const none = { shiftKey: false, altKey: false, ctrlKey: false, metaKey: false };
  return actionOf({ key, ...none, ...held }, focus);
}

test("an address says what is shown and is read back the same", () => {
  const hash = "#tab=steps&at=1043&step=design%2Fvote%20%26%20more";
  const route = parseRoute(hash);
  expect(route).toMatchObject({ tab: "steps", at: 1043, step: "design/vote & more" });
  expect(formatRoute(route)).toBe(hash);
  expect(formatRoute(parseRoute(""))).toBe("#tab=summary");
});

test("an address that makes no sense shows the summary at the end", () => {
  expect(parseRoute("#tab=__proto__&at=-1&revision=1e9&event=x&look=odd&order=1")).toEqual({
    tab: "summary",
    at: undefined,
    step: undefined,
    message: undefined,
    document: undefined,
    revision: undefined,
    event: undefined,
    find: undefined,
    look: undefined,
    order: undefined,
  });
});

test("arrows go by events, with shift by markers, and space plays", () => {
  expect(press("ArrowRight")).toEqual({ kind: "step", direction: 1 });
  expect(press("ArrowLeft", "control")).toEqual({ kind: "step", direction: -1 });
  expect(press("ArrowLeft", "page", { shiftKey: true })).toEqual({ kind: "marker", direction: -1 });
  expect(press(" ")).toEqual({ kind: "play" });
  expect(press("Home")).toEqual({ kind: "start" });
  expect(press("End")).toEqual({ kind: "end" });
  expect(press("3")).toEqual({ kind: "page", page: "steps" });
  expect(press("9")).toBeUndefined();
});

test("keys belong to what is typed into, to what they press, and to the browser first", () => {
  expect(press("ArrowLeft", "typing")).toBeUndefined();
  expect(press("1", "typing")).toBeUndefined();
  expect(press(" ", "control")).toBeUndefined();
  expect(press("ArrowLeft", "page", { ctrlKey: true })).toBeUndefined();
});

test("a run of any length is played in about twenty seconds, and none crawls", () => {
  expect(eventsPerSecond(10_000, 1)).toBe(500);
  expect(eventsPerSecond(10_000, 2)).toBe(1000);
  expect(eventsPerSecond(10, 1)).toBe(4);
});

test("long pauses in which nobody works are cut short, and work never is", () => {
  const at = (atMs: number, isBusyBefore = true) => ({ atMs, isBusyBefore });
  const hour = 3_600_000;
  const paused = createTimeScale([at(0), at(10_000), at(hour, false), at(hour + 10_000)]);
  expect(paused.gaps.map(({ durationMs }) => durationMs)).toEqual([hour - 10_000]);
  expect(paused.place(10_000)).toBeGreaterThan(0.45);
  expect(paused.place(hour)).toBeLessThan(0.55);
  const worked = createTimeScale([at(0), at(10_000), at(hour, true), at(hour + 10_000)]);
  expect(worked.gaps).toEqual([]);
  expect(worked.place(hour / 2)).toBeCloseTo(0.5, 1);
});

test("a clock that jumped back moves nothing back", () => {
  const scale = createTimeScale(
    [0, 5000, 2000, 9000].map((atMs) => ({ atMs, isBusyBefore: true })),
  );
  expect([0, 5000, 9000].map(scale.place)).toEqual([0, 5 / 9, 1]);
});
