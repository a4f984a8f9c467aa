import { isRecord, type Json } from "../../../../src/foundation/json.ts";
import type { TestFlowStep } from "../../../../src/testing/run-workflow-in-memory.ts";
import { answerTo } from "./flow-agents.ts";
import type { FlowCase } from "./flow-cases.ts";

/** How a workflow must end, by the words of the specification. */
export interface Expected {
  readonly outcome: "completed" | "failed" | "rejected" | "limit-reached";
  readonly path: readonly string[];
  readonly context: { readonly [name: string]: Json };
  readonly output: Json;
}

/** One execution of a step. */
interface Done {
  readonly id: string;
  /** What tells it from others inside of the same step; rounds of a loop are the same. */
  readonly key: string;
  readonly success: boolean;
  readonly data: Json | undefined;
  readonly code?: string;
  readonly isRetryable?: boolean;
  readonly isSkipped?: true;
  readonly output?: string | undefined;
  /** What was executed inside of it, in the order of the workflow. */
  readonly inner: readonly Done[];
  /** What takes its place in the context before it. */
  readonly known: readonly Done[];
  /** Something made up for what failed here and inside. */
  isHandled: boolean;
}

/** All that is known at some point: plain maps, copied when it goes two ways. */
interface Known {
  readonly data: Map<string, Json | undefined>;
  readonly latest: Map<string, Done>;
  readonly errors: Map<string, string>;
}

interface Place {
  readonly path: string;
  readonly key?: string;
  readonly names: { readonly [name: string]: Json };
}

class TooMuch extends Error {}

class Unknown extends Error {
  readonly code: string;
  constructor(code: string) {
    super(code);
    this.code = code;
  }
}

// Cycles that copy what they have soon have more than fits into memory, and say nothing that less would not.
const MAX_DATA_CHARS = 20_000;

/** Whether the data of a case grows without end. */
export function growsTooMuch(given: FlowCase): boolean {
  const [first] = given.workflow.steps;
  try {
    new FlowOracle(given).run([first?.id ?? ""]);
    return false;
  } catch (error) {
    if (error instanceof TooMuch) return true;
    throw error;
  }
}

/** A second interpreter of step workflows: one thing after another, no journal, no sharing. */
export class FlowOracle {
  readonly #case: FlowCase;
  readonly #executed: Done[] = [];
  readonly #path: string[] = [];
  #iterations = 0;
  #errors = 0;
  #end: Expected["outcome"] | undefined;
  #known: Known;

  constructor(given: FlowCase) {
    this.#case = given;
    const { initialContext = {} } = given.workflow;
    this.#known = {
      data: new Map(Object.entries(initialContext)),
      latest: new Map(),
      errors: new Map(),
    };
  }

  /** Follows these paths, one after the other. */
  run(starts: readonly string[]): Expected {
    for (const start of starts) if (this.#end === undefined) this.#follow(start);
    const last = this.#path.at(-1);
    const data = last === undefined ? undefined : this.#known.data.get(last);
    return {
      outcome: this.#end ?? (this.#hasFailure() ? "failed" : "completed"),
      path: this.#path,
      context: contextOf(this.#known),
      output: plain(data ?? null),
    };
  }

  #follow(start: string): void {
    const { maxIterations = 100, maxErrors = 10, steps } = this.#case.workflow;
    let next: string | undefined = start;
    while (next !== undefined) {
      if (this.#iterations >= maxIterations || this.#errors >= maxErrors) {
        this.#end = "limit-reached";
        return;
      }
      this.#iterations += 1;
      const id: string = next;
      const step = steps.find((each) => each.id === id);
      if (step === undefined) throw new Error(`no step ${id}`);
      const done = this.#execute(step, this.#known, { path: id, names: {} });
      if (JSON.stringify(done.data ?? null).length > MAX_DATA_CHARS) throw new TooMuch();
      if (done.isSkipped !== true) {
        this.#executed.push(done);
        this.#path.push(id);
        add(this.#known, done);
        if (!done.success) this.#errors += 1;
      }
      next = this.#route(step, done);
    }
  }

  #route({ type, routes = {} }: TestFlowStep, done: Done): string | undefined {
    const { next, on_error, on_approve, on_reject } = routes;
    if (done.isSkipped === true) return type === "approval" ? (on_approve ?? next) : next;
    if (!done.success) {
      if (on_error !== undefined) {
        done.isHandled = true;
        return on_error;
      }
      return type === "parallel" ? next : undefined;
    }
    if (type === "condition")
      return routes[memberOf(done.data, "result") === true ? "then" : "else"];
    if (type !== "approval") return next;
    if (memberOf(done.data, "approved") === true) return on_approve ?? next;
    if (on_reject === undefined) this.#end = "rejected";
    return on_reject;
  }

  #execute(step: TestFlowStep, known: Known, place: Place): Done {
    const { key = step.id } = place;
    const none = { id: step.id, key, output: step.output, inner: [], known: [], isHandled: false };
    try {
      if (step.when !== undefined && !truthy(evaluate(step.when, known, this.#roots(place))))
        return { ...none, success: true, data: undefined, isSkipped: true };
      const { input } = step;
      if (input !== undefined) {
        const hasFailed = known.latest.get(input)?.success === false;
        if (hasFailed || known.data.get(input) === undefined)
          throw new Unknown("STEP_INPUT_MISSING");
      }
    } catch (error) {
      return { ...none, success: false, data: undefined, code: codeOf(error) };
    }
    for (let attempt = 1; ; attempt += 1) {
      let done: Done;
      try {
        done = { ...none, ...this.#work(step, known, { ...place, attempt }) };
      } catch (error) {
        done = { ...none, success: false, data: undefined, code: codeOf(error) };
      }
      if (done.success || done.isRetryable !== true || attempt >= (step.maxAttempts ?? 1))
        return done;
    }
  }

  #work(
    step: TestFlowStep,
    known: Known,
    place: Place & { readonly attempt: number },
  ): Partial<Done> & Pick<Done, "success" | "data"> {
    const { settings = {} } = step;
    const roots = this.#roots(place);
    switch (step.type) {
      case "transform":
        return { success: true, data: evaluate(String(settings["transform"]), known, roots) };
      case "condition": {
        const result = truthy(evaluate(String(settings["condition"]), known, roots));
        return { success: true, data: { result } };
      }
      case "approval": {
        const approved = this.#case.approvals === "all";
        return { success: true, data: { approved, comment: "", edited: null, by: "--approve" } };
      }
      case "agent": {
        const answer = answerTo(place.path, place.attempt > 1, this.#inputOf(step, known, place));
        return answer.kind === "says"
          ? { success: true, data: answer.data }
          : { success: false, data: undefined, code: answer.code, isRetryable: answer.isRetryable };
      }
      case "loop":
        return this.#loop(step, known, place);
      default:
        return this.#parallel(step, known, place);
    }
  }

  #parallel(step: TestFlowStep, known: Known, { path, names }: Place) {
    const { settings = {}, steps = [] } = step;
    const { for_each, min_success } = settings;
    const [each] = steps;
    let inner: readonly Done[];
    let shown: readonly Done[];
    if (typeof for_each === "string" && each !== undefined) {
      const list = evaluate(for_each, known, this.#roots({ names }));
      if (!Array.isArray(list)) throw new Unknown("STEP_NOT_A_LIST");
      inner = list.map((item: Json, index) =>
        this.#execute(each, known, {
          path: `${path}[${index}]/${each.id}`,
          key: `${index}`,
          names: { ...names, item, index },
        }),
      );
      const failure = inner.find(({ success }) => !success);
      const sum: Done = {
        id: each.id,
        key: each.id,
        success: failure === undefined,
        data: inner.map(({ success, data }) => (success ? (data ?? null) : null)),
        output: each.output,
        inner: [],
        known: [],
        isHandled: true,
        ...(failure?.code === undefined ? {} : { code: failure.code }),
      };
      shown = [sum];
    } else {
      inner = steps.map((child) =>
        this.#execute(child, known, { path: `${path}/${child.id}`, names }),
      );
      shown = inner;
    }
    const succeeded = inner.filter(({ success }) => success).length;
    const data = inner.map(({ id, success, data: value = null, code }, index) => ({
      stepId: id,
      status: success ? "fulfilled" : "rejected",
      success,
      result: value,
      error: code === undefined ? null : { code },
      ...(typeof for_each === "string" ? { index } : {}),
    }));
    const least = typeof min_success === "number" ? min_success : inner.length;
    const success = succeeded >= least;
    const isHandled = success;
    const failure = success ? {} : { code: "STEP_CHILDREN_FAILED", isRetryable: true };
    return { success, data, inner, known: shown, isHandled, ...failure };
  }

  #loop(step: TestFlowStep, known: Known, { path, names }: Place) {
    const { settings = {}, steps = [] } = step;
    const { until, times, max_iterations = 100 } = settings;
    const rounds: Done[] = [];
    const own = copy(known);
    for (let round = 1; ; round += 1) {
      const last: [string, Json][] = [];
      let failure: Done | undefined;
      for (const child of steps) {
        const done = this.#execute(child, own, {
          path: `${path}[${round}]/${child.id}`,
          names: { ...names, index: round - 1 },
        });
        rounds.push(done);
        if (done.isSkipped === true) continue;
        add(own, done);
        if (done.data !== undefined) last.push([done.id, done.data]);
        if (!done.success) {
          failure = done;
          break;
        }
      }
      const data = { iterations: round, last: Object.fromEntries(last) };
      const end = (code?: string, isRetryable?: boolean) => ({
        success: code === undefined,
        data,
        inner: rounds,
        known: rounds,
        isHandled: code === undefined && typeof until === "string",
        ...(code === undefined ? {} : { code }),
        ...(isRetryable === undefined ? {} : { isRetryable }),
      });
      if (typeof until !== "string") {
        if (failure !== undefined) return end("STEP_LOOP_ROUND_FAILED", true);
        if (round >= Number(times)) return end();
        continue;
      }
      try {
        if (truthy(evaluate(until, own, this.#roots({ names })))) return end();
      } catch (error) {
        if (failure !== undefined) return end("STEP_LOOP_ROUND_FAILED", true);
        return { ...end(codeOf(error)), data: undefined, known: [] };
      }
      if (round >= Number(max_iterations)) return end("STEP_LOOP_LIMIT");
    }
  }

  #roots({ names }: Pick<Place, "names">): { readonly [name: string]: Json } {
    return { input: this.#case.input, ...names };
  }

  #inputOf({ input }: TestFlowStep, known: Known, { names }: Place): Json {
    const errors = [...known.errors].map(([name, code]) => [name, { code }] as const);
    const named = input === undefined ? undefined : known.data.get(input);
    return {
      input: this.#case.input,
      context: contextOf(known),
      ...(errors.length === 0 ? {} : { errors: Object.fromEntries(errors) }),
      ...(input === undefined || named === undefined ? {} : { [input]: named }),
      ...names,
    };
  }

  /** The latest execution of each step decides; one whose parent ran again counts no more. */
  #hasFailure(): boolean {
    const latest = new Map<string, Done>();
    for (const done of this.#executed) latest.set(done.id, done);
    return [...latest.values()].some(isOpen);
  }
}

/** Whether a failure of this execution or inside of it is open. */
function isOpen({ success, isHandled, inner }: Done): boolean {
  if (isHandled) return false;
  if (!success) return true;
  const latest = new Map<string, Done>();
  for (const done of inner) if (done.isSkipped !== true) latest.set(done.key, done);
  return [...latest.values()].some(isOpen);
}

function add(known: Known, done: Done): void {
  if (done.isSkipped === true) return;
  for (const each of done.known) add(known, each);
  for (const name of [done.id, ...(done.output === undefined ? [] : [done.output])]) {
    known.latest.set(name, done);
    known.data.set(name, done.data);
  }
  if (done.code !== undefined) known.errors.set(done.id, done.code);
}

function copy({ data, latest, errors }: Known): Known {
  return { data: new Map(data), latest: new Map(latest), errors: new Map(errors) };
}

function contextOf({ data }: Known): { readonly [name: string]: Json } {
  const entries: [string, Json][] = [];
  for (const [name, value] of data) if (value !== undefined) entries.push([name, value]);
  return Object.fromEntries(entries);
}

/** The few expressions that the cases have. */
function evaluate(text: string, known: Known, roots: { readonly [name: string]: Json }): Json {
  const literal = /^(?:\d+|true|false|\[[\d, ]*\])$/.exec(text);
  if (literal !== null) return JSON.parse(text);
  const asked = /^exists\((context|errors)\.([\w-]+)\)$/.exec(text);
  if (asked !== null) {
    const [, root, name = ""] = asked;
    return root === "errors" ? known.errors.has(name) : (known.data.get(name) ?? null) !== null;
  }
  const success = /^context\.([\w-]+)\.success === (true|false)$/.exec(text);
  if (success !== null) {
    const record = known.latest.get(success[1] ?? "");
    if (record === undefined) throw new Unknown("EXPRESSION_UNKNOWN_PATH");
    return record.success === (success[2] === "true");
  }
  const number = /^(.*) >= (\d)$/.exec(text);
  if (number !== null) {
    const value = evaluate(number[1] ?? "", known, roots);
    if (typeof value !== "number") throw new Unknown("EXPRESSION_TYPE");
    return value >= Number(number[2]);
  }
  const [root = "", name, ...rest] = text.split(".");
  let value: Json | undefined = root === "context" ? known.data.get(name ?? "") : roots[root];
  const members = root === "context" ? rest : text.split(".").slice(1);
  for (const member of members) value = memberOf(value, member);
  if (value === undefined) throw new Unknown("EXPRESSION_UNKNOWN_PATH");
  return value;
}

function memberOf(value: Json | undefined, member: string): Json | undefined {
  if (!isRecord(value)) return undefined;
  const members: { readonly [name: string]: Json } = JSON.parse(JSON.stringify(value));
  return Object.hasOwn(members, member) ? members[member] : undefined;
}

function plain(data: Json): Json {
  const text = memberOf(data, "result");
  return isRecord(data) && typeof text === "string" && Object.keys(data).length === 1 ? text : data;
}

function truthy(value: Json): boolean {
  return Boolean(value);
}

function codeOf(error: unknown): string {
  if (error instanceof Unknown) return error.code;
  throw error;
}
