import type { EventData, JournalEvent } from "../../src/contracts/events/event.ts";
import type { GraphEdge, GraphNode, WorkflowGraph } from "../../src/contracts/graph.ts";
import type { RunReport } from "../../src/contracts/ports/run-report.ts";

/** Start of every journal here, in ms since the epoch. */
const START_MS = Date.UTC(2026, 10, 21, 10);

/** Gives events their places: each some seconds after the one before. */
export function toJournal(
  entries: readonly (readonly [afterMs: number, event: EventData])[],
): readonly JournalEvent[] {
  let at = START_MS;
  return entries.map(([afterMs, event], index) => {
    at += afterMs;
    return { ...event, seq: index + 1, at };
  });
}

/** A report around events. */
export function toReport(events: readonly JournalEvent[], graph: WorkflowGraph): RunReport {
  const writtenAt = (events.at(-1)?.at ?? START_MS) + 60_000;
  return { v: 1, run: "run_7k2fq3", troupe: "0.1.0", writtenAt, isRedacted: false, graph, events };
}

/** A graph of steps `[id, agent, ids before]`. */
export function graphOf(
  steps: readonly (readonly [id: string, agent: string, after: readonly string[]])[],
): WorkflowGraph {
  const nodes = steps.map(([id, agent]): GraphNode => ({ id, kind: "step", label: id, agent }));
  const edges = steps.flatMap(([to, , after]) =>
    after.map((from): GraphEdge => ({ from, to, kind: "dependency" })),
  );
  return { nodes, edges };
}

/** What every journal begins with. */
export function beginning(
  task: string,
  workflow = "code-review",
): readonly (readonly [number, EventData])[] {
  return [
    [
      0,
      {
        type: "run-created",
        workflow,
        instance: "pr-123",
        definitionHash: "d00d",
        program: "pattern/dag",
        seed: "seed",
        troupe: "0.1.0",
        cwd: "/home/ann/shop",
        file: "workflows/code-review.yaml",
        task,
        params: { target: "src" },
        limits: {},
      },
    ],
    [5, { type: "run-started", epoch: 1 }],
  ];
}

export function spawned(agent: string, backend: string, model?: string): EventData {
  const spec = { id: agent, backend, ...(model === undefined ? {} : { model }) };
  return { type: "agent-spawned", agent, backend, spec };
}

function step(id: string): {
  readonly note: string;
  readonly step: string;
  readonly path: string;
  readonly execution: number;
} {
  return { note: `note-${id}`, step: id, path: id, execution: 1 };
}

export function stepStarted(
  id: string,
  agent: string,
  attempt = 1,
): Extract<EventData, { type: "step-started" }> {
  return { ...step(id), type: "step-started", attempt, agent };
}

export function stepCompleted(
  id: string,
  agent: string,
  output: string,
): Extract<EventData, { type: "step-completed" }> {
  return {
    ...step(id),
    type: "step-completed",
    attempt: 1,
    output,
    text: `I am done.\n\nDONE: ${output}`,
    reason: "done-signal",
    durationMs: 31_400,
    agent,
  };
}

export function posted(id: string, from: string, text: string): EventData {
  const mentions = [...text.matchAll(/@([a-z]+)/g)].flatMap(([, name]) => name ?? []);
  return { type: "message-posted", id, from, channel: "main", text, mentions, signals: [] };
}

interface TurnOptions {
  readonly agent: string;
  readonly turn: number;
  readonly step: string;
  readonly messages?: readonly string[];
}

/** The prompt of a turn and its start. */
export function turnStarted({
  agent,
  turn,
  step: id,
  messages = [],
}: TurnOptions): readonly [EventData, EventData] {
  const op = `${id}/turn#${turn}`;
  const items = [
    { kind: "prompt", op } as const,
    ...messages.map((message) => ({ kind: "message", id: message }) as const),
  ];
  return [
    {
      type: "operation-scheduled",
      op,
      kind: "turn",
      input: { agent, prompt: `Do step "${id}".\nEnd with a line DONE: and a summary.` },
    },
    {
      type: "turn-started",
      agent,
      turn,
      attempt: 1,
      session: `${agent}-1`,
      key: `run_7k2fq3/${agent}/${turn}`,
      items,
      step: { id, path: id, execution: 1, attempt: 1 },
    },
  ];
}

interface Said {
  readonly text: string;
  readonly costUsd?: number;
}

export function turnCompleted(agent: string, turn: number, said: Said): EventData {
  const { text, costUsd } = said;
  const usage =
    costUsd === undefined ? {} : { usage: { inputTokens: 8400, outputTokens: 910, costUsd } };
  const stopReason = "end_turn";
  return { type: "turn-completed", agent, turn, text, stopReason, signals: [], ...usage };
}

const PLAN = `## Plan

1. Read the failing test in \`auth.test.ts\`
2. Validate the token **before** the lookup
3. Keep the public API as it is

See https://example.com/auth for the protocol.
`;

const FAILURE = {
  code: "STEP_VERIFY_FAILED",
  message: "npm test ended with exit code 1",
  hint: "the output of the check says more",
};

const CHECK = ` FAIL  test/auth.test.ts > rejects an expired token
AssertionError: expected 200 to be 401
 \u001b[32m✓\u001b[39m 40 passed
 \u001b[31m✗\u001b[39m 1 failed`;

/** A run in which most things happen: a plan, an approval, three steps side by side, failures, a document. */
export function sampleReport(): RunReport {
  const events = toJournal([
    ...beginning("Review pull request 123 and fix what is wrong. **Do not** push without asking."),
    [40, spawned("lead", "claude", "claude-sonnet-4-5")],
    [10, spawned("coder", "codex", "gpt-5")],
    [10, spawned("designer", "gemini", "gemini-pro")],
    [10, spawned("tester", "command")],
    [100, stepStarted("plan", "lead")],
    ...turnStarted({ agent: "lead", turn: 1, step: "plan" }).map((event) => [20, event] as const),
    [
      4000,
      {
        type: "tool-called",
        agent: "lead",
        turn: 1,
        call: "c1",
        tool: "Read",
        input: { path: "src/auth.ts" },
      },
    ],
    [
      900,
      {
        type: "tool-returned",
        agent: "lead",
        turn: 1,
        call: "c1",
        tool: "Read",
        isError: false,
        result: "export function login() {}",
      },
    ],
    [
      3000,
      posted(
        "m1",
        "lead",
        "@coder the token is looked up before it is validated, line 42. @designer the message must say why.",
      ),
    ],
    [
      500,
      {
        type: "document-changed",
        document: "notes",
        revision: 1,
        by: "lead",
        change: { kind: "write", text: PLAN },
      },
    ],
    [
      9000,
      turnCompleted("lead", 1, {
        text: `I read the diff.\n\n${PLAN}\nDONE: three findings`,
        costUsd: 0.0412,
      }),
    ],
    [30, stepCompleted("plan", "lead", "three findings")],
    [
      20,
      {
        type: "approval-requested",
        approval: "apr_91k2",
        op: "approve/approval#1",
        message: "Push 3 files to origin/fix-auth?",
        step: "approve",
        hash: "abc",
        show: { files: 3 },
      },
    ],
    [
      41_000,
      {
        type: "approval-resolved",
        approval: "apr_91k2",
        decision: "approved",
        by: "user",
        comment: "go on",
      },
    ],
    [
      10,
      {
        ...step("approve"),
        type: "step-completed",
        attempt: 1,
        output: "approved",
        reason: "exit",
        durationMs: 41_000,
      },
    ],
    [10, stepStarted("code-api", "coder")],
    [0, stepStarted("code-ui", "designer")],
    ...turnStarted({ agent: "coder", turn: 1, step: "code-api", messages: ["m1"] }).map(
      (event) => [20, event] as const,
    ),
    ...turnStarted({ agent: "designer", turn: 1, step: "code-ui", messages: ["m1"] }).map(
      (event) => [20, event] as const,
    ),
    [5200, { type: "file-changed", agent: "coder", turn: 1, path: "src/auth.ts", kind: "edit" }],
    [
      2100,
      {
        type: "permission-requested",
        id: "prm_11aa",
        agent: "coder",
        turn: 1,
        tool: "Bash",
        input: { command: "npm run build" },
      },
    ],
    [8000, { type: "permission-resolved", id: "prm_11aa", decision: "allowed", by: "user" }],
    [
      3000,
      posted("m2", "designer", "the error text is in place, @lead please look at the wording"),
    ],
    [10, turnCompleted("designer", 1, { text: "DONE: wording" })],
    [10, stepCompleted("code-ui", "designer", "The message says *why* the token was refused.")],
    [
      4000,
      turnCompleted("coder", 1, {
        text: "Token first, lookup second.\n\n```ts\nif (!valid(token)) return 401;\n```\n\nDONE: fixed",
        costUsd: 0.1873,
      }),
    ],
    [
      10,
      {
        type: "document-changed",
        document: "notes",
        revision: 2,
        by: "coder",
        change: { kind: "append", text: "\n## Changes\n\n- `src/auth.ts` validates first\n" },
      },
    ],
    [10, stepCompleted("code-api", "coder", "Token first, lookup second.")],
    [20, stepStarted("test", "tester")],
    ...turnStarted({ agent: "tester", turn: 1, step: "test" }).map((event) => [10, event] as const),
    [7000, turnCompleted("tester", 1, { text: "1 failed, 40 passed" })],
    [
      10,
      { type: "verification-failed", note: "v1", step: "test", check: "npm test", output: CHECK },
    ],
    [
      10,
      {
        ...step("test"),
        type: "step-retrying",
        attempt: 1,
        error: FAILURE,
        delayMs: 5000,
        agent: "tester",
      },
    ],
    [5000, stepStarted("test", "tester", 2)],
    ...turnStarted({ agent: "tester", turn: 2, step: "test" }).map((event) => [10, event] as const),
    [
      2000,
      posted("m3", "coder", "@tester I see it: the clock in the test stands still. @reviewer FYI"),
    ],
    [
      5000,
      {
        type: "turn-failed",
        agent: "tester",
        turn: 2,
        error: { code: "BACKEND_COMMAND_FAILED", message: "npm test ended with exit code 1" },
      },
    ],
    [
      10,
      { type: "verification-failed", note: "v2", step: "test", check: "npm test", output: CHECK },
    ],
    [
      10,
      {
        ...step("test"),
        type: "step-failed",
        attempt: 2,
        error: FAILURE,
        durationMs: 19_300,
        agent: "tester",
      },
    ],
    [10, { ...step("review"), type: "step-blocked", by: ["test"] }],
    [
      10,
      {
        type: "question-asked",
        id: "qst_92zz",
        agent: "lead",
        message: "m2",
        text: "Which database should the tests use?",
      },
    ],
    [
      10,
      {
        type: "run-ended",
        outcome: "failed",
        reason: "step test failed",
        resumable: true,
        exitCode: 1,
        durationMs: 74_000,
        result: {
          pattern: "dag",
          success: false,
          output: "Two of three findings are **fixed**; one test still fails.",
        },
      },
    ],
  ]);
  return toReport(
    events,
    graphOf([
      ["plan", "lead", []],
      ["approve", "lead", ["plan"]],
      ["code-api", "coder", ["approve"]],
      ["code-ui", "designer", ["approve"]],
      ["test", "tester", ["code-api", "code-ui"]],
      ["review", "lead", ["test", "plan"]],
    ]),
  );
}

const AGENTS = ["lead", "coder", "designer", "tester", "reviewer", "writer"];

/** A run of many steps one after the other, with turns, tools, messages and documents: about `eventCount` events. */
export function longReport(eventCount: number): RunReport {
  const entries: (readonly [number, EventData])[] = [...beginning("Go through all of it")];
  const steps: (readonly [string, string, readonly string[]])[] = [];
  for (const agent of AGENTS) entries.push([10, spawned(agent, "script")]);
  for (let number = 1; entries.length < eventCount - 1; number += 1) {
    const agent = AGENTS[number % AGENTS.length] ?? "lead";
    const other = AGENTS[(number + 1) % AGENTS.length] ?? "coder";
    const id = `part-${number}`;
    steps.push([id, agent, number > 6 ? [`part-${number - 6}`] : []]);
    const text = `@${other} part ${number} is ready.\n${"More about it in the notes. ".repeat(8)}`;
    const fails = number % 40 === 0;
    entries.push(
      [50, stepStarted(id, agent)],
      ...turnStarted({ agent, turn: number, step: id }).map((event) => [10, event] as const),
      [
        300,
        {
          type: "tool-called",
          agent,
          turn: number,
          call: `c${number}`,
          tool: "Bash",
          input: { command: `make part-${number}` },
        },
      ],
      [
        700,
        {
          type: "tool-returned",
          agent,
          turn: number,
          call: `c${number}`,
          tool: "Bash",
          isError: false,
          result: "ok ".repeat(40),
        },
      ],
      [100, posted(`m${number}`, agent, text)],
      [
        20,
        {
          type: "document-changed",
          document: "notes",
          revision: number,
          by: agent,
          change: { kind: "append", text: `- part ${number}\n` },
        },
      ],
      [
        900,
        turnCompleted(agent, number, {
          text: `Part ${number}.\nDONE: part ${number}`,
          costUsd: 0.002,
        }),
      ],
      [
        5,
        fails
          ? {
              ...step(id),
              type: "step-failed",
              attempt: 1,
              error: FAILURE,
              durationMs: 2000,
              agent,
            }
          : stepCompleted(id, agent, `part ${number}`),
      ],
    );
  }
  entries.push([
    10,
    {
      type: "run-ended",
      outcome: "completed",
      reason: "all done",
      resumable: false,
      exitCode: 0,
      durationMs: 60_000,
      result: { output: "All parts are ready." },
    },
  ]);
  return toReport(toJournal(entries), graphOf(steps));
}
