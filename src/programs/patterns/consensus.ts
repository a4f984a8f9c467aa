import { z } from "zod";
import type { AgentSpec } from "../../contracts/agent.ts";
import type { PatternDefinition } from "../../contracts/definition.ts";
import {
  definePattern,
  type PatternAdvance,
  type PatternFault,
} from "../../contracts/ports/pattern.ts";
import type { Signal } from "../../contracts/signal.ts";
import { count } from "../../foundation/count.ts";
import { isDuration, parseDuration } from "../../foundation/duration.ts";
import { crewOf } from "../primitives/shadows/crew.ts";
import {
  type ConsensusType,
  isDecided,
  type Tally,
  type TallyRules,
  tally,
  thresholdOf,
  type Vote,
} from "../primitives/tally.ts";
import { faultsOfNames, memberNamed, ofRoleOrAll } from "../talk/find-members.ts";
import { plainVote } from "../talk/plain-answer.ts";
import { givenTurns, runTalk, type TalkEnd, type TalkPattern } from "../talk/run-talk.ts";
import type { Talk } from "../talk/talk.ts";
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
interface Ballot extends TallyRules {
  readonly discussion: number;
  readonly openBallot: boolean;
  readonly earlyStop: boolean;
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
  const { electorate, discussion, openBallot, earlyStop, timeoutMs } = ballot;
  talk.advance("electorate", { electorate });
  const votes = new Map<string, Vote>();
  const cast = (agent: string, signals: readonly Signal[]) => {
    const given = toVote(agent, signals);
    if (given === undefined) return;
    const changed = votes.has(agent);
    votes.set(agent, given);
    talk.advance("vote", { ...given, changed });
  };
  const call = (agent: string, more: Pick<TurnCall, "now" | "announce" | "demand">): TurnCall => ({
    agent,
    role: roleOf(ballot),
    ...more,
  });
  for (let round = 1; round <= discussion; round += 1) {
    const now = `Round ${round} of ${discussion} before the vote: say what you think of the proposal, and answer the others.`;
    const voters = electorate.filter((agent) => talk.isIn(agent));
    const said = await talk.turns(
      voters.map((agent) => call(agent, { now, announce: "text" })),
      {
        onSaid: (agent, came) => {
          if (came.status === "said") cast(agent, came.signals);
          return false;
        },
      },
    );
    const news = await talk.listen();
    talk.advance("round", { round, of: discussion, spoke: [...said.keys()], news });
  }
  const now = "Vote now: a line `VOTE: approve` or `VOTE: reject`, followed by why.";
  const announce = openBallot ? "text" : "none";
  const demand: TurnCall["demand"] = { kinds: ["vote"], form: VOTE_FORM, plain: plainVote };
  const voters = electorate.filter((agent) => talk.isIn(agent));
  await talk.turns(
    voters.map((agent) => call(agent, { now, announce, demand })),
    {
      timeoutMs,
      onSaid: (agent, came) => {
        if (came.status === "said") cast(agent, came.signals);
        return earlyStop && isDecided([...votes.values()], ballot);
      },
    },
  );
  return close(talk, ballot, [...votes.values()]);
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
    votes: [...votes.values()],
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

function toVote(agent: string, signals: readonly Signal[]): Vote | undefined {
  const given = signals.find(({ kind }) => kind === "vote");
  if (given === undefined) return undefined;
  const { value, reason } = given;
  const vote = value === "approve" ? "approve" : "reject";
  return { agent, vote, ...(reason === undefined ? {} : { reason }) };
}

function roleOf({ electorate, discussion, type, threshold, quorum }: Ballot): Role {
  const voters = electorate.length;
  const rule = describeRule(type, threshold, quorum);
  return {
    marker: "VOTE",
    convention: (facts) =>
      renderConvention(voterConvention, { ...facts, voters, discussion, rule }),
  };
}

function describeRule(type: ConsensusType, threshold: number, quorum: number): string {
  switch (type) {
    case "majority":
      return "more than half of the votes approve it or it fails";
    case "weighted":
      return "more than half of the weight of all votes approves it or it fails";
    case "supermajority":
      return `at least ${Math.round(threshold * 100)}% of the votes must approve it`;
    case "unanimous":
      return "all must approve it";
    case "quorum":
      return `at least ${quorum} must approve it, and more than reject it`;
  }
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
  const { voters = [], weights = {}, type, quorum, threshold } = block.parse(definition.options);
  const members = crewOf(definition.agents);
  const { electorate } = ballotOf(definition);
  const faults: PatternFault[] = [
    ...faultsOfNames("voters", voters, members),
    ...faultsOfNames("weights", Object.keys(weights), members),
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
