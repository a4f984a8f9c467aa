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
export function chooseDefaultBackend(surroundings: BackendSurroundings): DefaultBackend {
  const configured = surroundings.settings.defaults?.backend;
  if (configured !== undefined)
    return { ...lookUpBackend(configured, surroundings), origin: "configuration" };
  const states = CHOSEN_BY_THEMSELVES.map((backend) => lookUpBackend(backend, surroundings));
  const ready = states.find(({ status }) => status === "ready");
  if (ready !== undefined) return { ...ready, origin: "found" };
  const [first] = [...states.filter(({ program }) => program !== undefined), ...states];
  return {
    ...(first ?? lookUpBackend("script", surroundings)),
    origin: "nothing-found",
  };
}
