import fc from "fast-check";
import { expect, test } from "vitest";
import { createUpdateReader } from "../../../../src/agents/backends/parts/acp/update-reader.ts";
import { readSignals } from "../../../../src/signals/read-signals.ts";

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

test.each([
  ["a warning without a newline", ["Model metadata not found.", "DONE: it works"], "done"],
  ["one without a full stop", ["using fallback metadata", "DONE: it works"], "done"],
  ["a keyword that comes in pieces", ["Not found.", "DONE", ": it works"], "done"],
  ["a marker of the step", ["Not found.", "READY: it works"], "READY"],
])("a signal after a border of pieces counts: %s [SIG-3]", (_what, pieces, kind) => {
  const reader = createUpdateReader({});
  for (const text of pieces) reader.take({ update: chunk(text) });
  expect(readSignals(reader.text, { markers: ["READY"] }).signals).toMatchObject([
    { kind, value: "it works" },
  ]);
});

test("a message of its own stands on its own lines, and what is one sentence stays one [SIG-3]", () => {
  const messages = createUpdateReader({});
  messages.take({ update: { ...chunk("a warning"), messageId: "1" } });
  messages.take({ update: { ...chunk("DONE: it"), messageId: "2" } });
  messages.take({ update: { ...chunk(" works"), messageId: "2" } });
  expect(messages.text).toBe("a warning\n\nDONE: it works");
  for (const pieces of [
    ["I write ", "DONE: x"],
    ["`", "DONE:`"],
    ["UN", "DONE: x"],
    ["is", "DONE"],
  ]) {
    const reader = createUpdateReader({});
    for (const text of pieces) reader.take({ update: chunk(text) });
    expect(reader.text).toBe(pieces.join(""));
  }
});

function chunk(text: string) {
  return { sessionUpdate: "agent_message_chunk", content: { type: "text", text } };
}

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
