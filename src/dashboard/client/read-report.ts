import type { RunReport } from "../../contracts/ports/run-report.ts";
import { isRecord } from "../../foundation/json.ts";

/** Id of the element that holds the report as JSON. */
const DATA_ELEMENT = "troupe-run";

/** The report that stands in a page; undefined when there is none that this page understands. */
export function readReport(page: Document): RunReport | undefined {
  const value: unknown = JSON.parse(page.getElementById(DATA_ELEMENT)?.textContent ?? "null");
  return isReport(value) ? value : undefined;
}

// The page and its data are written together, so that a look at the outside tells whether they fit.
function isReport(value: unknown): value is RunReport {
  return (
    isRecord(value) &&
    value["v"] === 1 &&
    typeof value["run"] === "string" &&
    isRecord(value["graph"]) &&
    Array.isArray(value["events"])
  );
}
