import { defineError } from "../../../foundation/errors.ts";

export const pluginUnloadable = defineError("PLUGIN_UNLOADABLE", {
  message: (details: { file: string; problem: string }) =>
    `the plug-in ${details.file} cannot be loaded: ${details.problem}`,
  hint: () => "mend it, or take it out of `plugins` in the configuration",
  about:
    "A module that `plugins` of the configuration names is missing, has an error or failed while it was loaded. Nothing is started without it: what a workflow means must not depend on luck.",
});

export const pluginInvalid = defineError("PLUGIN_INVALID", {
  message: (details: { file: string; problem: string }) =>
    `the plug-in ${details.file} is none: ${details.problem}`,
  hint: () => "export default { stepTypes: [...], guards: [...] }, or the two by their names",
  about:
    "A plug-in is a module whose default export is an object with `stepTypes`, `guards` or both, or which exports lists of these names. Step types are what `defineStepType` takes, guards what `defineGuard` takes.",
});

export const pluginNotTrusted = defineError("PLUGIN_NOT_TRUSTED", {
  message: (details: { files: readonly string[] }) =>
    `plug-ins of this project are not trusted as they are now, so they are left out: ${details.files.join(", ")}; to take them: troupe trust, or --trust for one run`,
  about:
    "A plug-in is code that runs as you. One that a project's configuration names is loaded once `troupe trust` has shown it and you agreed; it and the files that it imports from the project must not change since. Those of your own configuration need no trust.",
});

export const stepTypeInvalid = defineError("WORKFLOW_STEP_TYPE_INVALID", {
  message: (details: { name: string; problem: string }) =>
    `the step type "${details.name}" ${details.problem}`,
  about:
    "A step type of one's own has a name like an id, which no other step type has, a function `execute`, and keys that no step has already.",
});

export const guardInvalid = defineError("WORKFLOW_GUARD_INVALID", {
  message: (details: { name: string; problem: string }) =>
    `the guard "${details.name}" ${details.problem}`,
  about: "A guard of one's own has a name that no other guard has, and a function `check`.",
});

export const codeMissing = defineError("WORKFLOW_CODE_MISSING", {
  message: (details: { run: string; stepTypes: readonly string[]; guards: readonly string[] }) =>
    `${details.run} needs code that is not here: ${wanted(details)}`,
  hint: () =>
    "name the plug-in that has it in the configuration and trust it, or resume in code: resumeRun(id, { stepTypes, guards })",
  about:
    "Step types and guards of one's own are code, so a run names them and does not hold them. It was started with some that are not here now. Nothing is lost: it goes on as soon as they are.",
});

export const routeUnknown = defineError("STEP_ROUTE_UNKNOWN", {
  message: (details: { step: string; type: string; route: string; routes: readonly string[] }) =>
    `the type "${details.type}" sends step "${details.step}" on to "${details.route}", which is none of its routes`,
  hint: ({ routes }) =>
    routes.length === 0 ? "the step names no other" : `its routes: ${routes.join(", ")}`,
  about:
    "The `route` of a step type may only choose between steps that the step itself names, by `next` or a key of `routes`. So a route that leads nowhere is found when the file is loaded.",
});

function wanted(details: {
  readonly stepTypes: readonly string[];
  readonly guards: readonly string[];
}): string {
  const { stepTypes, guards } = details;
  const parts = [
    ...(stepTypes.length === 0 ? [] : [`step types ${stepTypes.join(", ")}`]),
    ...(guards.length === 0 ? [] : [`guards ${guards.join(", ")}`]),
  ];
  return parts.join("; ");
}
