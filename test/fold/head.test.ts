import { expect, test } from "vitest";
import type { EventData } from "../../src/contracts/events/event.ts";
import { foldAll } from "../../src/fold/fold.ts";
import { toHead } from "../../src/fold/head.ts";
import { walk } from "../../src/fold/message-reading.ts";
import { waitingItems } from "../../src/fold/waiting.ts";
import { toJson } from "../../src/foundation/json.ts";
import {
  approvalRequested,
  created,
  journal,
  permissionRequested,
  posted,
  scheduled,
  spawned,
  started,
  turnCompleted,
  turnStarted,
} from "./journal-builder.ts";

test("the head says what a listing of runs shows, as JSON", () => {
  const state = foldAll(
    "run_a",
    journal([
      created,
      started,
      spawned("coder"),
      turnStarted("coder", 1),
      turnCompleted("coder", 1),
      { type: "step-skipped", note: "n", step: "a", path: "a", execution: 1, reason: "when" },
      scheduled("approval#1", "approval"),
      approvalRequested("apr_a", "approval#1"),
    ]),
  );
  const head = toHead(state, 4);
  expect(toJson(head, "head")).toEqual(head);
  expect(head).toEqual({
    v: 1,
    run: "run_a",
    workflow: "review",
    instance: "default",
    state: "waiting",
    outcome: null,
    startedAt: "2026-01-01T10:00:01.000Z",
    endedAt: null,
    steps: { done: 1, total: 4 },
    agents: 1,
    costUsd: 0.25,
    needs: 1,
    waitingFor: [{ id: "apr_a", kind: "approval", text: "Push?", step: null, agent: null }],
    task: "fix it",
    cwd: "/project",
    resumable: true,
    exitCode: null,
    durationMs: 6000,
    lastSeq: 8,
    lastAt: "2026-01-01T10:00:07.000Z",
    parent: null,
  });
});

test("the head of a run that is over names its outcome and no cost that nobody knows", () => {
  const ended: EventData = {
    type: "run-ended",
    outcome: "failed",
    reason: "step a failed",
    resumable: false,
    exitCode: 1,
    durationMs: 12,
    result: null,
  };
  expect(toHead(foldAll("run_a", journal([created, started, ended])))).toMatchObject({
    state: "failed",
    outcome: "failed",
    endedAt: "2026-01-01T10:00:02.000Z",
    costUsd: null,
    durationMs: 12,
    exitCode: 1,
    resumable: false,
  });
});

test("a head shows twenty items and counts them all", () => {
  const requests = Array.from({ length: 30 }, (_, index) =>
    permissionRequested(`prm_${index}`, "coder", 1),
  );
  const begin = [created, started, spawned("coder"), turnStarted("coder", 1)];
  const head = toHead(foldAll("run_a", journal([...begin, ...requests])));
  expect([head.needs, head.waitingFor.length]).toEqual([30, 20]);
});

test("a suspended run still shows what it waits for, and not what has been decided since", () => {
  const state = foldAll(
    "run_a",
    journal([
      created,
      started,
      scheduled("approval#1", "approval"),
      approvalRequested("apr_a", "approval#1"),
      approvalRequested("apr_b", "approval#2"),
      {
        type: "run-suspended",
        reason: "waiting",
        exitCode: 3,
        waitingFor: [
          { id: "apr_a", kind: "approval", text: "Push?" },
          { id: "apr_child", kind: "approval", text: "In the child?" },
        ],
      },
      {
        type: "command-received",
        by: "user",
        command: { kind: "resolve-approval", approval: "apr_a", decision: "approved" },
      },
    ]),
  );
  expect(waitingItems(state).map(({ id }) => id)).toEqual(["apr_b", "apr_child"]);
});

test("messages after a seq are found whatever their timestamps [MSG-5]", () => {
  const events = journal([
    [0, created],
    [0, started],
    ...["m1", "m2", "m3"].map((id) => [0, posted(id, ["coder"])] as const),
  ]);
  const state = foldAll("run_a", events);
  const places = state.messages.byReader.get("coder") ?? [];
  const idsAfter = (seq: number, limit = 9) =>
    [...walk({ state }, places, seq).take(limit)].map(({ id }) => id);
  expect([idsAfter(0), idsAfter(3), idsAfter(3, 1), idsAfter(5)]).toEqual([
    ["m1", "m2", "m3"],
    ["m2", "m3"],
    ["m2"],
    [],
  ]);
});
