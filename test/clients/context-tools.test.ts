import { join } from "node:path";
import { expect, test } from "vitest";
import { CONTEXT_TOKEN_PREFIX } from "../../src/foundation/context-token.ts";
import { loadTools } from "../../src/tools/registry.ts";
import { createProject } from "../e2e/troupe-process.ts";
import { has } from "../machine.ts";
import { claudeAgent } from "./claude-agent.ts";
import { codexAgent } from "./codex-agent.ts";
import { traceConnections } from "./connection-trace.ts";
import { installedClient } from "./installed-client.ts";
import type { RecordedCall } from "./model-server/model-server.ts";
import { scriptText } from "./model-server/script.ts";
import { startedModel } from "./started-model.ts";
import { postedBy, runTeamFile } from "./team.ts";
import { runTeamInProcess } from "./team-in-process.ts";

const REQUEST = "the parser is ready for a review";
const REVIEW = "no problems found";

// Alice asks bob by a message that carries his script; nothing but its mention wakes him.
const bobsScript = scriptText(
  { calls: [{ tool: "channel_read" }, { tool: "document_append", args: { content: REVIEW } }] },
  { calls: [{ tool: "channel_send", args: { message: "I wrote it down" } }] },
  { text: "DONE" },
);
const alicesScript = scriptText(
  { calls: [{ tool: "channel_send", args: { message: `@bob ${REQUEST} ${bobsScript}` } }] },
  { text: "DONE" },
);
// What stands in code mentions nobody.
const kickoff = `@alice ask bob for a review.\n\`\`\`\n${alicesScript}\n\`\`\``;

const clients = [
  { client: "claude", toAgent: claudeAgent },
  { client: "codex", toAgent: codexAgent },
] as const;
const ways = [
  { transport: "http", runTeam: runTeamInProcess, ports: 2 },
  { transport: "stdio", runTeam: runTeamFile, ports: 1 },
] as const;

const cases = clients.flatMap((client) => ways.map((way) => ({ ...client, ...way })));

test.for(cases)(
  "real $client agents use the context over $transport, each as itself, and wake each other [MCP-1.tools, MCP-2, MCP-3, MCP-7, T3]",
  async ({ client, toAgent, transport, runTeam, ports }, context) => {
    const program = installedClient(client, context);
    const model = await startedModel();
    const cwd = createProject();
    const trace = traceConnections(join(cwd, "connections.txt"));
    const agentNamed = (agent: string) =>
      toAgent({
        agent,
        program: [...trace.prefix, ...program],
        modelUrl: model.urlFor(agent),
        home: join(cwd, agent),
        transport,
      });
    const agents = { alice: agentNamed("alice"), bob: agentNamed("bob") };
    const events = await runTeam({ cwd, agents, kickoff });

    expect(postedBy("alice", events)).toEqual([expect.stringContaining(REQUEST)]);
    expect(postedBy("bob", events)).toEqual(["I wrote it down"]);
    const change = { kind: "append", text: expect.stringContaining(REVIEW) };
    expect(events).toContainEqual(
      expect.objectContaining({ type: "document-changed", by: "bob", change }),
    );
    expect(resultsOf(model.calls("bob"))[0]).toContain(REQUEST);
    expect(model.calls().map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
    expect(JSON.stringify([events, model.calls()])).not.toContain(CONTEXT_TOKEN_PREFIX);
    // Nothing but the model, and the port of the tools where there is one.
    const onLoopback = expect.stringMatching(/^127\.0\.0\.1:\d+$/);
    if (has("strace")) expect(trace.addresses()).toEqual(Array(ports).fill(onLoopback));
  },
);

test("codex, which may ask nobody, lets an agent call every tool: all are annotated [MCP-1.tools]", async (context) => {
  const program = installedClient("codex", context);
  const model = await startedModel();
  const cwd = createProject();
  const modelUrl = model.urlFor("alice");
  const home = join(cwd, "alice");
  const alice = codexAgent({ agent: "alice", program, modelUrl, home, transport: "http" });
  const tools = await loadTools();
  // Of those that only some runs have nobody hears here: they say of themselves what others say.
  const elsewhere = ["program", "trails", "reflection", "trajectory"];
  const called = tools.filter(({ needs = "" }) => !elsewhere.includes(needs));
  for (const { annotations } of tools)
    expect(called.map((tool) => tool.annotations)).toContainEqual(annotations);
  const names = called.map(({ name }) => name);
  // Whether arguments are right is judged by the tool, behind the client.
  const everyTool = scriptText({ calls: names.map((tool) => ({ tool })) }, { text: "DONE" });
  await runTeamInProcess(
    { cwd, agents: { alice }, kickoff: `@alice ${everyTool}` },
    { spawns: true, signals: tools.flatMap(({ gives }) => gives ?? []) },
  );
  const results = resultsOf(model.calls("alice"));
  expect(results).toHaveLength(names.length);
  for (const result of results) expect(result).not.toContain("requires approval");
});

/** What tools answered, as the model heard it in the end. */
function resultsOf(calls: readonly RecordedCall[]): readonly string[] {
  const entries = calls.at(-1)?.request?.entries ?? [];
  return entries.filter(({ kind }) => kind === "result").map(({ text }) => text);
}
