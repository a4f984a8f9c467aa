import type { NoPatchReason, RunPatch } from "../../app/history/patch-of.ts";
import type { DiffedFile, RunDiff } from "../../app/history/run-diff.ts";
import { count } from "../../foundation/count.ts";
import { toPrintable, toPrintableLines } from "../../foundation/printable.ts";
import { fitTable } from "../terminal/fit-table.ts";
import type { PaintRole } from "../terminal/paint.ts";
import type { Settings } from "../terminal/settings.ts";

/** What `show --diff --json` prints. */
export function toDiffDocument(run: string, diff: RunDiff): object {
  const { root, base, files, patch, branches } = diff;
  return {
    ...{ v: 1, run, root, base, files, ...patchDocument(patch) },
    branches: branches.map(({ agent, branch, patch: made }) => ({
      ...{ agent, branch, ...patchDocument(made) },
    })),
  };
}

function patchDocument(patch: RunPatch): object {
  const isMade = patch.status === "made";
  return {
    patch: isMade ? patch.text : null,
    patchTruncated: isMade && patch.isCut,
    noPatch: isMade ? null : patch.reason,
  };
}

/** What became of the files, for people: a list, then the patch. */
export function fileDiffLines(diff: RunDiff, settings: Settings): readonly string[] {
  const { files, patch, branches } = diff;
  const rows = files
    .slice(0, MAX_FILES)
    .map((file) => [
      `  ${settings.glyphs.edit}`,
      file.path,
      WORDS[file.kind],
      file.agents.join(", "),
      noteOf(file, patch.status === "made"),
    ]);
  const more = files.length - rows.length;
  const rest = `  ${settings.glyphs.ellipsis} ${more} more: --json has all of them`;
  return [
    headLine(diff),
    ...fitTable(rows, { settings, cuts: [1, 3, 4] }),
    ...(more === 0 ? [] : [rest]),
    ...patchLines(patch, settings),
    ...branches.flatMap((each) => branchLines(each, settings)),
  ];
}

const MAX_FILES = 200;

const WORDS = { create: "created", edit: "edited", delete: "deleted" } as const;

const REASONS: { readonly [reason in NoPatchReason]: string } = {
  "no-directory": "the directory of the run does not exist here",
  "no-repository": "the run does not work in a git repository",
  "not-recorded": "no commit was recorded when the run began",
  "no-commit": "the commit that was checked out when the run began is not in this repository",
};

function headLine({ base, files, patch }: RunDiff): string {
  const older = files.filter(({ isOlder }) => isOlder).length;
  const what = count(files.length - older, "file");
  if (patch.status === "none")
    return `${what} changed, by what agents report: ${REASONS[patch.reason]}`;
  const since = base === null ? "the empty repository" : base.slice(0, 12);
  const before = older === 0 ? "" : `; ${older} more before it began`;
  return `${what} changed between ${since}, where the run began, and now${before}`;
}

function noteOf({ isInPatch, isOlder, branch }: DiffedFile, isCompared: boolean): string {
  if (isOlder) return "before the run began; not shown";
  if (branch !== undefined) return `on ${branch}`;
  return isInPatch || !isCompared ? "" : "reported; not in the patch";
}

function branchLines(
  { agent, branch, patch }: RunDiff["branches"][number],
  settings: Settings,
): readonly string[] {
  const whose = toPrintable(`${agent} on branch ${branch}`);
  if (patch.status === "none") return ["", `${whose}: ${REASONS[patch.reason]}`];
  return patch.text === "" ? [] : ["", `${whose}:`, ...patchLines(patch, settings)];
}

function patchLines(patch: RunPatch, { paint, glyphs }: Settings): readonly string[] {
  if (patch.status === "none" || patch.text === "") return [];
  const lines = toPrintableLines(patch.text.replace(/\n$/, "")).map((line) => {
    const role = roleOf(line);
    return role === undefined ? line : paint(line, role);
  });
  const cut = `${glyphs.ellipsis} the rest is left out`;
  return ["", ...lines, ...(patch.isCut ? [paint(cut, "attention")] : [])];
}

function roleOf(line: string): PaintRole | undefined {
  if (/^(diff --git|index|new file|deleted file|old mode|new mode|---|\+\+\+) /.test(line))
    return "message";
  if (line.startsWith("@@")) return "working";
  if (line.startsWith("+")) return "done";
  return line.startsWith("-") ? "failed" : undefined;
}
