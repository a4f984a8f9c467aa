import type { InteractiveCommand, SessionRequest } from "../../../contracts/backend.ts";
import { assertNoOrders } from "../parts/assert-no-orders.ts";
import type { BackendSettings } from "../parts/backend-settings.ts";
import { commonArguments, environmentOf, OBEDIENT_AIDER } from "./aider-arguments.ts";
import { createPlaces } from "./aider-places.ts";

/** Aider in a terminal, on the conversation of `request.resume`. Raises what opening the session raises. */
export async function interactiveAider(
  request: SessionRequest,
  settings: BackendSettings | undefined,
): Promise<InteractiveCommand> {
  assertNoOrders(request, OBEDIENT_AIDER);
  const command = { request, settings, places: await createPlaces(request) };
  return { argv: commonArguments(command), env: environmentOf(command), cwd: request.cwd };
}
