import { areHarmless } from "../../app/catalogue/show-problems.ts";
import type { Machine } from "../../app/machine/machine.ts";
import type { WorkflowRun } from "../../app/run/owner/workflow-run.ts";
import { resumeOnMachine } from "../../app/run/resume-run.ts";
import { startRun } from "../../app/run/start-run.ts";
import { resolveTarget } from "../../app/runs/resolve-target.ts";
import { readEvents, stateBefore } from "../../app/runs/run-events.ts";
import { readRunList } from "../../app/runs/run-index.ts";
import { loadFile } from "../../app/workflow/load-file.ts";
import { readRecipe } from "../../app/workflow/shapes/run-recipe.ts";
import { STANDALONE_PROGRAM } from "../../app/workflow/shapes/standalone.ts";
import { chatFile } from "../../app/workflow/single-agent.ts";
import { fold } from "../../fold/fold.ts";
import type { RunState } from "../../fold/state/run-state.ts";
import { watchStops } from "../attend/stop-watch.ts";
import { ChatView } from "../chat/chat-view.ts";
import { ModeRuns } from "../chat/mode-runs.ts";
import { takeSlashCommand } from "../chat/slash-commands.ts";
import { TROUPE } from "../command/called-as.ts";
import type { ActionOf, Invocation, OptionsOf } from "../command/command.ts";
import { usageInvalid } from "../command/errors.ts";
import { EXIT } from "../command/exit-codes.ts";
import { openMachine } from "../command/open-machine.ts";
import type { chatCommand } from "../commands/chat.ts";
import { tellAgents, tellConfig } from "../config/tell-config.ts";
import { type PreparedRun, prepareRun } from "../prepare/prepare-run.ts";
import { readBudget } from "../prepare/read-budget.ts";
import { inputPath } from "../prepare/read-input.ts";
import { isWorkflowFile } from "../prepare/run-operands.ts";
import { tellProblems } from "../prepare/tell-problems.ts";
import { type ActivityLog, createActivityLog } from "../view/live/turn-activity.ts";

type ChatInvocation = Invocation<OptionsOf<typeof chatCommand>>;

/** What chats are named by among the instances of their workflows. */
const INSTANCE = "chat-";
const MOST_RECALLED = 100;

/** `troupe chat`: a run whose person sends messages. */
export const chatAction: ActionOf<typeof chatCommand> = async (invocation) => {
  const { io, settings, options } = invocation;
  if (!io.stdout.isTerminal || !settings.mayAsk)
    throw usageInvalid({
      problem: "a chat needs a terminal, and a person at it",
      hint: `to send one message: ${TROUPE} ask @AGENT "…"; to run a task: ${TROUPE} run --agent NAME "…"`,
    });
  const machine = await openMachine(invocation);
  if ((await tellConfig(machine, invocation)) === undefined) return EXIT.usage;
  const activity = createActivityLog();
  const carried = {
    approvals: "ask",
    suspendsWhenWaiting: false,
    onUpdate: activity.update,
  } as const;
  const stops = watchStops(io);
  try {
    const first = options.resume
      ? await resume(machine, invocation, carried)
      : await begin(machine, invocation, carried);
    if (first === undefined) return EXIT.usage;
    let isFork = false;
    for (let run = first; ; isFork = true) {
      stops.attach(run);
      const left = await converse(run, { machine, invocation, activity, isFork });
      if (left.next === undefined) return left.exitCode;
      run = await goOn(machine, left.next, carried);
    }
  } finally {
    stops.close();
  }
};

type Carried = Pick<
  Parameters<typeof startRun>[2] & object,
  "approvals" | "suspendsWhenWaiting" | "onUpdate"
>;

/** Undefined: what is wrong was told. */
async function begin(
  machine: Machine,
  invocation: ChatInvocation,
  carried: Carried,
): Promise<WorkflowRun | undefined> {
  if (invocation.options.acceptConfig)
    throw usageInvalid({
      problem: "--accept-config is for --resume: a new chat has nothing to differ from",
    });
  const [asked] = invocation.args.slice(0, invocation.args.length - invocation.rest.length);
  const isFile = asked !== undefined && isWorkflowFile(asked, invocation.settings.cwd);
  const prepared = isFile
    ? await prepareFile(machine, invocation)
    : await prepareAgent(machine, invocation, asked);
  if (prepared === undefined) return undefined;
  const { definition, start } = prepared;
  const instance = `${INSTANCE}${machine.newKey().slice(-10)}`;
  const program = isFile ? {} : { program: STANDALONE_PROGRAM };
  return startRun(machine, definition, { ...start, ...carried, ...program, instance });
}

/** A team that goes on until it is stopped. */
function prepareFile(
  machine: Machine,
  invocation: ChatInvocation,
): Promise<PreparedRun | undefined> {
  const { model, systemPrompt } = invocation.options;
  const given = Object.entries({ "--model": model, "--system-prompt": systemPrompt });
  const [flag] = given.find(([, value]) => value !== undefined) ?? [];
  if (flag !== undefined)
    throw usageInvalid({
      problem: `${flag} is of one agent, and a file says it of each of its own`,
    });
  return prepareRun(machine, invocation, { until: "stopped" });
}

async function prepareAgent(
  machine: Machine,
  invocation: ChatInvocation,
  backend: string | undefined,
): Promise<Pick<PreparedRun, "definition" | "start"> | undefined> {
  const { options, rest, settings } = invocation;
  const { model, systemPrompt, cassette } = options;
  const workflow = await chatFile(machine, { backend, argv: rest, model, systemPrompt });
  const loaded = await loadFile(machine, {
    ...workflow,
    until: "stopped",
    cassette: cassette === undefined ? undefined : inputPath(cassette, settings),
  });
  await tellProblems(loaded, invocation);
  const { definition, cassette: played } = loaded;
  if (definition === undefined || !areHarmless(loaded.problems)) return undefined;
  await tellAgents(machine, definition.agents, invocation);
  const start = { params: {}, budget: readBudget(options), cassette: played };
  return { definition, start: { ...start, ...NOTHING_ASKED } };
}

const NOTHING_ASKED = {
  file: undefined,
  fileHash: undefined,
  instance: undefined,
  timeoutMs: undefined,
};

/** The chat that is named, else the last one of the project. Raises USAGE_INVALID, RUN_NOT_FOUND. */
async function resume(
  machine: Machine,
  invocation: ChatInvocation,
  carried: Carried,
): Promise<WorkflowRun | undefined> {
  const { model, systemPrompt, cassette, acceptConfig } = invocation.options;
  const fresh = Object.entries({
    "--model": model,
    "--system-prompt": systemPrompt,
    "--cassette": cassette,
  });
  const [flag] = fresh.find(([, value]) => value !== undefined) ?? [];
  if (flag !== undefined)
    throw usageInvalid({ problem: `${flag} is for a new chat, and --resume goes on with one` });
  const budget = readBudget(invocation.options);
  const limits = Object.keys(budget).length === 0 ? {} : { limits: { budget } };
  const accepted = { acceptsConfiguration: acceptConfig };
  const [named] = invocation.args;
  const target = named === undefined ? lastChat(machine) : resolveTarget(machine, named).run;
  return goOn(machine, target, { ...carried, ...limits, ...accepted });
}

/** Raises USAGE_INVALID for a chat that is over. */
async function goOn(
  machine: Machine,
  target: string,
  options: Carried & Parameters<typeof resumeOnMachine>[2],
): Promise<WorkflowRun> {
  const resumption = await resumeOnMachine(machine, target, options);
  if (resumption.status === "resumed") return resumption.run;
  throw usageInvalid({
    problem: `${target} is over, so nobody answers any more`,
    hint: `see what was said: ${TROUPE} show ${target}; begin another: ${TROUPE} chat`,
  });
}

function lastChat(machine: Machine): string {
  const { runs } = readRunList(machine);
  // The newest comes first.
  const last = runs.find(
    ({ instance, outcome }) => instance.startsWith(INSTANCE) && outcome === null,
  );
  if (last !== undefined) return last.run;
  throw usageInvalid({
    problem: "there is no chat here that could go on",
    hint: `begin one: ${TROUPE} chat claude`,
  });
}

interface Conversing {
  readonly machine: Machine;
  readonly invocation: ChatInvocation;
  readonly activity: ActivityLog;
  /** Whether what was said before stands above already. */
  readonly isFork: boolean;
}

/** How a person has left a chat. */
interface LeftChat {
  readonly exitCode: number;
  /** The chat that the terminal goes on with. */
  readonly next: string | undefined;
}

/** Stays until the chat is left or over. */
async function converse(run: WorkflowRun, parts: Conversing): Promise<LeftChat> {
  const { machine, invocation } = parts;
  let state: RunState | undefined;
  let shown: Shown | undefined;
  try {
    for await (const event of run.events) {
      state ??= stateBefore(machine, run.id, event.seq);
      fold(state, event);
      const agent = speaker(state);
      if (shown !== undefined) shown.view.show(event, state);
      else if (agent !== undefined) {
        shown = await openView(run, agent, parts);
        const before = readEvents(machine, run.id).filter(({ seq }) => seq <= event.seq);
        shown.view.recall(parts.isFork ? [] : before.slice(-MOST_RECALLED), state);
      }
    }
  } finally {
    shown?.view.close();
    await shown?.modes.close();
  }
  const { event } = await run.parted;
  const next = shown?.next();
  if (next !== undefined) return { exitCode: event.exitCode, next };
  const isGiven = run.state.run.configuration?.isGiven === true;
  const told =
    event.type === "run-suspended"
      ? `go on: ${TROUPE} chat --resume ${run.id}${isGiven ? " --trust" : ""}`
      : `${run.id} is ${event.outcome}`;
  invocation.io.stdout.write(`${told}\n`);
  return { exitCode: event.exitCode, next };
}

interface Shown {
  readonly view: ChatView;
  readonly modes: ModeRuns;
  /** The chat that the person wants to go on with in place of this one. */
  next(): string | undefined;
}

async function openView(
  run: WorkflowRun,
  agent: string,
  { machine, invocation, activity }: Omit<Conversing, "isFork">,
): Promise<Shown> {
  const { io, settings } = invocation;
  const modes = new ModeRuns(machine, invocation, agent);
  let next: string | undefined;
  const view = new ChatView({
    ...{ run, machine, io, settings, activity, agent },
    isPosted: await doPost(machine, run.state),
    command: (line, desk) => takeSlashCommand(line, desk, { machine, modes, agent }),
    onLeave: (run) => {
      next = run;
    },
  });
  return { view, modes, next: () => next };
}

/** Whether what agents say at the end of their turns is posted to a channel. */
async function doPost(machine: Machine, { run }: RunState): Promise<boolean> {
  const journal = machine.store.open(run.id, "read");
  try {
    const { definition } = await readRecipe(run.id, journal.blob(run.definitionHash));
    return definition.shape === "kickoff" && definition.context?.channel !== undefined;
  } finally {
    journal.close();
  }
}

/** Who is spoken to: the first who takes part. */
function speaker({ agents }: RunState): string | undefined {
  for (const { id, spec } of agents.values()) if (spec.shadow === undefined) return id;
  return undefined;
}
