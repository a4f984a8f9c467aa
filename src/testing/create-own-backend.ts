import { createModelBackend } from "../agents/backends/model/model-backend.ts";
import type { CreateBackend } from "../agents/backends/registry.ts";
import type { UserBackend } from "../app/workflow/code/workflow-code.ts";
import { creatorOf, isOwnModel } from "../app/workflow/plugins/to-backend.ts";
import type { AgentBackend } from "../contracts/backend.ts";
import { systemClock } from "../foundation/clock.ts";
import { createHost } from "../host/host.ts";

/** A backend of one's own as a run has it. */
export interface OwnBackend {
  readonly backend: AgentBackend;
  /** Ends all programs that it has started. */
  close(): Promise<void>;
}

/**
 * Makes a backend of one's own outside of a run, for `backendConformance`: what `defineBackend` or `defineModel` made. Raises
 * WORKFLOW_BACKEND_BROKEN.
 */
export function createOwnBackend(options: UserBackend): OwnBackend {
  const clock = systemClock;
  const host = createHost({ run: "", clock, env: process.env });
  const create: CreateBackend = isOwnModel(options)
    ? (means, own) => createModelBackend({ ...means, ownModel: options }, own)
    : creatorOf(options);
  const backend = create(
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
