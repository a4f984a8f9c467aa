import { expect, test } from "vitest";
import { keepAddress } from "../../src/dashboard/client/address.ts";
import { parseRoute } from "../../src/dashboard/client/model/route.ts";
import { createRunModel } from "../../src/dashboard/client/model/run-model.ts";
import { sampleReport } from "./sample-report.ts";

/** A page at an address, with a browser whose waits end when the test says so. */
function openAt(hash: string) {
  const history = [hash];
  let waiting: (() => void) | undefined;
  const model = createRunModel(sampleReport(), parseRoute(hash));
  const kept = keepAddress(model, {
    read: () => history.at(-1) ?? "",
    write: (next, how) => {
      if (how === "replace") history.pop();
      history.push(next);
    },
    later: (run) => {
      waiting = run;
      return () => {
        waiting = undefined;
      };
    },
  });
  const change = (next: string) => void history.splice(-1, 1, next);
  return { model, kept, history, change, passTime: () => waiting?.() };
}

test("going through time changes the address once, and leaves no way back for every event", () => {
  const { model, history, passTime } = openAt("#tab=steps&at=10");
  for (const position of [11, 12, 13]) model.moveTo(position);
  expect(history).toEqual(["#tab=steps&at=10"]);
  passTime();
  expect(history).toEqual(["#tab=steps&at=13"]);
});

test("a link leads on at once, and the way back stays", () => {
  const { model, kept, history, passTime } = openAt("#tab=steps");
  kept.follow("#tab=graph&at=5");
  passTime();
  expect(history).toEqual(["#tab=steps", "#tab=graph&at=5"]);
  expect(model.moment.value.position).toBe(5);
});

test("an address that comes in while the page is about to write its own wins", () => {
  const { model, kept, history, change, passTime } = openAt("#tab=steps");
  model.moveTo(7);
  change("#tab=events&at=3");
  passTime();
  kept.onChanged();
  passTime();
  expect(history).toEqual(["#tab=events&at=3"]);
  expect(model.route.value).toMatchObject({ tab: "events", at: 3 });
});

test("beyond the last event is the end, and an address without a moment stays there", () => {
  const { model } = openAt("#tab=steps&at=99999");
  expect(model.moment.value).toMatchObject({ position: 49, isEnd: true });
  model.moveTo(48);
  model.moveTo(1e9);
  expect(model.route.value.at).toBeUndefined();
});
