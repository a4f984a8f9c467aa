import { defineError } from "../../../foundation/errors.ts";
import { didYouMean } from "../../../foundation/near-names.ts";
import { type ShownProcess, showPid } from "../../../foundation/show-pid.ts";

export const runLetGo = defineError("RUN_LET_GO", {
  message: (details: { run: string; reason: string }) =>
    `${details.run} was let go before its end: ${details.reason}`,
  hint: (details) => `go on with it: troupe resume ${details.run}`,
  about:
    "The process let go of the run (interrupted, paused, or waiting for a person). Nothing is lost; the run can be resumed.",
});

export const configurationDiffers = defineError("RUN_CONFIGURATION_DIFFERS", {
  message: (details: {
    run: string;
    command: "resume" | "rerun";
    differences: readonly string[];
    isTrust: boolean;
  }) => `${details.run} began with another configuration: ${details.differences.join("; ")}`,
  hint: ({ run, command, isTrust }) =>
    isTrust
      ? `${command} it with the project's configuration: troupe ${command} ${run} --trust`
      : `set it back, or accept what is configured now: troupe resume ${run} --accept-config`,
  about:
    "A run belongs to the configuration that it began with: base URLs, keys, permissions, plug-ins, and the files of the project that programs of agents obey. Resumed under another one, its conversation and keys could be sent elsewhere, or its agents could do more. So the run is suspended before any agent is asked.",
});

export const runUnfinished = defineError("RUN_UNFINISHED", {
  message: (details: { run: string; outcome: string; reason: string }) =>
    `run ${details.run} ended as ${details.outcome} before its agent had answered: ${details.reason}`,
  hint: () => "give it more time or budget: timeoutMs, budget",
  about:
    "The run of an AgentExecutor ends with the turn of its agent. This one ended before: a limit was reached, or the agent could not be started.",
});

export const otherResult = defineError("RUN_RESULT_DIFFERS", {
  message: (details: { run: string }) =>
    `${details.run} has a result of another form than was asked for`,
  hint: () => "read the result of its last event: (await run.parted).event",
  about:
    "`result` of a run's handle is what a pattern workflow came to. Workflows of other shapes end with a result of another form, which their last event holds.",
});

export const instanceRunning = defineError("WORKFLOW_INSTANCE_RUNNING", {
  message: (details: { workflow: string; instance: string; run: string } & ShownProcess) =>
    `instance "${details.instance}" of workflow "${details.workflow}" is running already: ${details.run}, process ${showPid(details)}`,
  hint: ({ run }) => `stop it with troupe cancel ${run}, or start another one with --instance NAME`,
  about:
    "The agents of one instance share a channel and a document, so only one run of a workflow and instance goes on at a time in a project.",
});

export const nameTaken = defineError("WORKFLOW_NAME_TAKEN", {
  message: (details: { what: string; name: string; run: string } & ShownProcess) =>
    `${details.what} "${details.name}" is at work already, in ${details.run}, process ${showPid(details)}`,
  hint: ({ what, run }) =>
    `wait for its end, stop it with troupe cancel ${run}, or give this ${what} another name`,
  about:
    "What a name stands for is shared: two live runs with a team of the same name would write one list of tasks. The name is free again when no process carries the run out: it is over, was let go, or its process is gone.",
});

export const preflightFailed = defineError("BACKEND_PREFLIGHT_FAILED", {
  message: (details: {
    problems: readonly { agent: string; message: string; hint?: string }[];
    /** What to do instead of all that is missing. */
    instead?: string;
  }) => details.problems.map(({ agent, message }) => aboutAgent(agent, message)).join("\n"),
  hint: ({ problems, instead }) => {
    const hints = [...problems.map(({ hint }) => hint), instead];
    return [...new Set(hints.filter((hint) => hint !== undefined))].join("; ") || undefined;
  },
  about:
    "Before a run starts, everything that its agents need on this machine is checked. Something is missing; nothing was started.",
});

export const runTooDeep = defineError("RUN_TOO_DEEP", {
  message: (details: { workflow: string; limit: number }) =>
    `workflow "${details.workflow}" would be more than ${details.limit} levels below the first one`,
  hint: () => "let fewer workflows run each other, one within the other",
  about:
    "A workflow may run another one as a child, and that one a further one. The number of levels is bounded so that none goes on for ever.",
});

export const childUnknown = defineError("WORKFLOW_CHILD_UNKNOWN", {
  message: (details: { workflow: string; known: readonly string[] }) =>
    `this workflow has no other workflow "${details.workflow}"`,
  hint: ({ workflow, known }) => didYouMean(workflow, known, "workflows"),
  about:
    "All workflows that a run starts as its children are part of its definition. A program asked for one that is not.",
});

export const childInputInvalid = defineError("WORKFLOW_CHILD_INPUT", {
  message: (details: { workflow: string; kind: string }) =>
    `workflow "${details.workflow}" cannot be started with ${details.kind}`,
  hint: () => "give it a text, which is its task, an object, which holds its params, or null",
  about:
    "Step workflows take any JSON as their input. To all others a text is the task, and the members of an object are params.",
});

/** What backends raise may name the agent already. */
function aboutAgent(agent: string, message: string): string {
  const name = `agent "${agent}"`;
  return message.startsWith(name) ? message : `${name}: ${message}`;
}
