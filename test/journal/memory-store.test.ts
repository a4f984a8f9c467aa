import { describe, test } from "vitest";
import { createMemoryStore } from "../../src/journal/memory-store.ts";
import { journalConformance } from "../../src/testing/journal-conformance.ts";

describe("the memory store keeps the contract of a journal", () => {
  for (const { name, run } of journalConformance)
    test(name, () =>
      run(async () => ({ store: createMemoryStore(), cleanup: () => Promise.resolve() })),
    );
});
