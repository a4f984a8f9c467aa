import type { BackendOptions } from "../contracts/own-backend.ts";

/**
 * Declares a backend of your own: a way to run agents. What its `create` makes must keep what the suite
 * `backendConformance` of `troupe/testing` checks; `means.session` keeps most of it by itself. The name is checked where
 * it is used: WORKFLOW_BACKEND_INVALID; what its code throws is WORKFLOW_BACKEND_BROKEN.
 *
 * @example
 * ```ts
 * export const house = defineBackend({
 *   name: "house",
 *   create: ({ session }) => ({
 *     name: "house",
 *     conventions: "text",
 *     demandsSignal: true,
 *     takesMessages: true,
 *     check: async () => [],
 *     open: async (request) =>
 *       session(request, async ({ request: turn, signal }) => {
 *         const response = await fetch("http://127.0.0.1:8080/complete", { method: "POST", body: turn.prompt, signal });
 *         return response.text();
 *       }),
 *   }),
 * });
 * ```
 */
export function defineBackend(backend: BackendOptions): BackendOptions {
  return backend;
}
