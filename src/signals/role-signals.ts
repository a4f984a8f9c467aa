/** Who may give the signals that belong to a role, in words. */
const ROLES: ReadonlyMap<string, string> = new Map([
  ["vote", "only voters vote"],
  ["handoff", "only the agent that holds the task hands it over"],
  ["argument", "only debaters argue"],
  ["concede", "only debaters concede"],
  ["verdict", "only the judge gives a verdict"],
  ["team_done", "only coordinators finish for a team"],
  ["bid", "only bidders bid"],
  ["award", "only the auctioneer awards"],
]);

/** Why a signal does not count of an agent to which only these signals of roles belong; undefined when it does. */
export function refusedOfRole(
  kind: string,
  { signals }: { readonly signals?: readonly string[] },
): string | undefined {
  return signals === undefined || signals.includes(kind) ? undefined : ROLES.get(kind);
}
