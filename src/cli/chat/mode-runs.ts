import type { Machine } from "../../app/machine/machine.ts";
import type { WorkflowRun } from "../../app/run/owner/workflow-run.ts";
import { startRun } from "../../app/run/start-run.ts";
import type { AgentSpec } from "../../contracts/agent.ts";
import { resultOutput } from "../../fold/result-output.ts";
import { findAgent } from "../../fold/state/agent-lookup.ts";
import { toErrorReport } from "../../foundation/errors.ts";
import { isRecord } from "../../foundation/json.ts";
import { TROUPE } from "../command/called-as.ts";
import type { Invocation } from "../command/command.ts";
import { usageInvalid } from "../command/errors.ts";
import { parseCommandLine } from "../command/parse-command-line.ts";
import { splitWords } from "../editor/edit-text.ts";
import { prepareCollab } from "../prepare/prepare-collab.ts";
import { type PreparedRun, prepareRun } from "../prepare/prepare-run.ts";
import { prepareSeries } from "../prepare/prepare-series.ts";
import { prepareTeam } from "../prepare/prepare-team.ts";
import type { ChatDesk } from "./chat-speech.ts";

const MAX_RESULT_CHARS = 16_384;
const IN_BACKGROUND = "--background";

/** A mode that can be started from a chat. */
interface Mode {
  /** Whether it takes `--agent`, so that the agent of the chat can stand in. */
  readonly takesAgent: boolean;
  // As a method: what takes declared options is one among all.
  prepare(machine: Machine, invocation: Invocation): Promise<PreparedRun | undefined>;
}

const MODES: ReadonlyMap<string, Mode> = new Map<string, Mode>([
  ["iter", { takesAgent: true, prepare: prepareSeries }],
  ["collab", { takesAgent: true, prepare: prepareCollab }],
  ["team", { takesAgent: true, prepare: prepareTeam }],
  ["run", { takesAgent: false, prepare: prepareRun }],
]);

/** Starts runs from a chat, and gives their results to its agent with what is said next. */
export class ModeRuns {
  readonly #machine: Machine;
  readonly #invocation: Invocation;
  readonly #agent: string;
  readonly #live = new Set<WorkflowRun>();

  constructor(machine: Machine, invocation: Invocation, agent: string) {
    this.#machine = machine;
    this.#invocation = invocation;
    this.#agent = agent;
  }

  /** Starts a mode; resolves as soon as it goes on. Raises USAGE_INVALID and what starting raises. */
  async start(name: string, line: string, desk: ChatDesk): Promise<void> {
    const mode = MODES.get(name);
    if (mode === undefined) throw new Error(`there is no mode ${name}`);
    const words = splitWords(line);
    if (words === undefined)
      throw usageInvalid({ problem: "a quote has no end", hint: "close it, or leave it out" });
    const isInBackground = words.includes(IN_BACKGROUND);
    const kept = words.filter((word) => word !== IN_BACKGROUND);
    const spec = findAgent(desk.state, this.#agent)?.spec;
    const args = [name, ...joined(name, kept), ...(mode.takesAgent ? asAgent(spec, kept) : [])];
    const { io } = this.#invocation;
    const parsed = parseCommandLine(args, await this.#invocation.commands(), io);
    if (parsed.status !== "called") return;
    const { rest, options } = parsed;
    const invocation = { ...this.#invocation, args: parsed.args, rest, options };
    const prepared = await mode.prepare(this.#machine, invocation);
    if (prepared === undefined) return;
    if (isInBackground) return this.#detach(name, prepared, desk);
    await this.#carryOut(name, prepared, desk);
  }

  /** Lets go of all that goes on. */
  async close(): Promise<void> {
    await Promise.all([...this.#live].map((run) => run.suspend(0)));
  }

  async #detach(name: string, prepared: PreparedRun, desk: ChatDesk): Promise<void> {
    const { startDetached } = await import("../background/hand-over.ts");
    const trustsProject = this.#machine.trustsProject;
    const run = await startDetached(this.#machine, prepared, { approvals: "ask", trustsProject });
    desk.tell(`${startedAs(name)}: ${run} in the background, see ${TROUPE} show ${run}`);
  }

  async #carryOut(name: string, prepared: PreparedRun, desk: ChatDesk): Promise<void> {
    const { definition, start } = prepared;
    const run = await startRun(this.#machine, definition, {
      ...start,
      approvals: "ask",
      suspendsWhenWaiting: true,
    });
    this.#live.add(run);
    desk.tell(`${startedAs(name)}: ${run.id}`);
    desk.during(`${name} ${run.id}`, this.#follow(name, run, desk));
  }

  async #follow(name: string, run: WorkflowRun, desk: ChatDesk): Promise<void> {
    try {
      const { event } = await run.parted;
      if (event.type === "run-suspended") {
        desk.tell(`${run.id} waits: ${TROUPE} inbox, then ${TROUPE} resume ${run.id}`);
        return;
      }
      const text = resultOutput(run.state).slice(0, MAX_RESULT_CHARS);
      desk.tell(`Completed: ${summaryOf(run)}`);
      if (text !== "") desk.tell(text);
      desk.keep({ label: `result of ${name} ${run.id} (${event.outcome})`, text });
    } catch (error) {
      const { message, code } = toErrorReport(error);
      desk.tell(`${run.id}: ${message} [${code}]`);
    } finally {
      this.#live.delete(run);
    }
  }
}

function startedAs(name: string): string {
  return name === "iter" ? "Started iterative task" : `Started ${name}`;
}

/** `3/5 iterations` of a series, else how it ended. */
function summaryOf({ state, id }: WorkflowRun): string {
  const { phase } = state;
  if (phase.status !== "ended") return id;
  const result = isRecord(phase.result) ? phase.result["metadata"] : undefined;
  const { iterationsSucceeded: good, iterationsAttempted: all } = isRecord(result)
    ? result
    : { iterationsSucceeded: undefined, iterationsAttempted: undefined };
  return typeof good === "number" && typeof all === "number"
    ? `${good}/${all} iterations`
    : `${phase.outcome}, ${phase.reason}`;
}

/** Words after what a mode takes first are its task, also without quotes; options end that. */
function joined(name: string, words: readonly string[]): readonly string[] {
  if (words.some((word) => word.startsWith("-"))) return words;
  const lead = name === "run" || name === "iter" ? 1 : 0;
  const task = words.slice(lead).join(" ");
  return [...words.slice(0, lead), ...(task === "" ? [] : [task])];
}

/** The agent of the chat, where no other is named. */
function asAgent(spec: AgentSpec | undefined, words: readonly string[]): readonly string[] {
  if (spec === undefined || words.some((word) => word === "--" || word.startsWith("--agent")))
    return [];
  const command = spec.settings?.["command"];
  const argv = Array.isArray(command) ? command.map(String) : [];
  const model = spec.model === undefined ? [] : ["--model", spec.model];
  return ["--agent", spec.backend, ...model, ...(argv.length === 0 ? [] : ["--", ...argv])];
}
