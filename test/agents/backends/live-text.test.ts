import { expect, test } from "vitest";
import { createLiveText } from "../../../src/agents/backends/command/live-text.ts";

test("what is printed faster than anybody reads is shown in part, says how much is missing, and goes on with a whole line [AGT-6]", () => {
  let nowMs = 0;
  const shown: string[] = [];
  const live = createLiveText({ monotonic: () => nowMs }, (text) => shown.push(text));
  live.push(Buffer.from("first\n"));
  const line = Buffer.from(`${"x".repeat(1023)}\n`);
  for (let count = 0; count < 3000; count += 1) live.push(line);
  expect(shown.join("").length).toBe(1024 * 1024);
  nowMs = 1000;
  live.push(Buffer.from("rest of a line\n€"));
  const [first = "", last] = [shown.join(""), shown.at(-1)];
  expect(first).toContain("first\nxxx");
  const missing = 6 + 3000 * 1024 - 1024 * 1024 + "rest of a line\n".length;
  expect(first).toContain(`\n[troupe: ${missing} bytes are not shown here]\n`);
  expect(last).toBe("€");
});

test("what comes at the pace of people is shown as it comes, whole characters at a time", () => {
  const shown: string[] = [];
  const live = createLiveText({ monotonic: () => 0 }, (text) => shown.push(text));
  for (const byte of Buffer.from("a€b")) live.push(Buffer.from([byte]));
  expect(shown).toEqual(["a", "€", "b"]);
});
