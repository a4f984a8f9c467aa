import { LOOKS, type Look } from "./look.ts";
import type { ListOrder } from "./step-list.ts";

/** The pages of a run, in the order of their links. */
export const PAGES = [
  "summary",
  "graph",
  "steps",
  "timeline",
  "messages",
  "documents",
  "cost",
  "events",
] as const;

export type PageName = (typeof PAGES)[number];

/** What is selected; all of it stands in the hash of the address, so that a link leads to the same view. */
export interface PageRoute {
  readonly tab: PageName;
  /** Number of events that have happened; undefined at the end of the run. */
  readonly at: number | undefined;
  readonly step: string | undefined;
  readonly message: string | undefined;
  readonly document: string | undefined;
  readonly revision: number | undefined;
  readonly event: number | undefined;
  /** Of the list of steps: a text that they hold, the state that they are in, another order. */
  readonly find: string | undefined;
  readonly look: Look | undefined;
  readonly order: ListOrder | undefined;
}

/** Reads a hash such as `#tab=steps&at=1043&step=test`. What it does not understand is left at its default. */
export function parseRoute(hash: string): PageRoute {
  const values = new URLSearchParams(hash.replace(/^#/, ""));
  const wanted = values.get("tab");
  return {
    tab: PAGES.find((page) => page === wanted) ?? "summary",
    at: toCount(values.get("at")),
    step: values.get("step") ?? undefined,
    message: values.get("message") ?? undefined,
    document: values.get("document") ?? undefined,
    revision: toCount(values.get("revision")),
    event: toCount(values.get("event")),
    find: values.get("find") ?? undefined,
    look: LOOKS.find((look) => look === values.get("look")),
    order: values.get("order") === "failed-first" ? "failed-first" : undefined,
  };
}

/** The hash of a route; what is at its default is left out. */
export function formatRoute(route: PageRoute): string {
  let hash = `#tab=${route.tab}`;
  for (const [name, value] of Object.entries(route))
    if (value !== undefined && name !== "tab") hash += `&${name}=${encodeURIComponent(value)}`;
  return hash;
}

function toCount(text: string | null): number | undefined {
  return text !== null && /^\d{1,9}$/.test(text) ? Number(text) : undefined;
}
