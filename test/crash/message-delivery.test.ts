import fc from "fast-check";
import { test } from "vitest";
import type { RunStore } from "../../src/contracts/ports/store.ts";
import { createMemoryStore } from "../../src/journal/memory-store.ts";
import { createTemporaryStore } from "../journal/temporary-store.ts";
import { checkDelivery, type DeliveryCase, deliveryCases } from "../messaging/delivery-model.ts";

interface StoreCase {
  readonly name: string;
  readonly numRuns: number;
  open(): { readonly store: RunStore; cleanup(): Promise<void> };
}

test.each<StoreCase>([
  {
    name: "memory",
    numRuns: 1000,
    open: () => ({ store: createMemoryStore(), cleanup: async () => {} }),
  },
  { name: "SQLite", numRuns: 150, open: createTemporaryStore },
])(
  "over the $name store no death of the owner loses, doubles or reorders a message [MSG-3, MSG-9, P1]",
  async ({ numRuns, open }) => {
    const check = async (plan: DeliveryCase) => {
      const { store, cleanup } = open();
      try {
        await checkDelivery(plan, store);
      } finally {
        await cleanup();
      }
    };
    await fc.assert(fc.asyncProperty(deliveryCases, check), { numRuns });
  },
);
