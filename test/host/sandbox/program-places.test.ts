import { expect, test } from "vitest";
import { createProgramPlaces } from "../../../src/host/sandbox/program-places.ts";

const bounds = () => ({ limit: 64, programs: 2 });
const never = new AbortController().signal;

test("as many programs as there are places go on at once, and the next one gets the first that is given back", async () => {
  const places = createProgramPlaces(bounds);
  const told: number[] = [];
  const take = () => places.take(never, ({ programs }) => told.push(programs));
  const [first, second] = [await take(), await take()];
  expect(told).toEqual([]);
  const order: string[] = [];
  const third = take().then((giveBack) => {
    order.push("third");
    return giveBack;
  });
  const fourth = take().then((giveBack) => {
    order.push("fourth");
    return giveBack;
  });
  expect(told).toEqual([2, 2]);
  first();
  first(); // Given back once.
  (await third)();
  await fourth;
  expect(order).toEqual(["third", "fourth"]);
  second();
});

test("who is aborted waits no more, and who waits for programs that stay goes over in the end", async () => {
  const places = createProgramPlaces(bounds, 5);
  await places.take(never, () => {});
  await places.take(never, () => {});
  const abort = new AbortController();
  const waiting = places.take(abort.signal, () => {});
  abort.abort(new Error("enough"));
  await expect(waiting).rejects.toThrow("enough");
  await expect(places.take(abort.signal, () => {})).rejects.toThrow("enough");
  await expect(places.take(never, () => {})).resolves.toBeTypeOf("function");
});
