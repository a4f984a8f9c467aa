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
  hint: () =>
    "export default { stepTypes: [...], guards: [...], patterns: [...], backends: [...], routes: [...] }, or some of them by their names",
  about:
    "A plug-in is a module whose default export is an object with `stepTypes`, `guards`, `patterns`, `backends`, `routes` or several of them, or which exports lists of these names. They are what `defineStepType`, `defineGuard`, `definePattern` and `defineBackend` take; a route is an object with `name` and `test`.",
});

export const pluginNotTrusted = defineError("PLUGIN_NOT_TRUSTED", {
  message: (details: { files: readonly string[] }) =>
    `plug-ins of this project are not trusted as they are now, so they are left out: ${details.files.join(", ")}; to take them: troupe trust, or --trust for one run`,
  about:
    "A plug-in is code that runs as you. One that a project's configuration names is loaded once `troupe trust` has shown it and you agreed; it and the files that it imports from the project must not change since. Those of your own configuration need no trust.",
});

export const stepTypeInvalid = defineError("WORKFLOW_STEP_TYPE_INVALID", {
  message: (details: CodeFault) => `the step type "${details.name}" ${faultOf(details)}`,
  hint: () => "mend it where it is defined",
  about:
    "A step type of one's own has a name like an id, which no other step type has, a function `execute`, and keys that no step has already.",
});

export const guardInvalid = defineError("WORKFLOW_GUARD_INVALID", {
  message: (details: CodeFault) => `the guard "${details.name}" ${faultOf(details)}`,
  hint: () => "mend it where it is defined",
  about: "A guard of one's own has a name that no other guard has, and a function `check`.",
});

export const patternInvalid = defineError("WORKFLOW_PATTERN_INVALID", {
  message: (details: CodeFault) => `the pattern "${details.name}" ${faultOf(details)}`,
  hint: () => "mend it where it is defined",
  about:
    "A pattern of one's own has a name of lower-case words joined by -, which no other pattern has, a function `run`, and, if it has a block, a schema for it and a key that pattern files do not have already.",
});

export const backendInvalid = defineError("WORKFLOW_BACKEND_INVALID", {
  message: (details: CodeFault) => `the backend "${details.name}" ${faultOf(details)}`,
  hint: () => "mend it where it is defined",
  about:
    "A backend of one's own has a name like an id, which no other backend has, and a function `create`.",
});

export const routeInvalid = defineError("HANDOFF_ROUTE_INVALID", {
  message: (details: CodeFault) =>
    `the function of the route "${details.name}" ${faultOf(details)}`,
  hint: () => "mend it where it is defined",
  about:
    "A function that decides where `handoff` goes on has a name like an id, which no other one has, and a function `test`.",
});

export const backendBroken = defineError("WORKFLOW_BACKEND_BROKEN", {
  message: (details: { backend: string; problem: string }) =>
    `the backend "${details.backend}" went wrong: ${details.problem}`,
  hint: () =>
    "mend its code; the suite backendConformance of troupe/testing shows what it must keep",
  about: "The code of a backend of one's own threw, or what it made is no backend.",
});

export const codeMissing = defineError("WORKFLOW_CODE_MISSING", {
  message: (details: MissingCode & { readonly run: string }) =>
    `${details.run} needs code that is not here: ${wanted(details)}`,
  hint: (details) => {
    const kinds = kindsOf(details);
    const inCode = `resume in code: resumeRun(id, { ${kinds.join(", ")} })`;
    return kinds.includes("patternFunctions")
      ? inCode
      : `name the plug-in that has it in the configuration and trust it, or ${inCode}`;
  },
  about:
    "Step types, guards, patterns, backends and functions of routes of one's own are code, so a run names them and does not hold them. It was started with some that are not here now. Nothing is lost: it goes on as soon as they are.",
});

export const routeUnknown = defineError("STEP_ROUTE_UNKNOWN", {
  message: (details: { step: string; type: string; route: string; routes: readonly string[] }) =>
    `the type "${details.type}" sends step "${details.step}" on to "${details.route}", which is none of its routes`,
  hint: ({ routes }) =>
    routes.length === 0 ? "the step names no other" : `its routes: ${routes.join(", ")}`,
  about:
    "The `route` of a step type may only choose between steps that the step itself names, by `next` or a key of `routes`. So a route that leads nowhere is found when the file is loaded.",
});

/** Names of code of each kind that a run needs. */
export type MissingCode = { readonly [kind in keyof typeof KIND_WORDS]?: readonly string[] };

const KIND_WORDS = {
  stepTypes: "step types",
  guards: "guards",
  patterns: "patterns",
  backends: "backends",
  routes: "functions of routes",
  patternFunctions: "functions of the pattern",
} as const;

const KINDS = [
  "stepTypes",
  "guards",
  "patterns",
  "backends",
  "routes",
  "patternFunctions",
] as const;

function kindsOf(missing: MissingCode): readonly (keyof MissingCode)[] {
  return KINDS.filter((kind) => (missing[kind] ?? []).length > 0);
}

function wanted(missing: MissingCode): string {
  return kindsOf(missing)
    .map((kind) => `${KIND_WORDS[kind]} ${(missing[kind] ?? []).join(", ")}`)
    .join("; ");
}

/** What is wrong with code of one's own. */
interface CodeFault {
  readonly name: string;
  readonly problem: string;
  /** The plug-in that has it; absent where it was given in code. */
  readonly file?: string;
}

function faultOf({ problem, file }: CodeFault): string {
  return file === undefined ? problem : `${problem} (in ${file})`;
}
