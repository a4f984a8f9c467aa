import type { AgentSpec } from "../../../contracts/agent.ts";
import type {
  AgentBackend,
  BackendProblem,
  Metering,
  SessionRequest,
  SignIn,
} from "../../../contracts/backend.ts";
import type { ContextReach } from "../../../contracts/context-access.ts";
import type { Host } from "../../../contracts/host.ts";
import { TroupeError } from "../../../foundation/errors.ts";
import { present } from "../../../foundation/present.ts";
import { agentEnvironment } from "./agent-environment.ts";
import { findAgentProgram, type ProgramSearch } from "./agent-program.ts";
import type { ProgramDescriptor } from "./backend-descriptor.ts";
import type { OwnSettings } from "./backend-settings.ts";
import { assertArguments } from "./refused-arguments.ts";

type Environment = SessionRequest["env"];

/** How one maker's program for coding agents is driven. */
export interface ProgramFacts extends Pick<AgentBackend, "open"> {
  readonly passes: readonly string[];
  readonly metering?: Metering;
  readonly reach?: ContextReach;
  /** See AgentBackend.livesInSandbox. */
  readonly livesInSandbox?: boolean;
  /** What is told when nothing lets it ask a model. */
  readonly notSignedIn: BackendProblem;
  signIn(env: Environment): SignIn;
  /** See AgentBackend. Absent: it is not known to work in a sandbox. */
  readonly modelAddresses?: NonNullable<AgentBackend["modelAddresses"]>;
  account(env: Environment): string;
  /** Whether it can ask a model although nobody is signed in. Defaults to never. */
  needsNoSignIn?(env: Environment): boolean;
  /** Finds the program, after or before a look at the agent's settings. Defaults to findAgentProgram. */
  find?(search: ProgramSearch): unknown;
  readonly interactive: NonNullable<AgentBackend["interactive"]>;
}

/** The backend of a program for coding agents: all of them are told, checked and signed in the same way. */
export function createProgramBackend(
  { program: { file: program }, refuses, toolCallTimeoutMs, toolPrefix }: ProgramDescriptor,
  { host, own }: { readonly host: Pick<Host, "variable" | "baseEnv">; readonly own: OwnSettings },
  facts: ProgramFacts,
): AgentBackend {
  const { name, settings } = own;
  const { passes, metering, reach, notSignedIn, signIn, account } = facts;
  const { modelAddresses } = facts;
  const { find = findAgentProgram, needsNoSignIn = () => false, open, interactive } = facts;
  const { livesInSandbox = false } = facts;
  const assertOwn = (spec: AgentSpec) => assertArguments(spec, settings, refuses);
  return {
    name,
    ...(metering === undefined ? {} : { metering }),
    conventions: "text",
    demandsSignal: true,
    takesMessages: true,
    ...(reach === undefined ? {} : { reach }),
    livesInSandbox,
    changesFiles: true,
    ...present({ toolCallTimeoutMs, toolPrefix }),
    passes,
    ...(modelAddresses === undefined ? {} : { modelAddresses }),
    signIn,
    account: ({ env }) => account(env),
    check: async (spec) => {
      const env = agentEnvironment(host, passes, spec);
      const cwd = spec.cwd ?? process.cwd();
      const problems = await problemsOf(() => {
        assertOwn(spec);
        return find({ spec, settings, program, env, cwd });
      });
      if (needsNoSignIn(env) || signIn(env).by !== "nothing") return problems;
      return [...problems, notSignedIn];
    },
    open: async (request) => {
      assertOwn(request.spec);
      return open(request);
    },
    interactive: async (request) => {
      assertOwn(request.spec);
      return interactive(request);
    },
  };
}

/** The TroupeError that a check raises, as a problem; none when it raises nothing. */
export async function problemsOf(check: () => unknown): Promise<readonly BackendProblem[]> {
  try {
    await check();
    return [];
  } catch (error) {
    if (!(error instanceof TroupeError)) throw error;
    const { message, hint } = error;
    return [hint === undefined ? { message } : { message, hint }];
  }
}
