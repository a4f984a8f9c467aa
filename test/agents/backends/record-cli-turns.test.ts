import { expect, test } from "vitest";
import { describeBackend } from "../../../src/agents/backends/registry.ts";
import { cassetteSchema } from "../../../src/agents/backends/script/cassette-schema.ts";
import { recordTurns } from "../../../src/agents/backends/script/record-turns.ts";
import { createScriptBackend } from "../../../src/agents/backends/script/script-backend.ts";
import type { AgentBackend, TurnUpdate } from "../../../src/contracts/backend.ts";
import type { JournalEvent } from "../../../src/contracts/events/event.ts";
import type { Context } from "../../../src/contracts/ports/context.ts";
import type { Json } from "../../../src/foundation/json.ts";
import { createHost } from "../../../src/host/host.ts";
import { createManualClock } from "../../../src/testing/manual-clock.ts";
import { builtInTools } from "../../../src/tools/registry.ts";
import { agent, type PlayedTurn, playedBackend, runAgents, said } from "../agents-run.ts";

const LS = { command: "ls" };
const READ = { file_path: "/etc/hosts" };
const SAY = { message: "told by a tool" };
const PRICES = { "lab/coder": { inputPerMTok: 1, outputPerMTok: 2 } };

/** Two turns of a program as it talks: the first ends with it, the second does all that there is. */
const cliTurn: PlayedTurn = async function* (request): AsyncGenerator<TurnUpdate> {
  const { client, turn } = request;
  if (turn === 1) {
    yield { type: "tool-call", call: "toolu_0", tool: "Bash", input: LS };
    const error = { code: "BACKEND_EXITED", retryable: true, message: "it ended in the middle" };
    yield { type: "error", error, sessionLost: true };
    return;
  }
  yield { type: "activity" };
  yield { type: "thinking", text: "hm" };
  yield { type: "retrying", reason: "overloaded", delayMs: 500 };
  yield { type: "text-delta", text: "I look around." };
  yield { type: "tool-call", call: "toolu_1", tool: "Bash", input: LS };
  yield { type: "tool-call", call: "toolu_2", tool: "Read", input: READ };
  yield { type: "tool-call", call: "toolu_3", tool: "channel_send", input: SAY };
  await client.requestPermission("Bash", LS);
  const sent = await client.callTool("channel_send", SAY);
  const result = JSON.stringify(sent);
  yield { type: "tool-result", call: "toolu_3", tool: "channel_send", isError: false, result };
  yield { type: "tool-result", call: "toolu_2", tool: "Read", isError: true, result: "no such" };
  yield { type: "tool-result", call: "toolu_1", tool: "Bash", isError: false, result: "a.ts" };
  yield { type: "file-change", path: `${process.cwd()}/made/a.ts`, kind: "edit" };
  yield { type: "usage", usage: { inputTokens: 3000, outputTokens: 500, cachedTokens: 1000 } };
  yield said("DONE: looked");
};

test("what a program of an agent tells and asks plays again with the same events, whatever their order was [AGT-4, AGT-15]", async () => {
  const first = await events(playedBackend(cliTurn));
  const cassette = recordTurns(first, {
    isOwnTool: (tool) => builtInTools.some(({ name }) => name === tool),
    contentOf: () => undefined,
    traitsOf: describeBackend,
  });
  const clock = createManualClock();
  const host = createHost({ run: "run_agents", clock, env: {} });
  const script = createScriptBackend({ host, clock, cassette: cassetteSchema.parse(cassette) });
  const second = await events({
    ...script,
    name: "played",
    metering: "tokens",
    demandsSignal: false,
  });
  expect(comparable(second)).toEqual(comparable(first));
  const types = first.map(({ type }) => type);
  expect(types.filter((type) => type === "tool-returned")).toHaveLength(3);
  expect(types).toEqual(expect.arrayContaining(["turn-failed", "permission-resolved"]));
});

test("permission is asked before its tool is called again, and a file is named from the agent's place [AGT-4]", async () => {
  const cassette = recordTurns(await events(playedBackend(cliTurn)), {
    isOwnTool: (tool) => tool === "channel_send",
    contentOf: () => undefined,
    traitsOf: describeBackend,
  });
  expect(cassette.agents).toEqual({
    coder: [
      {
        do: [{ tool: { name: "Bash", input: LS, open: true } }],
        fail: {
          ...{ code: "BACKEND_EXITED", message: "it ended in the middle", retryable: true },
          sessionLost: true,
        },
      },
      {
        do: [
          { permission: { tool: "Bash", input: LS, onDeny: "continue" } },
          { tool: { name: "Bash", input: LS, result: "a.ts", isError: false } },
          { tool: { name: "Read", input: READ, result: "no such", isError: true } },
          { call: { tool: "channel_send", arguments: SAY } },
          { file: { path: "made/a.ts", kind: "edit" } },
          // The cost was an estimate: it is estimated again.
          { usage: { inputTokens: 3000, outputTokens: 500, cachedTokens: 1000 } },
        ],
        say: "DONE: looked",
      },
    ],
  });
});

async function events(backend: AgentBackend): Promise<readonly JournalEvent[]> {
  const program = async (context: Context): Promise<Json> => {
    const spec = agent("coder", { model: "lab/coder", permissionMode: "bypass" });
    await context.spawn({ ...spec, session: "keep" });
    return (await context.turn("coder", "look around")).text;
  };
  const run = runAgents(program, { backend, prices: PRICES });
  expect(await run.over()).toBe("DONE: looked");
  return run.events;
}

// Ids and times, and what a file that is named from somewhere else is called.
const VOLATILE = new Set(["at", "seq", "call", "resume", "id", "durationMs", "path"]);
function comparable(all: readonly JournalEvent[]): readonly string[] {
  return all
    .map((event) =>
      JSON.stringify(event, (name, value: unknown) => (VOLATILE.has(name) ? undefined : value)),
    )
    .map((text) => text.replaceAll(/"seq\\":\d+/g, '"seq\\":0'))
    .toSorted();
}
