type Rules = { readonly [tool: string]: "ask" | "deny" };

/** All that has an effect, or reads outside of the project, is asked for. */
const ASKED: Rules = {
  edit: "ask",
  bash: "ask",
  webfetch: "ask",
  websearch: "ask",
  external_directory: "ask",
  doom_loop: "ask",
  // What the agents of an agent ask for reaches nobody, and they wait for ever.
  task: "deny",
};
// Tools of opencode by the names that Troupe gives them.
const TOOLS: { readonly [tool: string]: string } = {
  Bash: "bash",
  Read: "read",
  Glob: "glob",
  Grep: "grep",
  WebFetch: "webfetch",
  WebSearch: "websearch",
};

/** opencode's own rules for an agent that may use these tools; absent: all. */
export function opencodePermissions(allowed: readonly string[] | undefined): Rules {
  if (allowed === undefined) return ASKED;
  const denied = Object.entries(TOOLS).filter(([tool]) => !allowed.includes(tool));
  const edits = ["Edit", "Write"].some((tool) => allowed.includes(tool));
  return {
    ...ASKED,
    ...Object.fromEntries(denied.map(([, name]) => [name, "deny" as const])),
    ...(edits ? {} : { edit: "deny" }),
  };
}
