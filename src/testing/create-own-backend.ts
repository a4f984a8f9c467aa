import { creatorOf } from "../app/workflow/plugins/to-backend.ts";
import type { AgentBackend } from "../contracts/backend.ts";
import type { BackendOptions } from "../contracts/own-backend.ts";
import { systemClock } from "../foundation/clock.ts";
import { createHost } from "../host/host.ts";

/** A backend of one's own as a run has it. */
export interface OwnBackend {
  readonly backend: AgentBackend;
  /** Ends all programs that it has started. */
  close(): Promise<void>;
}

/** Makes a backend of one's own outside of a run, for `backendConformance`. Raises WORKFLOW_BACKEND_BROKEN. */
export function createOwnBackend(options: BackendOptions): OwnBackend {
  const clock = systemClock;
  const host = createHost({ run: "", clock, env: process.env });
  const backend = creatorOf(options)(
    {
      host,
      clock,
      functions: new Map(),
      importModule: () => Promise.reject(new Error("no modules")),
    },
    { name: options.name, settings: undefined },
  );
  return { backend, close: () => host.close() };
}
