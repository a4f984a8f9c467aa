import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { renderReport } from "../../../src/app/history/run-report.ts";
import { longReport } from "../../dashboard/sample-report.ts";

const page = readFileSync(join(import.meta.dirname, "../../../assets/report.html"), "utf8");

test("the report of 120,000 events takes less than 5 MB", () => {
  expect(renderReport(page, longReport(120_000)).length).toBeLessThan(5_000_000);
});
