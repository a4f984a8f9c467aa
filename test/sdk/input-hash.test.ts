import { expect, test } from "vitest";
import { pipeline } from "../../src/index.ts";

/** The hash of what the second of two functions is given. */
async function hashOfSecond(firstSays: string): Promise<unknown> {
  const stages = ["first", "second"].map((name) => ({
    name,
    task: "",
    run: () => (name === "first" ? firstSays : name),
  }));
  const run = pipeline(stages, { store: "memory" });
  await run.result;
  for await (const event of run.events)
    if (event.type === "step-started" && event.step === "second") return event.inputHash;
  throw new Error("the second stage did not start");
}

test("what a program's step is given names what came before it", async () => {
  const hash = await hashOfSecond("one");
  expect(await hashOfSecond("one")).toBe(hash);
  expect(await hashOfSecond("two")).not.toBe(hash);
});
