import { resolve } from "node:path";
import type { Config } from "../../app/machine/config/config.ts";
import { type AgentFileTrust, agentFilesOf } from "../../app/machine/effective/agent-trust.ts";
import { gitFiltersOf } from "../../app/machine/effective/git-filters.ts";
import { shownValues, toDocument } from "../../app/machine/effective/shown-values.ts";
import { createMachineAt, type Machine } from "../../app/machine/machine.ts";
import { forgetPins, listPins, type PinnedProject } from "../../app/machine/trust/pins-store.ts";
import { grantTrust, listTrusted, revokeTrust } from "../../app/machine/trust/trust-store.ts";
import { foundFilesOf } from "../../app/workflow/found-files.ts";
import { count } from "../../foundation/count.ts";
import { sha256 } from "../../foundation/hash.ts";
import { toIsoTime } from "../../foundation/iso-time.ts";
import { toPrintable } from "../../foundation/printable.ts";
import type { ActionOf, Invocation, OptionsOf } from "../command/command.ts";
import { confirm } from "../command/confirm.ts";
import { usageInvalid } from "../command/errors.ts";
import { EXIT } from "../command/exit-codes.ts";
import type { trustCommand } from "../commands/trust.ts";
import { trustWords } from "../config/config-header.ts";
import { usableConfig } from "../config/tell-config.ts";
import { valueLines } from "../config/value-lines.ts";
import { alignColumns } from "../terminal/table.ts";

type TrustOptions = OptionsOf<typeof trustCommand>;

/** `troupe trust` */
export const trustAction: ActionOf<typeof trustCommand> = async (invocation) => {
  const { options } = invocation;
  assertOneWish(options);
  const { io, settings, args } = invocation;
  const [directory] = args;
  if (options.list) return tellTrusted(options, invocation);
  const cwd = directory === undefined ? settings.cwd : resolve(settings.cwd, directory);
  const machine = createMachineAt({ cwd, env: io.env });
  if (options.revoke) return revoke(machine, invocation);
  const config = await usableConfig(machine, invocation);
  if (config === undefined) return EXIT.usage;
  const wanted = {
    config,
    files: agentFilesOf(machine),
    found: foundFilesOf(machine, config),
    filters: await gitFiltersOf(machine),
  };
  if (options.json) io.stdout.write(`${JSON.stringify(toShowDocument(machine, wanted))}\n`);
  else tellWanted(machine, wanted, invocation);
  return options.show || !isAnythingNew(wanted) ? EXIT.completed : ask(machine, wanted, invocation);
};

/** All that trust would let take effect. */
interface Wanted {
  readonly config: Config;
  readonly files: readonly AgentFileTrust[];
  /** What takes effect without being named. */
  readonly found: readonly AgentFileTrust[];
  /** Of the user's own configuration of git. */
  readonly filters: readonly AgentFileTrust[];
}

function isAnythingNew({ config, files, found, filters }: Wanted): boolean {
  const isNewConfig = config.trust === "untrusted" || config.trust === "changed";
  const all = [...files, ...found, ...filters];
  return isNewConfig || all.some(({ isTrusted, hash }) => !isTrusted && hash !== undefined);
}

function assertOneWish({ show, revoke: isRevoked, list, json }: TrustOptions): void {
  if ([show, isRevoked, list].filter(Boolean).length > 1)
    throw usageInvalid({ problem: "--show, --revoke and --list exclude each other" });
  if (json && !show && !list) throw usageInvalid({ problem: "--json goes with --show or --list" });
}

function projectFile({ files }: Config): Config["files"][number] | undefined {
  return files.find(({ level }) => level === "project");
}

function tellWanted(machine: Machine, wanted: Wanted, { io }: Invocation): void {
  const { config, files, found, filters } = wanted;
  const { file = "" } = projectFile(config) ?? {};
  const lines = [`project  ${machine.project.root}`, `file     ${file}`].map(toPrintable);
  io.stdout.write(
    `${[
      ...lines,
      `state    ${trustWords(config.trust)}`,
      ...configLines(machine, config),
      ...fileLines("programs of agents take from it, once trusted:", files),
      ...fileLines(
        "plug-ins, agent types, commands and workflows that are found by themselves, once trusted:",
        found,
      ),
      ...fileLines(
        "filters of your configuration of git that its files name, once trusted:",
        filters,
      ),
    ].join("\n")}\n`,
  );
}

function configLines({ env, project }: Machine, config: Config): readonly string[] {
  if (config.trust === "not-needed") return [];
  const wanted = valueLines(shownValues(config, config.needingTrust, env), project.root);
  const head = config.trust === "trusted" ? "takes effect:" : "would take effect:";
  return ["", head, ...wanted.map((line) => `  ${line}`), ""];
}

function fileLines(head: string, files: readonly AgentFileTrust[]): readonly string[] {
  if (files.length === 0) return [];
  const rows = files.map((file) => [file.path, fileWords(file)].map(toPrintable));
  return ["", head, ...alignColumns(rows), ""].map((line, index) =>
    index > 1 && line !== "" ? `  ${line}` : line,
  );
}

function fileWords({ isTrusted, hash }: AgentFileTrust): string {
  if (isTrusted) return "trusted";
  return hash === undefined ? "never: too much to look at, or unreadable" : "not trusted";
}

function toShowDocument(
  { project, env }: Machine,
  { config, files, found, filters }: Wanted,
): unknown {
  const listed = (all: readonly AgentFileTrust[]) =>
    all.map(({ path, hash, isTrusted }) => ({ path, hash: hash ?? null, trusted: isTrusted }));
  return {
    v: 1,
    project: project.root,
    file: projectFile(config)?.file,
    trust: config.trust,
    hash: projectFile(config)?.hash ?? null,
    wanted: toDocument(shownValues(config, config.needingTrust, env)),
    agentFiles: listed(files),
    foundFiles: listed(found),
    gitFilters: listed(filters),
  };
}

async function ask(
  machine: Machine,
  { config, files, found, filters }: Wanted,
  invocation: Invocation,
): Promise<number> {
  const { hash = sha256("") } = projectFile(config) ?? {};
  const { root } = machine.project;
  const isAgreed = await confirm(
    {
      question: "Trust this content in this directory?",
      withoutTerminal: "look at it with troupe trust --show, then: troupe trust --yes",
    },
    invocation,
  );
  if (!isAgreed) {
    invocation.io.stdout.write("nothing was changed\n");
    return EXIT.failed;
  }
  const trustedAt = toIsoTime(machine.clock.now());
  const agentFiles = Object.fromEntries(
    [...files, ...found, ...filters].flatMap(({ path, hash: content }) =>
      content === undefined ? [] : [[path, content]],
    ),
  );
  // What was shown is trusted, whatever the files hold by now.
  grantTrust(machine.env, { directory: root, hash, agentFiles, trustedAt });
  invocation.io.stdout.write(`${toPrintable(root)} is trusted with this content\n`);
  return EXIT.completed;
}

function revoke({ env, project: { root } }: Machine, { io }: Invocation): number {
  // First: a list of trust that is damaged must not keep the pins.
  const hadPins = forgetPins(env, root);
  const wasTrusted = revokeTrust(env, root);
  const text = wasTrusted ? "is trusted no more" : "was not trusted";
  const ofPins = hadPins ? ", and its pinned tools of MCP servers are forgotten" : "";
  io.stdout.write(`${toPrintable(root)} ${text}${ofPins}\n`);
  return EXIT.completed;
}

function tellTrusted({ json: isJson }: TrustOptions, { io }: Invocation): number {
  const projects = listTrusted(io.env);
  const rows = projects.map(({ directory, hash, trustedAt }) => [
    directory,
    trustedAt,
    hash.slice(0, 12),
  ]);
  const pinned = listPins(io.env);
  if (isJson) {
    const pins = pinned.map(({ directory, servers }) => ({
      directory,
      servers: servers.map(pinnedNames),
    }));
    io.stdout.write(`${JSON.stringify({ v: 1, projects, pins })}\n`);
    return EXIT.completed;
  }
  const text = rows.length === 0 ? "no project is trusted" : alignColumns(rows).join("\n");
  io.stdout.write(`${[text, ...pinLines(pinned)].join("\n")}\n`);
  return EXIT.completed;
}

function pinnedNames({ server, tools }: PinnedProject["servers"][number]) {
  return { server, tools: tools.map(({ tool }) => tool) };
}

function pinLines(pinned: readonly PinnedProject[]): readonly string[] {
  if (pinned.length === 0) return [];
  const rows = pinned.flatMap(({ directory, servers }) =>
    servers.map(({ server, tools }) =>
      [directory, server, count(tools.length, "tool")].map(toPrintable),
    ),
  );
  return ["", "pinned tools of MCP servers:", ...alignColumns(rows).map((row) => `  ${row}`)];
}
