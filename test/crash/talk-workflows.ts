import type { PatternDefinition, PrunerSpec } from "../../src/contracts/definition.ts";
import type { ReflectionSpec } from "../../src/contracts/reflection.ts";
import type { StigmergySpec } from "../../src/contracts/stigmergy.ts";
import type { Json } from "../../src/foundation/json.ts";
import { defineTestWorkflow, type TestAgent } from "../../src/testing/define-test-workflow.ts";

/** Patterns whose participants talk to each other, an agent that spawns others, and what stands beside patterns. */
export const TALKS = [
  "auction",
  "blackboard",
  "cascade",
  "circuit-breaker",
  "collab",
  "competitive",
  "consensus",
  "debate",
  "escalation",
  "gossip",
  "handoff",
  "hierarchical",
  "hub-spoke",
  "map-reduce",
  "mesh",
  "mixture-of-agents",
  "pool",
  "pruning",
  "red-team",
  "reflecting",
  "reflection",
  "review-loop",
  "scatter-gather",
  "spawning",
  "stigmergy",
  "supervisor",
  "takeover",
  "team",
  "verifier",
] as const;

/** Those, and a series of iterations, whose result differs from run to run. */
export const TALKS_AND_SERIES = [...TALKS, "iterate"] as const;

export type TalkName = (typeof TALKS_AND_SERIES)[number];

/** A run of one pattern whose participants are commands that tell the ledger; each is heard at least once. */
export function talkWorkflow(name: TalkName, ledger: string): PatternDefinition {
  const talk = (id: string, says: string, more: Partial<TestAgent> = {}): TestAgent => ({
    id,
    backend: "command",
    env: { LEDGER: ledger },
    settings: { command: `${tell("start")}sleep 0.01; ${tell("end")}${says}` },
    ...more,
  });
  const { agents, options = {}, pattern = name, steps, ...beside } = CASES[name](talk);
  if (name === "spawning")
    return defineTestWorkflow({
      agents,
      steps: [{ id: "research", agent: "lead", prompt: "go", budget: { tokens: 100_000 } }],
    });
  if (steps !== undefined)
    return defineTestWorkflow({
      ...{ name, pattern, agents, options },
      steps: steps.map((id) => ({ id, prompt: "go" })),
      ...beside,
    });
  return defineTestWorkflow({
    name,
    pattern,
    agents,
    options,
    turns: { maxAttempts: 1, retryDelayMs: 0 },
  });
}

type Talk = (id: string, says: string, more?: Partial<TestAgent>) => TestAgent;

/** What each turn of an agent that is no command uses; the four of `spawning` are all for its one step. */
export const SPENT = { tokens: 100, turns: 4, step: "research" } as const;

const USE = { usage: { inputTokens: SPENT.tokens } };

/** What the agents say that are no commands. */
export const SPOKEN = {
  version: 1,
  agents: {
    lead: [
      {
        do: [
          USE,
          ...["size", "notes"].map((one) => ({
            call: { tool: "spawn_agent", arguments: { name: one, prompt: `Look at the ${one}` } },
          })),
          { call: { tool: "wait" } },
          { call: { tool: "send_input", arguments: { id: "size", prompt: "Are you sure?" } } },
          { call: { tool: "wait", arguments: { ids: ["size"] } } },
          ...["size", "notes"].map((one) => ({
            call: { tool: "close_agent", arguments: { id: one } },
          })),
        ],
        say: "DONE: 3 files, 1 note",
      },
    ],
    size: [
      { expect: "Look at", do: [USE], say: "3 files" },
      { expect: "sure", do: [USE], say: "yes" },
    ],
    notes: [{ do: [USE], say: "1 note" }],
    // A mark that counted twice would show in what the next one is told.
    digger: [
      {
        do: [{ call: { tool: "deposit", arguments: { key: "hill", value: 5 } } }],
        say: "DONE: dug",
      },
    ],
    reader: [{ expect: "> hill 8 (digger)", say: "DONE: the hill it is" }],
    // It is told the convention, and says that it is done only when it is.
    chair: [{ say: "Both?" }, { say: "@logs are you sure?" }, { say: "DONE: it is both" }],
  },
};

interface Case {
  /** Defaults to that of its name. */
  readonly pattern?: string;
  readonly agents: readonly TestAgent[];
  readonly options?: { readonly [key: string]: Json };
  /** Ids of agents that have a step each. */
  readonly steps?: readonly string[];
  readonly reflection?: ReflectionSpec;
  readonly pruner?: PrunerSpec;
  readonly stigmergy?: StigmergySpec;
  readonly mode?: "sequential";
}

const REFLECTS = `printf '%s\\n' 'REFLECT: it takes long' '\`\`\`json' '{"adjustments":[{"agent":"build","action":"reassign","content":"come to an end"}]}' '\`\`\`'`;

/** A reviewer that wants one change. */
const FROM_THE_SECOND = `if grep -q 'Version 2'; then echo 'VOTE: approve better'; else echo 'VOTE: reject too long'; fi`;

const CASES: { readonly [name in TalkName]: (talk: Talk) => Case } = {
  auction: (talk) => {
    const bids = (share: number) =>
      `if grep -q 'the task is yours'; then echo 'DONE: mown'; else echo 'BID: [confidence=${share}] soon'; fi`;
    return {
      agents: [talk("a", bids(0.5)), talk("b", bids(0.9)), talk("c", "echo PASS")],
      options: { type: "open" },
    };
  },
  blackboard: (talk) => ({
    agents: [talk("logs", "echo 'DONE: nothing in it'"), talk("code", "echo 'DONE: line 4'")],
  }),
  cascade: (talk) => ({
    agents: [
      talk("small", "echo 'DONE [confidence=0.4]: perhaps'"),
      talk("large", "echo 'DONE [confidence=0.9]: surely'"),
    ],
  }),
  // It is left alone after its second failure.
  "circuit-breaker": (talk) => ({
    agents: [talk("fast", "exit 3"), talk("steady", "echo 'DONE: translated'")],
    options: { threshold: 2, cooldown: "10m", fallback: "steady" },
    mode: "sequential",
    steps: ["home", "shop", "help"],
  }),
  stigmergy: (talk) => ({
    pattern: "pipeline",
    agents: [
      talk("scout", "echo 'DEPOSIT: hill 3'; echo 'DONE: seen'"),
      { id: "digger" },
      { id: "reader" },
    ],
    steps: ["scout", "digger", "reader"],
    stigmergy: {
      namespace: "default",
      decayRate: 0,
      minThreshold: 0.01,
      reinforcement: "additive",
    },
  }),
  competitive: (talk) => ({
    agents: [
      talk("a", "echo 'DONE: short'"),
      talk("b", "echo 'DONE: long'"),
      talk("judge", "echo 'VERDICT: a it is short'", { role: "judge" }),
    ],
    options: { worktrees: false, verify: "true" },
  }),
  escalation: (talk) => ({
    agents: [talk("a", "exit 3"), talk("b", "echo 'DONE: found'")],
  }),
  "map-reduce": (talk) => ({
    agents: [talk("read", "echo 'DONE: a word'"), talk("sum", "echo 'DONE: 2 words'")],
    options: { items: ["one", "two"] },
  }),
  "mixture-of-agents": (talk) => ({
    agents: [
      talk("a", "echo 'DONE: red'"),
      talk("b", "echo 'DONE: blue'"),
      talk("sum", "echo 'DONE: both'"),
    ],
  }),
  "scatter-gather": (talk) => ({
    agents: [
      talk("a", "echo 'DONE: red'"),
      talk("b", "echo 'DONE: blue'"),
      talk("sum", "echo 'DONE: both'"),
    ],
    options: { workers: ["a", "b"], gather: "sum" },
  }),
  reflection: (talk) => ({
    agents: [talk("author", "echo 'DONE: a draft'"), talk("critic", FROM_THE_SECOND)],
    options: { author: "author", critic: "critic" },
  }),
  "red-team": (talk) => ({
    agents: [talk("author", "echo 'DONE: a door'"), talk("thief", FROM_THE_SECOND)],
    options: { author: "author", attackers: ["thief"] },
  }),
  "review-loop": (talk) => ({
    agents: [
      talk("author", "echo 'DONE: a change'"),
      talk("ann", FROM_THE_SECOND),
      talk("bo", "echo 'VOTE: approve fine with me'"),
    ],
    options: { author: "author", reviewers: ["ann", "bo"] },
  }),
  supervisor: (talk) => ({
    agents: [
      talk("chief", once(["3 files"], "DONE: worth a day", "@size begin"), { role: "lead" }),
      talk("size", "echo 'DONE: 3 files'"),
    ],
  }),
  verifier: (talk) => ({
    agents: [
      talk("author", "echo 'DONE: mended'"),
      talk("check", once(["mended"], "VOTE: approve it works", "VOTE: reject it fails")),
    ],
  }),
  pruning: (talk) => ({
    pattern: "dag",
    agents: [
      talk("weak", "sleep 600"),
      talk("strong", "echo 'DONE: there'"),
      talk(
        "judge",
        `if grep -q 'good step "weak"'; then echo 'FITNESS: 1'; else echo 'FITNESS: 9'; fi`,
      ),
    ],
    steps: ["weak", "strong"],
    pruner: { evaluator: "judge", pruneThreshold: 5, evaluationIntervalMs: 50 },
  }),
  reflecting: (talk) => ({
    pattern: "pipeline",
    agents: [
      talk("lead", REFLECTS, { role: "lead" }),
      talk("plan", "echo 'DONE: planned'"),
      talk("build", "if grep -q 'come to an end'; then echo built; else echo never; fi"),
    ],
    steps: ["plan", "build"],
    reflection: { threshold: 5 },
  }),
  // It spawns as SPOKEN says.
  collab: () => ({ agents: [{ id: "lead" }] }),
  consensus: (talk) => ({
    agents: [
      talk("a", "echo 'VOTE: approve it is short'"),
      talk("b", "echo 'VOTE: reject it is unread'"),
      talk("c", "echo 'VOTE: approve it is tested'"),
    ],
    options: { discussion: 1 },
  }),
  // Its second iteration fails, and what that did goes with the third.
  iterate: (talk) => ({
    agents: [
      talk(
        "dev",
        'echo "$TROUPE_STEP" >> work.txt; test "$TROUPE_STEP" != "iteration[1]" && echo "DONE: $TROUPE_STEP"',
      ),
    ],
    options: { count: 3, commit: true, allowDirty: true },
  }),
  debate: (talk) => ({
    agents: [
      talk("mono", "echo 'ARGUMENT: one change is one commit'"),
      talk("poly", "echo 'ARGUMENT: nobody waits for others'"),
      talk("judge", "echo 'VERDICT: one repository'", { role: "judge" }),
    ],
    options: { positions: { mono: "one repository", poly: "many" }, maxRounds: 2 },
  }),
  gossip: (talk) => {
    const merges = (state: string) =>
      `if grep -q 'Make one state'; then echo 'GOSSIP: both'; else echo 'GOSSIP: ${state}'; fi`;
    return {
      agents: ["a", "b", "c"].map((id) => talk(id, merges(id))),
      options: { fanout: 1 },
    };
  },
  pool: (talk) => ({
    agents: [
      talk("dev", "echo mine; echo FITNESS: 1"),
      talk("judge", "echo FITNESS: 2 as good as any", { role: "judge" }),
    ],
    options: {
      agent: "dev",
      judge: "judge",
      populationSize: 2,
      maxGenerations: 2,
      crossover: true,
    },
  }),
  handoff: (talk) => ({
    agents: [
      talk("desk", "echo 'HANDOFF: billing it is about money'"),
      talk("billing", "echo 'HANDOFF: tech the page is wrong'"),
      talk("tech", "echo 'DONE: the page is right now'"),
    ],
  }),
  hierarchical: (talk) => ({
    agents: [
      talk("lead", once(["it is small"], "DONE: all is well"), { role: "lead" }),
      talk("code", once(["3 files"], "TEAM_DONE: it is small"), {
        role: "coordinator",
        reportsTo: "lead",
      }),
      talk("size", "echo 'DONE: 3 files'", { role: "worker", reportsTo: "code" }),
    ],
  }),
  "hub-spoke": (talk) => ({
    agents: [
      talk("lead", once(["3 files", "1 note"], "DONE: worth a day"), { role: "lead" }),
      talk("size", "echo 'DONE: 3 files'"),
      talk("notes", "echo 'DONE: 1 note'"),
    ],
  }),
  mesh: (talk) => ({
    agents: [
      talk("logs", "echo 'DONE: it is in the logs'"),
      talk("code", "echo 'DONE: it is in the code'"),
      { id: "chair" },
    ],
  }),
  takeover: (talk) => ({
    pattern: "hub-spoke",
    agents: [
      talk("lead", "exit 3", { role: "lead" }),
      talk("deputy", once(["3 files"], "DONE: worth a day", "@size begin")),
      talk("size", "echo 'DONE: 3 files'"),
    ],
    options: { fallback: "deputy", assign: true },
  }),
  // Programs have no tools: the leader writes its tasks as lines.
  team: (talk) => ({
    agents: [
      talk(
        "lead",
        `if grep -q 'There are no tasks' "$TROUPE_TASK_FILE"; then printf -- '- [ ] size\\n- [ ] notes (after: #1)\\n- [ ] look (after: #2)\\n'; else echo 'DONE: worth a day'; fi`,
        { role: "lead" },
      ),
      talk("a", "echo 'DONE: 3 files'"),
      talk("b", "echo 'DONE: 1 note'"),
    ],
    options: { name: "t", maxWorkers: 2 },
  }),
  spawning: () => ({ agents: [{ id: "lead", spawns: true }] }),
};

/** Tells the ledger. Processes die here, not the machine: nothing needs a sync. */
function tell(mark: string): string {
  return `echo "${mark} $TROUPE_IDEMPOTENCY_KEY $TROUPE_AGENT $TROUPE_ATTEMPT" >> "$LEDGER"; `;
}

/** Says a line once it has heard all these words, in this turn or before; else another one. */
function once(words: readonly string[], line: string, other = "I wait for the others."): string {
  // It hears the same in a turn that is started again, so that what it remembers does not depend on kills.
  const heard = '"$LEDGER.$TROUPE_AGENT"';
  const hear = `cat "$TROUPE_TASK_FILE" $TROUPE_MESSAGES_FILE >> ${heard}; `;
  const all = words.map((word) => `grep -q '${word}' ${heard}`).join(" && ");
  return `${hear}if ${all}; then echo '${line}'; else echo '${other}'; fi`;
}
