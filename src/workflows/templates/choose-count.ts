import type { TroupeError } from "../../foundation/errors.ts";
import type { BuiltIn } from "./built-in-templates.ts";
import { templateCount } from "./errors.ts";

/** The param of templates whose number of agents is a choice. */
export const COUNT = "count";

/** How many agents a template gets: a number in its bounds, undefined for as many as it says itself. */
export type ChosenCount =
  | { readonly status: "chosen"; readonly count: number | undefined }
  | { readonly status: "refused"; readonly error: TroupeError };

/** Reads a wanted `count`, which may come as text from the command line. */
export function chooseCount({ name, count }: BuiltIn, wanted: unknown): ChosenCount {
  if (wanted === undefined) return { status: "chosen", count: undefined };
  const { of = "agents of its own", most = 0 } = count ?? {};
  const value = typeof wanted === "string" && /^\d{1,6}$/.test(wanted) ? Number(wanted) : wanted;
  if (typeof value === "number" && Number.isInteger(value) && value >= 1 && value <= most)
    return { status: "chosen", count: value };
  const given = typeof wanted === "string" ? wanted : (JSON.stringify(wanted) ?? "nothing");
  const error = templateCount({ template: name, of, most, given: given.slice(0, 40) });
  return { status: "refused", error };
}
