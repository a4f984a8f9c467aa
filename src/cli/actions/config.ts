import { areHarmless } from "../../app/catalogue/show-problems.ts";
import type { Config, ConfigValue } from "../../app/machine/config/config.ts";
import { knownPaths } from "../../app/machine/effective/known-paths.ts";
import { shownValues, toDocument } from "../../app/machine/effective/shown-values.ts";
import { createMachineAt, type Machine } from "../../app/machine/machine.ts";
import { loadFile } from "../../app/workflow/load-file.ts";
import { workflowValues } from "../../app/workflow/workflow-values.ts";
import type { ActionOf, Invocation, OptionsOf } from "../command/command.ts";
import { usageInvalid } from "../command/errors.ts";
import { EXIT } from "../command/exit-codes.ts";
import type { configCommand } from "../commands/config.ts";
import { configHeader } from "../config/config-header.ts";
import { tellConfigProblems, usableConfig } from "../config/tell-config.ts";
import { valueLines } from "../config/value-lines.ts";
import { findWorkflow } from "../prepare/find-workflow.ts";
import { tellProblems } from "../prepare/tell-problems.ts";
import { alignColumns } from "../terminal/table.ts";

type ConfigOptions = OptionsOf<typeof configCommand>;

/** `troupe config` */
export const configAction: ActionOf<typeof configCommand> = async (invocation) => {
  const { options } = invocation;
  const { io, settings, args } = invocation;
  const [file] = args;
  if (options.backend !== undefined && file === undefined)
    throw usageInvalid({ problem: "--backend needs a workflow file", hint: "troupe config FILE" });
  const machine = createMachineAt({
    cwd: settings.cwd,
    env: io.env,
    trustsProject: options.trust,
  });
  if (options.paths) return tellPaths(machine, options, invocation);
  const config = await usableConfig(machine, invocation);
  if (config === undefined) return EXIT.usage;
  if (!options.json && !settings.isQuiet) await tellConfigProblems(machine, invocation);
  const ofFile = file === undefined ? [] : await readWorkflow(machine, config, invocation);
  if (ofFile === undefined) return EXIT.usage;
  const shown = {
    config: shownValues(config, config.values, io.env),
    workflow: shownValues(config, ofFile, io.env),
    leftOut: shownValues(config, leftOut(config), io.env),
  };
  const lines = options.json
    ? [JSON.stringify(toJsonDocument(config, shown))]
    : toLines(config, shown, machine);
  io.stdout.write(`${lines.join("\n")}\n`);
  return EXIT.completed;
};

interface Shown {
  readonly config: readonly ConfigValue[];
  readonly workflow: readonly ConfigValue[];
  readonly leftOut: readonly ConfigValue[];
}

function leftOut({ trust, needingTrust }: Config): readonly ConfigValue[] {
  return trust === "untrusted" || trust === "changed" ? needingTrust : [];
}

function toLines(config: Config, shown: Shown, { project }: Machine): readonly string[] {
  const workflow = shown.workflow.map((value) => ({ ...value, path: ["workflow", ...value.path] }));
  return [
    ...configHeader(config, shown.leftOut),
    ...valueLines([...shown.config, ...workflow], project.root),
  ];
}

function toJsonDocument({ files, trust, unsupported }: Config, shown: Shown): unknown {
  const list = (values: readonly ConfigValue[]) =>
    values.map(({ path, value, origin, isItem }) => ({ path, value, isItem, origin }));
  return {
    v: 1,
    files: files.map(({ level, file, hash }) => ({ level, file, exists: hash !== undefined })),
    trust,
    leftOut: list(shown.leftOut),
    unsupported,
    settings: toDocument(shown.config),
    values: list(shown.config),
    ...(shown.workflow.length === 0
      ? {}
      : { workflow: { settings: toDocument(shown.workflow), values: list(shown.workflow) } }),
  };
}

async function readWorkflow(
  machine: Machine,
  config: Config,
  invocation: Invocation<ConfigOptions>,
): Promise<readonly ConfigValue[] | undefined> {
  const { backend } = invocation.options;
  const [given = ""] = invocation.args;
  const source = await findWorkflow(given, invocation);
  const request = { ...source, ...(backend === undefined ? {} : { backend }) };
  const loaded = await loadFile(machine, request);
  await tellProblems(loaded, invocation);
  if (loaded.definition === undefined || !areHarmless(loaded.problems)) return undefined;
  return workflowValues({ loaded, config });
}

function tellPaths(machine: Machine, { json: isJson }: ConfigOptions, { io }: Invocation): number {
  const paths = knownPaths(machine);
  const lines = isJson
    ? [JSON.stringify({ v: 1, paths })]
    : alignColumns(
        paths.map(({ name, path, exists, decidedBy }) => [
          name,
          path,
          exists ? "exists" : "not there",
          decidedBy,
        ]),
      );
  io.stdout.write(`${lines.join("\n")}\n`);
  return EXIT.completed;
}
