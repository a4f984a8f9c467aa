import { expect, test } from "vitest";
import type { MeasuredRow, Result } from "../bench/measure.ts";
import { renderPage } from "../bench/page.ts";

const setting = {
  machine: "2 x a processor",
  day: "2026-11-25",
  versions: new Map([
    ["troupe", "0.1.0 (abc)"],
    ["peer", "1.2.3"],
  ]),
  rounds: 3,
  notMeasured: ["a client: not installed"],
};
const measured = (...samples: readonly [number, number, number]) =>
  ({ status: "measured", median: samples[1], samples }) as const;
const chain: MeasuredRow = {
  row: {
    id: "PERF-16",
    name: "a chain",
    unit: "us",
    goal: { kind: "times-raw", factor: 2.5 },
    contenders: [
      { name: "raw", program: "raw" },
      { name: "troupe", program: "ours" },
      { name: "Peer", program: "theirs", lacks: "a | b" },
      { name: "Other", program: "others" },
    ],
  },
  results: new Map<string, Result>([
    ["raw", measured(90, 100, 110)],
    ["troupe", measured(190, 200, 260)],
    ["Peer", measured(380, 400, 420)],
    ["Other", { status: "failed", reason: "exit 1: no server" }],
  ]),
};

test("the page of the benchmark says where, when and of what the figures are", () => {
  const page = renderPage([chain], setting);
  expect(page).toContain("on 2026-11-25");
  expect(page).toContain("2 x a processor");
  expect(page).toContain("`troupe` 0.1.0 (abc), `peer` 1.2.3");
  expect(page).toContain("medians of up to 3 rounds");
  expect(page).toContain("- a client: not installed");
});

test("a row shows limit and Troupe with their spread, and whether the goal is met", () => {
  expect(renderPage([chain], setting)).toContain(
    "| PERF-16 | a chain | us | 100 (90 to 110) | 200 (190 to 260) | 2 | <= 2.5 x raw | yes |",
  );
});

test("a peer's row says what it does not do, and one without a figure says why", () => {
  const page = renderPage([chain], setting);
  expect(page).toContain("| a chain | us | Peer | 400 (380 to 420) | 2 | a \\| b |");
  expect(page).toContain("| a chain | us | Other | none: exit 1: no server | - |  |");
});

test("a figure that is made of several says which", () => {
  const [id, name] = ["PERF-15", "a longer run"];
  const row = {
    id,
    name,
    unit: "times",
    goal: { kind: "at-most", value: 12 },
    contenders: [],
  } as const;
  const results = new Map<string, Result>([
    ["troupe", { ...measured(2, 3, 4), detail: "1 ms; 3 ms" }],
  ]);
  expect(renderPage([{ row, results }], setting)).toContain("\n- a longer run: 1 ms; 3 ms\n");
});
