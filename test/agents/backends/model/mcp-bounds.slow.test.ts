import { join } from "node:path";
import { expect, test } from "vitest";
import { modelRun, resultsOf } from "./model-run.ts";

const program = join(import.meta.dirname, "mcp-program.ts");
const call = (name: string, text: string) => ({ tool: `mcp__issues__${name}`, args: { text } });

test.each([
  ["of one long line", "text", []],
  ["of too many values", "values", []],
  ["whose id comes last", "text", ["result-first"]],
])(
  "an answer %s fails the call of a server that is a program, with the reason, and the session continues [AGT-21.calls, LOOP-3]",
  async (_, kind, args) => {
    const mcpServers = { issues: { command: process.execPath, args: [program, ...args] } };
    const run = await modelRun({ spec: { mcpServers } });
    const updates = await run.turn([
      { calls: [call("large", kind)] },
      { calls: [call("echo", "still here")] },
      { text: "done" },
    ]);
    expect(resultsOf(updates)).toEqual([
      expect.stringMatching(/^error: .*more than 8 Mi characters or 200,000 JSON values/),
      "still here by none",
    ]);
    expect(updates.at(-1)).toMatchObject({ type: "stop", text: "done" });
  },
);
