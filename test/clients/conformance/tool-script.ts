import { existsSync } from "node:fs";
import { join } from "node:path";
import { vi } from "vitest";
import type { ProcessEntry } from "../../../src/host/system/process-entry.ts";
import type { Bench } from "./bench.ts";

/** Names a tool's processes in their environment. */
const TOOL_VARIABLE = "CONFORMANCE_TOOL";
const PATIENCE = { timeout: 30_000, interval: 20 };

/**
 * A command for an agent's shell: it writes `started` into the project, and ends when the file `waitsFor` is
 * there; without one, never. Some clients refuse to run a plain `sleep`.
 */
export function commandThat({ root }: Bench, { waitsFor = "never" } = {}): string {
  const code = `
    const { existsSync, writeFileSync } = require("node:fs");
    writeFileSync("started", "");
    setInterval(() => { if (existsSync("${waitsFor}")) process.exit(); }, 20);`;
  const line = code.replaceAll(/\s+/g, " ").trim();
  return `${TOOL_VARIABLE}='${root}' '${process.execPath}' -e '${line}'`;
}

/** Resolves when a file is in the project. */
export async function fileAppears({ cwd }: Bench, name: string): Promise<void> {
  await vi.waitFor(() => {
    if (!existsSync(join(cwd, name))) throw new Error(`${name} does not appear`);
  }, PATIENCE);
}

/** Whether a process belongs to such a command. */
export function isToolOf({ root }: Bench, entry: ProcessEntry): boolean {
  return entry.variable(TOOL_VARIABLE) === root;
}

/** Resolves when the model was asked so many times with tools. */
export async function modelIsAsked({ asked }: Bench, times = 1): Promise<void> {
  await vi.waitFor(() => {
    if (asked().length < times) throw new Error(`the model was asked ${asked().length} times`);
  }, PATIENCE);
}
