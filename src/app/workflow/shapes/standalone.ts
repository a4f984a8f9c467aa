/** Name of the program of a standalone agent: a run of one agent that waits for messages (KCK-6). */
export const STANDALONE_PROGRAM = "standalone";
