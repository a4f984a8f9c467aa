import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { createAcpBackend } from "../../../src/agents/backends/acp/acp-backend.ts";
import { createClaudeBackend } from "../../../src/agents/backends/claude/claude-backend.ts";
import { createCodexBackend } from "../../../src/agents/backends/codex/codex-backend.ts";
import type { AgentSession, TurnUpdate } from "../../../src/contracts/backend.ts";
import { systemClock } from "../../../src/foundation/clock.ts";
import { createTurnRequest } from "../../../src/testing/turn-request.ts";
import { temporaryDirectory } from "../../programs/temporary-directory.ts";
import { createTestHost } from "./test-host.ts";

// Real processes that print lines of 9 MiB or of 250,000 values; Troupe reads at most 8 Mi characters and 200,000 values.

const BACKENDS = { claude: createClaudeBackend, codex: createCodexBackend, acp: createAcpBackend };
type Backend = keyof typeof BACKENDS;

const update = (kind: string) =>
  `{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s1","update":{"sessionUpdate":"${kind}","x":"`;

/** Beginnings of lines by name; the outcome of a turn depends on those in `needed`. */
const HEADS: {
  readonly [name in Backend]: {
    readonly needed: { readonly [name: string]: string };
    readonly spare: { readonly [name: string]: string };
  };
} = {
  claude: {
    needed: {
      result: '{"type":"result","subtype":"success","result":"',
      assistant: '{"type":"assistant","message":{"content":"',
      permission: '{"type":"control_request","request_id":"',
      unknown: '{"what":"',
    },
    spare: {
      delta: '{"type":"stream_event","event":{"type":"x","y":"',
      tool: '{"type":"user","message":{"content":"',
      noise: 'warning: "',
    },
  },
  codex: {
    needed: {
      answer: '{"method":"item/completed","params":{"item":{"type":"agentMessage","text":"',
      completed: '{"method":"turn/completed","params":{"threadId":"t1","turn":{"status":"',
      response: '{"id":99,"result":{"x":"',
      approval: '{"method":"item/commandExecution/requestApproval","id":7,"params":{"x":"',
    },
    spare: {
      delta: '{"method":"item/agentMessage/delta","params":{"delta":"',
      output: '{"method":"item/completed","params":{"item":{"type":"commandExecution","x":"',
      diff: '{"method":"turn/diff/updated","params":{"diff":"',
      noise: 'warning: "',
    },
  },
  acp: {
    needed: {
      answer: update("agent_message_chunk"),
      reply: '{"jsonrpc":"2.0","id":99,"result":{"x":"',
      permission: '{"jsonrpc":"2.0","id":7,"method":"session/request_permission","params":{"x":"',
    },
    spare: {
      tool: update("tool_call_update"),
      thought: update("agent_thought_chunk"),
      noise: 'warning: "',
    },
  },
};

const names = Object.keys(BACKENDS).filter((name): name is Backend => name in BACKENDS);

async function open(name: Backend) {
  const host = createTestHost();
  onTestFinished(() => host.close());
  const cwd = temporaryDirectory();
  const directory = join(cwd, "agent");
  mkdirSync(directory);
  const logFile = join(cwd, "agent.log");
  const { needed, spare } = HEADS[name];
  const heads = JSON.stringify({ ...needed, ...spare });
  const program = join(import.meta.dirname, "loud-cli-program.mjs");
  const command = [process.execPath, program, name, heads];
  const session = await BACKENDS[name](
    { host, clock: systemClock },
    { name, settings: { command } },
  ).open({
    ...{ run: "run_aaaaaa", session: "worker", cwd, directory, logFile },
    env: host.baseEnv({}),
    spec: { id: "worker", backend: name },
  });
  onTestFinished(() => session.close());
  return { session, logFile };
}

async function ask(session: AgentSession, prompt: string): Promise<TurnUpdate | undefined> {
  let last: TurnUpdate | undefined;
  for await (const each of session.prompt(createTurnRequest({ prompt }))) last = each;
  return last;
}

const FINE = { type: "stop", reason: "end_turn", text: "fine" };
const NOT_READ = "[a line of more than 8 Mi characters or 200,000 JSON values was not read]";

test.each(names)(
  "a line that is too large to read fails the turn of %s that needs it, and its session continues [AGT-21.lines]",
  async (name) => {
    const { session } = await open(name);
    for (const kind of Object.keys(HEADS[name].needed)) {
      expect([kind, await ask(session, `loud ${kind}`)]).toMatchObject([
        kind,
        { type: "error", error: { code: "BACKEND_LINE_TOO_LARGE", retryable: true } },
      ]);
      expect(await ask(session, "go on")).toMatchObject(FINE);
    }
  },
);

test.each(names)(
  "a line that is too large to read and that no turn of %s needs is left out, which its log says [AGT-21.lines]",
  async (name) => {
    const { session, logFile } = await open(name);
    const kinds = Object.keys(HEADS[name].spare);
    for (const kind of kinds)
      expect([kind, await ask(session, `loud ${kind}`)]).toMatchObject([kind, FINE]);
    expect(readFileSync(logFile, "utf8").split(NOT_READ)).toHaveLength(kinds.length + 1);
  },
);
