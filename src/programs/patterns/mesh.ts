import { isNews, type RoundKind } from "../talk/rounds.ts";
import { peerConvention } from "./conventions/mesh-convention.ts";

/** Peers take turns in rounds, all at once, until each has said DONE and nobody has named it since. */
export const meshKind: RoundKind = {
  name: "mesh",
  summary: "Peers work toward one goal in rounds and hear each other",
  convention: peerConvention,
  isNews,
  blocks: () => [],
};
