import { effect } from "@preact/signals";
import { formatRoute, parseRoute } from "./model/route.ts";
import type { RunModel } from "./model/run-model.ts";

/** The address of a page, as far as its hash goes. */
export interface AddressBar {
  read(): string;
  /** `push` leaves the way back to the address before. */
  write(hash: string, how: "push" | "replace"): void;
  /** Calls back soon, not at once: browsers refuse to change the address all the time. Returns what ends the wait. */
  later(run: () => void): () => void;
}

/** Keeps the address and what is shown the same, whoever changes either. */
export interface KeptAddress {
  /** The address was changed from outside: by hand, or by going back. */
  onChanged(): void;
  /** A link within the page was followed. */
  follow(hash: string): void;
}

/** Shows what the address says from now on, and writes what is shown into it. */
export function keepAddress(model: RunModel, bar: AddressBar): KeptAddress {
  let known = bar.read();
  let cancel = () => {};
  const write = (hash: string, how: "push" | "replace") => {
    if (bar.read() !== hash) bar.write(hash, how);
    known = bar.read();
  };
  effect(() => {
    const hash = formatRoute(model.route.value);
    cancel();
    cancel = bar.later(() => {
      // Another address came in between; that it did will be told.
      if (bar.read() === known) write(hash, "replace");
    });
  });
  return {
    onChanged: () => {
      known = bar.read();
      model.show(parseRoute(known));
    },
    follow: (hash) => {
      write(hash, "push");
      model.show(parseRoute(hash));
    },
  };
}
