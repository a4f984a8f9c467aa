import { readFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { DATA_PLACEHOLDER, renderReport } from "../../../src/app/history/run-report.ts";
import type { RunReport } from "../../../src/contracts/ports/run-report.ts";
import { readReport } from "../../../src/dashboard/client/model/run-model.ts";
import { longReport } from "../../dashboard/sample-report.ts";

const page = readFileSync(join(import.meta.dirname, "../../../assets/report.html"), "utf8");

function reportOf(text: string): RunReport {
  const event = { type: "log", note: "l", level: "info", text, seq: 1, at: 0 } as const;
  const graph = { nodes: [], edges: [] };
  return {
    v: 1,
    run: "run_a",
    troupe: "0",
    writtenAt: 0,
    isRedacted: false,
    graph,
    events: [event],
  };
}

function dataOf(html: string): string {
  return /<script type="application\/json" id="troupe-run">([^<]*)<\/script>/.exec(html)?.[1] ?? "";
}

test("no text of a run can end the element it stands in, and all of it comes back as it was [T12]", () => {
  const hostile =
    "</script><script>alert(1)</script><!-- <SCRIPT ]]> & \u2028\u2029 $& $1 `\\u003c`";
  const html = renderReport(page, reportOf(hostile));
  const data = dataOf(html);
  expect(data).not.toMatch(/[<>&\u2028\u2029]/);
  expect(JSON.parse(data)).toEqual(reportOf(hostile));
  expect(html.split("<script")).toHaveLength(page.split("<script").length);
});

test("a short report can be read as it stands, and a long one is packed; the page reads both [T12]", async () => {
  const hostile = reportOf("</script><script>alert(1)</script> & \u2028 $&");
  expect(JSON.parse(dataOf(renderReport(page, hostile)))).toEqual(hostile);
  expect(await readReport(dataOf(renderReport(page, hostile)))).toEqual(hostile);
  const long = { ...longReport(10_000), run: "run_<&$&>" };
  const html = renderReport(page, long);
  const data = dataOf(html);
  expect(JSON.parse(data)).toEqual({ v: 1, packed: expect.stringMatching(/^[\w+/=]+$/) });
  expect(await readReport(data)).toEqual(long);
  expect(html.split("<script")).toHaveLength(page.split("<script").length);
});

test("what is left of a report that was cut off or altered is no report", async () => {
  const data = dataOf(renderReport(page, longReport(10_000)));
  const altered = data.replace(/(?<=^.{4000})./, (character) => (character === "A" ? "B" : "A"));
  expect(altered).not.toBe(data);
  const packed = (value: string) => JSON.stringify({ v: 1, packed: value });
  for (const each of [
    altered,
    data.slice(0, -100),
    packed(data.slice(20, 4020)),
    packed("no base64!"),
    packed(""),
    '{"v":2}',
    "null",
  ])
    expect(await readReport(each), each.slice(0, 40)).toBeUndefined();
});

test("the page takes its data in one place and loads nothing from anywhere [T12]", () => {
  expect(page.split(DATA_PLACEHOLDER)).toHaveLength(2);
  const [, policy] = /http-equiv="Content-Security-Policy" content="([^"]*)"/.exec(page) ?? [];
  expect(policy?.split("; ").slice(0, 3)).toEqual([
    "default-src 'none'",
    expect.stringMatching(/^script-src 'unsafe-inline' 'sha256-[\w+/=]{44}'$/),
    "style-src 'unsafe-inline'",
  ]);
  const loading = /(?:src|href)=["'](?!#)|@import|url\((?!#)/.exec(page);
  expect(loading?.[0]).toBeUndefined();
});

test("the page stays small enough to be in every report", () => {
  const partOf = (pattern: RegExp) => gzipSync(pattern.exec(page)?.[1] ?? "").length;
  expect(partOf(/<script>([\s\S]*)<\/script>/)).toBeLessThan(60 * 1024);
  expect(partOf(/<script>([\s\S]*)<\/script>/)).toBeGreaterThan(10 * 1024);
  expect(partOf(/<style>([\s\S]*?)<\/style>/)).toBeLessThan(10 * 1024);
});
