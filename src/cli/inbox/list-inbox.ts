import type { Machine } from "../../app/machine.ts";
import { inspectRun } from "../../app/resume-run.ts";
import type { WaitingItem } from "../../contracts/run.ts";
import type { RunState } from "../../fold/run-state.ts";
import { waitingItems } from "../../fold/waiting.ts";
import { toIsoTime } from "../../foundation/iso-time.ts";
import type { Invocation } from "../command.ts";
import { listRuns } from "../runs/list-runs.ts";

/** Something that waits for a person, as `inbox --json` prints it. */
export interface InboxEntry {
  readonly id: string;
  readonly kind: WaitingItem["kind"];
  readonly run: string;
  readonly workflow: string;
  readonly instance: string;
  readonly step: string | null;
  readonly agent: string | null;
  readonly text: string;
  /** ISO times. */
  readonly createdAt: string;
  readonly expiresAt: string | null;
}

/** All that waits for people in this project, oldest first. */
export function listInbox(
  machine: Machine,
  invocation: Pick<Invocation, "io" | "settings">,
): readonly InboxEntry[] {
  const waiting = listRuns(machine, invocation).filter(({ needs }) => needs > 0);
  const entries = waiting.flatMap(({ run }) => {
    const state = inspectRun(machine, run);
    return waitingItems(state).map((item) => toEntry(item, state));
  });
  return entries.sort((left, right) => (left.createdAt < right.createdAt ? -1 : 1));
}

function toEntry(waiting: WaitingItem, state: RunState): InboxEntry {
  const { id, kind, text, step, agent } = waiting;
  const item = state.inbox.get(id);
  return {
    id,
    kind,
    run: state.run.id,
    workflow: state.run.workflow,
    instance: state.run.instance,
    step: step ?? null,
    agent: agent ?? null,
    text,
    createdAt: toIsoTime(item?.createdAt ?? state.lastAt),
    expiresAt: item?.kind === "approval" ? (item.expiresAt ?? null) : null,
  };
}
