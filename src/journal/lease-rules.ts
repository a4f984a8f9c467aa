import type { LeaseAttempt, LeaseClaim, LeaseHolder } from "../contracts/ports/store.ts";

/** The lease of one run. The epoch stays when the lease is given back, so that it never repeats. */
export interface LeaseState {
  /** The highest epoch ever given out; 0 before the first. */
  readonly epoch: number;
  readonly holding?: { readonly holder: LeaseHolder; readonly renewedAtMs: number };
}

/** When a lease may be taken from its holder. */
export interface LeaseRules {
  readonly ttlMs: number;
  isGone(holder: LeaseHolder): boolean;
}

/** The lease of a run that nobody has owned yet. */
export const UNOWNED: LeaseState = { epoch: 0 };

/** What becomes of a claim. When it is `taken`, `claimed` is the next state. */
export function judgeClaim(state: LeaseState, claim: LeaseClaim, rules: LeaseRules): LeaseAttempt {
  const { holding } = state;
  if (holding === undefined) return { status: "taken", epoch: state.epoch + 1 };
  const { holder, renewedAtMs } = holding;
  // The monotonic clocks of two boots have nothing to do with each other: ask for the boot first.
  if (holder.bootId !== claim.bootId) return { status: "taken", epoch: state.epoch + 1 };
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
