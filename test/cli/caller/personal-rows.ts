/** A run that belongs to a person, and what waits in it. */
export interface PersonsRun {
  readonly run: string;
  readonly item: string;
}

/** The shortest line of each command that is a person's which is complete in a project with a run that waits. */
export const PERSONAL_ROWS: {
  readonly [command: string]: (of: PersonsRun) => readonly string[];
} = {
  start: () => ["asks.yaml"],
  resume: ({ run }) => [run],
  rerun: ({ run }) => [run, "--failed"],
  fork: ({ run }) => [run, "--at", "2", "--no-start"],
  merge: ({ run }) => [run],
  pause: ({ run }) => [run],
  cancel: ({ run }) => [run],
  stop: ({ run }) => [run],
  restart: () => ["coder"],
  new: () => ["helper", "--backend", "script"],
  rm: () => ["helper"],
  send: ({ run }) => [run, "do it"],
  ask: ({ run }) => [run, "do it"],
  attach: ({ run }) => [run],
  approve: ({ item }) => [item],
  reject: ({ item }) => [item, "-m", "no"],
  answer: ({ item }) => [item, "yes"],
  import: ({ run }) => [run, "--yes"],
  gc: ({ run }) => [run, "--force", "--yes"],
  trust: () => ["--yes"],
  chat: () => ["command"],
  daemon: () => ["stop"],
  schedule: () => ["asks.yaml", "--every", "1d"],
};

/** More lines that a person alone may say. */
export const MORE_PERSONAL_LINES: readonly ((of: PersonsRun) => readonly string[])[] = [
  () => ["trust", "--revoke"],
  () => ["daemon", "start"],
  () => ["schedule", "resume", "nightly"],
  () => ["stop", "--all"],
  () => ["gc", "--older-than", "1s", "--yes"],
  ({ run }) => ["approve", "--run", run],
  ({ item }) => ["approve", item, "--resume"],
  () => ["resume", "@last", "--approve", "all"],
  ({ run }) => ["resume", run, "--with-current-file"],
  ({ run }) => ["merge", run, "--verify", "touch PWNED"],
];
