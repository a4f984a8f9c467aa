import { resolve } from "node:path";
import { z } from "zod";
import type { Config } from "../../app/config/config.ts";
import { shownValues, toDocument } from "../../app/config/shown-values.ts";
import { createMachine, type Machine } from "../../app/machine.ts";
import { grantTrust, listTrusted, revokeTrust } from "../../app/trust/trust-store.ts";
import { toIsoTime } from "../../foundation/iso-time.ts";
import { toPrintable } from "../../foundation/printable.ts";
import type { Action, Invocation } from "../command.ts";
import { trustWords } from "../config/config-header.ts";
import { usableConfig } from "../config/tell-config.ts";
import { valueLines } from "../config/value-lines.ts";
import { confirm } from "../confirm.ts";
import { usageInvalid } from "../errors.ts";
import { EXIT } from "../exit-codes.ts";
import { alignColumns } from "../table.ts";

const trustOptions = z.object({
  show: z.boolean().default(false),
  revoke: z.boolean().default(false),
  list: z.boolean().default(false),
  json: z.boolean().default(false),
});

type TrustOptions = z.infer<typeof trustOptions>;

/** `troupe trust` */
export const trustAction: Action = async (invocation) => {
  const options = trustOptions.parse(invocation.options);
  assertOneWish(options);
  const { io, settings, args } = invocation;
  const [directory] = args;
  if (options.list) return tellTrusted(options, invocation);
  const cwd = directory === undefined ? settings.cwd : resolve(settings.cwd, directory);
  const machine = createMachine({ cwd, env: io.env });
  if (options.revoke) return revoke(machine, invocation);
  const config = await usableConfig(machine, invocation);
  if (config === undefined) return EXIT.usage;
  if (options.json) io.stdout.write(`${JSON.stringify(toShowDocument(machine, config))}\n`);
  else tellWanted(machine, config, invocation);
  if (options.show || config.trust === "not-needed" || config.trust === "trusted")
    return EXIT.completed;
  return ask(machine, config, invocation);
};

function assertOneWish({ show, revoke: isRevoked, list, json }: TrustOptions): void {
  if ([show, isRevoked, list].filter(Boolean).length > 1)
    throw usageInvalid({ problem: "--show, --revoke and --list exclude each other" });
  if (json && !show && !list) throw usageInvalid({ problem: "--json goes with --show or --list" });
}

function projectFile({ files }: Config): Config["files"][number] | undefined {
  return files.find(({ level }) => level === "project");
}

function tellWanted({ env, project }: Machine, config: Config, { io }: Invocation): void {
  const { file = "" } = projectFile(config) ?? {};
  const lines = [`project  ${project.root}`, `file     ${file}`].map(toPrintable);
  const state = trustWords(config.trust);
  if (config.trust === "not-needed") {
    io.stdout.write(`${[...lines, `state    ${state}`].join("\n")}\n`);
    return;
  }
  const wanted = valueLines(shownValues(config, config.needingTrust, env), project.root);
  io.stdout.write(
    `${[
      ...lines,
      `state    ${state}`,
      "",
      config.trust === "trusted" ? "takes effect:" : "would take effect:",
      ...wanted.map((line) => `  ${line}`),
      "",
    ].join("\n")}\n`,
  );
}

function toShowDocument({ project, env }: Machine, config: Config): unknown {
  return {
    v: 1,
    project: project.root,
    file: projectFile(config)?.file,
    trust: config.trust,
    hash: projectFile(config)?.hash ?? null,
    wanted: toDocument(shownValues(config, config.needingTrust, env)),
  };
}

async function ask(machine: Machine, config: Config, invocation: Invocation): Promise<number> {
  const { hash } = projectFile(config) ?? {};
  const { root } = machine.project;
  const isAgreed = await confirm(
    {
      question: "Trust this content in this directory?",
      withoutTerminal: "look at it with troupe trust --show, then: troupe trust --yes",
    },
    invocation,
  );
  if (!isAgreed || hash === undefined) {
    invocation.io.stdout.write("nothing was changed\n");
    return EXIT.failed;
  }
  const trustedAt = toIsoTime(machine.clock.now());
  // What was shown is trusted, whatever the file holds by now.
  grantTrust(machine.env, { directory: root, hash, trustedAt });
  invocation.io.stdout.write(`${toPrintable(root)} is trusted with this content\n`);
  return EXIT.completed;
}

function revoke({ env, project: { root } }: Machine, { io }: Invocation): number {
  const wasTrusted = revokeTrust(env, root);
  const text = wasTrusted ? "is trusted no more" : "was not trusted";
  io.stdout.write(`${toPrintable(root)} ${text}\n`);
  return EXIT.completed;
}

function tellTrusted({ json: isJson }: TrustOptions, { io }: Invocation): number {
  const projects = listTrusted(io.env);
  const rows = projects.map(({ directory, hash, trustedAt }) => [
    directory,
    trustedAt,
    hash.slice(0, 12),
  ]);
  const text = rows.length === 0 ? "no project is trusted" : alignColumns(rows).join("\n");
  io.stdout.write(`${isJson ? JSON.stringify({ v: 1, projects }) : text}\n`);
  return EXIT.completed;
}
