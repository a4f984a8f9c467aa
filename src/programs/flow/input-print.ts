import type { FlowStep } from "../../contracts/flow-step.ts";
import type { StepScope } from "../../contracts/ports/step-type.ts";
import type { WorkflowContext } from "../../contracts/step-context.ts";
import type { StepFacts } from "../../contracts/step-facts.ts";
import { sha256 } from "../../foundation/hash.ts";
import { canonicalJson, type Json, toJson } from "../../foundation/json.ts";
import { memberOf } from "../language/member-of.ts";
import { promptOf } from "../steps/parts/agent-prompt.ts";
import { timelessData } from "../steps/parts/step-data.ts";
import { type ReferenceParts, type References, referencesOf } from "./references.ts";

/** What the print of a step's input is made of. */
export interface PrintedInput {
  readonly step: FlowStep;
  readonly scope: StepScope;
  readonly context: WorkflowContext;
  readonly names: { readonly [name: string]: Json } | undefined;
}

/** Tells whether a step is given the same as in another run (ENG-15): itself, its agents, and what it looks at. */
export class InputPrint {
  readonly #parts: ReferenceParts;
  readonly #known = new Map<FlowStep, { readonly own: string; readonly references: References }>();
  /** Hashes of data, which is frozen: every item of a list looks at the same. */
  readonly #hashes = new WeakMap<object, string>();

  constructor(parts: ReferenceParts) {
    this.#parts = parts;
  }

  /** SHA-256 of all that one execution of a step is given. */
  of({ step, scope, context, names = {} }: PrintedInput): string {
    const { own, references } = this.#about(step);
    const input = this.#hashOf(context.input);
    const seen = references.isWhole
      ? context.fingerprint
      : references.names.map((name) => [
          name,
          this.#hashOf(timeless(name, scope.context)),
          stateOf(name, scope),
        ]);
    const before = context.metadata.currentStep;
    const shown = references.looksBack ? this.#hashOf(timeless(before, context)) : undefined;
    // An agent is told what a person said about the step before, whatever its prompt looks at.
    const said = context.getResult(before)?.comment;
    const { steps } = references;
    const endOf = (id: string) => this.#hashOf(timelessEnd(scope.context.factsOf(id)));
    const ends = steps.length === 0 ? undefined : steps.map((id) => [id, endOf(id)]);
    const given = { own, input, names, seen, shown, said, ends };
    return sha256(canonicalJson(toJson(given, "the input of a step")));
  }

  #hashOf(value: Json): string {
    if (value === null || typeof value !== "object") return sha256(canonicalJson(value));
    const hash = this.#hashes.get(value) ?? sha256(canonicalJson(value));
    this.#hashes.set(value, hash);
    return hash;
  }

  #about(step: FlowStep): { readonly own: string; readonly references: References } {
    const known = this.#known.get(step);
    if (known !== undefined) return known;
    const references = referencesOf(step, this.#parts);
    const { agents, prompts, workflows } = this.#parts.definition;
    const children = toJson(workflows, "the workflows of a step workflow");
    const used = new Set(references.agents);
    const own = sha256(
      canonicalJson(
        toJson(
          {
            step,
            agents: agents.filter(({ id }) => used.has(id)),
            prompts: [...used].map((id) => promptOf({ prompts }, id) ?? null),
            workflows: references.workflows.map((name) => memberOf(children, name) ?? null),
          },
          "a step",
        ),
      ),
    );
    const about = { own, references };
    this.#known.set(step, about);
    return about;
  }
}

/** The end of a step without its time, which is another one in every run. */
function timelessEnd(facts: StepFacts | undefined): Json {
  if (facts === undefined) return null;
  const { durationMs: _durationMs, error, ...others } = facts;
  return { ...others, error: error === null ? null : { ...error } };
}

function timeless(name: string, context: WorkflowContext): Json {
  const data = context.dataOf(name) ?? null;
  const inner = context.getResult(name)?.inner;
  return inner === undefined ? data : timelessData({ data, inner });
}

/** A step that failed without data and one that never ran are not the same to a condition. */
function stateOf(name: string, { context }: StepScope): Json {
  const record = context.getResult(name);
  if (record === undefined) return null;
  const { success, error } = record;
  return error === undefined ? [success] : [success, error.code, error.message];
}
