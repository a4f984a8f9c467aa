import fc from "fast-check";
import { expect, test } from "vitest";
import { createUpdateReader } from "../../../../src/agents/backends/parts/acp/update-reader.ts";

const kinds = ["agent_message_chunk", "tool_call", "tool_call_update", "usage_update", "plan"];
const update = fc.record({
  sessionUpdate: fc.constantFrom(...kinds),
  toolCallId: fc.oneof(fc.constantFrom("a", "b"), fc.jsonValue()),
  status: fc.oneof(
    fc.constantFrom("pending", "in_progress", "completed", "failed"),
    fc.jsonValue(),
  ),
  kind: fc.oneof(fc.constantFrom("execute", "edit", "read", "other"), fc.jsonValue()),
  title: fc.jsonValue(),
  rawInput: fc.jsonValue(),
  rawOutput: fc.jsonValue(),
  content: fc.jsonValue(),
  locations: fc.jsonValue(),
  cost: fc.jsonValue(),
});

test("whatever an agent tells, each call is told once and ends at most once [P15, AGT-2]", () => {
  fc.assert(
    fc.property(fc.array(fc.oneof(update, fc.jsonValue())), (told) => {
      const reader = createUpdateReader({});
      const updates = told.flatMap((item) => reader.take({ update: item }));
      for (const type of ["tool-call", "tool-result"] as const) {
        const ids = updates.flatMap((item) => (item.type === type ? [item.call] : []));
        expect(new Set(ids).size).toBe(ids.length);
      }
      expect(JSON.parse(JSON.stringify(updates))).toEqual(updates);
    }),
    { numRuns: 300 },
  );
});
