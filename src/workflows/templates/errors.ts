import { defineError } from "../../foundation/errors.ts";
import { didYouMean } from "../../foundation/near-names.ts";

export const unknownTemplate = defineError("WORKFLOW_UNKNOWN_TEMPLATE", {
  message: (details: { template: string; known: readonly string[] }) =>
    `there is no template "${details.template}"`,
  hint: ({ template, known }) => didYouMean(template, known, "templates"),
  about:
    "`template` takes the name of a workflow that comes with troupe. `troupe templates` lists them, `troupe templates show NAME` prints one.",
});

export const templateKey = defineError("WORKFLOW_TEMPLATE_KEY", {
  message: (details: { key: string; template: string }) =>
    `"${details.key}" cannot stand beside template: ${details.template}`,
  hint: ({ template }) =>
    `change single values with overrides, or start from its text: troupe templates show ${template}`,
  about:
    "A file with `template` gets pattern, agents, steps and settings from the template. Beside it stand only name, description, tags and overrides; overrides change single values by their path.",
});

export const unknownOverride = defineError("WORKFLOW_UNKNOWN_OVERRIDE", {
  message: (details: { path: string; segment: string; place: string; known: readonly string[] }) =>
    `the override "${details.path}" leads nowhere: ${details.place} has no "${details.segment}"`,
  hint: ({ segment, known }) =>
    didYouMean(segment, known) ?? "an override names a key of an object, or an item by its id",
  about:
    "The path of an override is written with dots: options.timeout, agents.reviewer.model, steps.plan.maxRetries. Items of lists are named by their id. Every part must exist in the template or be a key that stands there.",
});

export const overrideConflict = defineError("WORKFLOW_OVERRIDE_CONFLICT", {
  message: (details: { path: string; problem: string }) =>
    `the override "${details.path}" ${details.problem}`,
  hint: () => "write one path for each single value: agents.reviewer.model: NAME",
  about:
    "An override changes a value inside of a template. It replaces no list of agents, steps or barriers, and no value that another override changes too.",
});

export const templateCount = defineError("WORKFLOW_TEMPLATE_COUNT", {
  message: (details: { template: string; of: string; most: number; given: string }) =>
    details.most === 0
      ? `the template ${details.template} has a fixed team, so it takes no count`
      : `the template ${details.template} takes 1 to ${details.most} ${details.of}, got ${details.given}`,
  hint: ({ most }) =>
    most === 0
      ? undefined
      : "give a whole number: init and templates take --count 3, run takes -i count=3, a file overrides: count: 3",
  about:
    "Some templates have a number of agents of the same kind. The param `count` says how many: -i count=N on the command line, or count: N in the overrides of a file.",
});
