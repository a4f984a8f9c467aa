import type { PatternDefinition } from "../../src/contracts/definition.ts";

/** Two agents: one whose processes ignore SIGTERM and hide, and one that ends but leaves a process behind. */
export function stubbornWorkflow(tag: string): PatternDefinition {
  const agent = (id: string, command: string) => ({
    id,
    backend: "command",
    env: { TEST_TAG: tag },
    settings: { command: ["sh", "-c", command] },
  });
  return {
    format: 1,
    shape: "pattern",
    name: "stubborn",
    pattern: "fan-out",
    params: {},
    agents: [
      agent(
        "hider",
        `trap '' TERM HUP INT; setsid sleep ${STUBBORN_SECONDS} & (setsid sh -c 'trap "" TERM; sleep ${STUBBORN_SECONDS}' &); sleep ${STUBBORN_SECONDS}`,
      ),
      agent("leaver", "setsid sleep 300 > /dev/null 2>&1 & echo left"),
    ],
    steps: [],
    barriers: [],
    onFailure: "continue",
    timeoutMs: RUN_TIMEOUT_MS,
    channel: "main",
    options: {},
  };
}

const STUBBORN_SECONDS = 300;
const RUN_TIMEOUT_MS = 3000;
