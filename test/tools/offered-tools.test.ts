import { expect, test } from "vitest";
import { builtInTools, offeredTools } from "../../src/tools/registry.ts";
import { answersTo, call, oneTurnEach, runScripts, turnOf } from "./tools-run.ts";

const COLLAB = builtInTools.filter(({ needs }) => needs === "collab").map(({ name }) => name);
const PROGRAM = builtInTools.filter(({ needs }) => needs === "program").map(({ name }) => name);
/** What everybody may be offered. */
const ALL = builtInTools.flatMap(({ name, gives, needs }) =>
  gives === undefined &&
  needs !== "trails" &&
  needs !== "reflection" &&
  needs !== "trajectory" &&
  !COLLAB.includes(name) &&
  !PROGRAM.includes(name)
    ? [name]
    : [],
);
const BOTH = { channel: true, document: true };

test.each([
  { what: "without a choice: all", tools: undefined, offered: ALL },
  { what: "with other tools only: all", tools: ["Read", "Bash"], offered: ALL },
  { what: "with none of its own: all", tools: [], offered: ALL },
  {
    what: "with some of Troupe's: these alone",
    tools: ["Read", "document_read", "channel_send"],
    offered: ["channel_send", "document_read"],
  },
])("an agent is offered, $what [KCK-7, MCP-1.tools]", ({ tools, offered }) => {
  expect(offeredTools({ ...BOTH, ...(tools === undefined ? {} : { tools }) })).toEqual(offered);
});

test.each([
  {
    what: "all, beside its own",
    collab: "all",
    tools: ["channel_send"],
    offered: ["channel_send", ...COLLAB],
  },
  {
    what: "those that it names",
    collab: "named",
    tools: ["wait", "spawn_agent"],
    offered: ["spawn_agent", "wait"],
  },
  { what: "none where it may not", collab: undefined, tools: ["wait"], offered: [] },
] as const)(
  "an agent that may spawn others is offered the tools for that: $what [MCP-1.collab]",
  ({ collab, tools, offered }) => {
    const offer = { ...BOTH, tools, ...(collab === undefined ? {} : { collab }) };
    expect(offeredTools(offer)).toEqual(offered);
  },
);

test("what is denied to an agent it is not offered, whatever else says so [SUB-3]", () => {
  const denied = ["wait", "document_*", "channel_send"];
  const tools = ["channel_send", "channel_read", "document_read"];
  const offer = { ...BOTH, tools, disallowedTools: denied, collab: "all" } as const;
  expect(offeredTools(offer)).toEqual([
    "channel_read",
    ...COLLAB.filter((name) => name !== "wait"),
  ]);
});

test("tools that the program of a run answers are offered to those alone whom it answers, whatever else they may use [TEAM-5]", () => {
  expect(offeredTools({ ...BOTH, asks: PROGRAM })).toEqual([...ALL, ...PROGRAM]);
  const asks = ["task_list"];
  expect(offeredTools({ ...BOTH, asks, tools: ["channel_send"] })).toEqual([
    "channel_send",
    "task_list",
  ]);
});

test("what a run does not share takes its tools along [KCK-1, MCP-1.tools]", () => {
  const without = (prefix: string) => ALL.filter((name) => !name.startsWith(prefix));
  expect(offeredTools({ ...BOTH, channel: false })).toEqual(without("channel_"));
  expect(offeredTools({ ...BOTH, document: false })).toEqual(without("document_"));
  expect(offeredTools({ ...BOTH, channel: false, tools: ["channel_send"] })).toEqual([]);
});

test("the tool of a role's signal is offered to those alone to whom the signal belongs [PRM-files-2.offered]", () => {
  expect(offeredTools({ ...BOTH, signals: ["vote"] })).toEqual([
    ...ALL.slice(0, -2),
    "vote",
    ...ALL.slice(-2),
  ]);
  expect(offeredTools({ ...BOTH, signals: ["bid"], tools: ["bid", "vote"] })).toEqual(["bid"]);
  expect(offeredTools({ ...BOTH, signals: ["handoff"], tools: ["handoff", "vote"] })).toEqual([
    "handoff",
  ]);
});

test("who may not vote is told who may, and a vote is counted as the signal that it is [PRM-files-2.offered, PRM-files-2.tools, PRM-files-2.answers]", async () => {
  const script = [turnOf(call("vote", { vote: "approve", reason: "it is short" }))];
  const run = runScripts(
    [
      { id: "voter", script, signals: ["vote"] },
      { id: "other", script, signals: [] },
    ],
    oneTurnEach("voter", "other"),
  );
  await run.over();
  expect(answersTo(run, "voter")).toEqual([
    { tool: "vote", isError: false, result: { counted: true, vote: "approve" } },
  ]);
  const signals = run.all("signal-received").map(({ agent, signal }) => ({ agent, signal }));
  const signal = { kind: "vote", value: "approve", reason: "it is short", by: "tool" };
  expect(signals).toEqual([{ agent: "voter", signal }]);
  expect(answersTo(run, "other")).toMatchObject([{ tool: "vote", isError: true }]);
  expect(String(answersTo(run, "other")[0]?.result)).toContain("only voters vote");
});

test("a tool that is not offered is refused with the reason and what to do, and does nothing [KCK-7, MCP-1.tools]", async () => {
  const script = [turnOf(call("document_write", { content: "x" }), call("channel_send", {}))];
  const run = runScripts(
    [
      { id: "chooser", script, tools: ["channel_read", "agents_list"] },
      { id: "any", script },
    ],
    oneTurnEach("chooser", "any"),
    { shares: { channel: true, document: false } },
  );
  await run.over();
  expect(answersTo(run, "chooser")).toEqual([
    {
      tool: "document_write",
      isError: true,
      result:
        'AGENT_TOOL_NOT_OFFERED: "document_write" cannot be called here: this run shares no document\nwhat can be called: channel_read, agents_list',
    },
    {
      tool: "channel_send",
      isError: true,
      result:
        'AGENT_TOOL_NOT_OFFERED: "channel_send" cannot be called here: it is not among the tools of this agent\nwhat can be called: channel_read, agents_list',
    },
  ]);
  expect(answersTo(run, "any").map(({ result }) => String(result).split(":")[0])).toEqual([
    "AGENT_TOOL_NOT_OFFERED",
    "AGENT_TOOL_INPUT_INVALID",
  ]);
  expect(run.all("document-changed")).toEqual([]);
});
