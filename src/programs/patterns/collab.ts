import { z } from "zod";
import type { AgentSpec } from "../../contracts/agent.ts";
import type { PatternDefinition } from "../../contracts/definition.ts";
import {
  definePattern,
  type PatternAdvance,
  type PatternFault,
} from "../../contracts/ports/pattern.ts";
import { crewOf } from "../primitives/shadows/crew.ts";
import { plainKeyword } from "../talk/plain-answer.ts";
import { runTalk, type TalkPattern } from "../talk/run-talk.ts";
import { memberReports, unfinishedOf } from "../talk/woken-group.ts";
import { talkWhenWoken } from "../talk/woken-talk.ts";
import { orchestratorConvention } from "./conventions/collab-convention.ts";
import { renderConvention } from "./conventions/convention.ts";

const block = z.strictObject({
  roles: z
    .array(z.string().min(1))
    .optional()
    .describe("Roles that the orchestrator is told of. Default: what its tools say."),
});

const FORM = "DONE: <what came of it all>";

const pattern: TalkPattern = {
  members,
  metadata,
  role: (definition) => ({
    marker: "DONE",
    convention: (facts) =>
      renderConvention(orchestratorConvention, {
        ...facts,
        roles: block.parse(definition.options).roles ?? [],
      }),
  }),
  talk: (talk) =>
    talkWhenWoken(talk, {
      closer: orchestratorOf(talk.definition),
      fallback: undefined,
      role: (agent) => pattern.role(talk.definition, agent),
      demand: () => ({ kinds: ["done"], form: FORM, plain: plainKeyword("done") }),
      isLead: () => true,
      startsWhenWritten: false,
    }),
};

/** One agent that spawns those whom it needs: what they come to wakes it, and its DONE ends it all. */
export const collabPattern = definePattern({
  name: "collab",
  summary: "One agent that spawns others as it needs them, and makes one result of theirs",
  block,
  onFailure: "continue",
  order: "mode",
  members,
  metadata,
  check,
  turns: ({ bounds }) => ({
    least: 1,
    most: null,
    basis: `1 orchestrator, woken by its agents${bounds?.turnsPerAgent === undefined ? "" : `, at most ${bounds.turnsPerAgent} times each`}`,
  }),
  links: (definition) => {
    const orchestrator = orchestratorOf(definition);
    return [{ from: orchestrator, to: orchestrator, kind: "order", label: "its agents" }];
  },
  run: (context, definition) => runTalk(context, definition, pattern),
});

function members({ agents }: PatternDefinition): readonly AgentSpec[] {
  return agents.map((agent) => {
    if (agent.shadow !== undefined) return agent;
    const { session: _session, reportsTo: _reportsTo, ...spec } = agent;
    return { ...spec, wakes: "reports", writesTo: ["user", "#"], signals: [], spawns: true };
  });
}

function metadata(
  definition: PatternDefinition,
  advances: readonly PatternAdvance[],
): ReturnType<TalkPattern["metadata"]> {
  const orchestrator = orchestratorOf(definition);
  const reports = memberReports(definition, advances).filter(({ agent }) => agent !== orchestrator);
  const spawned = reports.map(({ agent, status, summary }) => ({ agent, status, summary }));
  return { orchestrator, spawned, unfinished: unfinishedOf(reports) };
}

function orchestratorOf({ agents }: PatternDefinition): string {
  return crewOf(agents)[0]?.id ?? "";
}

function check({ agents, within }: PatternDefinition): readonly PatternFault[] {
  const [orchestrator, ...others] = crewOf(agents);
  const more = others.map(({ id }) => ({
    agent: id,
    problem: `collab has one agent, which spawns the others, and "${id}" is one more`,
    hint: "use pattern: hub-spoke for workers that the file names, or leave it out",
  }));
  // Whoever has other steps beside this one is what the workflow around it says.
  if (within === undefined || orchestrator?.spawns === true) return more;
  const { id = "" } = orchestrator ?? {};
  const problem = `"${id}" leads agents that it spawns, and may not spawn any`;
  return [{ agent: id, problem, hint: "write spawns: true for it" }, ...more];
}
