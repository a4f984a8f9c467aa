import type { Random } from "../../foundation/random.ts";

// Who hears whom, and whether all agree. Pure (PRM-gossip).

/**
 * Whom each peer hears in a round: as many others as `fanout` says, or all when there are fewer, drawn without
 * repetition. The same numbers draw the same peers.
 */
export function drawPeers(
  peers: readonly string[],
  fanout: number,
  draw: Random,
): ReadonlyMap<string, readonly string[]> {
  const heard = new Map<string, readonly string[]>();
  for (const [index, peer] of peers.entries())
    heard.set(peer, drawOthers(peers, { index, fanout, draw }));
  return heard;
}

/** Those of the heard whose state is another one than that of the peer: only these can tell it anything. */
export function newsFor(
  peer: string,
  heard: readonly string[],
  states: ReadonlyMap<string, string>,
): readonly string[] {
  const own = stateOf(peer, states);
  const seen = new Set([own]);
  return heard.filter((other) => {
    const state = stateOf(other, states);
    if (seen.has(state)) return false;
    seen.add(state);
    return true;
  });
}

/** What all peers say, when all say the same but for blanks around it; undefined when they do not, or there are none. */
export function agreedState(
  peers: readonly string[],
  states: ReadonlyMap<string, string>,
): string | undefined {
  const all = new Set(peers.map((peer) => stateOf(peer, states)));
  const [state] = all;
  return all.size === 1 ? state : undefined;
}

interface Drawing {
  readonly index: number;
  readonly fanout: number;
  readonly draw: Random;
}

/** The first places of a shuffle of all others, without shuffling the rest: what is swapped is remembered alone. */
function drawOthers(peers: readonly string[], { index, fanout, draw }: Drawing): readonly string[] {
  const others = peers.length - 1;
  const swapped = new Map<number, number>();
  const chosen: string[] = [];
  for (let place = 0; place < Math.min(fanout, others); place += 1) {
    const other = place + Math.floor(draw() * (others - place));
    const at = swapped.get(other) ?? other;
    swapped.set(other, swapped.get(place) ?? place);
    const peer = peers[at < index ? at : at + 1];
    if (peer !== undefined) chosen.push(peer);
  }
  return chosen;
}

function stateOf(peer: string, states: ReadonlyMap<string, string>): string {
  return (states.get(peer) ?? "").trim();
}
