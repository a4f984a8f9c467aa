import { expect, test } from "vitest";
import { formatSize, parseSize } from "../../src/foundation/size.ts";

test.each([
  ["1B", 1],
  ["64KiB", 65_536],
  ["512MiB", 536_870_912],
  ["16GiB", 17_179_869_184],
  ["2TiB", 2_199_023_255_552],
  ["999999999B", 999_999_999],
])("%s is a size", (text, sizeBytes) => {
  expect(parseSize(text)).toBe(sizeBytes);
});

test.each([
  "",
  "5",
  "0B",
  "01B",
  "-1B",
  "1.5MiB",
  "1MB",
  "1 MiB",
  "1mib",
  "x1B",
  "1Bx",
  "1234567890B",
])("%j is none", (text) => {
  expect(parseSize(text)).toBeUndefined();
});

test.each([
  [0, "0 B"],
  [0.25, "0.3 B"],
  [1, "1 B"],
  [1023, "1023 B"],
  [1024, "1 KiB"],
  [1536, "1.5 KiB"],
  [1_048_576, "1 MiB"],
  [1_610_612_736, "1.5 GiB"],
  [2 ** 40, "1 TiB"],
  [2 ** 51, "2048 TiB"],
])("%d bytes are told as %s", (sizeBytes, text) => {
  expect(formatSize(sizeBytes)).toBe(text);
});
