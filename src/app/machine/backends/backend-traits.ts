import { describeBackend } from "../../../agents/backends/registry.ts";
import type { TraitsOf } from "../../../contracts/backend.ts";

/** What is known of the backends that come with troupe, for those who may not see the backends themselves. */
export const backendTraits: TraitsOf = describeBackend;
