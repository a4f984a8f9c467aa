import type { TurnRequest } from "../contracts/backend.ts";
import type { TurnClient } from "../contracts/turn-client.ts";

/** A turn client that records its calls and answers each of them with success. */
export interface RecordingClient extends TurnClient {
  readonly calls: readonly { readonly method: keyof TurnClient; readonly input: unknown }[];
}

/** A recording client; `answers` replaces single methods. */
export function createRecordingClient(answers: Partial<TurnClient> = {}): RecordingClient {
  const calls: { method: keyof TurnClient; input: unknown }[] = [];
  const record = (method: keyof TurnClient, input: unknown) => {
    calls.push({ method, input });
  };
  const defaults: TurnClient = {
    post: async () => ({
      status: "posted",
      id: `message-${calls.length}`,
      seq: calls.length,
      recipients: [],
      unknownMentions: [],
    }),
    editDocument: async ({ name = "notes", text }) => ({ name, revision: calls.length, text }),
    signal: async () => undefined,
    callTool: async () => ({ ok: true }),
    requestPermission: async () => ({ decision: "allowed" }),
    ask: async () => "yes",
    plan: async () => ({ isApproved: true }),
  };
  const client = { ...defaults, ...answers };
  return {
    calls,
    post: (draft) => {
      record("post", draft);
      return client.post(draft);
    },
    editDocument: (edit) => {
      record("editDocument", edit);
      return client.editDocument(edit);
    },
    signal: (signal) => {
      record("signal", signal);
      return client.signal(signal);
    },
    callTool: (name, input) => {
      record("callTool", { name, input });
      return client.callTool(name, input);
    },
    requestPermission: (tool, input) => {
      record("requestPermission", { tool, input });
      return client.requestPermission(tool, input);
    },
    ask: (...asked) => {
      record("ask", asked[0]);
      return client.ask(...asked);
    },
    plan: (step) => {
      record("plan", step);
      return client.plan(step);
    },
  };
}

/** A request for the first turn of agent `worker` in run `run_aaaaaa`; `parts` replaces members. */
export function createTurnRequest(parts: Partial<TurnRequest> = {}): TurnRequest {
  const { task = parts.prompt ?? "do the work" } = parts;
  return {
    run: "run_aaaaaa",
    agent: "worker",
    turn: 1,
    attempt: 1,
    key: "run_aaaaaa/turn#1",
    prompt: task,
    task,
    turnsBefore: {},
    signal: new AbortController().signal,
    client: createRecordingClient(),
    ...parts,
  };
}
