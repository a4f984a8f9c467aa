import { z } from "zod";
import type { AgentSpec } from "../../contracts/agent.ts";
import type { PatternDefinition } from "../../contracts/definition.ts";
import {
  definePattern,
  type PatternAdvance,
  type PatternFault,
} from "../../contracts/ports/pattern.ts";
import { count } from "../../foundation/count.ts";
import { isDuration, parseDuration } from "../../foundation/duration.ts";
import { BallotBox, type BallotRules } from "../primitives/ballot-box.ts";
import { crewOf } from "../primitives/shadows/crew.ts";
import { describeRules, type Tally, tally, thresholdOf, type Vote } from "../primitives/tally.ts";
import { faultsOfBounds, faultsOfNames, memberNamed, ofRoleOrAll } from "../talk/find-members.ts";
import { plainVote } from "../talk/plain-answer.ts";
import { givenTurns, runTalk, type TalkEnd, type TalkPattern } from "../talk/run-talk.ts";
import type { RoundWatch, Said, Talk } from "../talk/talk.ts";
import type { Role, TurnCall } from "../talk/talk-turn.ts";
import { voterConvention } from "./conventions/consensus-convention.ts";
import { renderConvention } from "./conventions/convention.ts";

const TYPES = ["majority", "supermajority", "unanimous", "weighted", "quorum"] as const;

const block = z.strictObject({
  proposal: z.string().min(1).optional().describe("What is decided on. Default: the task."),
  voters: z
    .array(z.string())
    .min(1)
    .optional()
    .describe("Who votes. Default: agents of role voter, else all."),
  type: z.enum(TYPES).optional().describe("How votes decide. Default: majority."),
  threshold: z
    .number()
    .gt(0)
    .max(1)
    .optional()
    .describe("Share that a supermajority needs. Default: two thirds."),
  quorum: z
    .int()
    .min(1)
    .optional()
    .describe(
      "Voters that must vote; for `type: quorum` approvals that are needed. Default: half, rounded up.",
    ),
  weights: z
    .record(z.string(), z.number().positive())
    .optional()
    .describe("Weight of a voter. Default: 1."),
  discussion: z
    .int()
    .min(0)
    .max(100)
    .optional()
    .describe("Rounds of talk before the vote. Default: 0."),
  openBallot: z
    .boolean()
    .optional()
    .describe("Whether a vote is posted when it is given. Default: at the close."),
  earlyStop: z
    .boolean()
    .optional()
    .describe("Whether the vote closes once no vote can change the decision. Default: false."),
  timeout: z
    .string()
    .refine(isDuration, "is no duration such as 10m")
    .optional()
    .describe("How long the vote may take. Default: any time."),
});

const VOTE_FORM = "VOTE: <approve or reject> <why>";

/** Who votes, and how it is counted. */
interface Ballot extends BallotRules {
  readonly discussion: number;
  readonly openBallot: boolean;
  readonly timeoutMs: number | undefined;
}

const pattern: TalkPattern = {
  members: (definition) => {
    const { electorate } = ballotOf(definition);
    const isVoter = (id: string) => electorate.includes(id);
    return givenTurns(definition.agents, ({ id }) => ({
      writesTo: [...electorate.filter((voter) => voter !== id), "user", "#"],
      signals: isVoter(id) ? ["vote"] : [],
    }));
  },
  role: (definition) => roleOf(ballotOf(definition)),
  metadata,
  talk: vote,
};

/** Voters look into a proposal, talk about it if there are rounds for that, and vote; the votes decide. */
export const consensusPattern = definePattern({
  name: "consensus",
  summary: "Voters decide on a proposal",
  block,
  goalKey: "proposal",
  onFailure: "continue",
  order: "mode",
  members: pattern.members,
  metadata,
  links: (definition) =>
    ballotOf(definition).electorate.map((from) => ({ from, to: "decision", kind: "signal" })),
  check,
  turns: (definition) => {
    const { electorate, discussion } = ballotOf(definition);
    const turns = electorate.length * (discussion + 1);
    const basis = `${count(electorate.length, "voter")} x (${count(discussion, "round")} of talk + 1 vote)`;
    return { least: turns, most: turns, basis };
  },
  run: (context, definition) => runTalk(context, definition, pattern),
});

async function vote(talk: Talk): Promise<TalkEnd> {
  const ballot = ballotOf(talk.definition);
  const { electorate, discussion, openBallot, timeoutMs } = ballot;
  talk.advance("electorate", { electorate });
  const box = new BallotBox(ballot, (given) => talk.advance("vote", { ...given }));
  const stop = talk.follow(["vote"], (agent, signal) => {
    box.cast(agent, signal);
    if (box.isClosed) talk.cutShort();
  });
  const ask = (more: Omit<TurnCall, "agent" | "role">, watch: RoundWatch = {}) => {
    const voters = electorate.filter((agent) => talk.isIn(agent) && !box.isClosed);
    const calls = voters.map((agent) => ({ agent, role: roleOf(ballot), ...more }));
    const onSaid = (agent: string, said: Said) => {
      const given = said.status === "said" ? said.signals : [];
      // Those of tools count in the order in which they are given, and have been heard.
      for (const signal of given) if (signal.by === "text") box.cast(agent, signal);
      return box.isClosed;
    };
    return talk.turns(calls, { ...watch, onSaid });
  };
  const goesOn = () => !box.isClosed && talk.broken === undefined;
  for (let round = 1; round <= discussion && goesOn(); round += 1) {
    const now = `Round ${round} of ${discussion} before the vote: say what you think of the proposal, and answer the others.`;
    const said = await ask({ now, announce: "text" });
    const news = await talk.listen();
    talk.advance("round", { round, of: discussion, spoke: [...said.keys()], news });
  }
  talk.unbind();
  const now = "Vote now: a line `VOTE: approve` or `VOTE: reject`, followed by why.";
  const demand = { kinds: ["vote"], form: VOTE_FORM, plain: plainVote } as const;
  const place = openBallot
    ? ({ announce: "text", writesTo: ["user", "#"] } as const)
    : ({ announce: "none", writesTo: ["user"] } as const);
  await ask({ now, demand, ...place }, { timeoutMs });
  await stop();
  return close(talk, ballot, box.votes);
}

async function close(talk: Talk, ballot: Ballot, votes: readonly Vote[]): Promise<TalkEnd> {
  const { electorate } = ballot;
  const counted = tally(votes, ballot);
  const { decision, approve, reject, cast, quorum } = counted;
  talk.advance("decision", { decision, approve, reject, cast, quorum });
  const output = describe(ballot, counted, votes);
  if (votes.length === 0 && electorate.every((agent) => !talk.isIn(agent))) {
    const [first] = talk.left.values();
    const reason = `no voter could vote: ${first?.message ?? "all of them left"}`;
    return { outcome: "failed", reason, ...(first === undefined ? {} : { error: first }) };
  }
  await talk.context.post({ text: output, mentionsIn: "" });
  return { outcome: "completed", reason: headline(ballot, counted), output };
}

function metadata(
  definition: PatternDefinition,
  advances: readonly PatternAdvance[],
): ReturnType<TalkPattern["metadata"]> {
  const { electorate } = ballotOf(definition);
  const votes = new Map<string, PatternAdvance["data"]>();
  let decision: PatternAdvance["data"] = {};
  for (const { kind, data } of advances) {
    if (kind === "decision") decision = data;
    if (kind === "vote") {
      const { agent, vote: given, reason = "" } = voteNote.parse(data);
      votes.set(agent, { agent, vote: given, reason });
    }
  }
  const { decision: decided = "undecided", ...counted } = decisionNote.parse(decision);
  return {
    decision: decided,
    votes: electorate.flatMap((agent) => votes.get(agent) ?? []),
    tally: counted,
    electorate,
    missing: electorate.filter((agent) => !votes.has(agent)),
  };
}

const voteNote = z.object({ agent: z.string(), vote: z.string(), reason: z.string().optional() });
const decisionNote = z.object({
  decision: z.string().optional(),
  approve: z.number().default(0),
  reject: z.number().default(0),
  cast: z.number().default(0),
  quorum: z.number().default(0),
});

function headline({ type }: Ballot, { decision, approve, reject }: Tally): string {
  return `${decision} (${approve} to ${reject}, ${type})`;
}

function describe(ballot: Ballot, counted: Tally, votes: readonly Vote[]): string {
  const lines = votes.map(({ agent, vote: given, reason = "" }) => {
    return `- ${agent}: ${given}${reason === "" ? "" : `: ${reason.replace(/\s+/g, " ")}`}`;
  });
  return [headline(ballot, counted), ...lines].join("\n");
}

function roleOf(ballot: Ballot): Role {
  const { electorate, discussion } = ballot;
  const place = { voters: electorate.length, discussion, rule: describeRules(ballot) };
  return {
    marker: "VOTE",
    convention: (facts) => renderConvention(voterConvention, { ...facts, ...place }),
  };
}

function ballotOf(definition: PatternDefinition): Ballot {
  const given = block.parse(definition.options);
  const members = crewOf(definition.agents);
  const electorate = (
    given.voters === undefined ? ofRoleOrAll(members, "voter") : namedVoters(given.voters, members)
  ).map(({ id }) => id);
  const idOf = (name: string) => memberNamed(members, name)?.id ?? name;
  const weights = Object.entries(given.weights ?? {}).map(
    ([name, weight]) => [idOf(name), weight] as const,
  );
  return {
    electorate,
    type: given.type ?? "majority",
    quorum: given.quorum ?? Math.ceil(electorate.length / 2),
    threshold: thresholdOf(given.threshold),
    weights: new Map(weights),
    discussion: given.discussion ?? 0,
    openBallot: given.openBallot ?? false,
    earlyStop: given.earlyStop ?? false,
    timeoutMs: given.timeout === undefined ? undefined : parseDuration(given.timeout),
  };
}

function namedVoters(
  names: readonly string[],
  members: readonly AgentSpec[],
): readonly AgentSpec[] {
  return names.flatMap((name) => memberNamed(members, name) ?? []);
}

function check(definition: PatternDefinition): readonly PatternFault[] {
  const given = block.parse(definition.options);
  const { voters = [], weights = {}, type, quorum, threshold } = given;
  const { discussion, timeout, earlyStop } = given;
  const members = crewOf(definition.agents);
  const { electorate } = ballotOf(definition);
  const faults: PatternFault[] = [
    ...faultsOfNames("voters", voters, members),
    ...faultsOfNames("weights", Object.keys(weights), members),
    ...faultsOfBounds(definition, { discussion, timeout, earlyStop }),
  ];
  if (type === "weighted" && Object.keys(weights).length === 0)
    faults.push({
      key: "type",
      problem: "type weighted has no weights",
      hint: "write weights: { <agent>: 2 }",
    });
  if (threshold !== undefined && type !== "supermajority")
    faults.push({
      key: "threshold",
      problem: "threshold counts for type supermajority only",
      hint: "write type: supermajority, or leave threshold out",
    });
  if (quorum !== undefined && quorum > electorate.length)
    faults.push({
      key: "quorum",
      problem: `quorum is ${quorum}, but there are ${count(electorate.length, "voter")}`,
      hint: `write at most ${electorate.length}`,
    });
  return faults;
}
