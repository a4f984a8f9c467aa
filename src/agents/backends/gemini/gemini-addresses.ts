import type { BackendSettings } from "../parts/backend-settings.ts";
import { geminiSignIn, usesVertex } from "./gemini-sign-in.ts";

type Environment = { readonly [name: string]: string };

const PROVIDER: readonly string[] = ["generativelanguage.googleapis.com"];
const VERTEX: readonly string[] = ["aiplatform.googleapis.com", "*.aiplatform.googleapis.com"];

/** What a login with Google is used with, and where it is refreshed. */
const LOGIN: readonly string[] = [
  ...["cloudcode-pa.googleapis.com", "oauth2.googleapis.com"],
  ...["accounts.google.com", "www.googleapis.com"],
];

/** Where Gemini CLI reaches its model; a configured address takes the place of the provider's own. */
export function geminiAddresses(
  env: Environment,
  settings: BackendSettings | undefined,
): readonly string[] {
  const isVertex = usesVertex(env, settings);
  const { GOOGLE_GEMINI_BASE_URL, GOOGLE_VERTEX_BASE_URL } = env;
  const fromEnvironment = isVertex ? GOOGLE_VERTEX_BASE_URL : GOOGLE_GEMINI_BASE_URL;
  const baseUrl = settings?.baseUrl ?? fromEnvironment ?? "";
  const provider = isVertex ? VERTEX : PROVIDER;
  const { by } = geminiSignIn(env, settings);
  return [...(baseUrl === "" ? provider : [baseUrl]), ...(by === "key" ? [] : LOGIN)];
}
