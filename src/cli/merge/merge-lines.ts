import type { BranchChanges } from "../../app/run/merge/branch-changes.ts";
import type { MergeNews, MergeReport } from "../../app/run/merge/merge-work.ts";
import { count } from "../../foundation/count.ts";
import { toPrintable, toPrintableLines } from "../../foundation/printable.ts";
import { TROUPE } from "../command/called-as.ts";

/** One line about what a merge does. */
export function newsLine(news: MergeNews): string {
  switch (news.kind) {
    case "bringing":
      return changeLines(news.changes).join("\n");
    case "switched":
      return `switched to ${toPrintable(news.branch)}`;
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

const MOST_LISTED = 10;

/** What a branch brings, and the files that it deletes. */
export function changeLines({ branch, ...changes }: BranchChanges): readonly string[] {
  const { deleted, obeyed } = changes;
  const listed = deleted.slice(0, MOST_LISTED).map((path) => `  deletes ${toPrintable(path)}`);
  const more = deleted.length - listed.length;
  return [
    `${toPrintable(branch)}: ${changeWords(changes)}`,
    ...listed,
    ...(more === 0 ? [] : [`  and ${more} more`]),
    ...obeyed.map(({ path, reason }) => `  brings ${toPrintable(path)}: ${reason}`),
  ];
}

/** How many files a branch adds, changes and deletes. */
function changeWords({
  added,
  changed,
  deleted,
}: Pick<BranchChanges, "added" | "changed" | "deleted">): string {
  const parts = [
    { verb: "adds", files: added },
    { verb: "changes", files: changed },
    { verb: "deletes", files: deleted },
  ].filter(({ files }) => files.length > 0);
  if (parts.length === 0) return "changes no file";
  return parts.map(({ verb, files }) => `${verb} ${count(files.length, "file")}`).join(", ");
}

/** Where a merge stands and what to do next. */
export function mergeLines(report: MergeReport): readonly string[] {
  return [...endLines(report), ...editedLines(report), ...placeLines(report)];
}

function editedLines({ edited }: MergeReport): readonly string[] {
  if (edited.length === 0) return [];
  const listed = edited.slice(0, MOST_LISTED).map((path) => `  ${toPrintable(path)}`);
  const more = edited.length - listed.length;
  return [
    `left as they are, because they were changed since: ${count(edited.length, "file")}`,
    ...listed,
    ...(more === 0 ? [] : [`  and ${more} more`]),
  ];
}

/** Says where a working tree was left that was somewhere else before. */
function placeLines({ root, into, switchedFrom }: MergeReport): readonly string[] {
  if (switchedFrom === undefined) return [];
  const back =
    switchedFrom === ""
      ? "it had no branch checked out"
      : `back to ${toPrintable(switchedFrom)}: git switch ${toPrintable(switchedFrom)}`;
  return [`${toPrintable(root)} has ${toPrintable(into)} checked out now; ${back}`];
}

function endLines(report: MergeReport): readonly string[] {
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
    case "declined":
      return merged.length === 0
        ? ["nothing was merged"]
        : [`the rest was not merged; go on with: ${TROUPE} merge ${run} --continue`];
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
