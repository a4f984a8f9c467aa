import { expect, test } from "vitest";
import { reportError } from "../../src/cli/report-error.ts";
import { readSettings } from "../../src/cli/settings.ts";
import { toErrorReport } from "../../src/foundation/errors.ts";
import { createFakeIo } from "./fake-io.ts";

test("an internal error shows the beginning of its message, without half a word at its end", () => {
  const words = Array.from({ length: 6000 }, (_, index) => `word${index}`).join(" ");
  const { code, message } = toErrorReport(new Error(words));
  expect(code).toBe("INTERNAL");
  const [, kept = "", left] = /^(.*)… \((\d+) more characters\)$/.exec(message) ?? [];
  expect(words.startsWith(kept)).toBe(true);
  expect(kept.endsWith(" ")).toBe(true);
  expect(kept.length + Number(left)).toBe(words.length);
  expect(message.length).toBeLessThan(1100);
  expect(toErrorReport(new Error("x".repeat(25_000))).message).toBe("… (25000 more characters)");
});

test.each(["text", "document"] as const)(
  "what an internal error says of a secret of the environment is masked, in its trace as well: %s",
  (errorForm) => {
    const io = createFakeIo({ env: { MY_TOKEN: "tok-1234567890" } });
    const settings = readSettings({ verbose: true }, io, errorForm);
    const error = new SyntaxError('Unexpected token in "key: tok-1234567890"');
    expect(reportError(error, io, settings)).toBe(70);
    const told = io.out() + io.err();
    expect(told).toContain("INTERNAL");
    expect(told).toContain("key: ***");
    expect(told).not.toContain("tok-1234567890");
  },
);
