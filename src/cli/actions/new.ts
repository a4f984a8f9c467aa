import { areHarmless } from "../../app/catalogue/show-problems.ts";
import type { Machine } from "../../app/machine/machine.ts";
import { agentAddress } from "../../app/runs/agent-address.ts";
import { agentNameTaken } from "../../app/runs/errors.ts";
import { readRunList } from "../../app/runs/run-index.ts";
import { type FileRequest, loadFile } from "../../app/workflow/load-file.ts";
import { STANDALONE_PROGRAM } from "../../app/workflow/shapes/standalone.ts";
import { ID_PATTERN, INSTANCE_PATTERN, RESERVED_AGENT_IDS } from "../../foundation/ids.ts";
import { present } from "../../foundation/present.ts";
import { startDetached, tellHandedOver } from "../background/hand-over.ts";
import { TROUPE } from "../command/called-as.ts";
import type { ActionOf, Invocation, OptionsOf } from "../command/command.ts";
import { usageInvalid } from "../command/errors.ts";
import { EXIT } from "../command/exit-codes.ts";
import { openMachine } from "../command/open-machine.ts";
import type { newCommand } from "../commands/new.ts";
import { tellAgents, tellConfig } from "../config/tell-config.ts";
import { inputPath } from "../prepare/read-input.ts";
import { tellProblems } from "../prepare/tell-problems.ts";

type NewOptions = OptionsOf<typeof newCommand>;

/** `troupe new`: an agent of its own, which lives in the daemon and waits for messages (KCK-6). */
export const newAction: ActionOf<typeof newCommand> = async (invocation) => {
  const { options } = invocation;
  const [name = ""] = invocation.args;
  const { instance = name } = options;
  assertNames(name, instance);
  const machine = await openMachine(invocation);
  if ((await tellConfig(machine, invocation)) === undefined) return EXIT.usage;
  const loaded = await load(machine, { name, options }, invocation);
  if (loaded === undefined) return EXIT.usage;
  assertAgentFree(machine, { name, instance });
  const run = await startDetached(machine, loaded(instance), { trustsProject: options.trust });
  const address = instance === name ? name : `${name}@${instance}`;
  const more = [`speak to it: ${TROUPE} send ${address} "…"`, `end it: ${TROUPE} rm ${address}`];
  tellHandedOver({ run, workflow: name, instance, agent: address }, more, invocation);
  return EXIT.completed;
};

function assertNames(name: string, instance: string): void {
  if (!ID_PATTERN.test(name) || RESERVED_AGENT_IDS.has(name.toLowerCase()))
    throw usageInvalid({
      problem: `"${name}" cannot name an agent`,
      hint: "begin with a letter, go on with letters, digits, - and _, at most 64; not system, user, human or all",
    });
  if (!INSTANCE_PATTERN.test(instance))
    throw usageInvalid({
      problem: `"${instance}" cannot name an instance`,
      hint: "use letters, digits, dots, - and _, at most 64",
    });
}

/** What the agent is started with in an instance; undefined when something is wrong, which is told. */
async function load(
  machine: Machine,
  { name, options }: { readonly name: string; readonly options: NewOptions },
  invocation: Invocation,
) {
  const { cassette, context: hasContext, backend, model, systemPrompt, tools } = options;
  const list = tools?.split(",").map((tool) => tool.trim());
  const loaded = await loadFile(machine, {
    ...standaloneWorkflow({
      name,
      hasContext,
      ...present({ backend, model, systemPrompt, tools: list }),
    }),
    until: "stopped",
    ...(cassette === undefined ? {} : { cassette: inputPath(cassette, invocation.settings) }),
  });
  await tellProblems(loaded, invocation);
  const { definition, cassette: recorded } = loaded;
  if (definition === undefined || !areHarmless(loaded.problems)) return undefined;
  await tellAgents(machine, definition.agents, invocation);
  const played = recorded === undefined ? {} : { cassette: recorded };
  return (instance: string) => ({
    definition,
    start: { instance, ...played },
    program: STANDALONE_PROGRAM,
  });
}

/** Raises RUN_AGENT_NAME_TAKEN when a live agent of the project has this name and instance. */
function assertAgentFree(
  machine: Machine,
  { name, instance }: { readonly name: string; readonly instance: string },
): void {
  const isOfInstance = (run: { readonly instance: string; readonly outcome: string | null }) =>
    run.outcome === null && run.instance === instance;
  const { runs } = readRunList(machine, isOfInstance);
  for (const { run, roster } of runs.filter(
    (each) => isOfInstance(each) && each.foreign === null,
  )) {
    const isTaken = roster?.agents.some(
      (agent) => agent.status !== "exited" && agent.name.toLowerCase() === name.toLowerCase(),
    );
    if (isTaken !== true) continue;
    const isStandalone = roster?.isStandalone === true;
    throw agentNameTaken({ address: agentAddress({ name, instance, isStandalone }), run });
  }
}

/** A standalone agent as it was asked for. */
interface StandaloneAgent {
  readonly name: string;
  readonly backend?: string;
  readonly model?: string;
  /** A text, or a path as in workflow files: one line that ends in `.md` or `.txt`. */
  readonly systemPrompt?: string;
  readonly tools?: readonly string[];
  /** Whether it has a channel and a document. */
  readonly hasContext: boolean;
}

const PROMPT_FILE = /^[^\n]+\.(?:md|txt)$/;

/** The workflow of one agent that waits for messages (KCK-6), so that all that is true of files is true of it. */
function standaloneWorkflow(agent: StandaloneAgent): Pick<FileRequest, "file" | "text"> {
  const { name, backend, model, systemPrompt, tools, hasContext } = agent;
  const workflow = {
    name,
    context: hasContext ? null : false,
    agents: {
      [name]: {
        ...present({ backend, model }),
        ...(systemPrompt === undefined ? {} : { system_prompt: literal(systemPrompt) }),
        ...(tools === undefined ? {} : { tools }),
      },
    },
  };
  return { file: `troupe new ${name}`, text: JSON.stringify(workflow, null, 2) };
}

/** What was typed means itself: variables are of files. */
function literal(text: string): string {
  return PROMPT_FILE.test(text) ? text : text.replaceAll("${{", "\\${{");
}
