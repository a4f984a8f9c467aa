import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { parseCassette } from "../../src/agents/backends/script/load-cassette.ts";
import { isTestFile, readTestFile } from "../../src/app/trial/read-test-file.ts";
import { isRecord } from "../../src/foundation/json.ts";
import { readYaml } from "../../src/foundation/yaml-source.ts";
import { call } from "../cli/fake-io.ts";
import { type Block, type Page, readPages, textOf } from "./pages.ts";

const CONFIG = ".troupe/config.yaml";

for (const page of readPages()) {
  const found = page.blocks.filter(({ language }) => language === "yaml");
  if (found.length === 0) continue;
  test(`every YAML block of ${page.path} is a valid file`, async () => {
    const project = writeFiles(page);
    const problems: string[] = [];
    for (const block of found) problems.push(...(await problemsOf(block, project)));
    expect(problems.join("\n")).toBe("");
  });
}

/** What is wrong with a block, as the command line says it. */
async function problemsOf(block: Block, project: string): Promise<readonly string[]> {
  const text = textOf(block);
  const place = `block in line ${block.line}:`;
  const { value, problems } = readYaml(text, "block");
  const [broken] = problems;
  if (broken !== undefined) return [`${place} ${broken.message}`];
  if (block.flags.includes("partial") || block.file?.startsWith(".github/")) return [];
  if (!isRecord(value)) return [`${place} is no file; mark it as partial`];
  if (isTestFile(text, "block")) {
    readTestFile(text, block.file ?? "shown.test.yaml");
    return [];
  }
  if (block.file !== CONFIG && value["version"] === 1) {
    parseCassette(text, block.file ?? "cassette.yaml");
    return [];
  }
  const file = block.file ?? "shown.yaml";
  writeInto(project, file, text);
  const args = file === CONFIG ? ["config"] : ["validate", "--strict", file];
  const { exitCode, out, err } = await call(project, args);
  return exitCode === 0 ? [] : [`${place} ${out}${err}`];
}

/** A project with all files of a page: a workflow may name a module that the page shows too. */
function writeFiles({ blocks }: Page): string {
  const project = mkdtempSync(join(tmpdir(), "troupe-yaml-"));
  onTestFinished(() => rmSync(project, { recursive: true, force: true }));
  for (const block of blocks)
    if (block.file !== undefined) writeInto(project, block.file, textOf(block));
  return project;
}

function writeInto(project: string, path: string, text: string): void {
  mkdirSync(dirname(join(project, path)), { recursive: true });
  writeFileSync(join(project, path), text);
}
