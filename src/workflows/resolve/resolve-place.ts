import type { AgentConstraints, AgentSpec } from "../../contracts/agent.ts";
import { present } from "../../foundation/present.ts";
import type { AgentEntry } from "../schema/agent-schema.ts";

/** What keeps the work of an agent apart, and what it may do there; tokens and time are its budget. */
export function resolvePlace({
  isolation,
  constraints = {},
}: Pick<AgentEntry, "isolation" | "constraints">): Pick<AgentSpec, "isolation" | "constraints"> {
  const { fileScope = {}, readOnly, network } = constraints;
  const { include, exclude } = fileScope;
  const scope = {
    ...present({ include, exclude }),
  };
  const bounds: AgentConstraints = {
    ...(Object.keys(scope).length === 0 ? {} : { fileScope: scope }),
    ...present({ readOnly, network }),
  };
  return {
    ...(isolation === undefined || isolation === "none" ? {} : { isolation }),
    ...(Object.keys(bounds).length === 0 ? {} : { constraints: bounds }),
  };
}
