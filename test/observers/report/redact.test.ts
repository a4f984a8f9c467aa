import { expect, test } from "vitest";
import type { EventData, JournalEvent } from "../../../src/contracts/events/event.ts";
import { createSecretMasker } from "../../../src/foundation/secret-masker.ts";
import { redactEvents } from "../../../src/observers/report/redact.ts";
import { processorMs } from "../../testing/processor-time.ts";

const places = [
  ["/home/ann/shop", "<project>"],
  ["/home/ann", "~"],
] as const;

function redact(event: EventData, isForSharing: boolean) {
  const events: readonly JournalEvent[] = [{ ...event, seq: 1, at: 0 }];
  const masker = createSecretMasker(["hunter2-hunter2"]);
  return redactEvents(events, { masker, isForSharing, places });
}

function textOf(text: string, isForSharing = true): unknown {
  const [event] = redact({ type: "log", note: "n", level: "info", text }, isForSharing).events;
  return event?.type === "log" ? event.text : undefined;
}

test("known secrets are always masked, in every text and key, and counted [T11]", () => {
  const input = { "hunter2-hunter2": ["x hunter2-hunter2", { deep: "hunter2-hunter2" }] };
  const event: EventData = {
    type: "tool-called",
    agent: "a",
    turn: 1,
    call: "c",
    tool: "t",
    input,
  };
  const { events, maskedTexts } = redact(event, false);
  expect(events).toEqual([
    { ...event, input: { "***": ["x ***", { deep: "***" }] }, seq: 1, at: 0 },
  ]);
  expect(maskedTexts).toBe(3);
});

test("without --redact nothing else changes", () => {
  const text = "/home/ann/shop/a.ts ann@example.com sk-abcdefghijklmnop";
  expect(textOf(text, false)).toBe(text);
});

test.each([
  ["paths of the project", "see /home/ann/shop/src/a.ts", "see <project>/src/a.ts"],
  ["paths of the home directory", '"/home/ann/.ssh"', '"~/.ssh"'],
  ["other people's paths", "/home/ann-marie/x", "/home/ann-marie/x"],
  ["e-mail addresses", "by Ann <ann.b+c@mail.example.com>.", "by Ann <<email>>."],
  ["keys by their shape", "sk-proj-abcdefghijklmnop ghp_ABCDEFGHIJKLMNOPQRST", "*** ***"],
  ["cloud keys", "AKIAABCDEFGHIJKLMNOP!", "***!"],
  ["tokens in headers", "Authorization: Bearer abc.def-ghi_jkl", "Authorization: Bearer ***"],
  ["passwords in addresses", "postgres://app:s3cr3t@db/x", "postgres://app:***@db/x"],
  ["signed tokens", `eyJhbGciOiJIUzI1NiJ9.${"a".repeat(20)}.${"b".repeat(20)} x`, "*** x"],
  [
    "private keys",
    "-----BEGIN RSA PRIVATE KEY-----\nabc\n-----END RSA PRIVATE KEY-----\nx",
    "***\nx",
  ],
  [
    "ordinary words",
    "a task-based sketch@ 12:30 @coder done",
    "a task-based sketch@ 12:30 @coder done",
  ],
])("--redact and %s", (_, text, expected) => {
  expect(textOf(text)).toBe(expected);
});

test("--redact hides what agents got in their environment, whatever its name", () => {
  const spec = { id: "a", backend: "x", env: { CI: "1", REGION: "eu" } };
  const { events } = redact({ type: "agent-spawned", agent: "a", backend: "x", spec }, true);
  expect(events[0]).toMatchObject({ spec: { id: "a", env: { CI: "***", REGION: "***" } } });
});

test.each(["sk-", "a@", "a.a@a.", "://a:", "Bearer ", "eyJ", "-----BEGIN "])(
  "a megabyte of %j, the beginning of a credential, takes less than a second",
  (part) => {
    const text = part.repeat(1_000_000 / part.length);
    expect(processorMs(1000, () => textOf(text))).toBeLessThan(1000);
  },
);
