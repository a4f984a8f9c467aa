/** Keys that make a file one of another shape of troupe, or of no shape. */
export const OWN_SHAPE_KEYS: readonly string[] = ["pattern", "template", "swarm", "steps"];
/** Keys of kickoff workflows that agent-worker does not have; they stay as they are. */
export const OWN_TOP_KEYS: readonly string[] = [
  "$schema",
  "description",
  "tags",
  "options",
  "budget",
];
/** The same for what agents share. */
export const OWN_CONTEXT_KEYS: readonly string[] = ["dir", "channel", "document"];
/** The same for an agent. */
export const OWN_AGENT_KEYS: readonly string[] = [
  ...[
    "command",
    "script",
    "module",
    "isolation",
    "permissionMode",
    "onCrash",
    "idleTimeout",
    "limits",
  ],
  ...["spawns", "nativeAgents"],
];
