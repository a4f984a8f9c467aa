import { expect, test } from "vitest";
import { checkPage, emptyDirectory, pagesWithCommands } from "../docs/check-page.ts";
import { parsePage } from "../docs/pages.ts";
import { runPage } from "../docs/run-page.ts";

const pages = pagesWithCommands("calls");

test("the pages for newcomers show commands", () => {
  expect(pages.map(({ path }) => path)).toContain("docs/guides/first-workflow.md");
});

for (const page of pages)
  test(`every command in ${page.path} prints what the page says`, () => checkPage(page));

test("a page that promises what a command does not do is found out", async () => {
  const lines = ["```console", "$ echo said", "promised", "$ echo $?", "3", "```"];
  const [untrue] = await runPage(parsePage("page.md", lines.join("\n")), emptyDirectory());
  expect(untrue).toEqual({
    command: "echo said",
    output: ["promised"],
    line: 3,
    exitCode: 3,
    printed: ["said"],
    exited: 0,
  });
});
