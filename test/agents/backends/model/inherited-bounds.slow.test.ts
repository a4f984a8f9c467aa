import { existsSync } from "node:fs";
import { realpath } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { AgentSpec, McpServerSpec } from "../../../../src/contracts/agent.ts";
import { scriptText } from "../../../clients/model-server/script.ts";
import { modelTurn } from "./model-turn.ts";

const ISSUES: McpServerSpec = {
  command: process.execPath,
  args: [join(import.meta.dirname, "mcp-program.ts")],
  env: { SERVER_TOKEN: "known" },
};

const LEAD: Partial<AgentSpec> = {
  ...{ permissionMode: "bypass", session: "keep", spawns: true },
  mcpServers: { issues: ISSUES },
  constraints: { readOnly: ["*.lock"] },
};

test("a subagent has the directory, the servers and the constraints of whoever asked for it, fresh or forked [SUB-4]", async () => {
  const work = scriptText(
    { calls: [{ tool: "mcp__issues__echo", args: { text: "hello" } }] },
    { calls: [{ tool: "Write", args: { file_path: "a.lock", content: "x" } }] },
    { calls: [{ shell: "pwd" }] },
    { text: "tried" },
  );
  const { run, cwd } = await modelTurn(
    [
      {
        calls: ["fresh", "forked"].map((name) => ({
          tool: "Task",
          args: { description: "try", prompt: work, name, fork: name === "forked" },
        })),
      },
      { text: "ok" },
    ],
    LEAD,
  );
  expect(await run.over()).toBe("ok");
  for (const name of ["fresh", "forked"]) {
    const told = run
      .all("tool-returned")
      .filter(({ agent }) => agent === name)
      .map(({ tool, isError, result }) => ({ tool, isError, result }));
    expect(told).toEqual([
      { tool: "mcp__issues__echo", isError: false, result: "hello by known" },
      { tool: "Write", isError: true, result: expect.stringContaining("a.lock") },
      { tool: "Bash", isError: false, result: expect.stringContaining(await realpath(cwd)) },
    ]);
  }
  expect(existsSync(join(cwd, "a.lock"))).toBe(false);
});
