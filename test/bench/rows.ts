import { join } from "node:path";
import { growthRows } from "./growth-rows.ts";
import {
  durableChainsOfPeers,
  durableFanOutsOfPeers,
  importsOfPeers,
  stepsOfPeers,
} from "./peer-contenders.ts";
import type { Contender, Row } from "./row.ts";

/** What rows need to know of this machine. */
export interface RowSetting {
  /** The package as it would be installed: `bin` and `dist`, no source. */
  readonly packageFolder: string;
  /** With what takes minutes. */
  readonly isLong: boolean;
  /** Only to see that every program works. */
  readonly isQuick: boolean;
}

/** Every row, in the order of its requirement. */
export function createRows({ packageFolder, isLong, isQuick }: RowSetting): readonly Row[] {
  return [
    {
      id: "PERF-1",
      name: "step in memory, in a chain",
      unit: "us",
      goal: { kind: "at-most", value: 10 },
      contenders: [
        { name: "raw", program: "raw/memory-step.ts" },
        { name: "troupe", program: "troupe/memory-step.ts" },
        ...stepsOfPeers(),
      ],
    },
    {
      id: "PERF-2",
      name: "durable step, in a chain",
      unit: "us",
      goal: { kind: "times-raw", factor: 1.3 },
      contenders: [
        { name: "raw", program: "raw/durable-step.ts" },
        { name: "troupe", program: "troupe/durable-step.ts" },
      ],
    },
    {
      id: "PERF-3",
      name: "durable fan-out of 1,000",
      unit: "ms",
      goal: { kind: "at-most", value: 12 },
      contenders: [
        { name: "raw", program: "raw/fan-out.ts", args: ["1000"] },
        { name: "troupe", program: "troupe/fan-out.ts", args: ["1000"] },
      ],
    },
    {
      id: "PERF-4",
      name: "durable fan-out of 10,000",
      unit: "ms",
      goal: { kind: "at-most", value: 100 },
      contenders: [
        { name: "raw", program: "raw/fan-out.ts", args: ["10000"] },
        { name: "troupe", program: "troupe/fan-out.ts", args: ["10000"] },
      ],
    },
    {
      id: "PERF-5",
      name: "graph of 10,000 nodes, 50,000 edges",
      unit: "ms",
      goal: { kind: "at-most", value: 100 },
      contenders: [
        { name: "raw", program: "raw/graph.ts" },
        { name: "troupe", program: "troupe/graph.ts" },
      ],
    },
    {
      id: "PERF-6",
      name: "durable events",
      unit: "per s",
      goal: { kind: "at-least", value: 40_000 },
      contenders: [
        { name: "raw", program: "raw/events.ts" },
        { name: "troupe", program: "troupe/events.ts" },
      ],
    },
    ...[1, 8].flatMap((clients) => [
      messageRow(clients, { percentile: 0.5, goalMs: 1 }),
      messageRow(clients, { percentile: 0.99, goalMs: 5 }),
    ]),
    {
      id: "PERF-8",
      name: "MCP tool call, over HTTP",
      unit: "ms",
      goal: { kind: "at-most", value: 1 },
      contenders: [
        { name: "raw", program: "raw/http-call.ts" },
        { name: "troupe", program: "troupe/mcp-call.ts" },
      ],
    },
    {
      id: "PERF-9",
      name: "resume of 10,000 steps",
      unit: "ms",
      goal: { kind: "at-most", value: 120 },
      contenders: [
        { name: "raw", program: "raw/read-events.ts" },
        { name: "troupe", program: "troupe/resume.ts" },
      ],
    },
    {
      id: "PERF-10",
      name: "10,000 live agents, each",
      unit: "KB",
      goal: { kind: "at-most", value: 10 },
      maxRounds: 1,
      contenders: [{ name: "troupe", program: "sdk/live-agents.ts", args: ["10000"] }],
    },
    {
      id: "PERF-11",
      name: "troupe --version",
      unit: "ms",
      goal: { kind: "times-raw", factor: 1.3 },
      contenders: [
        bareNode,
        {
          name: "troupe",
          program: join(packageFolder, "bin/troupe.js"),
          args: ["--version"],
          reading: "process-ms",
        },
      ],
    },
    {
      id: "PERF-12",
      name: "troupe run, to the first agent",
      unit: "ms",
      goal: { kind: "times-raw", factor: 2.5 },
      contenders: [bareNode, { name: "troupe", program: "troupe/first-agent.mjs" }],
    },
    {
      id: "PERF-13",
      name: "import of the library",
      unit: "ms",
      goal: { kind: "over-raw", value: 40 },
      contenders: [
        bareNode,
        { name: "troupe", program: join(packageFolder, "dist/index.js"), reading: "process-ms" },
        ...importsOfPeers("peers/import.mjs", "process-ms"),
      ],
    },
    {
      id: "PERF-14",
      name: "memory after the import",
      unit: "MB",
      goal: { kind: "at-most", value: 60 },
      contenders: [
        { name: "raw", program: "raw/memory.mjs" },
        { name: "troupe", program: "troupe/memory.mjs" },
        ...importsOfPeers("peers/memory.mjs", "figure"),
      ],
    },
    {
      id: "PERF-15",
      name: "a chain ten times as long",
      unit: "times",
      goal: { kind: "at-most", value: 12 },
      contenders: [{ name: "troupe", program: "troupe/growth.ts" }],
    },
    ...growthRows(isLong),
    ...sdkRows(),
    ...idleRows(isQuick ? 50 : 500),
    ...(isLong ? [peersAtTheirLimit()] : []),
    {
      id: "STP-14",
      name: "step workflow in memory, in a chain",
      unit: "us",
      goal: { kind: "at-most", value: 1000 },
      contenders: [
        { name: "raw", program: "raw/memory-step.ts" },
        { name: "troupe", program: "troupe/step-workflow.ts", args: ["memory"] },
        ...stepsOfPeers(),
      ],
    },
    {
      id: "STP-14",
      name: "step workflow, durable, in a chain",
      unit: "us",
      goal: { kind: "at-most", value: 1000 },
      contenders: [
        { name: "raw", program: "raw/durable-step.ts" },
        { name: "troupe", program: "troupe/step-workflow.ts", args: ["durable"] },
      ],
    },
  ];
}

/** What users write: agents by the library, until whoever looks after a crash would find the result. */
function sdkRows(): readonly Row[] {
  const fanOut = (name: string, args: readonly string[]): readonly Contender[] => [
    { name: "raw", program: "raw/fan-out.ts", args: args.slice(0, 1) },
    { name, program: "sdk/fan-out.ts", args },
  ];
  return [
    chainRow("pipeline of 100 functions, durable, per stage", 2),
    chainRow("the same, in a process that has run it 20 times", 20),
    {
      id: "PERF-17",
      name: "fan-out of 1,000 functions, in memory (raw: durable)",
      unit: "ms",
      goal: { kind: "at-most", value: 30 },
      contenders: fanOut("troupe", ["1000", "memory"]),
    },
    {
      id: "PERF-17",
      name: "fan-out of 1,000 functions, durable",
      unit: "ms",
      goal: { kind: "at-most", value: 60 },
      contenders: [...fanOut("troupe", ["1000", "durable"]), ...durableFanOutsOfPeers(1000)],
    },
    {
      id: "PERF-18",
      name: "fan-out of 10,000 functions, durable",
      unit: "ms",
      goal: { kind: "at-most", value: 600 },
      maxRounds: 3,
      contenders: fanOut("troupe", ["10000", "durable"]),
    },
    {
      id: "PERF-19",
      name: "200 commands, four at once (raw: spawns alone)",
      unit: "per s",
      goal: { kind: "share-of-raw", share: 0.6 },
      maxRounds: 3,
      contenders: [
        { name: "raw", program: "raw/commands.ts", args: ["200"] },
        { name: "troupe", program: "sdk/commands.ts", args: ["200"] },
      ],
    },
  ];
}

/** A chain of functions in a process that has run it so often before. */
function chainRow(name: string, warmUps: number): Row {
  return {
    id: "PERF-16",
    name,
    unit: "us",
    goal: { kind: "times-raw", factor: 2.5 },
    contenders: [
      { name: "raw", program: "raw/durable-step.ts", args: ["100"] },
      { name: "troupe", program: "sdk/chain.ts", args: ["100", `${warmUps}`] },
      ...durableChainsOfPeers(100, warmUps),
    ],
  };
}

/** Half a minute each: the teams are started one after the other, and then nothing happens for a while. */
function idleRows(teams: number): readonly Row[] {
  const row = (
    name: string,
    { unit, value }: { readonly unit: string; readonly value: number },
  ): Row => ({
    id: "PERF-20",
    name: `${teams} idle teams in the daemon, ${name}`,
    unit,
    goal: { kind: "at-most", value },
    maxRounds: 1,
    contenders: [{ name: "troupe", program: "troupe/idle-teams.ts", args: [`${teams}`, unit] }],
  });
  return [
    row("syncs in 20 s", { unit: "syncs", value: 0 }),
    row("of one processor", { unit: "percent", value: 1 }),
    row("each", { unit: "KB", value: 200 }),
  ];
}

/** A minute and more for each peer, so that they do it once. */
function peersAtTheirLimit(): Row {
  const peers = durableFanOutsOfPeers(10_000).filter(({ name }) => name !== "LangGraph branches");
  return {
    id: "PERF-18",
    name: "fan-out of 10,000 functions, durable, once",
    unit: "ms",
    goal: { kind: "at-most", value: 600 },
    maxRounds: 1,
    contenders: [
      { name: "troupe", program: "sdk/fan-out.ts", args: ["10000", "durable"] },
      ...peers,
    ],
  };
}

function messageRow(
  clients: number,
  { percentile, goalMs }: { readonly percentile: number; readonly goalMs: number },
): Row {
  const who = clients === 1 ? "1 client" : `${clients} clients`;
  const args = [`${clients}`, `${percentile}`];
  return {
    id: "PERF-7",
    name: `durable message, ${who}, p${percentile * 100}`,
    unit: "ms",
    goal: { kind: "at-most", value: goalMs },
    contenders: [
      { name: "raw", program: "raw/message.ts", args },
      { name: "troupe", program: "troupe/message.ts", args },
    ],
  };
}

const bareNode: Contender = { name: "raw", program: "raw/nothing.mjs", reading: "process-ms" };
