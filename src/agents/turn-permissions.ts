import type { RepeatedPermission } from "../contracts/events/request-events.ts";
import type { RunRuntime } from "../engine/run-runtime.ts";
import { ancestorsOf, findAgent, findTurn } from "../fold/state/agent-lookup.ts";
import { outcomeOf } from "../fold/state/call-trail.ts";
import type { InboxResolution } from "../fold/state/inbox-state.ts";
import type { Json } from "../foundation/json.ts";
import { present } from "../foundation/present.ts";
import { grantRule, type PolicyRuling, rulePolicy, toRules } from "./permission-rules.ts";
import { expiryOf, startPermissionTimeout } from "./permission-timeout.ts";
import type { AskedId } from "./request-key.ts";
import type { ResolutionWatch } from "./resolution-watch.ts";
import type { AgentMeans } from "./session-ports.ts";

/** The turn that asks what it may do, and how it waits. */
export interface PermittedTurn {
  readonly runtime: RunRuntime;
  readonly resolutions: ResolutionWatch;
  readonly policy: AgentMeans["permissions"];
  readonly agent: string;
  readonly turn: number;
  readonly attempt: number;
  /** Waits for a person; rejects when the turn is over or cut off. What is journaled until it resolves is durable then. */
  readonly wait: <Result>(result: Promise<Result>) => Promise<Result>;
  /** Whether nobody takes an answer any more. */
  readonly isOver: () => boolean;
}

/** What a tool is to do, asked once under this id. */
interface AskedPermission extends AskedId {
  readonly tool: string;
  readonly input: Json;
  /** As the events of the turn name it. */
  readonly call?: string;
}

/** Whether it may, and what was said to it. */
export interface PermissionDecision {
  readonly decision: "allowed" | "denied";
  readonly comment?: string;
  /** A mode, a rule or a time-out decided, and no person. */
  readonly isRuled?: true;
}

const UNASKED = "it works in the background, where nobody is asked";

/**
 * What the tools of one turn may do: by the rules, by what a person has granted, else by asking (AGT-10). What is allowed
 * is used when the answer leaves: an attempt that comes after this one asks again (AGT-18).
 */
export class TurnPermissions {
  readonly #turn: PermittedTurn;

  constructor(turn: PermittedTurn) {
    this.#turn = turn;
  }

  /** Decides, or waits for a person. Rejects when the turn is over or cut off. */
  async request(asked: AskedPermission): Promise<PermissionDecision> {
    const { id, asker, tool, input, call } = asked;
    const { runtime, policy, agent, turn, wait } = this.#turn;
    const { ruling, rule, why } = this.#policyOn(tool, input);
    const limit = ruling === "ask" ? policy.timeout : undefined;
    const expiresAt = expiryOf(runtime, id, limit);
    if (!runtime.state.resolved.has(id))
      runtime.append({
        type: "permission-requested",
        id,
        asker,
        agent,
        turn,
        tool,
        input,
        ...(ruling === "ask" ? {} : { ruling }),
        ...present({ rule, expiresAt, call, repeats: this.#repeated(asked.spent) }),
      });
    if (ruling !== "ask" && !runtime.state.resolved.has(id)) {
      const comment = present({ comment: why ?? (rule && `rule ${rule}`) });
      runtime.append({
        type: "permission-resolved",
        id,
        decision: ruling,
        by: "policy",
        ...comment,
      });
    }
    const timer = limit === undefined ? undefined : startPermissionTimeout(runtime, id, limit);
    try {
      const resolution = await wait(this.#decided(id, call));
      if (resolution.kind !== "permission") return { decision: "denied" };
      const { decision, comment, by } = resolution;
      const isRuled = by === "policy" || by === "timeout" ? true : undefined;
      return { decision, ...present({ comment, isRuled }) };
    } finally {
      timer?.cancel();
    }
  }

  /** The decision; that it is used is journaled with it, so that both are durable before anybody goes on. */
  async #decided(id: string, call: string | undefined): Promise<InboxResolution> {
    const { runtime, resolutions, agent, turn, attempt, isOver } = this.#turn;
    const resolution = await resolutions.of(id);
    const isAllowed = resolution.kind === "permission" && resolution.decision === "allowed";
    if (isAllowed && !isOver())
      runtime.append({
        type: "permission-used",
        ...{ id, agent, turn, attempt },
        ...present({ call }),
      });
    return resolution;
  }

  #repeated(spent: string | undefined): RepeatedPermission | undefined {
    const { runtime, agent, turn } = this.#turn;
    const trail = findTurn(runtime.state, agent, turn)?.trail;
    return spent === undefined || trail === undefined
      ? undefined
      : { id: spent, outcome: outcomeOf(trail, spent) };
  }

  #policyOn(tool: string, input: Json): PolicyRuling & { readonly why?: string } {
    const { runtime, policy, agent } = this.#turn;
    const { state } = runtime;
    const self = findAgent(state, agent);
    const { spec, place } = self ?? {};
    const above = spec === undefined ? [] : ancestorsOf(state, spec);
    const chain = [self, ...above.map((id) => findAgent(state, id))];
    const { allow, deny } = policy.rules;
    const granted = state.grants.filter((grant) => grant.agent === agent).map(grantRule);
    const only = findTurn(state, agent, this.#turn.turn)?.terms.tools;
    const ruled = rulePolicy(
      { allow: [...allow, ...granted], deny, ...present({ only: only && toRules(only) }) },
      {
        tool,
        input,
        cwd: place?.directory ?? spec?.cwd ?? state.run.cwd,
        modes: chain.map((one) => one?.mode ?? one?.spec.permissionMode ?? "ask"),
      },
    );
    const isUnasked = chain.some((one) => one?.spec.subagent === "background");
    return ruled.ruling === "ask" && isUnasked ? { ruling: "denied", why: UNASKED } : ruled;
  }
}
