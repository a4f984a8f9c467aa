import type { ExportReceipt } from "../../app/history/export-run.ts";
import { count } from "../../foundation/count.ts";
import { toPrintable } from "../../foundation/printable.ts";

/** What is missing in the export of a damaged run, in one line. */
export function missingLine(
  events: number,
  { problem, sealedSeq, lostTexts }: NonNullable<ExportReceipt["salvage"]>,
): string {
  const lost = sealedSeq === null ? 0 : Math.max(0, sealedSeq - events);
  const parts = [
    ...(lost === 0 ? [] : [`${count(lost, "event")} after event ${events}`]),
    ...(lostTexts === 0 ? [] : [count(lostTexts, "text")]),
  ];
  const what = parts.length === 0 ? `whatever came after event ${events}` : parts.join(" and ");
  return `missing: ${what} (${toPrintable(problem)})`;
}
