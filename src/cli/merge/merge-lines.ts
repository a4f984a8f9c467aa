import type { MergeNews, MergeReport } from "../../app/run/merge/merge-work.ts";
import { count } from "../../foundation/count.ts";
import { toPrintable, toPrintableLines } from "../../foundation/printable.ts";
import { TROUPE } from "../command/called-as.ts";

/** One line about what a merge does. */
export function newsLine(news: MergeNews): string {
  switch (news.kind) {
    case "merged":
      return `merged ${toPrintable(news.branch.branch)}`;
    case "undone":
      return `took ${toPrintable(news.branch.branch)} back`;
    case "verifying":
      return `verifying: ${toPrintable(news.command)}`;
    case "solving":
      return `${news.conflict.solver} resolves ${count(news.conflict.files.length, "file")} of ${toPrintable(news.conflict.branch)}`;
  }
}

/** Where a merge stands and what to do next. */
export function mergeLines(report: MergeReport): readonly string[] {
  const { run, end, left, merged, start } = report;
  const into = report.into === "" ? "the current commit" : toPrintable(report.into);
  const [next] = left;
  const branch = toPrintable(next?.branch ?? "");
  switch (end.status) {
    case "merged":
      return [
        `${count(merged.length, "branch", "branches")} of ${run} merged into ${into}`,
        ...end.kept.map((each) => `kept: ${toPrintable(each.branch)} in ${toPrintable(each.path)}`),
      ];
    case "conflict":
      return [
        `${branch} conflicts in ${count(end.files.length, "file")}:`,
        ...end.files.map((path) => `  ${toPrintable(path)}`),
        `resolve them in ${toPrintable(report.root)}, git add them, then: ${TROUPE} merge ${run} --continue`,
        `or give up: ${TROUPE} merge ${run} --abort`,
      ];
    case "verification-failed":
      return [
        `${branch} does not pass: ${toPrintable(end.command)}`,
        ...toPrintableLines(end.output.trimEnd()).map((line) => `  ${line}`),
        `it was taken back. Change the branch, then: ${TROUPE} merge ${run} --continue`,
        `or give up: ${TROUPE} merge ${run} --abort`,
      ];
    case "aborted":
      return merged.length === 0
        ? [`the merge of ${run} is given up; nothing was merged`]
        : [
            `the merge of ${run} is given up; ${count(merged.length, "branch", "branches")} stayed in ${into}`,
            `to take them back too: git reset --keep ${start.slice(0, 12)}`,
          ];
  }
}

/** The document of `merge --json`. */
export function toMergeDocument({ end, merged, left, ...about }: MergeReport): object {
  const brief = ({ agent, branch, commit }: MergeReport["merged"][number]) => ({
    ...{ agent, branch, commit },
  });
  const { status, ...more } = end;
  const kept = end.status === "merged" ? { kept: end.kept.map(brief) } : {};
  return {
    v: 1,
    ...about,
    status,
    merged: merged.map(brief),
    left: left.map(brief),
    ...more,
    ...kept,
  };
}
