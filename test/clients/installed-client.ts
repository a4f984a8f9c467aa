import { inject, type TestContext } from "vitest";
import type { ClientName } from "./pinned-clients.ts";

/** Program and first arguments of a client; skips the test, with the reason, where it is missing. */
export function installedClient(
  name: ClientName,
  { skip }: TestContext,
): readonly [string, ...string[]] {
  const state = inject("clients")[name];
  if (state === undefined) throw new Error(`${name} is not in the list of tested clients`);
  if (state.status === "installed") return state.program;
  return skip(state.reason);
}
