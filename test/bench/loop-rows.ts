import { isLoopPeerInstalled } from "./loop-peers.ts";
import type { Contender, Row } from "./row.ts";

/** Answers of the model to one prompt. */
const ANSWERS = "50";
const FEW = "5";
const CROWD = "1000";

/** What an answer of a model costs beside the model: the same scripted server for all, on loopback. */
export function createLoopRows(): readonly Row[] {
  return [
    {
      id: "PERF-23",
      name: "answer of a model with a tool, in memory (raw: AI SDK's loop)",
      unit: "us",
      goal: { kind: "times-raw", factor: 1.5 },
      contenders: [
        ...aiSdk([ANSWERS]),
        { name: "troupe", program: "loop/troupe.ts", args: [ANSWERS] },
        ...loop("ai", "AI SDK, streamed", "ai-sdk.mjs", [ANSWERS, "1", "streamed"]),
        { name: "by hand", program: "loop/by-hand.mjs", args: [ANSWERS] },
        ...loop("@openai/agents", "OpenAI Agents", "openai-agents.mjs", [ANSWERS]),
        ...loop("@mastra/core", "Mastra", "mastra.mjs", [ANSWERS]),
        ...loop("@langchain/langgraph", "LangGraph", "langgraph.mjs", [ANSWERS]),
      ],
    },
    {
      id: "PERF-23",
      name: "the same, durable (raw: LangGraph over SQLite)",
      unit: "us",
      goal: { kind: "times-raw", factor: 1 },
      contenders: [
        ...loop("@langchain/langgraph-checkpoint-sqlite", "raw", "langgraph.mjs", [
          ...[ANSWERS, "1", "durable"],
        ]),
        { name: "troupe", program: "loop/troupe.ts", args: [ANSWERS, "1", "durable"] },
      ],
    },
    {
      id: "PERF-23",
      name: "the same, 1,000 agents at once, in memory (raw: AI SDK's loop)",
      unit: "us",
      goal: { kind: "times-raw", factor: 1.5 },
      maxRounds: 3,
      contenders: [
        ...aiSdk([FEW, CROWD]),
        { name: "troupe", program: "loop/troupe.ts", args: [FEW, CROWD] },
        ...loop("ai", "AI SDK, streamed", "ai-sdk.mjs", [FEW, CROWD, "streamed"]),
      ],
    },
  ];
}

function aiSdk(args: readonly string[]): readonly Contender[] {
  return loop("ai", "raw", "ai-sdk.mjs", args);
}

/** The contender if its package is installed. */
function loop(
  ...[peer, name, program, args]: [
    Parameters<typeof isLoopPeerInstalled>[0],
    string,
    string,
    readonly string[],
  ]
): readonly Contender[] {
  return isLoopPeerInstalled(peer) ? [{ name, program: `loop/${program}`, args }] : [];
}
