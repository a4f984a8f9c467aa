import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { makeProcessDirectory, removeLeftDirectories } from "../../src/host/process-directory.ts";
import { createProcessTable } from "../../src/host/process-table.ts";

const table = createProcessTable();

test("a directory of a killed process is removed by the next, that of a living one or of another container is not [ENG-20.claims]", () => {
  const { pid } = spawnSync("true");
  const own = makeProcessDirectory("probe", table);
  const [, , , startedAt = "", view = ""] = own.slice(own.lastIndexOf("/")).split("-");
  const left = [`${pid}-${startedAt}-${view}`, `${process.pid}-1-${view}`];
  const kept = [`${pid}-${startedAt}-${view === "00000000" ? "11111111" : "00000000"}`];
  const toPath = (middle: string) => join(tmpdir(), `troupe-probe-${middle}-AbCdEf`);
  onTestFinished(() => {
    for (const path of [own, ...[...left, ...kept].map(toPath)])
      rmSync(path, { recursive: true, force: true });
  });
  for (const path of [...left, ...kept].map(toPath)) {
    mkdirSync(path);
    writeFileSync(join(path, "file"), "");
  }
  const other = mkdtempSync(join(tmpdir(), "troupe-probe-"));
  onTestFinished(() => rmSync(other, { recursive: true }));
  removeLeftDirectories("other", table);
  expect(left.map(toPath).every(existsSync)).toBe(true);
  removeLeftDirectories("probe", table);
  expect(left.map(toPath).some(existsSync)).toBe(false);
  expect([own, other, ...kept.map(toPath)].every(existsSync)).toBe(true);
});
