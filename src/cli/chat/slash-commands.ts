import { lookAtAgent } from "../../app/run/commands/look-at-agent.ts";
import {
  type ChatSaying,
  type ListedChatCommand,
  listChatCommands,
  sayingOf,
} from "../../app/workflow/chat-commands.ts";
import { findAgent } from "../../fold/state/agent-lookup.ts";
import { didYouMean } from "../../foundation/near-names.ts";
import { present } from "../../foundation/present.ts";
import { TROUPE } from "../command/called-as.ts";
import { usageInvalid } from "../command/errors.ts";
import { splitWords } from "../editor/edit-text.ts";
import { tellCost, tellTokens } from "../view/live/amounts.ts";
import { callLinesOf, textOfItem } from "../view/parts/inbox-text.ts";
import { agentCommands } from "./agent-commands.ts";
import type { ChatDesk } from "./chat-speech.ts";
import type { ChatMeans, SlashCommand } from "./slash-command.ts";

const MODE_TAKES: readonly (readonly [string, string, string])[] = [
  ["iter", "5|2h TASK", "repeat a task, each time by a fresh agent"],
  ["collab", "GOAL", "let an agent call in others"],
  ["team", "GOAL", "let a leader and workers do it over a list"],
  ["run", "FILE [TASK]", "run a workflow"],
];

const COMMANDS: ReadonlyMap<string, SlashCommand> = new Map<string, SlashCommand>([
  ...MODE_TAKES.map(([name, takes, about]): [string, SlashCommand] => [
    name,
    { takes, about, act: (rest, desk, { modes }) => modes.start(name, rest, desk) },
  ]),
  ...agentCommands,
  ["agents", { takes: "", about: "who takes part", act: tellAgents }],
  ["inbox", { takes: "", about: "what waits for you", act: tellInbox }],
  ["cost", { takes: "", about: "what it has used", act: tellUse }],
  [
    "help",
    {
      takes: "",
      about: "this list",
      act: (_rest, desk, { machine }) => desk.tell(helpText(listChatCommands(machine))),
    },
  ],
  ["exit", { takes: "", about: "leave; the chat goes on later", act: (_, desk) => desk.leave() }],
  [
    "end",
    {
      takes: "",
      about: "end the chat for good",
      act: async (_rest, desk) => void (await desk.run.command({ kind: "stop", force: true })),
    },
  ],
]);

/**
 * Carries out a line that begins with a slash; `later`: it waits until the agent is free. Raises USAGE_INVALID and what
 * commands raise.
 */
export async function takeSlashCommand(
  line: string,
  desk: ChatDesk,
  means: ChatMeans,
): Promise<"done" | "later"> {
  const [, name = "", text = ""] = /^\/([\w-]*)\s*([\s\S]*)$/.exec(line) ?? [];
  const rest = text.trim();
  const command = COMMANDS.get(name);
  if (command !== undefined) {
    await command.act(rest, desk, means);
    return "done";
  }
  const became = await takeFileCommand({ name, rest }, desk, means);
  if (became !== "unknown") return became;
  const known = [...COMMANDS.keys(), ...listChatCommands(means.machine).map((each) => each.name)];
  const hint = didYouMean(name, known, "commands") ?? "/help lists them";
  throw usageInvalid({ problem: `there is no command /${name}`, hint });
}

/**
 * Says what a command of a file says; `unknown` where there is none, `later` while the agent works. Raises
 * CHAT_COMMAND_* errors and USAGE_INVALID.
 */
async function takeFileCommand(
  { name, rest }: { readonly name: string; readonly rest: string },
  desk: ChatDesk,
  { machine, agent }: ChatMeans,
): Promise<"done" | "later" | "unknown"> {
  const spec = findAgent(desk.state, agent)?.spec;
  const { backend = "" } = spec ?? {};
  const saying = sayingOf(machine, { name, rest, words: splitWords(rest), backend });
  if (saying === undefined) return "unknown";
  if (desk.isBusy("")) return "later";
  const { text, terms } = saying;
  if (Object.keys(terms).length > 0) await assertHeld(saying, desk, { machine, agent });
  // Something else may have been said meanwhile.
  if (desk.isBusy("")) return "later";
  await desk.say(text, terms);
  return "done";
}

/** Nobody holds a program to tools and models. */
async function assertHeld(
  { terms }: ChatSaying,
  { state }: ChatDesk,
  { machine, agent }: Pick<ChatMeans, "machine" | "agent">,
): Promise<void> {
  const spec = findAgent(state, agent)?.spec;
  if (spec === undefined) return;
  const { model = spec.model } = terms;
  const look = await lookAtAgent(machine, { ...spec, ...present({ model }) });
  const [problem] = look.asksModel
    ? look.problems
    : [
        {
          message: `@${agent} is no model, so nobody can hold it to what the command says of models and tools`,
        },
      ];
  if (problem === undefined) return;
  const { message, hint } = problem;
  throw usageInvalid({ problem: message, ...present({ hint }) });
}

function helpText(ofFiles: readonly ListedChatCommand[]): string {
  const own = [...COMMANDS].map(([name, { takes, about }]) => ({ name, takes, about }));
  const others = ofFiles.filter(({ name }) => !COMMANDS.has(name));
  const lines = [...own, ...others].map(({ name, takes, about }) =>
    `${`/${name} ${takes}`.padEnd(HELP_COLUMNS - 1)} ${about}`.trimEnd(),
  );
  return [
    ...lines,
    "@agent TEXT speaks to another of a team, @file shows a file of the project",
    "esc interrupts, esc twice forgets what waits; ctrl-d or ctrl-c twice leaves",
  ].join("\n");
}

const HELP_COLUMNS = 22;

function tellAgents(_rest: string, { state, tell }: ChatDesk): void {
  const agents = [...state.agents.values()].map(
    ({ id, status, spec }) =>
      `${id} ${spec.backend}${spec.model === undefined ? "" : ` ${spec.model}`} ${status}`,
  );
  tell(agents.join("\n") || "nobody takes part yet");
}

function tellInbox(_rest: string, { state, tell }: ChatDesk): void {
  const items = [...state.inbox.values()].flatMap((item) => [
    `${item.kind} ${item.id}: ${textOfItem(item)}`,
    ...callLinesOf(item).map((line) => `  ${line}`),
  ]);
  tell(items.join("\n") || "nothing waits for you here");
}

function tellUse(_rest: string, { state, tell, run }: ChatDesk): void {
  const { usage, unpricedTurns } = state;
  const told = [tellTokens(usage), tellCost({ ...usage, unpricedTurns })].filter(
    (text) => text !== "",
  );
  tell(`${told.join(", ") || "nobody says what was used"}; more: ${TROUPE} cost ${run.id}`);
}
