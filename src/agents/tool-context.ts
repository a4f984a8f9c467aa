import { z } from "zod";
import type { ToolContext, ToolOffer, TrailReading } from "../contracts/tool.ts";
import type { TrajectoryRecord } from "../contracts/trajectory.ts";
import type { RunRuntime } from "../engine/run-runtime.ts";
import { findAgent } from "../fold/state/agent-lookup.ts";
import type { RunState } from "../fold/state/run-state.ts";
import { isSameJson } from "../foundation/same-json.ts";
import { ackInbox, readMentions, takeMessages } from "../messaging/agent-inbox.ts";
import { listDocuments, readDocument } from "../messaging/edit-document.ts";
import { readResource } from "../messaging/message-body.ts";
import { readOwnChannel } from "../messaging/read-channel.ts";
import { tooManyRecords } from "./errors.ts";

/** Of one agent in one run. */
const MOST_RECORDS = 100;

/** What a turn does for the tools that are called in it. */
export type ToolDeeds = Pick<
  ToolContext,
  "post" | "editDocument" | "suggestEdit" | "signal" | "requestApproval" | "askProgram" | "collab"
> & {
  /** The hand-overs that budgets leave it; undefined where nothing limits them. */
  readonly handoversLeft: () => number | undefined;
};

/** The turn in which tools are called. */
export interface CallingTurn {
  readonly runtime: RunRuntime;
  readonly mainChannel: string;
  readonly offer: ToolOffer;
  readonly agent: string;
  readonly turn: number;
  readonly deeds: ToolDeeds;
  readonly call: string | undefined;
}

/** What tools may do in a turn, as its agent. */
export function createToolContext(calling: CallingTurn): ToolContext {
  const { runtime, mainChannel, offer, agent, turn, deeds, call } = calling;
  const { state } = runtime;
  return {
    run: runtime.run,
    agent,
    offer,
    post: (draft) => deeds.post(draft),
    readChannel: (query) => readOwnChannel(runtime, { agent, mainChannel }, query),
    readMentions: (query) => readMentions(runtime, agent, query),
    take: (messages) => takeMessages(runtime, { agent, turn }, messages),
    ackInbox: (choice) => ackInbox(runtime, { agent, turn }, choice),
    readDocument: (name) => readDocument(state, name),
    listDocuments: () => listDocuments(state),
    editDocument: (edit) => deeds.editDocument(edit),
    suggestEdit: (suggestion) => deeds.suggestEdit(suggestion),
    agents: () =>
      [...state.agents.values()].map(({ id, spec: { name = id }, status, statusText }) => ({
        id,
        name,
        status,
        ...(statusText === undefined ? {} : { statusText }),
      })),
    setStatus: (text) => {
      if ((findAgent(state, agent)?.statusText ?? "") === text) return;
      runtime.append({ type: "status-set", agent, turn, text });
    },
    handoffsLeft: () => handoffsLeft(state, agent, deeds.handoversLeft()),
    readTrail: ({ namespace, key }) => readTrail(state, offer, { namespace, key }),
    record: (record) => addRecord(calling, record),
    signal: (given) => deeds.signal(given),
    readResource: (query) => readResource(runtime, query),
    requestApproval: (request) => deeds.requestApproval(request),
    askProgram: (tool, given) => deeds.askProgram(tool, given),
    collab: deeds.collab,
    call,
  };
}

/** The same again in the same run changes nothing, as of a turn that is started again. */
function addRecord({ runtime, agent, turn }: CallingTurn, record: TrajectoryRecord): void {
  const { state } = runtime;
  const earlier = state.records.get(agent) ?? [];
  if (earlier.some((each) => isSameJson(each, record))) return;
  if (earlier.length >= MOST_RECORDS) throw tooManyRecords({ agent, limit: MOST_RECORDS });
  const note = `record#${state.lastSeq + 1}`;
  runtime.append({ type: "record-added", note, by: agent, agent, turn, record });
}

async function readTrail(
  state: RunState,
  { trails }: ToolOffer,
  { namespace, key }: Parameters<ToolContext["readTrail"]>[0],
): Promise<TrailReading> {
  if (trails === undefined) return { value: 0, marks: [] };
  // Few runs have marks.
  const { trailOf } = await import("../messaging/trails/run-trails.ts");
  const { trail, nowMs } = trailOf(state, trails, namespace);
  const value = key === undefined ? 0 : trail.read(key, nowMs);
  return { value, marks: key === undefined ? trail.readAll(nowMs) : [] };
}

/** Of the task that the agent got last, and of all budgets: the smaller one. */
function handoffsLeft(
  state: RunState,
  agent: string,
  ofBudgets: number | undefined,
): number | undefined {
  const counts = state.advances.flatMap(({ kind, data }) => {
    const note = kind === "entry" || kind === "handoff" ? taken.safeParse(data).data : undefined;
    return note !== undefined && (note.to ?? note.agent) === agent ? [note.left] : [];
  });
  const ofTask = counts.at(-1);
  if (ofTask === undefined || ofBudgets === undefined) return ofTask;
  return Math.min(ofTask, ofBudgets);
}

const taken = z.object({
  agent: z.string().optional(),
  to: z.string().optional(),
  left: z.number(),
});
