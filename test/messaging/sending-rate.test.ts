import { expect, test } from "vitest";
import { assertRate, MAX_MESSAGES_PER_MINUTE } from "../../src/messaging/sending-rate.ts";

const AT = Date.UTC(2026, 0, 1);
const times = (count: number, fromMs = AT) =>
  Array.from({ length: count }, (_, index) => fromMs + index * 100);

test("as many as may be are taken within a minute, and one more when the first of them is that old [MSG-9, T14]", () => {
  const most = times(MAX_MESSAGES_PER_MINUTE);
  expect(() => assertRate("a", times(MAX_MESSAGES_PER_MINUTE - 1), AT + 20_000)).not.toThrow();
  expect(() => assertRate("a", [], AT)).not.toThrow();
  expect(() => assertRate("a", most, AT + 59_999)).toThrow(
    expect.objectContaining({
      code: "MESSAGE_RATE_EXCEEDED",
      retryable: true,
      details: {
        from: "a",
        maxPerMinute: MAX_MESSAGES_PER_MINUTE,
        againAt: "2026-01-01T00:01:00.000Z",
        afterMs: 1,
      },
    }),
  );
  expect(() => assertRate("a", most, AT + 60_000)).not.toThrow();
  // Only the last ones count, however many there were before.
  expect(() =>
    assertRate("a", [...times(500, AT - 3_600_000), ...most], AT + 60_000),
  ).not.toThrow();
});

test("a clock that was set back silences nobody for longer than a minute [MSG-9]", () => {
  const most = times(MAX_MESSAGES_PER_MINUTE);
  expect(() => assertRate("a", most, AT)).toThrow(/within a minute/);
  expect(() => assertRate("a", most, AT - 1)).not.toThrow();
});
