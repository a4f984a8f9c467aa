import type { ConventionTemplate } from "./convention.ts";

/** Where somebody stands to whom others report. */
export interface LeadParams {
  /** Undefined for whoever leads all. */
  readonly above: string | undefined;
  /** Who reports to it, with those below each. */
  readonly below: readonly { readonly agent: string; readonly team: readonly string[] }[];
  /** Whether messages drive them; else each has a step of its own. */
  readonly isDriven: boolean;
}

/** The convention of the lead and of coordinators. */
export const leadConvention: ConventionTemplate<LeadParams> = {
  name: "hierarchical/lead",
  place: ({ above, below }) => {
    const team = below.length === 0 ? "Nobody reports to you yet" : describeTeam(below);
    return above === undefined
      ? `You lead all. ${team}.`
      : `You coordinate a team and report to ${above}. ${team}.`;
  },
  result: ({ above }) =>
    above === undefined
      ? "a summary of what all of you came to"
      : "what your team came to, in your own words",
  rules: ({ above, below, isDriven }) => {
    if (!isDriven) return [];
    const own = below.map(({ agent }) => agent).join(", ");
    return [
      `Those below you have parts of their own and start after you. Write to ${own === "" ? "them" : own}, not to those below them: who is named with @ in your answer gets it as a message.`,
      "What they say comes to you by itself and starts your next turn, so end your turn instead of waiting.",
      ...(above === undefined
        ? ["Finish when all teams are done, or when you go on without the rest."]
        : [`What you answer goes to ${above} by itself. Finish when your team is done.`]),
    ];
  },
  data: () => [],
};

/** Where a worker of a hierarchy stands. */
export interface TeamMemberParams {
  readonly above: string;
  readonly others: readonly string[];
  readonly isDriven: boolean;
}

/** The convention of a worker. */
export const teamMemberConvention: ConventionTemplate<TeamMemberParams> = {
  name: "hierarchical/worker",
  place: ({ above }) => `You are a worker in the team of ${above} and report to ${above}.`,
  result: () => "a summary of what you did and found",
  rules: ({ above, others, isDriven }) =>
    isDriven
      ? [
          `What you answer goes to ${above} by itself. Without a final signal it is a message: then you wait until you are written to.`,
          `You may write to ${[above, ...others].join(", ")}.`,
          "Messages that only say `ACK:` or `PROGRESS: 40%` interrupt nobody.",
        ]
      : [],
  data: () => [],
};

function describeTeam(below: LeadParams["below"]): string {
  const each = below.map(({ agent, team }) =>
    team.length === 0 ? agent : `${agent} (with ${team.join(", ")})`,
  );
  return `To you report ${each.join(", ")}`;
}
