import type { CollabStatusName } from "../../contracts/collab.ts";

/** What a call came to that spawned, resumed or closed an agent: the same call is answered with it again. */
export interface CollabCall {
  readonly agent: string;
  readonly status: CollabStatusName;
}
