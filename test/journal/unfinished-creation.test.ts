import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createTemporaryStore } from "./temporary-store.ts";

test("a run whose creation was cut off is not there, and harms no listing [P6.creation]", async () => {
  const { store, runsDirectory, cleanup } = createTemporaryStore();
  store.create("run-a").close();
  store.create("run-b").close();
  // What SQLite leaves when a process dies before its first transaction is whole.
  writeFileSync(join(runsDirectory, "run-b", "journal.db-journal"), "half a page");
  expect(store.list()).toEqual(["run-a"]);
  expect(() => store.open("run-b", "read")).toThrow(
    expect.objectContaining({ code: "RUN_NOT_FOUND" }),
  );
  await cleanup();
});
