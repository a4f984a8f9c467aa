import { createSecretMasker } from "../../../foundation/secret-masker.ts";
import { secretValues } from "../../../host/environment.ts";
import type { Problem } from "../../../workflows/problems/problem.ts";
import { entryOf, type SourceNode } from "../../../workflows/source/source-node.ts";
import type { Environment } from "../place/project.ts";
import type { ReadConfigFile } from "./read-config-file.ts";

/** What may be shown of files with problems: their texts and problems without the secrets that stand in them. */
export interface ShownFiles {
  readonly problems: readonly Problem[];
  readonly sources: ReadonlyMap<string, string>;
}

/**
 * Covers the values of `backends.*.env`, those of secret variables of the environment and passwords in
 * addresses. Positions stay, so that the mark under a line stands where it belongs.
 */
export function hideSecrets(
  files: readonly ReadConfigFile[],
  problems: readonly Problem[],
  env: Environment,
): ShownFiles {
  const inFiles = files.flatMap(({ root, text }) =>
    envNodes(root).map((node) => text.slice(node.start, node.end)),
  );
  const { mask } = createSecretMasker([...secretValues(env, []), ...inFiles]);
  const secrets = secretValues(env, []).filter((value) => value.length > 5);
  return {
    problems: problems.map((problem) => ({
      ...problem,
      message: mask(problem.message),
      ...(problem.hint === undefined ? {} : { hint: mask(problem.hint) }),
    })),
    sources: new Map(files.map((file) => [file.file, cover(file, secrets)])),
  };
}

function cover({ root, text }: ReadConfigFile, secrets: readonly string[]): string {
  // Nobody knows what is what in a text that cannot be parsed: names decide.
  let covered = root === undefined ? text.replaceAll(SECRET_MEMBER, stars) : text;
  for (const { start, end } of envNodes(root))
    covered = covered.slice(0, start) + stars(covered.slice(start, end)) + covered.slice(end);
  for (const secret of secrets) covered = covered.replaceAll(secret, stars);
  return covered.replaceAll(URL_PASSWORD, stars);
}

// What follows a key such as `API_KEY:`; `apiKeyEnv` only names a variable.
const SECRET_MEMBER =
  /(?<=(?:KEY|TOKEN|SECRET|PASSWORD|CREDENTIAL)(?!Env\b)\w*["']?[ \t]*[:=][ \t]*)[^\s,}][^\r\n,}]*/gi;

// What stands between the name and the host of `https://name:password@host`.
const URL_PASSWORD = /(?<=:\/\/[^\s/:@"']*:)[^\s/@"']+(?=@)/g;

function stars(text: string): string {
  return text.replaceAll(/[^\r\n]/g, "*");
}

function envNodes(root: SourceNode | undefined): readonly SourceNode[] {
  const backends = entryOf(root, "backends")?.node;
  if (backends?.kind !== "map") return [];
  return [...backends.entries.values()].flatMap(({ node }) => {
    const env = entryOf(node, "env")?.node;
    if (env?.kind !== "map") return [];
    return [...env.entries.values()].map((entry) => entry.node);
  });
}
