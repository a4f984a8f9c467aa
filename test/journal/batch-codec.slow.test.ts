import { deflateRawSync } from "node:zlib";
import { expect, test } from "vitest";
import type { NewEvent } from "../../src/contracts/ports/store.ts";
import { fromBatch, toBatches } from "../../src/journal/batch-codec.ts";

test("an event that is larger than what is deflated comes back, and a row that inflates to more is none [T16]", () => {
  const value = Array.from({ length: 400_000 }, (_, index) => `é${index}`);
  const outcome = { status: "ok", value } as const;
  const large: NewEvent = { type: "operation-settled", op: "many", outcome, seq: 1, at: 1 };
  const rows = [...toBatches([large], () => {})];
  expect(rows.flatMap(({ body }) => fromBatch(body, () => "missing") ?? [])).toEqual([large]);
  const bomb = deflateRawSync(`[${" ".repeat(50_000_000)}{"seq":1,"at":1,"type":"log"}]`);
  expect(bomb.length).toBeLessThan(100_000);
  expect(fromBatch(bomb, () => "")).toBeUndefined();
});
