import { readdirSync, readFileSync } from "node:fs";
import fc from "fast-check";
import { expect, test } from "vitest";
import { z } from "zod";
import {
  failureHeadline,
  failureReport,
  REPORT_FOR_AGENTS,
  REPORT_FOR_PEOPLE,
} from "../../../src/foundation/failure-report/failure-report.ts";
import {
  keepPrinted,
  type PrintedOutput,
} from "../../../src/foundation/failure-report/printed-output.ts";

// Each file is what one tool printed when it failed. Its first line says which tool, whether it was run or its output was
// written after its documentation, how it ended, and what the headline must have.
const OUTPUTS = new URL("./outputs/", import.meta.url);
const header = z.object({
  tool: z.string(),
  exitCode: z.number().nullable(),
  signal: z.string().nullable(),
  wants: z.string(),
});

const names = readdirSync(OUTPUTS).map((file) => file.replace(/\.txt$/, ""));

function printedBy(name: string): PrintedOutput & { readonly wants: string } {
  const [head = "", ...rest] = readFileSync(new URL(`${name}.txt`, OUTPUTS), "utf8").split("\n");
  const [, stdout = "", stderr = ""] =
    /^=== stdout\n([\s\S]*?)=== stderr\n([\s\S]*)$/.exec(rest.join("\n")) ?? [];
  return { ...header.parse(JSON.parse(head)), stdout, stderr };
}

test.each(names)(
  "the headline of %s names the assertion or the first error [FAIL-2.headline]",
  (name) => {
    const { wants, ...printed } = printedBy(name);
    const headline = failureHeadline(printed);
    expect(headline).toContain(wants);
    expect(headline.length).toBeLessThanOrEqual(200);
    expect(headline).toMatch(printed.exitCode === null ? /^signal SIG/ : /^exit \d+/);
  },
);

test.each(names)("the reports of %s have it, for people and for agents [FAIL-4.report]", (name) => {
  const { wants, ...printed } = printedBy(name);
  for (const size of [REPORT_FOR_PEOPLE, REPORT_FOR_AGENTS]) {
    const { lines } = failureReport(printed, size);
    expect(lines.length).toBeLessThan(size.maxLines);
    expect(lines.join("\n").length).toBeLessThanOrEqual(size.maxChars);
    expect(lines[0]).toContain(wants);
    const [cause = ""] = /[^ :]+$/.exec(wants.trim()) ?? [];
    expect(lines.slice(1).join("\n")).toContain(cause);
  }
});

const FALLBACKS: readonly (readonly [string, Partial<PrintedOutput>, string])[] = [
  ["nothing printed", {}, "exit 1"],
  ["a signal that was passed on", { exitCode: 137 }, "exit 137 (SIGKILL)"],
  ["a signal", { exitCode: null, signal: "SIGTERM", stdout: "begin\n" }, "signal SIGTERM: begin"],
  ["no process", { exitCode: null, stdout: "there is no a.txt" }, "there is no a.txt"],
  ["words that name no failure", { stdout: "one\ntwo\n=====\n" }, "exit 1: two"],
  [
    "words on stderr before those on stdout",
    { stdout: "done\n", stderr: "gave up\n" },
    "exit 1: gave up",
  ],
  ["only warnings", { stderr: "warning: old\n" }, "exit 1: warning: old"],
  ["numbers alone", { stdout: "1\n2\n" }, "exit 1: 2"],
];

test.each(FALLBACKS)(
  "the headline of %s is what is known [FAIL-2.fallback]",
  (_what, given, headline) => {
    const printed = { exitCode: 1, signal: null, stdout: "", stderr: "", ...given };
    expect(failureHeadline(printed)).toBe(headline);
  },
);

test.each([
  "# duration_ms 12",
  "ℹ tests 27",
  "    at f (/project/a.js:3:7)",
  "    at process.processTicksAndRejections (node:internal/process/task_queues:95:5)",
  "==================== FAILURES ====================",
  "a.c:1:19: warning: unused variable",
  "note: run with `RUST_BACKTRACE=1`",
  "npm error code ELIFECYCLE",
  "npm error path /project",
  "npm error A complete log of this run can be found in: /home/user/.npm",
  "error: could not compile `cart` (bin) due to 1 previous error",
  "make[1]: Entering directory '/project'",
  "0 errors, 0 failures",
  "Node.js v24.1.0",
  "}",
])("%j is never the headline [FAIL-3.noise]", (line) => {
  const printed = { exitCode: 1, signal: null, stderr: "" };
  expect(failureHeadline({ ...printed, stdout: `the cause\n${line}\n` })).toBe("exit 1: the cause");
});

test("a log line is below everything that says what failed, the gravest first [FAIL-2.headline]", () => {
  const printed = { exitCode: 1, signal: null, stderr: "" };
  const logged = "2026-01-01T10:00:00Z ERROR retrying\n2026-01-01T10:00:01Z FATAL gave up\n";
  expect(failureHeadline({ ...printed, stdout: logged })).toContain("FATAL gave up");
  expect(failureHeadline({ ...printed, stdout: `${logged}a.py:3: error: no x\n` })).toBe(
    "exit 1: a.py:3: error: no x",
  );
});

test("a stream keeps its beginning and its end, without colors and states that were printed over [FAIL-1.kept]", () => {
  expect(keepPrinted("\u001b[31mred\u001b[0m\r\n10%\r50%\r100%\ndone\n")).toBe("red\n100%\ndone\n");
  const line = `${"x".repeat(99)}\n`;
  const kept = keepPrinted(`first\n${line.repeat(2000)}last\n`);
  expect(kept.length).toBeLessThanOrEqual(65_600);
  expect(kept).toMatch(/^first\n/);
  expect(kept).toContain("\n… output left out …\n");
  expect(kept).toMatch(/\nlast\n$/);
  expect(kept.indexOf("…")).toBeGreaterThan(16_000);
  expect(kept.indexOf("…")).toBeLessThan(16_500);
  // What is kept of what was kept is the same.
  expect(keepPrinted(kept.slice(0, 65_536))).toBe(kept.slice(0, 65_536));
});

test("a report tells how much it left out, and shows all of a short output [FAIL-4.report]", () => {
  const lines = Array.from({ length: 300 }, (_, index) => `step ${index} of many went by`);
  const stdout = lines.toSpliced(150, 1, "AssertionError: 6 is not 7").join("\n");
  const report = failureReport(
    { exitCode: 1, signal: null, stdout, stderr: "" },
    REPORT_FOR_PEOPLE,
  );
  expect(report).toEqual({
    headline: "exit 1: AssertionError: 6 is not 7",
    isWhole: false,
    lines: [
      "exit 1: AssertionError: 6 is not 7",
      ...lines.slice(0, 2),
      "… 145 lines …",
      ...lines.slice(147, 150),
      "AssertionError: 6 is not 7",
      ...lines.slice(151, 157),
      "… 139 lines …",
      ...lines.slice(296),
    ],
  });
  const short = { exitCode: 1, signal: null, stdout: "a\nb\n", stderr: "c\n" };
  expect(failureReport(short, REPORT_FOR_PEOPLE)).toEqual({
    headline: "exit 1: c",
    isWhole: true,
    lines: ["exit 1: c", "a", "b", "c"],
  });
});

const PIECES = [
  ...[
    "Error: ",
    "E   assert ",
    "FAIL a > b",
    "not ok 1 - x",
    "error: |-",
    "  1) x:",
    "--> a.py:1:1",
  ],
  ...[
    "\u001b[31m",
    "\u001b]0;title",
    "\u009d",
    "\u202e",
    "\0",
    "\r",
    "\n",
    " ",
    "/a.js",
    "a.js:1:2: ",
    "━━━",
  ],
  ...[
    "Traceback (most recent call last):",
    "at f (",
    "(((((",
    ": : : :",
    "1 failed",
    "\ud800",
    "😀",
  ],
];

test("headline and report of any output are bounded and printable [FAIL-4.hostile]", () => {
  const text = fc.oneof(
    fc.string({ unit: "binary", maxLength: 300 }),
    fc.array(fc.constantFrom(...PIECES), { maxLength: 200 }).map((pieces) => pieces.join("")),
  );
  const printed = fc.record({
    exitCode: fc.option(fc.integer({ min: 0, max: 255 })),
    signal: fc.constantFrom(null, "SIGKILL"),
    stdout: text,
    stderr: text,
  });
  fc.assert(
    fc.property(printed, fc.constantFrom(REPORT_FOR_AGENTS, REPORT_FOR_PEOPLE), (given, size) => {
      const { headline, lines } = failureReport(given, size);
      expect(headline.length).toBeLessThanOrEqual(200);
      expect(lines.length).toBeLessThanOrEqual(size.maxLines);
      expect(lines.join("\n").length).toBeLessThanOrEqual(size.maxChars);
      for (const line of lines) expect(line).not.toMatch(/[\p{Cc}\p{Cs}\u202e]/u);
    }),
    { numRuns: 300 },
  );
});

// A line that costs the square of its length would take minutes here.
test.each([
  ["spaces", " ".repeat(60_000)],
  ["brackets", "(".repeat(60_000)],
  ["colons", "a:".repeat(30_000)],
  ["words", "at a ".repeat(12_000)],
  ["dots", "a.".repeat(30_000)],
  ["escapes", "\u001b[".repeat(30_000)],
  ["titles", "\u001b]".repeat(30_000)],
  ["carriage returns", "a\r".repeat(30_000)],
  ["short lines", "Error: x\n".repeat(7000)],
  ["names", "FAIL a > b\n".repeat(6000)],
  ["rules", "━".repeat(60_000)],
  ["dashes", `${"-".repeat(30_000)} x ${"-".repeat(30_000)}`],
])("an output of nothing but %s is read in linear time [FAIL-4.hostile]", (_what, text) => {
  const report = failureReport(
    { exitCode: 1, signal: null, stdout: text, stderr: text },
    REPORT_FOR_AGENTS,
  );
  expect(report.headline.length).toBeLessThanOrEqual(200);
});
