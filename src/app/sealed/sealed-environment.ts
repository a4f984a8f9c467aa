import type { WorkflowDefinition } from "../../contracts/definition.ts";
import { isRecord } from "../../foundation/json.ts";
import { SHORTEST_SECRET_CHARS } from "../../foundation/secret-masker.ts";
import { secretValues } from "../../host/environment.ts";
import type { SealedValues } from "../../host/sealed-values.ts";
import { secretUnreadable } from "../errors.ts";
import { SEALED_TOKEN, type SecretBox } from "./secret-box.ts";

/**
 * The definition with a token in the place of every secret that it writes into an `env` (AGT-11): of values whose
 * variable says so by its name or stands in `names`, and of passwords in addresses. What a journal, its copies and its
 * exports show is the token. Values of less than 6 characters and texts with variables are no literals, and stay.
 */
export function sealEnvironments<Definition extends WorkflowDefinition>(
  definition: Definition,
  box: () => SecretBox,
  names: readonly string[],
): Definition {
  const sealed: unknown = inEnvironments(definition, (name, value) => {
    const secrets = secretValues({ [name]: value }, names);
    return withTokens(value, secrets, (secret) => box().seal(name, secret));
  });
  assertSameShape(definition, sealed);
  return sealed;
}

function withTokens(
  value: string,
  secrets: readonly string[],
  seal: (secret: string) => string,
): string {
  if (value.search(SEALED_TOKEN) >= 0) return value;
  const literals = secrets.filter(
    (secret) => secret.length >= SHORTEST_SECRET_CHARS && !secret.includes("{{"),
  );
  if (literals.includes(value)) return seal(value);
  return literals.reduce((text, secret) => text.replaceAll(secret, () => seal(secret)), value);
}

/**
 * What the tokens of a run stand for, in its definition or the declaration of one of its agents. Raises RUN_SECRET_UNREADABLE for one that was sealed by somebody
 * else.
 */
export function openEnvironments(run: string, told: unknown, box: () => SecretBox): SealedValues {
  const opened = new Map<string, Map<string, string>>();
  inEnvironments(told, (name, value) => {
    for (const [token] of value.matchAll(SEALED_TOKEN)) {
      const text = box().open(name, token);
      if (text === undefined) throw secretUnreadable({ run, variable: name });
      const ofName = opened.get(name) ?? new Map<string, string>();
      opened.set(name, ofName.set(token, text));
    }
    return value;
  });
  return opened;
}

/** A value with each variable of every `env` inside of it changed: of agents, types of agents, steps, child workflows. */
function inEnvironments(value: unknown, change: (name: string, value: string) => string): unknown {
  if (Array.isArray(value)) return value.map((item) => inEnvironments(item, change));
  if (!isRecord(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [
      name,
      name === "env" && isRecord(member) ? changed(member, change) : inEnvironments(member, change),
    ]),
  );
}

function changed(
  env: { readonly [name: string]: unknown },
  change: (name: string, value: string) => string,
): { readonly [name: string]: unknown } {
  return Object.fromEntries(
    Object.entries(env).map(([name, value]) => [
      name,
      typeof value === "string" ? change(name, value) : value,
    ]),
  );
}

/** Texts take the place of texts and nothing else changes. */
function assertSameShape<Value>(_original: Value, _changed: unknown): asserts _changed is Value {}
