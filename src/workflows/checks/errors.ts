import { defineError } from "../../foundation/errors.ts";
import { didYouMean, nearestName } from "../../foundation/near-names.ts";

export const idInvalid = defineError("WORKFLOW_ID", {
  message: (details: { what: string; id: string }) => `"${details.id}" cannot be ${details.what}`,
  hint: ({ id }) =>
    /^(?:constructor|prototype)$/i.test(id)
      ? "choose another name: constructor and prototype are no ids"
      : "use letters, digits, _ and -, at most 64, and begin with a letter",
  about:
    "Ids name agents, steps, barriers, params and workflows in files, events and on the command line.",
});

export const idReserved = defineError("WORKFLOW_RESERVED_ID", {
  message: (details: { id: string }) => `"${details.id}" is a reserved name and cannot be an agent`,
  hint: () => "choose another id; reserved: system, user, human, all",
  about: "system, user, human and all stand for somebody else wherever agents are named.",
});

export const idDuplicate = defineError("WORKFLOW_DUPLICATE_ID", {
  message: (details: { what: string; id: string; other: string }) =>
    details.id === details.other
      ? `there are two ${details.what} "${details.id}"`
      : `the ${details.what} "${details.other}" and "${details.id}" differ only in case`,
  hint: () => "give each its own id",
  about:
    "Ids are unique in a file; those of agents also when upper and lower case are the same. Steps and barriers share their names, because dependsOn takes both.",
});

export const roleUnfit = defineError("WORKFLOW_ROLE", {
  message: (details: { problem: string; hint: string }) => details.problem,
  hint: ({ hint }) => hint,
  about:
    "A pattern needs somebody for each of its roles: a hub, voters, a judge, a tree with one root. They are found by the pattern's own block, by `role`, or by `reportsTo`.",
});

export const routeTestUnknown = defineError("WORKFLOW_UNKNOWN_TEST", {
  message: ({ test }: { test: string; known: readonly string[] }) =>
    `a route asks the function "${test}" where the task goes on, which is not here`,
  hint: ({ test, known }) =>
    didYouMean(test, known) ??
    "name a plug-in that has it in the configuration, or give it in code: { routes }",
  about:
    "A route of handoff may name a function of its condition by `test`. Functions are code: they come with plug-ins, or from the program that starts the run. Without it the task could not be sent on.",
});

export const unknownAgent = defineError("WORKFLOW_UNKNOWN_AGENT", {
  message: (details: {
    who: string;
    agent: string;
    known: readonly string[];
    /** Whether agents are looked for outside of the file too. */
    places?: boolean;
  }) => `${details.who} "${details.agent}", which is not defined`,
  hint: ({ agent, known, places = false }) =>
    nearestName(agent, known) === undefined && places
      ? "add it to agents, or write .troupe/agents/NAME.md, or run with --backend NAME"
      : didYouMean(agent, known, "defined"),
  about:
    "agent, fallback, escalateTo, reportsTo and waitFor take ids from agents. A step of a step workflow also takes the name of an agent type (.troupe/agents/*.md, .claude/agents/*.md) and workflow:ID.",
});

export const unknownStep = defineError("WORKFLOW_UNKNOWN_STEP", {
  message: (details: { who: string; step: string; known: readonly string[] }) =>
    `${details.who} "${details.step}", which is not defined`,
  hint: ({ step, known }) => didYouMean(step, known, "defined"),
  about:
    "dependsOn and steps.ID take ids from steps; dependsOn also takes those of barriers. In a step workflow next, on_error and the routes of each type take ids of steps of the list at the top.",
});

export const cycle = defineError("WORKFLOW_CYCLE", {
  message: (details: { what: string; path: readonly string[] }) =>
    `${details.what}: ${shownPath(details.path)}`,
  hint: () => "remove one of these; what should be tried again takes maxRetries",
  about:
    "Steps that wait for each other never start. Each of the places that close the circle is marked.",
});

export const stepWithoutAgent = defineError("WORKFLOW_STEP_WITHOUT_AGENT", {
  message: (details: { step: string; known: readonly string[] }) =>
    `step "${details.step}" names no agent, and there are several`,
  hint: ({ known }) => `add agent: one of ${known.slice(0, 12).join(", ")}`,
  about: "A step without agent uses the only agent of the file.",
});

export const durationMalformed = defineError("WORKFLOW_DURATION", {
  message: (details: { place: string; given: string; problem: string }) =>
    `${details.place}: "${details.given}" ${details.problem}`,
  hint: () => "write a number and a unit: 500ms, 30s, 10m, 2h, 1d",
  about:
    "A duration is a number with one of the units ms, s, m, h, d, without a space. Timeouts are longer than nothing.",
});

export const orderContradiction = defineError("WORKFLOW_ORDER", {
  message: (details: { problem: string; hint: string }) => details.problem,
  hint: (details) => details.hint,
  about:
    "A pipeline runs its steps in the order of the list, fan-out starts all at once, dag follows dependsOn. What says otherwise is an error, because it would change nothing.",
});

export const notUpstream = defineError("WORKFLOW_NOT_UPSTREAM", {
  message: (details: { variable: string; step: string; problem: string; hint: string }) =>
    `${details.variable} needs step "${details.step}", ${details.problem}`,
  hint: (details) => details.hint,
  about:
    "The values of a step exist once it is done. In a pipeline that is so for earlier steps, in a dag for those that dependsOn leads to, in fan-out for none.",
});

export const unusedAgent = defineError("WORKFLOW_UNUSED_AGENT", {
  message: (details: { agent: string }) => `no step uses agent "${details.agent}"`,
  hint: () => "remove it, or give it a step",
  about: "With steps, only agents that steps name ever start.",
});

export const barrierUnreachable = defineError("WORKFLOW_BARRIER_UNREACHABLE", {
  message: (details: { barrier: string; agents: readonly string[] }) =>
    `barrier "${details.barrier}" can never open: ${details.agents.join(", ")} would have to signal before it opens, but has no step that starts earlier`,
  hint: () => "let one of the agent's steps start without this barrier",
  about:
    "A barrier waits for signals of agents; an agent all of whose steps wait for the barrier cannot give one.",
});

export const workflowPathOutside = defineError("WORKFLOW_PATH_OUTSIDE", {
  message: (details: { place: string; path: string; root: string }) =>
    `${details.place}: "${details.path}" leads out of ${details.root}`,
  hint: () => "choose a path inside",
  about:
    "Directories of agents and modules lie in the project; files of verify lie in the agent's directory. Links are followed before this is decided.",
});

export const unknownBackend = defineError("WORKFLOW_UNKNOWN_BACKEND", {
  message: (details: { who: string; backend: string; known: readonly string[] }) =>
    `${details.who} "${details.backend}", which is no backend`,
  hint: ({ backend, known }) => didYouMean(backend, known),
  about:
    "A backend is a way to run agents. Their names are in the reference of workflow files; the configuration can add more.",
});

export const variableWithheld = defineError("WORKFLOW_VARIABLE_WITHHELD", {
  message: (details: { name: string }) =>
    `a command uses $${details.name}, which is set here and is not handed on to it`,
  hint: ({ name }) => `name it: passEnv: [${name}] (pass_env in a step workflow)`,
  about:
    "Commands of agents, steps and checks get what is common and no secret of your environment, and what the file, the agent or the step names with env or passEnv. Any other variable is empty there.",
});

export const argumentRefused = defineError("WORKFLOW_ARGUMENT_REFUSED", {
  message: (details: { place: string; backend: string; argument: string }) =>
    `${details.place} may not have ${details.argument}, which would decide in Troupe's place what ${details.backend} does`,
  hint: () => "remove it, and say what you want in permissionMode, tools, cwd or session",
  about:
    "Further arguments of an agent's program can choose how it works. Those that would let it do without asking, take other settings, go on with other sessions or talk differently are refused, in every spelling.",
});

export const notSupported = defineError("WORKFLOW_NOT_SUPPORTED", {
  message: (details: { what: string; hint: string }) =>
    `this version of troupe cannot ${details.what} yet`,
  hint: (details) => details.hint,
  about:
    "The format has this, but the installed version does not carry it out. It is refused rather than ignored.",
});

export const jsonSchemaFault = defineError("WORKFLOW_JSON_SCHEMA", {
  message: (details: { place: string; problem: string; hint?: string }) =>
    `${details.place} ${details.problem}`,
  hint: (details) => details.hint,
  about:
    "Schemas of a file (output_schema, jsonSchema) are JSON Schema 2020-12. A word that it does not know, a type that there is not, a pattern beyond RE2 or a reference that leaves the schema would be found out only after an agent was paid. Words of your own begin with x-.",
});

export const paramDefinition = defineError("WORKFLOW_PARAM_DEFINITION", {
  message: (details: { param: string; problem: string }) =>
    `param "${details.param}" ${details.problem}`,
  about: "A param has a type; an enum has values; a default has the type and excludes required.",
});

function shownPath(path: readonly string[]): string {
  const names = path.length > 12 ? [...path.slice(0, 11), "…", path.at(-1)] : path;
  return names.join(" → ");
}

export const variableNotSet = defineError("WORKFLOW_VARIABLE_NOT_SET", {
  message: (details: { name: string; known: readonly string[] }) =>
    `the environment variable ${details.name} is not set here`,
  hint: ({ name, known }) => {
    const nearest = nearestName(name, known);
    return nearest === undefined ? "set it before the run" : `did you mean ${nearest}?`;
  },
  about:
    "${{ env.NAME }} and passEnv name variables of the environment that troupe is started in. Where one is not set, a run that comes to ${{ env.NAME }} fails, and a program is not handed it.",
});

export const unknownToolName = defineError("WORKFLOW_UNKNOWN_TOOL", {
  message: (details: { who: string; key: string; tool: string; known: readonly string[] }) =>
    `${details.who} names ${details.key === "tools" ? "" : `in ${details.key} `}tool "${details.tool}", which does not exist`,
  hint: ({ tool, known }) => {
    const nearest = nearestName(tool, known);
    return nearest === undefined
      ? `known: ${known.join(", ")}`
      : `did you mean "${nearest}"?  known: ${known.join(", ")}`;
  },
  about:
    "tools and disallowedTools take the names of the tools that agents bring (Read, Write, Edit, Bash, ...) and of those that Troupe offers (channel_send, document_read, ...).",
});
