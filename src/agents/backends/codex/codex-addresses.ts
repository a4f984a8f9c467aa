import type { BackendSettings } from "../parts/backend-settings.ts";
import { codexSignIn, modelAddress } from "./codex-sign-in.ts";

type Environment = { readonly [name: string]: string };

const PROVIDER: readonly string[] = ["api.openai.com"];

/** What a login with ChatGPT is used with, and where it is refreshed. */
const LOGIN: readonly string[] = ["chatgpt.com", "auth.openai.com"];

/** Where Codex reaches its model; a configured address takes the place of the provider's own. */
export function codexAddresses(
  env: Environment,
  settings: BackendSettings | undefined,
): readonly string[] {
  const address = modelAddress(env, settings);
  const { by } = codexSignIn(env, settings);
  return [...(address === undefined ? PROVIDER : [address]), ...(by === "key" ? [] : LOGIN)];
}
