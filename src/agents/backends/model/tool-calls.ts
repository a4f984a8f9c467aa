import type { KeptRest } from "../../../contracts/session-record.ts";
import type { DescribedTool } from "../../../contracts/tool.ts";
import { TroupeError } from "../../../foundation/errors.ts";
import { type Json, toJson } from "../../../foundation/json.ts";
import { present } from "../../../foundation/present.ts";
import type { TurnWork } from "../parts/turn-gate.ts";
import { type CutText, cutAfter, keepCut, plainCut } from "./files/cut-text.ts";
import { ToolFailure } from "./files/tool-failure.ts";
import type { CallPart } from "./loop/entry.ts";
import { flatten } from "./loop/next-step.ts";
import type { ModelTool, PreparedCall, ToolPlace } from "./tools/model-tool.ts";
import type { Transcript } from "./transcript.ts";

// Owns the tool calls of a turn.
// T1: a call has one result in the record, and what follows from it comes after that.
// T2: that a tool with an effect begins is durable in the record before it does; one that had begun is never begun again.
// T3: calls that only look, and tasks of subagents, run side by side, all others alone and in order.

/** What an agent's calls may reach. */
export interface ToolBox {
  readonly own: readonly ModelTool[];
  /** Troupe's. */
  readonly shared: readonly DescribedTool[];
  readonly place: ToolPlace;
  readonly transcript: Transcript;
}

/** How a call came out. */
interface CallResult {
  readonly told: string | CutText;
  readonly isError: boolean;
  readonly isBad: boolean;
}

const INTERRUPTED =
  "interrupted; it may have taken effect. Look at what there is before you do it again.";
const NOT_KEPT =
  "it was interrupted before it began, and a secret in its input was not kept. Call it again.";
/** What stands where a secret was. */
const MASK = "***";
/** Troupe's tool that shows what others have left out. */
const READS_REST = "resource_read";
const MAX_RESULT_CHARS = 256 * 1024 + 64 * 1024;

/** Carries out the calls of an answer that have no result yet. */
export class ToolCalls {
  readonly #box: ToolBox;
  /** What this process has heard itself: their inputs are as the model wrote them. */
  readonly #heard = new Map<string, string>();

  constructor(box: ToolBox) {
    this.#box = box;
  }

  /** Notes calls as they were written, before secrets were masked. */
  hear(calls: readonly CallPart[]): void {
    for (const { call, input } of calls) this.#heard.set(call, input);
  }

  async run(calls: readonly CallPart[], work: TurnWork): Promise<void> {
    for (const group of groupsOf(calls, (call) => this.#hasEffect(call))) {
      const runs = await Promise.allSettled(group.map((call) => this.#runOne(call, work)));
      work.signal.throwIfAborted();
      for (const run of runs) if (run.status === "rejected") throw run.reason;
    }
  }

  /** Answers calls that nobody will carry out any more. */
  cancel(part: CallPart, isStarted: boolean, turn: number): void {
    const told = isStarted ? INTERRUPTED : "cancelled";
    this.#keep(part, { told, isError: true, isBad: false }, turn);
  }

  #hasEffect({ tool }: CallPart): boolean {
    const own = this.#box.own.find(({ name }) => name === tool);
    if (own !== undefined) return own.hasEffect;
    const shared = this.#box.shared.find(({ name }) => name === tool);
    return shared?.annotations.readOnlyHint !== true && shared?.isBeside !== true;
  }

  async #runOne(part: CallPart, work: TurnWork): Promise<void> {
    const { call, tool } = part;
    const heard = this.#heard.get(call);
    const input = readInput(heard ?? part.input);
    const shown = toJson(input.value ?? part.input, "the input of a tool");
    work.emit({ type: "tool-call", call, tool, input: shown });
    const result = await this.#result(part, { input, wasHeard: heard !== undefined }, work);
    const text = this.#keep(part, result, work.request.turn);
    const { isError } = result;
    work.emit({ type: "tool-result", call, tool, isError, result: text });
    this.#heard.delete(call);
  }

  async #result(part: CallPart, given: GivenInput, work: TurnWork): Promise<CallResult> {
    if (this.#isStarted(part.call)) return failed(INTERRUPTED);
    if (!given.wasHeard && part.input.includes(MASK)) return failed(NOT_KEPT);
    if (given.input.value === undefined) return bad(`the input is no JSON: ${given.input.problem}`);
    const { value } = given.input;
    try {
      const own = this.#box.own.find(({ name }) => name === part.tool);
      if (own !== undefined) return await this.#runOwn(own, { part, value }, work);
      if (this.#box.shared.some(({ name }) => name === part.tool))
        return await runShared(part, value, work);
      return bad(`there is no tool "${part.tool}"; there are ${this.#names.join(", ")}`);
    } catch (error) {
      if (work.signal.aborted) throw error;
      if (error instanceof ToolFailure) return failed(error.cut ?? error.message);
      if (error instanceof TroupeError) return failed(wordsOf(error));
      throw error;
    }
  }

  async #runOwn(
    tool: ModelTool,
    { part, value }: { readonly part: CallPart; readonly value: Json },
    work: TurnWork,
  ): Promise<CallResult> {
    const { place, transcript } = this.#box;
    const prepared = await tool.prepare(value, place);
    if (typeof prepared === "string") return bad(prepared);
    const refusal = tool.isFree ? undefined : await refusalOf(tool.name, { prepared, part }, work);
    if (refusal !== undefined) return failed(refusal);
    work.signal.throwIfAborted();
    const { turn } = work.request;
    if (tool.hasEffect) {
      const fact = { type: "session-noted", what: "tool-started", call: part.call } as const;
      transcript.add(turn, fact, { kind: "started", call: part.call });
      await transcript.flushed();
    }
    const told = await prepared.run({
      signal: work.signal,
      key: `${work.request.run}/${work.request.agent}/${part.call}`,
      emit: (update) => work.emit(update),
      ask: (question, choice) => work.client.ask(question, choice, part.call),
      plan: (step) => work.client.plan(step),
      callTool: (name, input) => work.client.callTool(name, input, part.call),
    });
    return { told, isError: false, isBad: false };
  }

  /** Keeps a result; the text is what the model is told. */
  #keep({ call }: CallPart, result: CallResult, turn: number): string {
    const { told, isError, isBad } = result;
    const { text, rest } = this.#wordsFor(told);
    const { ref, sizeBytes } = rest ?? {};
    const where = ref === undefined || sizeBytes === undefined ? undefined : { ref, sizeBytes };
    const fact = {
      type: "session-noted",
      what: "tool-ended",
      call,
      ...present({ rest: where }),
    } as const;
    const entry = {
      kind: "result",
      call,
      isError,
      isBad,
      text,
      ...present({ rest: ref, seen: this.#box.place.files.takeSeen() }),
    } as const;
    this.#box.transcript.add(turn, fact, entry);
    return text;
  }

  /** What is not shown is kept for agents that can read it. */
  #wordsFor(told: string | CutText): {
    readonly text: string;
    readonly rest?: KeptRest | undefined;
  } {
    const cut = typeof told === "string" ? cutAfter(told, MAX_RESULT_CHARS) : told;
    if (typeof cut === "string") return { text: cut };
    const canRead = this.#box.shared.some(({ name }) => name === READS_REST);
    return canRead ? keepCut(cut, this.#box.transcript) : { text: plainCut(cut) };
  }

  #isStarted(call: string): boolean {
    return flatten(this.#box.transcript.entries).some(
      (entry) => entry.kind === "started" && entry.call === call,
    );
  }

  get #names(): readonly string[] {
    return [...this.#box.own, ...this.#box.shared].map(({ name }) => name);
  }
}

interface ReadInput {
  readonly value: Json | undefined;
  readonly problem: string;
}

interface GivenInput {
  readonly input: ReadInput;
  /** Whether this process has the input as the model wrote it. */
  readonly wasHeard: boolean;
}

function readInput(text: string): ReadInput {
  try {
    const value: unknown = JSON.parse(text.trim() === "" ? "{}" : text);
    return { value: toJson(value, "the input of a tool"), problem: "" };
  } catch (error) {
    return { value: undefined, problem: error instanceof Error ? error.message : String(error) };
  }
}

/** By the name of the call it is recognised: made again after a crash it is the same one. */
async function runShared(
  { tool, call }: CallPart,
  input: Json,
  work: TurnWork,
): Promise<CallResult> {
  try {
    const result = await work.client.callTool(tool, input, call);
    return { told: JSON.stringify(result), isError: false, isBad: false };
  } catch (error) {
    if (work.signal.aborted || !(error instanceof TroupeError)) throw error;
    return {
      told: wordsOf(error),
      isError: true,
      isBad: error.code === "AGENT_TOOL_INPUT_INVALID",
    };
  }
}

function wordsOf({ code, message, hint }: TroupeError): string {
  return `${code}: ${message}${hint === undefined ? "" : `\n${hint}`}`;
}

/** Why a call may not be carried out; undefined when it may. */
async function refusalOf(
  tool: string,
  { prepared, part }: { readonly prepared: PreparedCall; readonly part: CallPart },
  { client }: TurnWork,
): Promise<string | undefined> {
  const { decision, comment } = await client.requestPermission(tool, prepared.asks, part.call);
  if (decision === "allowed") return undefined;
  return `denied${comment === undefined ? "" : `: ${comment}`}`;
}

function failed(told: string | CutText): CallResult {
  return { told, isError: true, isBad: false };
}

function bad(told: string): CallResult {
  return { told, isError: true, isBad: true };
}

/** Neighbours without an effect form one group. */
function groupsOf(
  calls: readonly CallPart[],
  hasEffect: (call: CallPart) => boolean,
): readonly (readonly CallPart[])[] {
  const groups: CallPart[][] = [];
  let isOpen = false;
  for (const call of calls) {
    const alone = hasEffect(call);
    const last = groups.at(-1);
    if (isOpen && !alone && last !== undefined) last.push(call);
    else groups.push([call]);
    isOpen = !alone;
  }
  return groups;
}
