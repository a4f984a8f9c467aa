import { MODEL } from "../../../agents/backends/model/model-descriptor.ts";
import { TurnGate } from "../../../agents/backends/parts/turn-gate.ts";
import type { BackendEntry, CreateBackend } from "../../../agents/backends/registry.ts";
import type { AgentBackend } from "../../../contracts/backend.ts";
import type { BackendMeans, BackendOptions } from "../../../contracts/own-backend.ts";
import type { OwnModel } from "../../../contracts/own-model.ts";
import { rejectOnAbort } from "../../../foundation/abort.ts";
import { TroupeError } from "../../../foundation/errors.ts";
import { present } from "../../../foundation/present.ts";
import type { UserBackend } from "../code/workflow-code.ts";
import { backendBroken } from "./errors.ts";

/** The entry that a declaration stands for. */
export function toBackendEntry(options: UserBackend): BackendEntry {
  const { name } = options;
  if (!isOwnModel(options)) return { name, load: async () => creatorOf(options) };
  const { name: _, ...known } = MODEL;
  const tools = options.tools?.map((tool) => tool.name);
  return { ...known, name, ...present({ tools }), load: () => modelCreator(options) };
}

/** Whether it is a model for Troupe's loop, and no backend that is made by its author. */
export function isOwnModel(options: UserBackend): options is OwnModel {
  return !("create" in options) && ("model" in options || "tools" in options);
}

async function modelCreator(ownModel: OwnModel): Promise<CreateBackend> {
  const { createModelBackend } = await import("../../../agents/backends/model/model-backend.ts");
  return (dependencies, own) => createModelBackend({ ...dependencies, ownModel }, own);
}

/** What makes the backend of a declaration. What its code throws becomes WORKFLOW_BACKEND_BROKEN. */
export function creatorOf(options: BackendOptions): CreateBackend {
  const { name } = options;
  const session = sessionsOf(name);
  return ({ host, clock }) => {
    try {
      const backend: unknown = options.create({ host, clock, session });
      return wrap(name, assertBackend(name, backend));
    } catch (error) {
      throw toOwn(name, error);
    }
  };
}

/** A backend with the name that its agents have, whatever it is made of: its methods may need their object. */
function wrap(name: string, backend: AgentBackend): AgentBackend {
  const { conventions, demandsSignal, takesMessages } = backend;
  const { metering, reach, toolCallTimeoutMs, isPerson, runsInProcess } = backend;
  const { livesInSandbox, passes, toolPrefix } = backend;
  const methods = present({
    modelAddresses: backend.modelAddresses?.bind(backend),
    signIn: backend.signIn?.bind(backend),
    account: backend.account?.bind(backend),
    interactive: backend.interactive?.bind(backend),
  });
  return {
    ...{ name, conventions, demandsSignal, takesMessages },
    ...present({ metering, reach, toolCallTimeoutMs, isPerson, runsInProcess }),
    ...present({ livesInSandbox, passes, toolPrefix }),
    ...methods,
    check: (spec) => settled(name, () => backend.check(spec)),
    open: (request) => settled(name, () => backend.open(request)),
  };
}

function sessionsOf(name: string): BackendMeans["session"] {
  return ({ spec, session }, answer, close) => {
    const gate = new TurnGate({ agent: spec.id, session });
    return {
      prompt: (turn) =>
        gate.run(turn, async ({ request, signal, client, emit }) => {
          const aborted = rejectOnAbort(signal);
          const work = settled(name, () => answer({ request, signal, client, emit }));
          // Nobody waits any more for what a turn comes to that was cut off.
          work.catch(() => {});
          try {
            const text = await Promise.race([work, aborted.promise]);
            return { type: "stop", reason: "end_turn", text };
          } finally {
            aborted.stop();
          }
        }),
      close: async () => {
        await gate.close();
        await close?.();
      },
    };
  };
}

const METHODS = ["open", "check"] as const;
const CONVENTIONS = ["text", "tools", "none"];

/** Raises WORKFLOW_BACKEND_BROKEN for what is no backend. */
function assertBackend(name: string, given: unknown): AgentBackend {
  const broken = (problem: string) => backendBroken({ backend: name, problem });
  if (!isBackend(given)) throw broken("its create returns no object with open and check");
  if (given.name !== name) throw broken(`what its create returns is named "${given.name}"`);
  if (!CONVENTIONS.includes(given.conventions))
    throw broken(`its conventions are "${given.conventions}", not ${CONVENTIONS.join(", ")}`);
  return given;
}

function isBackend(given: unknown): given is AgentBackend {
  if (typeof given !== "object" || given === null) return false;
  return METHODS.every((key) => typeof Reflect.get(given, key) === "function");
}

async function settled<Result>(name: string, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    throw toOwn(name, error);
  }
}

function toOwn(name: string, error: unknown): unknown {
  if (error instanceof TroupeError) return error;
  const problem = error instanceof Error ? error.message : String(error);
  return backendBroken({ backend: name, problem }, { cause: error });
}
