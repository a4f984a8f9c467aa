import { createFork } from "../../app/again/fork/fork-run.ts";
import { type AgentLook, lookAtAgent } from "../../app/run/commands/look-at-agent.ts";
import { findAgent } from "../../fold/state/agent-lookup.ts";
import type { AgentState } from "../../fold/state/agent-state.ts";
import { present } from "../../foundation/present.ts";
import { TROUPE } from "../command/called-as.ts";
import { usageInvalid } from "../command/errors.ts";
import type { ChatDesk } from "./chat-speech.ts";
import type { ChatMeans, SlashCommand } from "./slash-command.ts";

/** Commands that change how an agent works from its next turn on, or where the chat goes on. */
export const agentCommands: readonly (readonly [string, SlashCommand])[] = [
  [
    "plan",
    { takes: "[TEXT|off]", about: "let it plan and change nothing, until you agree", act: plan },
  ],
  [
    "model",
    {
      takes: "[NAME|default]",
      about: "which model it asks; another one from its next turn on",
      act: setModel,
    },
  ],
  ["compact", { takes: "", about: "sum up what was said, to make room", act: compact }],
  ["fork", { takes: "", about: "go on in a new chat that begins like this one", act: fork }],
];

async function plan(rest: string, desk: ChatDesk, means: ChatMeans): Promise<void> {
  const { agent, words } = addressed(rest, desk, means);
  const { id } = agent;
  await lookAtModel(agent, means, { why: "nothing plans in it" });
  if (words === "off") {
    await desk.run.command({ kind: "set-mode", agent: id });
    desk.tell(`@${id} plans no longer, and may do again what it may`);
    return;
  }
  await desk.run.command({ kind: "set-mode", agent: id, mode: "plan" });
  desk.tell(`@${id} plans, and changes nothing until you agree to its plan or write /plan off`);
  if (words !== "") await desk.say(id === means.agent ? words : `@${id} ${words}`);
}

async function setModel(rest: string, desk: ChatDesk, means: ChatMeans): Promise<void> {
  const { agent, words: model } = addressed(rest, desk, means);
  const { id, spec } = agent;
  const look = await lookAtModel(agent, means, { why: "it has no model", wanted: model });
  if (model === "") {
    desk.tell(`@${id} asks ${agent.model ?? spec.model ?? "the model of its program"}`);
    return;
  }
  if (/\s/.test(model))
    throw usageInvalid({ problem: `"${model}" is no model`, hint: "write /model NAME" });
  const [problem] = look.problems;
  if (problem !== undefined) {
    const { message, hint } = problem;
    throw usageInvalid({ problem: message, ...present({ hint }) });
  }
  const isDeclared = model === DECLARED || model === spec.model;
  await desk.run.command({
    kind: "set-model",
    agent: id,
    ...present({ model: isDeclared ? undefined : model }),
  });
  const name = model === DECLARED ? (spec.model ?? "the model of its program") : model;
  desk.tell(`@${id} asks ${name} from its next turn on`);
}

/** Takes back what was chosen. */
const DECLARED = "default";

async function compact(rest: string, desk: ChatDesk, means: ChatMeans): Promise<void> {
  const { agent, words } = addressed(rest, desk, means);
  const { id, spec } = agent;
  if (words !== "")
    throw usageInvalid({ problem: "/compact takes no text", hint: "write /compact" });
  const look = await lookAtModel(agent, means, { why: "it keeps nothing that was said" });
  if (!look.canCompact) {
    desk.tell(`the program of @${id} (${spec.backend}) makes room by itself when it has to`);
    return;
  }
  await desk.run.command({ kind: "compact", agent: id });
  desk.tell(`@${id} sums up what was said before it answers next; the journal keeps all of it`);
}

async function fork(rest: string, desk: ChatDesk, { machine }: ChatMeans): Promise<void> {
  if (rest !== "") throw usageInvalid({ problem: "/fork takes no text", hint: "write /fork" });
  const { state, run } = desk;
  const isWorking = [...state.agents.values()].some(({ turns }) => turns.size > 0);
  if (isWorking)
    throw usageInvalid({
      problem: "somebody works, and would do the same in both chats",
      hint: "wait for the end of it, or cut it off with esc",
    });
  const made = await createFork(machine, run.id, { at: String(state.lastSeq) });
  desk.tell(`${made.run} begins like ${run.id}, which is left: ${TROUPE} chat --resume ${run.id}`);
  desk.leave(made.run);
}

/** Whom a command is for: `@id` in front, else who is spoken to. Raises USAGE_INVALID. */
function addressed(
  rest: string,
  { state }: ChatDesk,
  means: ChatMeans,
): { readonly agent: AgentState; readonly words: string } {
  const [, name = means.agent, words = ""] = /^(?:@([\w-]+)(?:\s+|$))?([\s\S]*)$/.exec(rest) ?? [];
  const agent = findAgent(state, name);
  if (agent !== undefined) return { agent, words: words.trim() };
  throw usageInvalid({ problem: `nobody is called @${name}`, hint: "/agents lists them" });
}

interface WantedOfModel {
  /** What keeps a program or a person from it. */
  readonly why: string;
  /** The model that it is to ask. */
  readonly wanted?: string;
}

/** Raises USAGE_INVALID for programs and people. */
async function lookAtModel(
  { id, spec, model: chosen }: AgentState,
  { machine }: ChatMeans,
  { why, wanted = "" }: WantedOfModel,
): Promise<AgentLook> {
  const kept = wanted === "" ? (chosen ?? spec.model) : spec.model;
  const model = wanted === "" || wanted === DECLARED ? kept : wanted;
  const look = await lookAtAgent(machine, { ...spec, ...present({ model }) });
  if (look.asksModel) return look;
  const kind = spec.backend === "human" ? "a person" : "a program of yours";
  throw usageInvalid({ problem: `@${id} is ${kind}: ${why}` });
}
