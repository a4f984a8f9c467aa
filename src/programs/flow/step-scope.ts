import { hasOneLanguage, NEWEST_FORMAT } from "../../contracts/definition-format.ts";
import type { StepScope } from "../../contracts/ports/step-type.ts";
import type { WorkflowContext } from "../../contracts/step-context.ts";
import type { Json } from "../../foundation/json.ts";
import {
  evaluateCondition,
  evaluateExpression,
  type PathResolver,
} from "../language/expressions/evaluate.ts";
import { memberNames, memberOf, valueAt } from "../language/member-of.ts";
import { factAt, factInText, SAID_MEMBERS, STEP_PATHS } from "../language/pattern-names.ts";
import { commandLookup, type PromptLookup } from "../language/templates/prompt-lookup.ts";
import { renderCommand } from "../language/templates/render-command.ts";
import { fillPrompt, renderPrompt } from "../language/templates/render-prompt.ts";
import type { StepTexts } from "./step-texts.ts";

/** What a step sees beside the context. */
export interface ScopeNames {
  /** The step's `input`. */
  readonly input?: string | undefined;
  /** `item` and `index`. */
  readonly names?: { readonly [name: string]: Json } | undefined;
  /** That of the definition: its language. Defaults to the newest. */
  readonly format?: number;
  /** Whether another workflow gave the run its input. Defaults to false. */
  readonly isChild?: boolean;
}

/** Roots that are always there; a value below them that is missing is empty in a prompt. */
const OPTIONAL_ROOTS: ReadonlySet<string> = new Set(["context", "errors", "steps"]);
/** What can be asked of a step beside its data (STP-6). */
const RECORD_MEMBERS = ["success", "error", "durationMs", "duration", "data"];

/** Whether texts and conditions know the ends of steps by `steps.ID`: runs of format 1 do not. */
function hasSteps({ format = NEWEST_FORMAT }: ScopeNames): boolean {
  return hasOneLanguage({ format });
}

/** The scope of a step: pure, and the same however often it is asked. */
export function createStepScope(
  texts: StepTexts,
  context: WorkflowContext,
  names: ScopeNames = {},
): StepScope {
  const resolver = new ContextPaths(context, names);
  const lookup = lookupOf(resolver);
  const commandSyntax = hasSteps(names) ? "braces" : "dotted";
  return {
    context,
    toInput: () => resolver.toInput(),
    value: (expression) => evaluateExpression(texts.expression(expression), resolver),
    holds: (condition) => evaluateCondition(texts.expression(condition), resolver),
    text: (template) => renderPrompt(texts.template(template), lookup),
    prompt: (template) =>
      fillPrompt(texts.template(template), lookup, (segments, isKey) =>
        resolver.sourceOf(segments, isKey),
      ),
    command: (command) => renderCommand(command, commandLookup(lookup), commandSyntax),
  };
}

/** The values that texts see which belong to no step. */
export function scopeLookup(context: WorkflowContext): PromptLookup {
  return lookupOf(new ContextPaths(context, {}));
}

function lookupOf(paths: ContextPaths): PromptLookup {
  return {
    find: (segments) => {
      const value = paths.inText(segments);
      if (value !== undefined) return { found: true, value };
      return { found: false, isOptional: OPTIONAL_ROOTS.has(segments[0] ?? "") };
    },
    known: () => [
      ...paths.keysAt([]),
      ...paths.keysAt(["context"]).map((name) => `context.${name}`),
    ],
  };
}

/** Paths of expressions and templates, followed through the context without making objects of all of it. */
class ContextPaths implements PathResolver {
  readonly #context: WorkflowContext;
  readonly #names: ScopeNames;

  constructor(context: WorkflowContext, names: ScopeNames) {
    this.#context = context;
    this.#names = names;
  }

  resolve(segments: readonly string[]): Json | undefined {
    const [root = "", ...rest] = segments;
    if (root === "context") return this.#inContext(rest);
    if (root === "errors") return this.#inErrors(rest);
    if (this.#isOfSteps(root)) return this.#inSteps(rest, factAt);
    const own = this.#own(root);
    return own === undefined ? undefined : valueAt(own, rest);
  }

  /** The value at a path of a text: there an error of a step is its report. */
  inText([root = "", ...rest]: readonly string[]): Json | undefined {
    return this.#isOfSteps(root) ? this.#inSteps(rest, factInText) : this.resolve([root, ...rest]);
  }

  /** Where a value is from, unless the author of the file or the person who started the run wrote it. */
  sourceOf([root = "", name, ...rest]: readonly string[], isKey: boolean): string | undefined {
    const { input, isChild = false } = this.#names;
    if (this.#isOfSteps(root)) {
      const [member = ""] = rest;
      return SAID_MEMBERS.has(member) ? `${member} of step "${name}"` : undefined;
    }
    if (root === "input") return isChild ? "input from the workflow that runs this one" : undefined;
    // Ids of steps are in the file.
    if (isKey && OPTIONAL_ROOTS.has(root) && rest.length === 0) return undefined;
    if (root === "errors") return name === undefined ? "errors" : `error of step "${name}"`;
    if (root === "context")
      return name === undefined ? "data of all steps" : this.#sourceOfData(name);
    return root === input ? this.#sourceOfData(root) : root;
  }

  /** What no step has left there is from the file. */
  #sourceOfData(name: string): string | undefined {
    return this.#context.getResult(name) === undefined ? undefined : `data of step "${name}"`;
  }

  keysAt(segments: readonly string[]): readonly string[] {
    const [root = "", id] = segments;
    if (segments.length === 0) return Object.keys(this.toInput());
    if (this.#isOfSteps(root)) return id === undefined ? this.#stepIds() : STEP_PATHS;
    const keys = memberNames(this.resolve(segments));
    const isStep = segments[0] === "context" && segments.length === 2;
    return isStep ? [...keys, ...RECORD_MEMBERS] : keys;
  }

  toInput(): { readonly [name: string]: Json } {
    const { names = {}, input } = this.#names;
    const context = this.#context;
    const data = input === undefined ? undefined : context.dataOf(input);
    const errors = context.toErrors();
    return {
      input: context.input,
      // Made when it is looked at: code that does not must not pay for thousands of steps.
      get context() {
        return context.toData();
      },
      ...(Object.keys(errors).length === 0 ? {} : { errors }),
      ...(input === undefined || data === undefined ? {} : { [input]: data }),
      ...names,
    };
  }

  /** A name that the file gives comes before that of the steps. */
  #isOfSteps(root: string): boolean {
    const { names = {}, input } = this.#names;
    const isOwn = root === input || Object.hasOwn(names, root);
    return root === "steps" && !isOwn && hasSteps(this.#names);
  }

  #inSteps([id, ...members]: readonly string[], find: typeof factAt): Json | undefined {
    if (id === undefined) return {};
    const facts = this.#context.factsOf(id);
    return facts === undefined ? undefined : find(facts, members);
  }

  #stepIds(): readonly string[] {
    return [...this.#context.results.keys()];
  }

  #own(root: string): Json | undefined {
    if (root === "input") return this.#context.input;
    const { names = {}, input } = this.#names;
    if (Object.hasOwn(names, root)) return names[root];
    return root === input ? this.#context.dataOf(root) : undefined;
  }

  #inErrors([name, ...rest]: readonly string[]): Json | undefined {
    if (name === undefined) return this.#context.toErrors();
    const error = this.#context.errorOf(name);
    return error === undefined ? undefined : valueAt(error, rest);
  }

  /** Members of a step's data come before what else is known of the step. */
  #inContext([name, ...rest]: readonly string[]): Json | undefined {
    if (name === undefined) return this.#context.toData();
    const data = this.#context.dataOf(name);
    const [first, ...deeper] = rest;
    if (first === undefined) return data;
    const member = data === undefined ? undefined : memberOf(data, first);
    if (member !== undefined) return valueAt(member, deeper);
    const fact = this.#factOf(name, first);
    return fact === undefined ? undefined : valueAt(fact, deeper);
  }

  #factOf(name: string, fact: string): Json | undefined {
    const record = this.#context.getResult(name);
    if (record === undefined) return undefined;
    if (fact === "success") return record.success;
    if (fact === "durationMs" || fact === "duration") return record.durationMs;
    if (fact === "data") return record.data;
    if (fact !== "error") return undefined;
    const { error } = record;
    return error === undefined ? null : { code: error.code, message: error.message };
  }
}
