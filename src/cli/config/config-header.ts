import type { Config, ConfigValue } from "../../app/machine/config/config.ts";
import { namesOf } from "../../app/machine/config/config-doubts.ts";
import { toPrintable } from "../../foundation/printable.ts";
import { TROUPE } from "../command/called-as.ts";

const TRUST_WORDS: { readonly [state in Config["trust"]]: string } = {
  "not-needed": "nothing in it needs trust",
  trusted: "trusted",
  given: "trusted this once",
  changed: `changed since it was trusted: ${TROUPE} trust`,
  untrusted: `not trusted: ${TROUPE} trust`,
};

/** The files of a configuration and what of them does not count, as comments of YAML. */
export function configHeader(config: Config, leftOut: readonly ConfigValue[]): readonly string[] {
  const files = config.files.map(({ level, file, hash }) => {
    const trust =
      level === "project" && hash !== undefined ? `  (${trustWords(config.trust)})` : "";
    return `# ${level.padEnd(8)} ${file}${hash === undefined ? "  (not there)" : trust}`;
  });
  const names = namesOf(leftOut);
  return [
    ...files,
    ...(names.length === 0 ? [] : [`# left out  ${names.join(", ")}`]),
    ...(config.unsupported.length === 0
      ? []
      : [`# without effect in this version  ${config.unsupported.join(", ")}`]),
    "",
  ].map(toPrintable);
}

/** The state of a project's trust in words. */
export function trustWords(state: Config["trust"]): string {
  return TRUST_WORDS[state];
}
