import type { NetworkReach } from "../../contracts/host.ts";
import { addressKind } from "./address-kind.ts";
import {
  type EgressRule,
  type EgressTarget,
  parseRule,
  parseTarget,
  targetText,
} from "./egress-target.ts";

/** What a confined program may reach; an empty list allows nothing. */
export type EgressReach = Exclude<NetworkReach, "none">;

/** A reach whose hosts are written out. */
export interface ListedReach extends EgressReach {
  readonly hosts: readonly string[];
}

/** Whether a program may go where it asks to, or why not. `isNamed`: the very address and port are listed. */
export type EgressVerdict =
  | { readonly status: "allowed"; readonly target: EgressTarget; readonly isNamed: boolean }
  | { readonly status: "refused"; readonly reason: string };

const MALFORMED = "it is no host and port as they are usually written";

/** Decides on `host:port` as a program asked for it. What a name resolves to is judged by `judgeAddress`. */
export function judgeTarget(asked: string, reach: EgressReach): EgressVerdict {
  const target = parseTarget(asked);
  if (target === undefined) return refused(MALFORMED);
  const kind = target.isAddress ? addressKind(target.host) : "public";
  if (kind === "special") return refused("it is a special address");
  if (isNamed(target, reach)) return { status: "allowed", target, isNamed: true };
  if (isLocalName(target.host)) return refused("it is this machine");
  if (kind !== "public") return refused(`it is a ${kind} address`);
  const isListed =
    reach.hosts === "public"
      ? !target.isAddress
      : reach.hosts.some((rule) => matches(parseRule(rule), target));
  if (isListed) return { status: "allowed", target, isNamed: false };
  return refused(target.isAddress ? "addresses have to be listed" : "it is not listed");
}

/** Why a name may not be reached at this address; undefined where it may. `own`: addresses of this machine. */
export function judgeAddress(
  { host, port }: EgressTarget,
  address: string,
  { reach, own }: { readonly reach: EgressReach; readonly own: ReadonlySet<string> },
): string | undefined {
  const kind = addressKind(address);
  const text = targetText({ host: address, port });
  if (kind === "special") return `${host} is at ${address}, which is a special address`;
  if (kind === "private" && isNamed({ host: address, port, isAddress: true }, reach))
    return undefined;
  if (kind !== "public") return `${host} is at ${address}: list ${text} too if that is right`;
  return own.has(address) ? `${host} is this machine` : undefined;
}

/** The doors and hosts that configured addresses, names and URLs stand for; what is none of them is left out. */
export function toReach(listed: readonly string[]): ListedReach {
  const rules = listed.map(parseRule).filter((rule) => rule !== undefined);
  const isLocal = ({ host, isAddress }: EgressRule) =>
    isLocalName(host) || (isAddress && ["loopback", "private"].includes(addressKind(host)));
  return {
    hosts: [...new Set(rules.filter((rule) => !isLocal(rule)).map(ruleText))],
    local: [...new Set(rules.filter(isLocal).map(targetText))],
  };
}

/** Whether a name stands for this machine wherever it is asked. */
export function isLocalName(host: string): boolean {
  return host === "localhost" || host.endsWith(".localhost");
}

function isNamed(target: EgressTarget, { local }: EgressReach): boolean {
  return local.includes(targetText(target));
}

function matches(rule: EgressRule | undefined, { host, port }: EgressTarget): boolean {
  if (rule === undefined || rule.port !== port) return false;
  return rule.isSuffix ? host.endsWith(`.${rule.host}`) : host === rule.host;
}

function ruleText(rule: EgressRule): string {
  return `${rule.isSuffix ? "*." : ""}${targetText(rule)}`;
}

function refused(reason: string): EgressVerdict {
  return { status: "refused", reason };
}
