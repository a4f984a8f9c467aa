import { RequestError } from "@agentclientprotocol/sdk";
import { expect, onTestFinished, test } from "vitest";
import type { AcpDialect } from "../../../../src/agents/backends/parts/acp/acp-launch.ts";
import { openAcpSession } from "../../../../src/agents/backends/parts/acp/acp-session.ts";
import type { Usage } from "../../../../src/contracts/usage.ts";
import { createManualClock } from "../../../../src/testing/manual-clock.ts";
import { type AgentScript, chunk, createAgentHost } from "./in-memory-agent.ts";
import { takeTurn } from "./open-session.ts";

const USAGE = { inputTokens: 9, outputTokens: 9, totalTokens: 18 };

test("where the totals of a session are known, a turn has used what they grew by, also one that fails [AGT-15]", async () => {
  let total: Usage = { inputTokens: 500, outputTokens: 40, cachedTokens: 100, costUsd: 0.5 };
  const grownTo = [
    { inputTokens: 900, outputTokens: 60, cachedTokens: 300, costUsd: 0.75 },
    { inputTokens: 950, outputTokens: 61, cachedTokens: 300, costUsd: 0.75 },
    undefined,
  ];
  const opened = await openWith({ sessionUsage: () => total }, async ({ tell, text }) => {
    await tell(chunk("done"));
    total = grownTo.shift() ?? total;
    if (text === "fail") throw new RequestError(500, "broken");
    return { stopReason: "end_turn", usage: USAGE };
  });
  const usages = [];
  for (const [index, prompt] of ["go", "fail", "on"].entries()) {
    const updates = await takeTurn(opened, { turn: index + 1, prompt });
    usages.push(updates.flatMap((update) => (update.type === "usage" ? [update.usage] : [])));
  }
  expect(usages).toEqual([
    [{ inputTokens: 400, outputTokens: 20, cachedTokens: 200 }, { costUsd: 0.25 }],
    [{ inputTokens: 50, outputTokens: 1, cachedTokens: 0 }],
    [],
  ]);
});

test("what the provider answered counts before the words of the program [LOOP-5]", async () => {
  const answers = [{ status: 429, retryAfterMs: 5000 }, { status: 401 }, undefined];
  const opened = await openWith({ failureOf: () => answers.shift() }, async () => {
    throw new RequestError(-32_603, "Incorrect API key provided, see page 400");
  });
  const ends = [];
  for (const turn of [1, 2, 3]) ends.push((await takeTurn(opened, { turn })).at(-1));
  expect(ends).toMatchObject([
    { error: { code: "BACKEND_OVERLOADED", details: { retryAfterMs: 5000 } } },
    { error: { code: "BACKEND_NOT_SIGNED_IN" } },
    { error: { code: "BACKEND_PROVIDER_REFUSED" } },
  ]);
});

async function openWith(dialect: AcpDialect, prompt: AgentScript["prompt"]) {
  const { host } = createAgentHost(prompt === undefined ? {} : { prompt });
  const session = await openAcpSession({
    host,
    clock: createManualClock(),
    request: {
      run: "run_aaaaaa",
      session: "worker",
      cwd: "/project",
      env: {},
      spec: { id: "worker", backend: "acp" },
    },
    launch: { argv: ["agent"], env: {}, dialect, dispose: async () => {} },
  });
  onTestFinished(() => session.close());
  return { session };
}
