import { arch, homedir, platform, release } from "node:os";
import { toPrintable } from "../../foundation/printable.ts";
import { createSecretMasker } from "../../foundation/secret-masker.ts";
import { knownSecrets } from "../machine/effective/effective-config.ts";
import type { Machine } from "../machine/machine.ts";
import { VERSION } from "../machine/place/version.ts";
import type { Finding } from "./finding.ts";

/**
 * What somebody who mends troupe needs to know, as Markdown to paste: no secrets, no names of the user's
 * directories, nothing of what the runs are about.
 */
export async function bugReport(machine: Machine, findings: readonly Finding[]): Promise<string> {
  const { config } = await machine.readConfig();
  const masker = createSecretMasker(knownSecrets(config?.settings ?? {}, machine.env));
  const keys = [
    ...new Set((config?.values ?? []).map(({ path, origin }) => `${path[0]} (${origin.level})`)),
  ];
  const lines = [
    `- troupe ${VERSION}`,
    `- Node ${process.version.slice(1)}, ${platform()} ${release()} ${arch()}`,
    `- terminal ${machine.env["TERM"] ?? "none"}, locale ${machine.env["LANG"] ?? "none"}`,
    `- configuration: ${keys.join(", ")}; trust ${config?.trust ?? "unknown"}`,
    ...findings.map(({ subject, status, text }) => `- ${subject}: ${status}: ${text}`),
  ];
  const text = lines.map((line) => withoutPlaces(masker.mask(toPrintable(line)), machine));
  return ["### Where it happened", "", ...text, ""].join("\n");
}

function withoutPlaces(line: string, { project, env }: Machine): string {
  const home = env["HOME"] || homedir();
  const hidden = line.replaceAll(project.root, "PROJECT");
  return home === "/" ? hidden : hidden.replaceAll(home, "~");
}
