import { expect, test } from "vitest";
import { createLiveText } from "../../../src/agents/backends/command/command-backend.ts";

test("what is printed faster than anybody reads is shown in part, and says how much is missing, also at its end [AGT-6]", () => {
  let nowMs = 0;
  const shown: string[] = [];
  const live = createLiveText({ monotonic: () => nowMs }, (text) => shown.push(text));
  live.push(Buffer.from("first\n"));
  const line = Buffer.from(`${"x".repeat(1023)}\n`);
  for (let count = 0; count < 3000; count += 1) live.push(line);
  expect(shown.join("").length).toBe(256 * 1024);
  nowMs = 1000;
  live.push(Buffer.from("€"));
  const missing = 6 + 3000 * 1024 - 256 * 1024;
  expect(shown.slice(-2)).toEqual([`\n[troupe: ${missing} bytes are not shown here]\n`, "€"]);
  for (let count = 0; count < 2000; count += 1) live.push(line);
  live.end();
  const last = 3 + 2000 * 1024 - 256 * 1024;
  expect(shown.at(-1)).toBe(`\n[troupe: ${last} bytes are not shown here]\n`);
});

test("what comes at the pace of people is shown as it comes, whole characters at a time", () => {
  const shown: string[] = [];
  const live = createLiveText({ monotonic: () => 0 }, (text) => shown.push(text));
  for (const byte of Buffer.from("a€b")) live.push(Buffer.from([byte]));
  expect(shown).toEqual(["a", "€", "b"]);
  live.push(Buffer.from("€").subarray(0, 2));
  live.end();
  expect(shown.at(-1)).toBe("\uFFFD");
});
