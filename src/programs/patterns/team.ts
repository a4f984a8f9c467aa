import { z } from "zod";
import type { PatternDefinition } from "../../contracts/definition.ts";
import {
  definePattern,
  type PatternAdvance,
  type TurnEstimate,
} from "../../contracts/ports/pattern.ts";
import { toJson } from "../../foundation/json.ts";
import { present } from "../../foundation/present.ts";
import { runTalk, type TalkPattern } from "../talk/run-talk.ts";
import { ENDED_NOTE, runTeam, STARTED_NOTE } from "../team/run-team.ts";
import { countTasks, taskReports } from "../team/task.ts";
import { teamBlock, teamFaults, teamMembers, teamSettings } from "../team/team-settings.ts";

const pattern: Omit<TalkPattern, "talk"> = {
  members: teamMembers,
  role: () => {
    throw new Error("a team has no steps");
  },
  metadata,
};

/** A leader that only plans and hands out, and workers that take tasks from a list which people may edit meanwhile. */
export const teamPattern = definePattern({
  name: "team",
  summary:
    "A leader who only delegates, and workers who take tasks from a list that people may edit",
  block: teamBlock,
  onFailure: "continue",
  order: "mode",
  members: teamMembers,
  metadata,
  check: teamFaults,
  claims: (definition) => {
    const { name } = teamSettings(definition);
    // Two teams that nobody named share no list.
    return name === undefined ? [] : [{ what: "team", name }];
  },
  turns,
  links: (definition) => {
    const { leader, workers } = teamSettings(definition);
    return workers.map(({ id }) => ({ from: leader.id, to: id, kind: "order" }));
  },
  run: (context, written) => {
    const talk: TalkPattern["talk"] = (started) => runTeam(started, written);
    return runTalk(context, written, { ...pattern, talk });
  },
});

const place = z.object({ team: z.string(), list: z.string() });
const end = z.object({ forced: z.boolean() });

function metadata(
  _definition: PatternDefinition,
  advances: readonly PatternAdvance[],
): ReturnType<TalkPattern["metadata"]> {
  const tasks = taskReports(advances);
  const started = advances.find(({ kind }) => kind === STARTED_NOTE);
  const ended = advances.find(({ kind }) => kind === ENDED_NOTE);
  return {
    ...present(place.partial().parse(started?.data ?? {})),
    ...countTasks(tasks),
    forced: ended !== undefined && end.parse(ended.data).forced,
    tasks: toJson(tasks, "the tasks of a team"),
  };
}

/** The leader plans and ends it; each task is a turn, and nobody knows how many there will be. */
function turns(definition: PatternDefinition): TurnEstimate {
  const { maxWorkers } = teamSettings(definition);
  return {
    least: 1,
    most: null,
    basis: `1 leader + 1 per task, up to ${maxWorkers} at a time`,
  };
}
