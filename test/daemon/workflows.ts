/** Two agents that answer each other once for every message from outside. */
export const TEAM = `
name: team
context:
agents:
  ping: { backend: script, script: [ { say: "passed on @pong" } ] }
  pong: { backend: script, script: [ { say: "taken" } ] }
`;

/** Its only agent works until it is cut off. */
export const STUBBORN = `
name: stubborn
context:
agents:
  mule: { backend: script, script: [ { hang: true } ] }
kickoff: "@mule go"
`;
