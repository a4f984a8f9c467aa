/** What `troupe schedule` does beside keeping a new one; a file of such a name is given as a path. */
export const SCHEDULE_ACTIONS = ["list", "show", "pause", "resume", "remove"] as const;
