/** What surrounds the places of a run's agents on this machine; all paths are absolute. */
export interface Surroundings {
  /** The user's home. */
  readonly home: string;
  /** The project's `.troupe`. */
  readonly troupeDirectory: string;
  /** Directory of the run; absent in runs that keep no files. */
  readonly runDirectory?: string;
  /** What is Troupe's own: journals of other runs, sockets, tokens, trust. */
  readonly hidden: readonly string[];
  /** Hosts and addresses that the configuration lets confined agents reach. */
  readonly network: readonly string[];
  /** What Troupe itself writes while agents work: nobody is blamed for it. */
  readonly written: readonly string[];
  /** Whether sandboxes are left out because somebody said so. */
  readonly isUnsandboxed: boolean;
  /** Does work on a repository while no other process of this user does. */
  exclusively<Result>(repository: string, work: () => Promise<Result>): Promise<Result>;
}

/** Places in a home where people keep what opens other doors. */
const SECRET_PLACES = [
  ...[".ssh", ".aws", ".gnupg", ".netrc", ".docker", ".kube", ".azure", ".npmrc", ".pypirc"],
  ...[".git-credentials", ".config/git/credentials", ".config/gh", ".config/gcloud"],
  ...[".password-store", ".local/share/keyrings", ".config/troupe", ".mozilla"],
  ...[".config/google-chrome", ".bash_history", ".zsh_history"],
  // What other agents are signed in with; an agent's own is writable for it.
  ...[".claude", ".claude.json", ".codex", ".gemini", ".local/share/opencode", ".cursor"],
];

/** What no confined program sees. */
export function hiddenPaths({ home, hidden }: Surroundings): readonly string[] {
  return [...SECRET_PLACES.map((name) => `${home}/${name}`), ...hidden];
}
