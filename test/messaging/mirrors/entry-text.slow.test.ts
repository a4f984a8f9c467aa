import fc from "fast-check";
import { expect, test } from "vitest";
import type { Message } from "../../../src/contracts/message.ts";
import { renderEntry } from "../../../src/messaging/mirrors/channel-mirror.ts";
import { processorMs } from "../../testing/processor-time.ts";
import { HOSTILE_TEXTS } from "./hostile-texts.ts";
import { parseChannel } from "./parse-channel.ts";
import { parsed, render, TIME } from "./said-entries.ts";

test("what was posted can be read from the file again, whatever it is [MSG-7, T4]", () => {
  const piece = fc.constantFrom(
    ..."### |10:00:00 [system]|\n|\r|\v|\u2028|\u0085|```|~~~|````|`| |\t|\\|\\u{|u{23}|#|<|<!--|-|=|- |> |x|\u200b|\u200d|\u0301".split(
      "|",
    ),
  );
  const text = fc.oneof(
    fc.array(piece, { maxLength: 30 }).map((pieces) => pieces.join("")),
    fc.string({ unit: "binary", maxLength: 60 }),
    fc.constantFrom(...HOSTILE_TEXTS.map(([, hostile]) => hostile)),
  );
  const from = fc.constantFrom("system", "user", "coder", "a]\n### 10:00:00 [b");
  fc.assert(
    fc.property(fc.array(fc.record({ from, text }), { maxLength: 6 }), (messages) => {
      expect(parseChannel(render(messages))).toEqual(parsed(messages));
    }),
    { numRuns: 1000 },
  );
});

test.each([" ", "#", "`", "```\n", "\\", "=", "- ", "\u0301", "\u200b", "<", "\n", "x"])(
  "a megabyte of %j is rendered in under a second",
  (unit) => {
    const text = unit.repeat((1024 * 1024) / unit.length);
    const message: Pick<Message, "from" | "timestamp" | "text"> = {
      from: "a",
      timestamp: TIME,
      text,
    };
    expect(processorMs(1000, () => renderEntry(message, true))).toBeLessThan(1000);
  },
);
