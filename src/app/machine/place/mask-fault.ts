import { createSecretMasker } from "../../../foundation/secret-masker.ts";
import { secretValues } from "../../../host/environment.ts";
import type { Environment } from "./project.ts";

/** Takes the secrets of an environment out of what tells of a fault of Troupe: nobody wrote that for people. */
export function faultMask(env: Environment): (text: string) => string {
  return createSecretMasker(secretValues(env, [])).mask;
}
