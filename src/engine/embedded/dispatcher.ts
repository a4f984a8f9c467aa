import type { Dispatcher } from "../ports.ts";

/** Carries operations out in this process. */
export const localDispatcher: Dispatcher = {
  dispatch: (handler, input, call) => handler.execute(input, call),
};
