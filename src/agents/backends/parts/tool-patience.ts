/**
 * What Troupe sets where a client can be told how long a call of a tool may run: longer than any call of Troupe's own
 * tools takes, which bound themselves to an hour.
 */
export const TOOL_PATIENCE_MS = 3_660_000;
