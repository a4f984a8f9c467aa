import type { StepProgress, StepRecord, WorkflowContext } from "../../contracts/step-context.ts";
import type { StepFacts } from "../../contracts/step-facts.ts";
import { sha256 } from "../../foundation/hash.ts";
import { canonicalJson, type Json } from "../../foundation/json.ts";
import { PersistentArray } from "../../foundation/persistent-array.ts";
import { timelessData } from "../steps/parts/step-data.ts";

// F1: a context never changes; another one shares all with it but what is new.
// F2: one more record costs the same however many there are; lists and objects of all are made when they are asked for.

/** The context of a workflow, for the program that leads it. */
export interface FlowContext extends WorkflowContext {
  addResult(record: StepRecord): FlowContext;
  /** With a step that has begun. */
  withIteration(): FlowContext;
  /** With a step on the way here; it counts as an error when it failed. */
  withStep(stepId: string, hasFailed: boolean): FlowContext;
  /** The same for a step that comes after another one; empty for the first of its path. */
  seenAfter(stepId: string): FlowContext;
}

/** What a context begins with. */
export interface FlowStart {
  readonly workflowId: string;
  /** ISO 8601. */
  readonly startTime: string;
  readonly input: Json;
  readonly initialContext: { readonly [name: string]: Json };
}

/** The context of a workflow that has not begun. */
export function createFlowContext(start: FlowStart): FlowContext {
  const names = new NameTable();
  let data = PersistentArray.empty<Json>();
  let order: Chain<number> | undefined;
  for (const [name, value] of Object.entries(start.initialContext)) {
    const item = names.indexOf(name);
    data = data.with(item, deepFreeze(value));
    order = { item, before: order };
  }
  const { workflowId, startTime, input, initialContext } = start;
  return new SharedContext({
    workflowId,
    startTime,
    input: deepFreeze(input),
    names,
    initialCount: names.names.length,
    order,
    data,
    currentStep: "",
    records: PersistentArray.empty(),
    skipped: PersistentArray.empty(),
    errors: PersistentArray.empty(),
    failed: undefined,
    history: undefined,
    steps: undefined,
    iterationCount: 0,
    errorCount: 0,
    fingerprint: sha256(canonicalJson({ input, initialContext })),
  });
}

/** Indexes of names, for all contexts that come from one; only ever grows. */
class NameTable {
  readonly names: string[] = [];
  readonly #indexes = new Map<string, number>();

  indexOf(name: string): number {
    const known = this.#indexes.get(name);
    if (known !== undefined) return known;
    this.#indexes.set(name, this.names.length);
    this.names.push(name);
    return this.names.length - 1;
  }

  find(name: string): number | undefined {
    return this.#indexes.get(name);
  }
}

interface Chain<Item> {
  readonly item: Item;
  readonly before: Chain<Item> | undefined;
}

interface Parts {
  readonly workflowId: string;
  readonly startTime: string;
  readonly input: Json;
  readonly names: NameTable;
  /** How many names the initial context has; they come first. */
  readonly initialCount: number;
  /** Indexes of the names of this context, in the order in which it came to know them. */
  readonly order: Chain<number> | undefined;
  readonly data: PersistentArray<Json>;
  readonly records: PersistentArray<StepRecord>;
  /** Steps that were skipped, by the indexes of their ids. */
  readonly skipped: PersistentArray<StepFacts>;
  readonly errors: PersistentArray<Json>;
  /** Indexes of the names that have errors, in the order of the first. */
  readonly failed: Chain<number> | undefined;
  readonly history: Chain<StepRecord> | undefined;
  readonly currentStep: string;
  readonly steps: Chain<string> | undefined;
  readonly iterationCount: number;
  readonly errorCount: number;
  readonly fingerprint: string;
}

class SharedContext implements FlowContext {
  readonly #parts: Parts;
  #data: { readonly [name: string]: Json } | undefined;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  get workflowId(): string {
    return this.#parts.workflowId;
  }

  get startTime(): string {
    return this.#parts.startTime;
  }

  get input(): Json {
    return this.#parts.input;
  }

  get fingerprint(): string {
    return this.#parts.fingerprint;
  }

  get metadata(): StepProgress {
    const { currentStep, steps, iterationCount, errorCount } = this.#parts;
    return {
      currentStep,
      get previousSteps() {
        return listOf(steps);
      },
      iterationCount,
      errorCount,
    };
  }

  get history(): readonly StepRecord[] {
    return listOf(this.#parts.history);
  }

  get results(): ReadonlyMap<string, StepRecord> {
    const { names, order, records } = this.#parts;
    const results = new Map<string, StepRecord>();
    for (const index of listOf(order)) {
      const record = records.at(index);
      if (record !== undefined && record.stepId === names.names[index])
        results.set(record.stepId, record);
    }
    return results;
  }

  getResult(stepId: string): StepRecord | undefined {
    const index = this.#parts.names.find(stepId);
    return index === undefined ? undefined : this.#parts.records.at(index);
  }

  factsOf(stepId: string): StepFacts | undefined {
    const record = this.getResult(stepId);
    // Under its output name a step has data, but is not that step.
    if (record?.stepId === stepId) return record.facts;
    const index = this.#parts.names.find(stepId);
    return index === undefined ? undefined : this.#parts.skipped.at(index);
  }

  dataOf(name: string): Json | undefined {
    const index = this.#parts.names.find(name);
    return index === undefined ? undefined : this.#parts.data.at(index);
  }

  errorOf(stepId: string): Json | undefined {
    const index = this.#parts.names.find(stepId);
    return index === undefined ? undefined : this.#parts.errors.at(index);
  }

  toData(): { readonly [name: string]: Json } {
    const { names, order, data } = this.#parts;
    this.#data ??= Object.freeze(toObject(names, order, data));
    return this.#data;
  }

  toErrors(): { readonly [stepId: string]: Json } {
    const { names, failed, errors } = this.#parts;
    return toObject(names, failed, errors);
  }

  addResult(given: StepRecord): SharedContext {
    const { inner = [] } = given;
    let context: SharedContext = this;
    for (const record of inner) context = context.addResult(record);
    return context.#withOne(given);
  }

  #withOne(given: StepRecord): SharedContext {
    if (given.isSkipped === true) return this.#withSkipped(given);
    const { isLookedThrough = false, ...kept } = given;
    const record = Object.freeze({ ...kept, data: deepFreeze(given.data) });
    const { names, initialCount, history, errors, fingerprint } = this.#parts;
    const { stepId, success, data, error, output } = record;
    // What a failed step has is worth seeing; that it has nothing must not hide what another name holds.
    const value = success || data !== null ? data : undefined;
    const indexes = [...new Set([stepId, output ?? stepId])].map((name) => names.indexOf(name));
    const said = error === undefined ? null : { code: error.code, message: error.message };
    const own = indexes[0] ?? 0;
    let { order, failed } = this.#parts;
    for (const item of indexes)
      if (item >= initialCount && this.#parts.records.at(item) === undefined)
        order = { item, before: order };
    if (said !== null && errors.at(own) === undefined) failed = { item: own, before: failed };
    return new SharedContext({
      ...this.#parts,
      order,
      records: indexes.reduce((array, index) => array.with(index, record), this.#parts.records),
      data: indexes.reduce((array, index) => array.with(index, value), this.#parts.data),
      errors: said === null ? errors : errors.with(own, said),
      failed,
      currentStep: isLookedThrough ? this.#parts.currentStep : stepId,
      history: { item: record, before: history },
      fingerprint: sha256(
        `${fingerprint}\n${canonicalJson({ stepId, success, data: timelessData(record), error: said, output: output ?? null })}`,
      ),
    });
  }

  /** It has done nothing: of the step before and of all data there is what there was. */
  #withSkipped({ stepId, facts }: StepRecord): SharedContext {
    if (facts === undefined) return this;
    const { names, skipped } = this.#parts;
    const own = names.indexOf(stepId);
    return new SharedContext({ ...this.#parts, skipped: skipped.with(own, facts) });
  }

  withIteration(): FlowContext {
    return new SharedContext({
      ...this.#parts,
      iterationCount: this.#parts.iterationCount + 1,
    });
  }

  seenAfter(currentStep: string): FlowContext {
    return new SharedContext({ ...this.#parts, currentStep });
  }

  withStep(stepId: string, hasFailed: boolean): FlowContext {
    const { steps, errorCount } = this.#parts;
    return new SharedContext({
      ...this.#parts,
      // Whatever comes next looks back at: this one was executed last.
      currentStep: stepId,
      steps: { item: stepId, before: steps },
      errorCount: errorCount + (hasFailed ? 1 : 0),
    });
  }
}

function listOf<Item>(chain: Chain<Item> | undefined): readonly Item[] {
  const items: Item[] = [];
  for (let link = chain; link !== undefined; link = link.before) items.push(link.item);
  return items.reverse();
}

function toObject(
  table: NameTable,
  indexes: Chain<number> | undefined,
  values: PersistentArray<Json>,
): { readonly [name: string]: Json } {
  const entries: [string, Json][] = [];
  for (const index of listOf(indexes)) {
    const name = table.names[index];
    const value = values.at(index);
    if (name !== undefined && value !== undefined) entries.push([name, value]);
  }
  return Object.fromEntries(entries);
}

/** Whoever gets data of a step must not be able to change what others get. */
function deepFreeze(value: Json): Json {
  if (value === null || typeof value !== "object" || Object.isFrozen(value)) return value;
  for (const member of Object.values(value)) deepFreeze(member);
  return Object.freeze(value);
}
