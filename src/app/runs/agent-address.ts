/** What an agent's name on the command line is made of. */
export interface AgentAddress {
  readonly name: string;
  readonly instance: string;
  readonly isStandalone: boolean;
}

/** How an agent is named on the command line: `coder@pr-123`; a standalone one by its name alone. */
export function agentAddress({ name, instance, isStandalone }: AgentAddress): string {
  return isStandalone && name === instance ? name : `${name}@${instance}`;
}
