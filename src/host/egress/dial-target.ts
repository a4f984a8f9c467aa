import { lookup } from "node:dns/promises";
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { networkInterfaces } from "node:os";
import { reasonOf } from "../system/system-error.ts";
import type { EgressTarget } from "./egress-target.ts";
import { type EgressReach, isLocalName, judgeAddress } from "./judge-target.ts";

/** Finds the addresses of a name; rejects where there are none. */
export type ResolveName = (name: string) => Promise<readonly string[]>;

/** A connection, or why there is none. `refused`: Troupe did not want it; `failed`: it did not come about. */
export type Dialled =
  | { readonly status: "connected"; readonly socket: Socket }
  | { readonly status: "refused" | "failed"; readonly reason: string };

/** What decides and carries out a connection. */
export interface DialPorts {
  readonly reach: EgressReach;
  readonly resolveName: ResolveName;
}

/** What is to be connected to. `isNamed`: this very address and port are listed, so nothing of it is judged. */
export interface DialRequest {
  readonly target: EgressTarget;
  readonly isNamed: boolean;
  /** Aborts when nobody waits any more. */
  readonly signal: AbortSignal;
}

const CONNECT_MS = 20_000;
const MOST_TRIED = 4;

/** Resolves a name as this machine does. */
export const resolveByMachine: ResolveName = async (name) =>
  (await lookup(name, { all: true })).map(({ address }) => address);

/**
 * Connects to an allowed target. A name is resolved once, and what was judged is what is connected to: it may
 * mean something else a moment later.
 */
export async function dialTarget(
  { target, isNamed, signal }: DialRequest,
  { reach, resolveName }: DialPorts,
): Promise<Dialled> {
  if (isNamed) return connectAny(namedAddresses(target), target.port, signal);
  let found: readonly string[];
  try {
    found = target.isAddress ? [target.host] : await resolveName(target.host);
  } catch (error) {
    return { status: "failed", reason: `it cannot be resolved: ${reasonOf(error)}` };
  }
  const own = ownAddresses();
  const judged = found.map((address) => judgeAddress(target, address, { reach, own }));
  const allowed = found.filter((_, index) => judged[index] === undefined);
  if (allowed.length > 0) return connectAny(allowed, target.port, signal);
  const [reason = "it has no address"] = judged;
  return { status: "refused", reason };
}

function namedAddresses({ host }: EgressTarget): readonly string[] {
  return isLocalName(host) ? ["127.0.0.1", "::1"] : [host];
}

async function connectAny(
  addresses: readonly string[],
  port: number,
  signal: AbortSignal,
): Promise<Dialled> {
  let reason = "";
  for (const address of addresses.slice(0, MOST_TRIED)) {
    if (signal.aborted) break;
    const socket = connect({ host: address, port, allowHalfOpen: true, noDelay: true });
    const late = AbortSignal.timeout(CONNECT_MS);
    try {
      await once(socket, "connect", { signal: AbortSignal.any([signal, late]) });
      return { status: "connected", socket };
    } catch (error) {
      socket.destroy();
      reason = reasonOf(error);
    }
  }
  return { status: "failed", reason: `it cannot be connected to: ${reason}` };
}

function ownAddresses(): ReadonlySet<string> {
  const entries = Object.values(networkInterfaces()).flatMap((list) => list ?? []);
  return new Set(entries.map(({ address }) => address));
}
