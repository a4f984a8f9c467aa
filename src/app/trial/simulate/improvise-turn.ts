import type {
  ScriptedAction,
  ScriptedTurn,
} from "../../../agents/backends/script/cassette-schema.ts";
import type { TurnRequest } from "../../../contracts/backend.ts";
import { type Random, seededRandom } from "../../../foundation/random.ts";
import { asAsked, wordsIn } from "./read-prompt.ts";

/** How the participants of one simulated run are. */
export interface Temper {
  readonly seed: string;
  /** Share of turns in which a participant does what it was asked for; of the others nothing is known. */
  readonly obedience: number;
}

/** How likely each way to misbehave is, beside the others. */
const FAULTS: readonly Fault[] = [
  { weight: 3, act: () => ({ do: [], say: "" }) },
  { weight: 3, act: ({ random }) => ({ do: [], say: pick(random, TALK) }) },
  { weight: 2, act: ({ random }) => ({ do: [], say: garbage(random) }) },
  { weight: 2, act: ({ request }) => ({ do: [], say: request.prompt.slice(-2000) }) },
  { weight: 3, act: ({ random, words }) => ({ do: [], say: wrongSignal(random, words) }) },
  { weight: 2, act: (turn) => ({ do: [], say: `${good(turn)}\n${good(turn)}\n${good(turn)}` }) },
  { weight: 2, act: (turn) => ({ do: [], after: late(turn.random), say: good(turn) }) },
  { weight: 2, act: (turn) => ({ do: flood(turn), say: good(turn) }) },
  { weight: 1, act: ({ random }) => ({ do: toolSignals(random), say: "" }) },
  { weight: 1, act: (turn) => ({ do: [], say: good(turn), stop: "max_tokens" as const }) },
  { weight: 2, act: () => ({ do: [], crash: true as const }) },
  { weight: 2, act: () => ({ do: [], hang: true as const }) },
  { weight: 2, act: ({ random }) => ({ do: [], fail: failure(random) }) },
  { weight: 1, act: (turn) => ({ do: [{ ask: "May I?" }], say: good(turn) }) },
  { weight: 1, act: (turn) => ({ do: [permission], say: good(turn) }) },
];

interface Fault {
  readonly weight: number;
  act(turn: ImprovisedTurn): ScriptedTurn;
}

interface ImprovisedTurn {
  readonly request: TurnRequest;
  readonly random: Random;
  readonly words: readonly string[];
}

const TALK = ["I am still thinking about it", "@all what do you think?", "Almost there", "?"];
const WORDS = ["DONE", "VOTE", "VERDICT", "BID", "HANDOFF", "TEAM_DONE", "GOSSIP", "ACK", "FAILED"];
const permission: ScriptedAction = {
  permission: { tool: "Bash", input: { command: "make" }, onDeny: "continue" },
};

/** What one participant does in one turn. The same temper, turn and attempt give the same. */
export function improviseTurn(temper: Temper, request: TurnRequest): ScriptedTurn {
  const { agent, turn: number, attempt, step = "" } = request;
  const random = seededRandom(`${temper.seed}/${agent}/${step}/${number}/${attempt}`);
  const turn = { request, random, words: wordsIn(request.prompt) };
  const use = {
    usage: {
      inputTokens: whole(random, 2000),
      outputTokens: whole(random, 500),
      costUsd: whole(random, 100) / 10_000,
    },
  };
  const played = random() < temper.obedience ? { do: [], say: good(turn) } : fault(turn);
  return { ...played, do: [use, ...played.do] };
}

function fault(turn: ImprovisedTurn): ScriptedTurn {
  const total = FAULTS.reduce((sum, { weight }) => sum + weight, 0);
  let left = turn.random() * total;
  const chosen = FAULTS.find(({ weight }) => {
    left -= weight;
    return left < 0;
  });
  return chosen?.act(turn) ?? { do: [], say: "" };
}

function good({ request, random }: ImprovisedTurn): string {
  return asAsked(request.prompt, random);
}

/** A signal that nobody asked for, or another than the one that was. */
function wrongSignal(random: Random, words: readonly string[]): string {
  const others = WORDS.filter((word) => !words.includes(word));
  const line = `${pick(random, others)}: ${pick(random, ["yes", "approve", "me", "9", ""])}`;
  return pick(random, [line, line.toLowerCase(), `> ${line}`, `\`\`\`\n${line}\n\`\`\``, line]);
}

function garbage(random: Random): string {
  const parts = [
    "\u0000",
    "{{task}}",
    "${{ x }}",
    "🙂",
    "\u202e",
    "```",
    "DONE",
    "@",
    "<script>",
    "\n",
    " ",
    "é",
  ];
  return Array.from({ length: 40 }, () => pick(random, parts)).join("");
}

function flood({ random, request }: ImprovisedTurn): ScriptedAction[] {
  const to = pick(random, [request.agent, "user", "nobody"]);
  return Array.from({ length: 30 }, (_, index) =>
    random() < 0.5
      ? { signal: { kind: "progress", value: String(index) } }
      : // What nobody can get fails the turn, which is another fault.
        { send: { text: `message ${index} about ${to}` } },
  );
}

function toolSignals(random: Random): ScriptedAction[] {
  const kinds = ["done", "vote", "verdict", "bid", "handoff", "nonsense"];
  return Array.from({ length: 3 }, () => ({
    signal: { kind: pick(random, kinds), value: pick(random, ["approve", "reject", "x", ""]) },
  }));
}

function failure(random: Random): NonNullable<ScriptedTurn["fail"]> {
  const isOverload = random() < 0.6;
  return {
    code: isOverload ? "OVERLOADED" : "SIMULATED_FAULT",
    retryable: isOverload,
    message: isOverload ? "too many requests" : "it broke",
  };
}

function late(random: Random): string {
  return pick(random, ["30s", "4m", "20m", "3h"]);
}

function whole(random: Random, most: number): number {
  return Math.floor(random() * most);
}

/** One of several; the last one where there are none. */
export function pick<Item>(
  random: Random,
  items: readonly [Item, ...Item[]] | readonly Item[],
): Item {
  const item = items[Math.floor(random() * items.length)];
  if (item === undefined) throw new Error("there is nothing to pick from");
  return item;
}
