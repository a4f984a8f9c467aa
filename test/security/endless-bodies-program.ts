import { createModelBackend } from "../../src/agents/backends/model/model-backend.ts";
import type { BackendSettings } from "../../src/agents/backends/parts/backend-settings.ts";
import type { AgentSpec, McpServerSpec } from "../../src/contracts/agent.ts";
import type { TurnUpdate } from "../../src/contracts/backend.ts";
import { type Clock, systemClock } from "../../src/foundation/clock.ts";
import { createTurnRequest } from "../../src/testing/turn-request.ts";
import { createMemoryRecord } from "../agents/backends/model/memory-record.ts";
import { createTestHost } from "../agents/backends/test-host.ts";

// Asks models, one turn after the other, as an owner of runs does, in a process whose heap is small. Prints how each turn
// ended and the most memory that the process ever had.

/** One turn, of a model that is given in the settings. */
export interface AskedTurn {
  readonly model: string;
  readonly settings: { readonly [provider: string]: BackendSettings };
  readonly mcpServers?: { readonly [name: string]: McpServerSpec };
  readonly prompt: string;
}

/** What is printed. */
export interface AskedTurns {
  readonly ends: readonly {
    readonly type: string;
    readonly code?: string;
    readonly message?: string;
    readonly results: readonly string[];
  }[];
  readonly maxResidentBytes: number;
}

/** Pauses before another try are over at once; time-outs are what they are. */
const hurried: Clock = {
  ...systemClock,
  startTimer: (delayMs, fire) => systemClock.startTimer(delayMs < 30_000 ? 1 : delayMs, fire),
};
const env = { ANTHROPIC_API_KEY: "x", OPENAI_API_KEY: "x", GEMINI_API_KEY: "x", LOCAL_KEY: "x" };

async function ask({ model, settings, mcpServers, prompt }: AskedTurn) {
  const backend = createModelBackend(
    { host: createTestHost(), clock: hurried, settings },
    { name: "model", settings: undefined },
  );
  const servers = mcpServers === undefined ? {} : { mcpServers };
  const spec: AgentSpec = { id: "worker", backend: "model", model, ...servers };
  const session = await backend.open({
    ...{ run: "run_aaaaaa", session: "worker", cwd: process.cwd(), env, trustsProject: false },
    ...{ record: createMemoryRecord(), spec },
  });
  const updates: TurnUpdate[] = [];
  for await (const update of session.prompt(createTurnRequest({ prompt })))
    if (update.type !== "text-delta" && update.type !== "activity") updates.push(update);
  await session.close();
  const end = updates.at(-1);
  const results = updates.flatMap((update) =>
    update.type === "tool-result" ? [`${update.result}`.slice(0, 500)] : [],
  );
  if (end?.type !== "error") return { type: end?.type ?? "nothing", results };
  return { type: "error", code: end.error.code, message: end.error.message, results };
}

const turns: readonly AskedTurn[] = JSON.parse(process.argv[2] ?? "[]");
const ends: AskedTurns["ends"][number][] = [];
for (const turn of turns) ends.push(await ask(turn));
const told: AskedTurns = { ends, maxResidentBytes: process.resourceUsage().maxRSS * 1024 };
process.stdout.write(JSON.stringify(told));
