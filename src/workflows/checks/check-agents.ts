import { noBackend } from "../resolve/errors.ts";
import { chooseBackend } from "../resolve/resolve-backend.ts";
import {
  isInside,
  realLocation,
  resolveAgentDirectory,
  resolveModule,
} from "../resolve/resolve-paths.ts";
import { wrongValue } from "../schema/errors.ts";
import type { SourceNode } from "../source/source-node.ts";
import { entryOf } from "../source/source-node.ts";
import { checkAgentLoop } from "./check-agent-bounds.ts";
import type { CheckContext } from "./check-context.ts";
import { argumentRefused, unknownBackend, workflowPathOutside } from "./errors.ts";
import type { LocatedItem } from "./file-view.ts";
import { labelOf, listAt, textAt, textList } from "./file-view.ts";

/** Settings that belong to some backends alone. */
const SETTINGS = ["command", "module", "script"] as const;
const PRINTABLE = /^\P{C}*$/u;

/** Checks backends, settings and directories of agents. */
export function checkAgents(context: CheckContext): void {
  const { view } = context;
  checkBackendName(context, view.root, "the workflow uses backend");
  for (const agent of view.agents) {
    if (agent.node.kind !== "map") continue;
    const place = `agents.${labelOf(agent, view.agents)}`;
    const who = `agent "${labelOf(agent, view.agents)}"`;
    checkBackendOf(context, agent, { who, place });
    checkAgentLoop(context, agent, { who, place, fileBackend: backendEntry(view.root).backend });
    checkPaths(context, agent.node, place);
    checkName(context, agent.node, place);
    checkLimits(context, agent.node, place);
  }
  for (const step of view.steps) checkVerifiedFiles(context, step);
}

/** Checks that something which runs as an agent has a backend, and what that needs; `who` is what it is called, `place` where its settings are. */
export function checkBackendOf(
  context: CheckContext,
  agent: LocatedItem,
  { who, place }: { readonly who: string; readonly place: string },
): void {
  checkBackendName(context, agent.node, `${who} uses backend`);
  checkBackend(context, agent);
  checkSettings(context, agent, place);
  checkArguments(context, agent, place);
}

function checkBackendName(context: CheckContext, node: SourceNode, who: string): void {
  const { options, report } = context;
  const [backend, cli] = [textAt(node, "backend"), textAt(node, "cli")];
  if (backend !== undefined && cli !== undefined && backend.text !== cli.text) {
    const problem = `has backend ${backend.text} and cli ${cli.text}, which mean the same`;
    const place = who.replace(/ uses backend$/, "");
    report(wrongValue({ place, problem, hint: "keep backend" }), cli.node);
  }
  for (const name of [backend, cli]) {
    if (name === undefined || options.backends.includes(name.text)) continue;
    report(unknownBackend({ who, backend: name.text, known: options.backends }), name.node);
  }
}

function checkBackend({ view, options, report }: CheckContext, agent: LocatedItem): void {
  const entry = backendEntry(agent.node);
  const file = backendEntry(view.root);
  const id = agent.id ?? "";
  if (chooseBackend({ id, ...entry }, file.backend, options) === undefined)
    report(noBackend({ agent: labelOf(agent, view.agents) }), agent.idRange);
}

function checkSettings(context: CheckContext, agent: LocatedItem, place: string): void {
  const { report, view, options } = context;
  // A function that the caller brings along needs nothing of what stands here.
  if (agent.id !== undefined && options.codeAgents?.ids.has(agent.id) === true) return;
  const { backend } = backendEntry(agent.node);
  const effective = backend ?? backendEntry(view.root).backend;
  const { takes = [], worker } = options.traitsOf(effective ?? "") ?? {};
  for (const key of SETTINGS) {
    const entry = entryOf(agent.node, key);
    if (entry !== undefined && !takes.includes(key)) {
      const owner = options.backends.find((name) => options.traitsOf(name)?.takes?.includes(key));
      const problem = `has ${key}, which belongs to backend: ${owner}`;
      const hint = `add backend: ${owner}, or remove ${key}`;
      report(wrongValue({ place, problem, hint }), entry.keyRange);
    }
    if (entry === undefined && takes.includes(key) && worker === "program") {
      const problem = `has backend: ${effective} but no ${key}`;
      report(wrongValue({ place, problem, hint: `add ${key}` }), agent.idRange);
    }
  }
}

/** Values of params are known only when the program is started, which asks once more. */
function checkArguments(
  { view, options, report }: CheckContext,
  { id = "", node }: LocatedItem,
  place: string,
): void {
  const args = textList(entryOf(node, "args")?.node);
  const wish = { id, ...backendEntry(node) };
  const chosen = chooseBackend(wish, backendEntry(view.root).backend, options);
  if (chosen === undefined) return;
  const { backend } = chosen;
  const texts = args.map(({ text }) => text);
  const found = options.refusedArgument?.(backend, texts);
  if (found === undefined) return;
  const error = argumentRefused({ place: `${place}.args`, backend, argument: found.text });
  report(error, args[found.index]?.node ?? node);
}

function checkPaths(context: CheckContext, agent: SourceNode, place: string): void {
  const { options, report } = context;
  const cwd = textAt(agent, "cwd");
  const root = options.projectRoot;
  if (cwd !== undefined && !isInside(resolveAgentDirectory(cwd.text, options), root))
    report(workflowPathOutside({ place: `${place}.cwd`, path: cwd.text, root }), cwd.node);
  const module = textAt(agent, "module");
  if (module === undefined) return;
  const resolved = resolveModule(module.text, options);
  if (resolved === undefined) {
    const problem = `cannot be ${JSON.stringify(module.text)}`;
    const hint = "write a file and an export: ./agents.ts#summarise";
    report(wrongValue({ place: `${place}.module`, problem, hint }), module.node);
  } else if (
    !isInside(resolved.path, root) ||
    // A link that leads out is code of somewhere else.
    !isInside(realLocation(resolved.path), realLocation(root))
  )
    report(workflowPathOutside({ place: `${place}.module`, path: module.text, root }), module.node);
}

function checkVerifiedFiles(
  { report, view, spell = (key) => key }: CheckContext,
  step: LocatedItem,
): void {
  for (const [index, check] of listAt(step.node, "verify").entries()) {
    const path = textAt(check, "fileExists");
    if (
      path === undefined ||
      (isInside(`/base/${path.text}`, "/base") && !path.text.startsWith("/"))
    )
      continue;
    const place = `steps.${labelOf(step, view.steps)}.verify.${index}.${spell("fileExists")}`;
    report(
      workflowPathOutside({ place, path: path.text, root: "the agent's directory" }),
      path.node,
    );
  }
}

function checkName({ report }: CheckContext, agent: SourceNode, place: string): void {
  const name = textAt(agent, "name");
  if (name === undefined || PRINTABLE.test(name.text)) return;
  const problem = "holds characters that cannot be printed";
  report(wrongValue({ place: `${place}.name`, problem, hint: "remove them" }), name.node);
}

/** What a function takes is taken by Troupe itself, which nothing ends. */
function checkLimits(
  { report, view, options }: CheckContext,
  agent: SourceNode,
  place: string,
): void {
  const entry = entryOf(agent, "limits");
  const backend = backendEntry(agent).backend ?? backendEntry(view.root).backend;
  if (entry === undefined || backend === undefined) return;
  if (options.traitsOf(backend)?.takes?.includes("module") !== true) return;
  const problem = `has limits, which hold for programs, but backend: ${backend}`;
  const hint = "remove limits, or make it a program: backend: command";
  report(wrongValue({ place, problem, hint }), entry.keyRange);
}

function backendEntry(node: SourceNode): {
  readonly backend: string | undefined;
  readonly model: string | undefined;
} {
  const backend = textAt(node, "backend") ?? textAt(node, "cli");
  return { backend: backend?.text, model: textAt(node, "model")?.text };
}
