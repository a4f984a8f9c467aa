import type { LeaseAttempt, LeaseClaim, LeaseHolder } from "../contracts/ports/store.ts";
import { isSameView, type ProcessIdentity } from "../host/system/process-identity.ts";

/** The lease of one run. The epoch stays when the lease is given back, so that it never repeats. */
export interface LeaseState {
  /** The highest epoch ever given out; 0 before the first. */
  readonly epoch: number;
  readonly holding?: { readonly holder: LeaseHolder; readonly renewedAtMs: number };
}

/** When a lease may be taken from its holder. */
export interface LeaseRules {
  readonly ttlMs: number;
  /** Asked only about holders of the same host, boot and pid namespace. */
  isGone(holder: LeaseHolder): boolean;
}

/** The lease of a run that nobody has owned yet. */
export const UNOWNED: LeaseState = { epoch: 0 };

/** The process that holds a lease. */
export function holderIdentity({ pid, pidStartedAt, bootId, host }: LeaseHolder): ProcessIdentity {
  return { pid, startedAt: pidStartedAt, bootId, ...(host === undefined ? {} : { host }) };
}

/** What stays the same for as long as a lease is not renewed. */
export function signOf({ epoch, holding }: LeaseState): string {
  return `${epoch} ${holding?.renewedAtMs}`;
}

/**
 * What becomes of a claim. When it is `taken`, `claimed` is the next state. `unchangedMs`: how long the claimant has seen
 * the sign of this state.
 */
export function judgeClaim(
  state: LeaseState,
  claim: LeaseClaim,
  { unchangedMs, ...rules }: LeaseRules & { readonly unchangedMs: number },
): LeaseAttempt {
  const { holding } = state;
  if (holding === undefined) return { status: "taken", epoch: state.epoch + 1 };
  const { holder, renewedAtMs } = holding;
  // Neither the clock nor the process table of another boot or namespace says anything here.
  if (!isSameView(holder, claim)) {
    if (unchangedMs >= rules.ttlMs) return { status: "taken", epoch: state.epoch + 1 };
    return { status: "held", holder, renewedAgoMs: unchangedMs };
  }
  const renewedAgoMs = Math.max(0, claim.nowMs - renewedAtMs);
  if (renewedAgoMs >= rules.ttlMs || rules.isGone(holder))
    return { status: "taken", epoch: state.epoch + 1 };
  return { status: "held", holder, renewedAgoMs };
}

/** The lease after a claim was granted under `epoch`. */
export function claimed(claim: LeaseClaim, epoch: number): Required<LeaseState> {
  const { nowMs, ...owner } = claim;
  return { epoch, holding: { holder: { ...owner, epoch }, renewedAtMs: nowMs } };
}

/** Whether `epoch` holds the lease now. */
export function isHeldBy(state: LeaseState, epoch: number): boolean {
  return state.holding !== undefined && state.epoch === epoch;
}
