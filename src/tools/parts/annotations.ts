import type { ToolAnnotations } from "../../contracts/tool.ts";

// No tool of Troupe destroys anything: documents keep their revisions, and nobody's message can be taken back.
const OF_ALL = { destructiveHint: false, openWorldHint: false };

/** Changes nothing that others see. */
export const READS: ToolAnnotations = { ...OF_ALL, readOnlyHint: true, idempotentHint: true };

/** Adds something each time. */
export const ADDS: ToolAnnotations = { ...OF_ALL, readOnlyHint: false, idempotentHint: false };

/** Doing the same again changes nothing. */
export const SETS: ToolAnnotations = { ...OF_ALL, readOnlyHint: false, idempotentHint: true };
