import type { PermissionMode } from "../contracts/agent.ts";
import type { PermissionGrant } from "../contracts/events/request-events.ts";
import type { Json } from "../foundation/json.ts";
import { type Reach, type RuleSubject, subjectOf } from "./rule-subject.ts";

// Rules are what people mean by "this may it do without asking". They are no boundary: a program that is
// allowed may do anything that this user may.

/** One rule, such as `Read` or `Bash(npm test*)`. */
export interface PermissionRule {
  /** As it was written. */
  readonly text: string;
  /** Name of a tool; `*` stands for any text in it. */
  readonly tool: string;
  /** What the tool's command, path or text must be; absent: anything. `*` stands for any text. */
  readonly pattern?: string;
  /** These texts and no others, whatever characters they hold. */
  readonly texts?: readonly string[];
}

/** The rules of a run; `deny` beats `allow`, and both beat the permission modes. */
export interface PermissionRules {
  readonly allow: readonly PermissionRule[];
  readonly deny: readonly PermissionRule[];
  /** All that may be done in this turn, if the rest lets it. Absent: anything. */
  readonly only?: readonly PermissionRule[];
}

/** What an agent wants to do. */
export interface PermissionQuestion {
  readonly tool: string;
  readonly input: Json;
  /** Absolute directory that its relative paths count from. */
  readonly cwd: string;
  /** The agent's own mode, then those of the agents that it was spawned by. */
  readonly modes: readonly PermissionMode[];
}

/** What the policy says, and the rule that decided, if one did. */
export interface PolicyRuling {
  readonly ruling: PermissionRuling;
  readonly rule?: string;
}

/** No rules: the mode alone decides. */
export const NO_RULES: PermissionRules = { allow: [], deny: [] };

const MAX_SHOWN_CHARS = 200;
const RULE = /^([\w*.:-]{1,200})(?:\((.{1,2000})\))?$/su;

/** A rule from its text; undefined when it is none. */
export function parsePermissionRule(text: string): PermissionRule | undefined {
  const [, tool, pattern] = RULE.exec(text.trim()) ?? [];
  if (tool === undefined) return undefined;
  if (pattern === undefined || pattern === "*") return { text, tool };
  return { text, tool, pattern: pattern.replace(/^\.\//, "") };
}

/** What a person has allowed an agent for the rest of its run, as a rule. */
export function grantRule({ tool, texts }: PermissionGrant): PermissionRule {
  return {
    text: `${tool}(${texts.join(", ").slice(0, MAX_SHOWN_CHARS)}), allowed for this run`,
    tool,
    texts,
  };
}

/** The rules of a configuration, which has checked them. */
export function toPermissionRules(given: {
  readonly allow?: readonly string[];
  readonly deny?: readonly string[];
}): PermissionRules {
  return { allow: toRules(given.allow), deny: toRules(given.deny) };
}

/** Rules from their texts; what is none is left out. */
export function toRules(texts: readonly string[] = []): readonly PermissionRule[] {
  return texts.map(parsePermissionRule).filter((rule) => rule !== undefined);
}

/**
 * What the policy says about a request (AGT-10). A deny rule denies whatever the mode. An allow rule allows
 * what the mode would ask about or deny, except in `plan`, which only reads, and to a `delegate` itself, which
 * has others do the work. A spawned agent gets no more than any of the agents above it. What `only` does not name is denied.
 */
export function rulePolicy(rules: PermissionRules, question: PermissionQuestion): PolicyRuling {
  const { tool, input, cwd, modes } = question;
  const subject = subjectOf(input, cwd);
  const denying = rules.deny.find((rule) => isDenied(rule, tool, subject));
  if (denying !== undefined) return { ruling: "denied", rule: denying.text };
  if (rules.only?.some((rule) => isAllowed(rule, tool, subject)) === false)
    return { ruling: "denied", rule: rules.only.map(({ text }) => text).join(", ") };
  const [own = "ask", ...above] = modes;
  const use = { tool, reach: subject.reach };
  const byMode = strictest([
    rulePermission(own, use),
    ...above.map((mode) => ruleSpawned(mode, use)),
  ]);
  const isFixed = own === "delegate" || modes.includes("plan");
  if (byMode === "allowed" || isFixed) return { ruling: byMode };
  const allowing = rules.allow.find((rule) => isAllowed(rule, tool, subject));
  return allowing === undefined ? { ruling: byMode } : { ruling: "allowed", rule: allowing.text };
}

function strictest(rulings: readonly PermissionRuling[]): PermissionRuling {
  if (rulings.includes("denied")) return "denied";
  return rulings.includes("ask") ? "ask" : "allowed";
}

/** Names and patterns in any case, and in every spelling: a deny rule must not be walked around easily. */
function isDenied(rule: PermissionRule, tool: string, { spellings }: RuleSubject): boolean {
  if (!fits(rule.tool.toLowerCase(), tool.toLowerCase())) return false;
  const pattern = rule.pattern?.toLowerCase();
  return pattern === undefined || spellings.some((text) => fits(pattern, text.toLowerCase()));
}

function isAllowed(rule: PermissionRule, tool: string, { kind, texts }: RuleSubject): boolean {
  if (!fits(rule.tool, tool)) return false;
  const { texts: granted } = rule;
  if (granted !== undefined) return texts.every((text) => granted.includes(text));
  const { pattern } = rule;
  if (pattern === undefined) return true;
  // `npm test*` must not allow `npm test; rm -rf x`: what makes a shell do a second thing fits no `*`.
  const excluded = kind === "command" ? /[;&|<>`$(){}\\\n\r\0]/ : undefined;
  return texts.every((text) => fits(pattern, text, excluded));
}

/** Whether a text fits a pattern in which `*` stands for any text without `excluded` characters. Linear in practice, never exponential. */
function fits(pattern: string, text: string, excluded?: RegExp): boolean {
  let [at, place] = [0, 0];
  let star: { readonly at: number; place: number } | undefined;
  while (place < text.length) {
    const wanted = pattern.charAt(at);
    if (wanted === "*") {
      star = { at, place };
      at += 1;
    } else if (at < pattern.length && wanted === text.charAt(place)) {
      at += 1;
      place += 1;
    } else {
      if (star === undefined || excluded?.test(text.charAt(star.place)) === true) return false;
      star.place += 1;
      at = star.at + 1;
      place = star.place;
    }
  }
  return /^\**$/.test(pattern.slice(at));
}

/** What the policy says before a person is asked. */
type PermissionRuling = "allowed" | "denied" | "ask";

/** A tool that an agent wants to use, and where that would have an effect. */
interface JudgedToolUse {
  readonly tool: string;
  readonly reach: Reach;
}

const READING_TOOLS: ReadonlySet<string> = new Set([
  ...["Read", "Glob", "Grep", "LS", "NotebookRead"],
  ...["channel_read", "document_read"],
]);

const EDITING_TOOLS: ReadonlySet<string> = new Set(["Write", "Edit", "MultiEdit", "NotebookEdit"]);

// They arrange work. What is done by whoever they set to work is asked for on its own.
const COORDINATING_TOOLS: ReadonlySet<string> = new Set([
  ...["Task", "TaskOutput", "TaskStop", "TodoRead", "TodoWrite"],
  ...["TaskCreate", "TaskGet", "TaskList", "TaskUpdate"],
]);

/**
 * The ruling of a permission mode on one use of a tool (AGT-10). Reading in the agent's directory and
 * arranging work are free in every mode. Of the rest `ask` leaves all to a person, `accept-edits` allows
 * changes of files in the agent's directory, `plan` and `delegate` allow nothing, `dont-ask` denies what is
 * not allowed without asking, `bypass` allows everything and is never a default.
 */
function rulePermission(mode: PermissionMode, { tool, reach }: JudgedToolUse): PermissionRuling {
  if (mode === "bypass" || COORDINATING_TOOLS.has(tool)) return "allowed";
  if (READING_TOOLS.has(tool)) {
    if (reach !== "outside") return "allowed";
    return mode === "dont-ask" ? "denied" : "ask";
  }
  if (mode === "plan" || mode === "delegate") return "denied";
  if (mode === "accept-edits" && EDITING_TOOLS.has(tool) && reach === "inside") return "allowed";
  return mode === "dont-ask" ? "denied" : "ask";
}

/**
 * The ruling that an agent's mode sets for those that it spawns. What a leader must not do itself its workers
 * may, if a person says so: `delegate` restricts the leader alone.
 */
function ruleSpawned(mode: PermissionMode, use: JudgedToolUse): PermissionRuling {
  return rulePermission(mode === "delegate" ? "ask" : mode, use);
}
