import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { createRecordingClient } from "../../../../src/testing/turn-request.ts";
import { scriptText } from "../../model-server/script.ts";
import type { ConformanceCase } from "../conformance-case.ts";
import { openContext } from "../context-access.ts";
import { takeTurn } from "../played-turn.ts";

/** What agents do beside talking. */
export const toolCases: readonly ConformanceCase[] = [
  {
    key: "tools",
    name: "a command that the agent runs is told with its result, and works in the project [AGT-2]",
    run: async (bench) => {
      const command = "echo 'made by a tool' > made.txt && echo shown";
      const { updates, end } = await takeTurn(
        await bench.open(),
        scriptText({ calls: [{ shell: command }] }, { text: "it said $RESULT" }),
      );
      expect(end).toMatchObject({ type: "stop", reason: "end_turn" });
      expect(end.text).toContain("shown");
      expect(readFileSync(join(bench.cwd, "made.txt"), "utf8")).toBe("made by a tool\n");
      const told = updates.filter(({ type }) => type === "tool-call" || type === "tool-result");
      const call = told[0]?.type === "tool-call" ? told[0].call : "";
      expect(told).toEqual([
        {
          type: "tool-call",
          call,
          tool: "Bash",
          input: expect.objectContaining({ command: expect.stringContaining(command) }),
        },
        {
          type: "tool-result",
          call,
          tool: "Bash",
          isError: false,
          result: expect.stringContaining("shown"),
        },
      ]);
    },
  },
  {
    key: "context-tool",
    name: "the agent calls Troupe's own tools as itself, asking nobody, its token in no file and no argument [MCP-5, MCP-3, T3]",
    run: async (bench) => {
      const context = await openContext(bench);
      const { access, env } = context;
      const client = createRecordingClient();
      const { updates, end } = await takeTurn(
        await bench.open({ access, env }),
        scriptText(
          { calls: [{ tool: "channel_send", args: { message: "hello team" } }] },
          { text: "it said $RESULT" },
        ),
        { client },
      );
      expect(end).toMatchObject({ type: "stop", reason: "end_turn" });
      expect(end.text).toContain("posted-1");
      expect(context.calls).toEqual([{ tool: "channel_send", input: { message: "hello team" } }]);
      expect(client.calls).toEqual([]);
      expect(updates.filter(({ type }) => type.startsWith("tool-"))).toMatchObject([
        { type: "tool-call", tool: "channel_send", input: { message: "hello team" } },
        { type: "tool-result", tool: "channel_send", isError: false },
      ]);
      expect(context.argumentsSeen).not.toEqual([]);
      expect(context.argumentsSeen.filter((text) => text.includes(access.token))).toEqual([]);
      expect(bench.filesWith(access.token)).toEqual([]);
    },
  },
  {
    key: "tool-filter",
    name: "a tool that the agent may not use does nothing and asks nobody [KCK-7]",
    run: async (bench) => {
      const client = createRecordingClient();
      const { end } = await takeTurn(
        await bench.open({ spec: { tools: ["Read"] } }),
        scriptText({ calls: [{ shell: "echo > forbidden.txt" }] }, { text: "over" }),
        { client },
      );
      // A client that does not even offer the tool makes the scripted model refuse.
      expect(["stop", "error"]).toContain(end.type);
      expect(bench.exists("forbidden.txt")).toBe(false);
      expect(client.calls).toEqual([]);
    },
  },
];
