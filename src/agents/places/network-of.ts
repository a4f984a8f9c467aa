import type { AgentConstraints } from "../../contracts/agent.ts";
import type { NetworkReach } from "../../contracts/host.ts";
import { toReach } from "../../host/egress/judge-target.ts";
import type { SessionReach } from "./agent-place.ts";

/**
 * What a confined agent reaches: Troupe's tools in any case; its model and what the configuration names, unless it
 * is to have no network; any public name if it is declared with one (SEC-5).
 */
export function networkOf(
  { network }: AgentConstraints,
  { addresses }: Pick<SessionReach, "addresses">,
  configured: readonly string[],
): NetworkReach {
  const others = network === false ? [] : [...addresses.model, ...configured];
  const reach = toReach([...addresses.tools, ...others]);
  if (network === true) return { ...reach, hosts: "public" };
  return reach.hosts.length + reach.local.length === 0 ? "none" : reach;
}
