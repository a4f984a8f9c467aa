import type { Confinement } from "../../src/contracts/host.ts";

/** The bounds of a program that may do nothing but what is said here. */
export function confinement(more: Partial<Confinement>): Confinement {
  const nothing = { writable: [], readOnly: [], hidden: [], sockets: [], scratch: [] };
  return { home: "/home/nobody", ...nothing, cache: undefined, network: "none", ...more };
}
