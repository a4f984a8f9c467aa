import { didYouMean } from "../../foundation/near-names.ts";
import { TROUPE } from "../command/called-as.ts";
import { usageInvalid } from "../command/errors.ts";
import { tellCost, tellTokens } from "../view/live/amounts.ts";
import { callLinesOf, textOfItem } from "../view/parts/inbox-text.ts";
import type { ChatDesk } from "./chat-speech.ts";
import type { ModeRuns } from "./mode-runs.ts";

/** A command that is written in a chat. */
interface SlashCommand {
  /** What it takes, for people. */
  readonly takes: string;
  readonly about: string;
  act(rest: string, desk: ChatDesk, modes: ModeRuns): Promise<void> | void;
}

const MODE_TAKES: readonly (readonly [string, string, string])[] = [
  ["iter", "5|2h TASK", "repeat a task, each time by a fresh agent"],
  ["collab", "GOAL", "let an agent call in others"],
  ["team", "GOAL", "let a leader and workers do it over a list"],
  ["run", "FILE [TASK]", "run a workflow"],
];

const COMMANDS: ReadonlyMap<string, SlashCommand> = new Map<string, SlashCommand>([
  ...MODE_TAKES.map(([name, takes, about]): [string, SlashCommand] => [
    name,
    { takes, about, act: (rest, desk, modes) => modes.start(name, rest, desk) },
  ]),
  ["agents", { takes: "", about: "who takes part", act: tellAgents }],
  ["inbox", { takes: "", about: "what waits for you", act: tellInbox }],
  ["cost", { takes: "", about: "what it has used", act: tellUse }],
  ["help", { takes: "", about: "this list", act: (_rest, desk) => desk.tell(helpText()) }],
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

/** Carries out a line that begins with a slash. Raises USAGE_INVALID and what modes raise. */
export async function takeSlashCommand(
  line: string,
  desk: ChatDesk,
  modes: ModeRuns,
): Promise<void> {
  const [, name = "", rest = ""] = /^\/([\w-]*)\s*([\s\S]*)$/.exec(line) ?? [];
  const command = COMMANDS.get(name);
  if (command === undefined) {
    const known = [...COMMANDS.keys()];
    const hint = didYouMean(name, known, "commands") ?? "/help lists them";
    throw usageInvalid({ problem: `there is no command /${name}`, hint });
  }
  await command.act(rest.trim(), desk, modes);
}

function helpText(): string {
  const lines = [...COMMANDS].map(
    ([name, { takes, about }]) => `/${name} ${takes}`.padEnd(22) + about,
  );
  return [
    ...lines,
    "@agent TEXT speaks to another of a team, @file shows a file of the project",
    "esc interrupts, esc twice forgets what waits; ctrl-d or ctrl-c twice leaves",
  ].join("\n");
}

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
