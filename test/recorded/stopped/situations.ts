import type { ClientName } from "../../clients/pinned-clients.ts";

/** Where a run is stopped. */
export interface Stop {
  /** Part of the recording's name. */
  readonly name: string;
  /** The call of work.sh in which it is killed, as NAME COUNT; without one the run lets go by itself, for want of a decision. */
  readonly at?: string;
  /** What must be in the journal before it is killed. */
  readonly event?: string;
  /** What a person types while it hangs there. */
  readonly meanwhile?: readonly string[];
  /** How what it does at last differs from what the whole run did, by the names of calls, besides that the call it was killed in comes again. */
  readonly differs?: Difference;
}

/** Calls of a resumed run that the whole one did not make, and the other way round. */
export interface Difference {
  /** Made once more, since the turn that was interrupted begins anew. */
  readonly again?: readonly string[];
  /** Made because of what was typed meanwhile; each reads it. */
  readonly added?: readonly string[];
  /** Not made, since an attempt with a higher number does not need them. */
  readonly spared?: readonly string[];
}

/** A workflow that was stopped half-way, and how it goes on. `@run` stands for the stopped run. */
export interface Situation {
  readonly name: string;
  /** Files of the folder files, beside work.sh. */
  readonly files: readonly string[];
  /** Whether the project is a git repository. */
  readonly hasGit?: true;
  /** Whether the project is trusted. */
  readonly isTrusted?: true;
  /** Whether a scripted model answers. */
  readonly asksModel?: true;
  /** The real command line that asks it. */
  readonly client?: ClientName;
  /** What is typed before, each to its end. */
  readonly before?: readonly (readonly string[])[];
  readonly args: readonly string[];
  /** Whether it takes a terminal, in which this is typed at first. */
  readonly says?: string;
  readonly stops: readonly Stop[];
  /** What a person types before the run goes on. */
  readonly decide?: readonly (readonly string[])[];
}

const killedAt = (...calls: readonly string[]): readonly Stop[] =>
  calls.map((at) => ({ name: `killed-at-${at.replace(" ", "-")}`, at }));
const killedIn = (at: string, differs: Difference): readonly Stop[] =>
  killedAt(at).map((stop) => ({ ...stop, differs }));

/** Stopped while the turn runs, between the turn and its checks, and after these. */
const AROUND_CHECKS = killedAt("made 1", "checked 1", "closed 1");

/** While somebody is asked: let go of, and killed. */
const WHILE_ASKED = (event: string): readonly Stop[] => [
  { name: "suspended" },
  { name: "killed", at: "stayed 1", event },
];
const APPROVED = [["approve", "--run", "@run"]] as const;

/** What agents of a backend are made of. */
const PROGRAMS = new Map([
  ["acp", ["acp-agent.mjs"]],
  ["function", ["asks.mjs"]],
]);

/** All of them. */
export const SITUATIONS: readonly Situation[] = [
  {
    name: "failed-output",
    files: ["failed-output.yaml"],
    args: ["run", "failed-output.yaml", "the task"],
    stops: killedAt("fixed 1", "closed 1"),
  },
  {
    name: "retry",
    files: ["retry.yaml"],
    args: ["run", "retry.yaml", "the task"],
    stops: [
      // The attempt after the one that was cut off is the third, which does well.
      ...killedIn("built 2", { spared: ["built", "checked"] }),
      ...killedAt("checked 1", "closed 1"),
    ],
  },
  {
    name: "errors",
    files: ["errors.yaml", "errors.cassette.yaml", ".troupe/agents/mender.md"],
    isTrusted: true,
    args: ["run", "errors.yaml", "--cassette", "errors.cassette.yaml"],
    stops: killedAt("told 1", "heard 1"),
  },
  {
    name: "series",
    files: ["series.yaml"],
    args: ["run", "series.yaml", "the task"],
    stops: killedAt("rounded 3", "asked 3"),
  },
  {
    name: "iter",
    files: [],
    args: [
      ...["iter", "--until", "sh work.sh asked; test -e 3.txt", "the task", "--agent", "command"],
      ...[
        "--",
        "sh",
        "-c",
        'n=1; while [ -e $n.txt ]; do n=$((n + 1)); done; sh work.sh rounded "DONE: $n"; touch $n.txt',
      ],
    ],
    stops: killedAt("rounded 2", "asked 2"),
  },
  {
    name: "repeated",
    files: ["body.yaml"],
    args: ["run", "body.yaml", "the task", "--iter", "3"],
    stops: killedAt("weighed 2"),
  },
  {
    name: "escapes",
    files: ["escapes.yaml"],
    args: ["run", "escapes.yaml"],
    stops: killedAt("read 1", "read 2"),
  },
  {
    name: "verified",
    files: ["verified.yaml"],
    hasGit: true,
    args: ["run", "verified.yaml", "the task"],
    stops: AROUND_CHECKS,
  },
  {
    name: "verified-steps",
    files: ["verified-steps.yaml"],
    hasGit: true,
    args: ["run", "verified-steps.yaml"],
    stops: AROUND_CHECKS,
  },
  {
    name: "verified-series",
    files: ["verified-series.yaml"],
    hasGit: true,
    args: ["run", "verified-series.yaml", "the task"],
    stops: killedAt("made 2", "checked 2"),
  },
  {
    name: "talking-trees",
    files: ["talking-trees.yaml"],
    hasGit: true,
    args: ["run", "talking-trees.yaml"],
    stops: killedAt("made 1", "closed 1"),
  },
  {
    name: "subagents",
    files: ["subagents.yaml", "subagents.cassette.yaml"],
    args: ["run", "subagents.yaml", "--cassette", "subagents.cassette.yaml"],
    // The turn that gave the task is played from its start.
    stops: [...killedIn("dug 1", { again: ["began"] }), ...killedAt("helped 1")],
  },
  {
    name: "background",
    files: ["background.yaml", "background.cassette.yaml"],
    args: ["run", "background.yaml", "--cassette", "background.cassette.yaml"],
    stops: [...killedIn("dug 1", { again: ["began", "heard"] }), ...killedAt("closed 1")],
  },
  {
    name: "collab",
    files: ["collab.cassette.yaml"],
    args: ["collab", "make no hole", "--cassette", "collab.cassette.yaml"],
    stops: ["dug 1", "filled 1"].flatMap((at) => killedIn(at, { again: ["led"] })),
  },
  {
    name: "team",
    files: ["lead.sh"],
    args: ["team", "look around", "--agent", "command", "--name", "look", "--", "sh", "lead.sh"],
    stops: killedAt("planned 1", "worked 2", "led 1"),
  },
  {
    name: "approval",
    files: ["approval.yaml"],
    args: ["run", "approval.yaml", "the notes"],
    stops: WHILE_ASKED("approval-requested"),
    decide: APPROVED,
  },
  ...["model", "acp", "function", "script", "tool"].map((backend): Situation => {
    const more = PROGRAMS.get(backend) ?? [];
    return {
      name: `asks-${backend}`,
      files: [`asks-${backend}.yaml`, ...more],
      ...(backend === "model" ? ({ asksModel: true } as const) : {}),
      args: ["run", `asks-${backend}.yaml`],
      stops: WHILE_ASKED(backend === "tool" ? "approval-requested" : "permission-requested"),
      decide: APPROVED,
    };
  }),
  {
    name: "mail",
    files: ["mail.yaml"],
    args: ["run", "mail.yaml"],
    stops: [
      {
        ...{ name: "killed", at: "heard 1", meanwhile: ["send", "ann", "and this"] },
        differs: { added: ["heard"] },
      },
    ],
  },
  {
    name: "fork",
    files: ["again.yaml"],
    before: [["run", "again.yaml"]],
    args: ["fork", "@last", "--at", "three", "--set", "context.two.stdout=other"],
    stops: killedAt("four 2"),
  },
  {
    name: "rerun",
    files: ["again.yaml"],
    before: [["run", "again.yaml"]],
    args: ["rerun", "@last", "--from", "two"],
    stops: killedAt("three 2"),
  },
];

/** A chat whose agent is at work on what was said. */
export const CHAT: Situation = {
  name: "chat",
  files: [],
  args: ["chat", "command", "--", "sh", "work.sh", "heard", "DONE: I have heard you"],
  says: "good day",
  stops: killedAt("heard 1"),
};

const CLIENTS: readonly ClientName[] = ["claude", "codex", "gemini", "opencode"];

/** Those that need the real command lines of agents. */
export const CLIENT_SITUATIONS = CLIENTS.map(
  (client): Situation & { readonly client: ClientName } => ({
    name: `asks-${client}`,
    files: [`asks-${client}.yaml`],
    asksModel: true,
    client,
    args: ["run", `asks-${client}.yaml`],
    stops: WHILE_ASKED("permission-requested"),
    decide: APPROVED,
  }),
);
