import type { Machine } from "../../machine/machine.ts";
import { type RunListing, readListing } from "../run-heads.ts";
import { inFamilies } from "./run-families.ts";
import { runsBelow } from "./runs-below.ts";

/** A run as listings show it, with what all runs below it need and cost; undefined when it holds nothing yet. */
export function familyListing(
  { store, isGone }: Pick<Machine, "store" | "isGone">,
  run: string,
): RunListing | undefined {
  const family = [run, ...runsBelow(store, run)];
  const listings = family.flatMap((id) => readListing(store, id, isGone) ?? []);
  return inFamilies(listings).find((listing) => listing.run === run);
}
