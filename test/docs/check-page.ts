import { mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished } from "vitest";
import { type Page, readPages, root } from "./pages.ts";
import { corrected, runPage, type Untrue } from "./run-page.ts";

// TROUPE_DOCS=write puts what the commands print into the pages; read the diff.
const isWriting = process.env["TROUPE_DOCS"] === "write";

/** Pages that show commands: those that need real processes, or those that do not. */
export function pagesWithCommands(kind: "processes" | "calls"): readonly Page[] {
  return readPages().filter(({ blocks }) => {
    const shown = blocks.filter(({ language }) => language === "console");
    const needsProcess = shown.some(({ flags }) => flags.includes("process"));
    return shown.length > 0 && needsProcess === (kind === "processes");
  });
}

/** Does what a page says and expects what it shows. */
export async function checkPage(page: Page): Promise<void> {
  const untrue = await runPage(page, emptyDirectory());
  if (isWriting && untrue.length > 0) writeFileSync(join(root, page.path), corrected(page, untrue));
  expect(untrue.map((item) => describe(page, item)).join("\n\n")).toBe("");
}

/** A directory that goes with the test. */
export function emptyDirectory(): string {
  const directory = realpathSync(mkdtempSync(join(tmpdir(), "troupe-docs-")));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
}

function describe({ path }: Page, untrue: Untrue): string {
  const { command, line, output, exitCode, printed, exited } = untrue;
  const shown = [`page shows (exit ${exitCode}):`, ...output];
  return [`${path}:${line} ${command}`, ...shown, `prints (exit ${exited}):`, ...printed].join(
    "\n",
  );
}
