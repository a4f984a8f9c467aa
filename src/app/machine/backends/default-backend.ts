import { CHOSEN_BY_THEMSELVES } from "./agent-programs.ts";
import { type BackendState, type BackendSurroundings, lookUpBackend } from "./backend-state.ts";

/** The backend of agents for which nothing else decides, and how it came to be that one. */
export interface DefaultBackend extends BackendState {
  readonly origin: "configuration" | "found" | "nothing-found";
}

/**
 * The configured default, else the first of claude, codex, gemini and opencode that is ready (WF-12). Where
 * none is, the first that is installed or else the first at all: what it lacks is told before a run starts.
 */
export async function chooseDefaultBackend(
  surroundings: BackendSurroundings,
): Promise<DefaultBackend> {
  const configured = surroundings.settings.defaults?.backend;
  if (configured !== undefined)
    return { ...(await lookUpBackend(configured, surroundings)), origin: "configuration" };
  let installed: BackendState | undefined;
  for (const backend of CHOSEN_BY_THEMSELVES) {
    const state = await lookUpBackend(backend, surroundings);
    if (state.status === "ready") return { ...state, origin: "found" };
    if (state.program !== undefined) installed ??= state;
  }
  const [first = "script"] = CHOSEN_BY_THEMSELVES;
  const state = installed ?? (await lookUpBackend(first, surroundings));
  return { ...state, origin: "nothing-found" };
}
