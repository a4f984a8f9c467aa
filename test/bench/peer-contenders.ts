import { isInstalled } from "./peers.ts";
import type { Contender, Reading } from "./row.ts";

const unowned = "no owner: nothing keeps two processes from carrying out the same run";
const langGraph =
  "SQLite with synchronous FULL, durability sync; says nothing of steps that have begun";

/** Steps in memory of others. */
export function stepsOfPeers(): readonly Contender[] {
  return [
    ...peer("xstate", { name: "XState", program: "peers/xstate-step.mjs" }),
    ...peer("@mastra/core", { name: "Mastra", program: "peers/mastra-step.mjs" }),
    ...peer("@langchain/langgraph", { name: "LangGraph", program: "peers/langgraph-step.mjs" }),
  ];
}

/** Durable chains of so many steps of others, per step, in processes that have done them so often before. */
export function durableChainsOfPeers(count: number, warmUps: number): readonly Contender[] {
  const args = [`${count}`, "chain", `${warmUps}`];
  return [
    ...peer("@langchain/langgraph-checkpoint-sqlite", {
      name: "LangGraph tasks",
      program: "peers/langgraph-tasks.mjs",
      args,
      lacks: `${langGraph}; results of tasks only, what lies between is run again; ${unowned}`,
    }),
    ...peer("@langchain/langgraph-checkpoint-sqlite", {
      name: "LangGraph nodes",
      program: "peers/langgraph-nodes.mjs",
      args,
      lacks: `${langGraph}; ${unowned}`,
    }),
    ...mastra(args),
    ...restate(args),
  ];
}

/** Durable fan-outs of so many steps of others, until all results are on disk. */
export function durableFanOutsOfPeers(count: number): readonly Contender[] {
  const args = [`${count}`, "fan-out"];
  return [
    ...peer("@langchain/langgraph-checkpoint-sqlite", {
      name: "LangGraph tasks",
      program: "peers/langgraph-tasks.mjs",
      args,
      lacks: `${langGraph}; ${unowned}`,
    }),
    ...peer("@langchain/langgraph-checkpoint-sqlite", {
      name: "LangGraph branches",
      program: "peers/langgraph-branches.mjs",
      args,
      lacks: `${langGraph}; ${unowned}`,
    }),
    ...mastra(args),
    ...restate(args),
  ];
}

/** What it costs to import the packages of others. */
export function importsOfPeers(program: string, reading: Reading): readonly Contender[] {
  const names = [
    ["xstate", "XState"],
    ["@mastra/core", "Mastra"],
    ["@langchain/langgraph", "LangGraph"],
  ] as const;
  return names.flatMap(([name, title]) =>
    peer(name, { name: title, program, args: [name], reading }),
  );
}

function mastra(args: readonly string[]): readonly Contender[] {
  return peer("@mastra/libsql", {
    name: "Mastra",
    program: "peers/mastra-steps.mjs",
    args,
    lacks: `one connection, set to synchronous FULL (its own is NORMAL); no journal, the last state only; ${unowned}`,
  });
}

function restate(args: readonly string[]): readonly Contender[] {
  return peer("@restatedev/restate-server", {
    name: "Restate",
    program: "peers/restate-steps.mjs",
    args,
    lacks: "a server of its own that has started before the clock, asked over HTTP",
  });
}

/** The contender if its package is installed. */
function peer(name: string, contender: Contender): readonly Contender[] {
  return isInstalled(name) ? [contender] : [];
}
