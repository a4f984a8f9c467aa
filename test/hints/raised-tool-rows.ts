import type { Json } from "../../src/foundation/json.ts";
import type { RaisedRow } from "./raised-rows.ts";

/** A tool, and what it is called with. */
type ToolCall = readonly [tool: string, given: { readonly [name: string]: Json }];

/** What an agent is answered that calls tools; its first agent calls them one after the other. */
interface ToolScene {
  readonly code: string;
  readonly calls: readonly ToolCall[];
  readonly pattern?: string;
  /** What another agent, b, calls; nothing if not given. Without one where it is null. */
  readonly other?: readonly ToolCall[] | null;
  /** Keys of the agent that calls. */
  readonly agent?: { readonly [name: string]: Json };
  /** Keys of the workflow beside them. */
  readonly keys?: { readonly [name: string]: Json };
  readonly files?: RaisedRow["files"];
}

const HALF_OF_A_DOCUMENT = 600_000;
const MOST_DOCUMENTS = 200;
const MOST_TASKS = 1000;
const AFTER_OTHER = {
  steps: [
    { id: "s", agent: "b" },
    { id: "t", agent: "a", dependsOn: ["s"] },
  ],
};

function row({ code, calls, other = [], agent, ...rest }: ToolScene): RaisedRow {
  const { pattern = "mesh", keys } = rest;
  const agents = [
    { id: "a", backend: "script", script: scriptOf(calls), ...agent },
    ...(other === null ? [] : [{ id: "b", backend: "script", script: scriptOf(other) }]),
  ];
  const flow = { version: "1.0", name: "flow", pattern, agents, ...keys };
  const files = { ...rest.files, "flow.yaml": JSON.stringify(flow) };
  return { code, files, args: ["run", "flow.yaml", "go", "--json", "--trust"] };
}

function scriptOf(calls: readonly ToolCall[]): Json {
  const calling = calls.map(([tool, given]) => ({ call: { tool, arguments: given } }));
  return [{ do: calling, say: "DONE: ok" }];
}

function documentsNamed(letter: string): readonly ToolCall[] {
  return Array.from({ length: MOST_DOCUMENTS / 2 + 1 }, (_, at) => [
    "document_append",
    { content: "x", name: `${letter}${at}` },
  ]);
}

const SCENES: readonly ToolScene[] = [
  { code: "MESSAGE_UNKNOWN_POSITION", calls: [["channel_read", { since: "soon" }]] },
  {
    code: "MESSAGE_UNKNOWN_RECIPIENT",
    calls: [["channel_send", { message: "hi", to: ["nobody"] }]],
  },
  {
    code: "MESSAGE_UNKNOWN_CHANNEL",
    calls: [["channel_send", { message: "hi", channel: "no way" }]],
  },
  {
    code: "MESSAGE_CHANNEL_REFUSED",
    agent: { channels: ["own"] },
    calls: [["channel_read", { channel: "other" }]],
  },
  {
    code: "MESSAGE_DOCUMENT_TOO_LARGE",
    pattern: "dag",
    keys: {
      steps: [
        { id: "s", agent: "a" },
        { id: "t", agent: "a" },
      ],
    },
    calls: [["document_append", { content: "x".repeat(HALF_OF_A_DOCUMENT) }]],
  },
  {
    code: "MESSAGE_DOCUMENTS_TOO_MANY",
    calls: documentsNamed("d"),
    other: documentsNamed("e"),
  },
  {
    code: "MESSAGE_DOCUMENT_SUGGESTION_EMPTY",
    pattern: "dag",
    keys: AFTER_OTHER,
    other: [["document_write", { content: "x", name: "plan", owner: true }]],
    calls: [["document_suggest", { content: " ", name: "plan" }]],
  },
  { code: "TEAM_NOTHING_TO_CLAIM", pattern: "team", calls: [["task_claim", {}]] },
  {
    code: "TEAM_TITLE_UNFIT",
    pattern: "team",
    calls: [["task_create", { title: "read (owner: b)" }]],
  },
  {
    code: "TEAM_TASKS_TOO_MANY",
    pattern: "team",
    keys: { team: { name: "x" } },
    calls: [["task_create", { title: "read" }]],
    files: { ".troupe/context/team/x/tasks.md": "- [-] read\n".repeat(MOST_TASKS) },
  },
  {
    code: "COLLAB_BACKEND_NOT_READY",
    pattern: "collab",
    other: null,
    agent: { spawns: true },
    calls: [["spawn_agent", { prompt: "look", backend: "codex" }]],
    files: { ".troupe/config.yaml": "backends: { codex: { command: /nowhere/codex } }\n" },
  },
];

/** Codes that agents are answered with, and people read in the record of the run. */
export const RAISED_TOOL_ROWS: readonly RaisedRow[] = SCENES.map(row);
