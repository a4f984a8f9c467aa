import { z } from "zod";
import type { PatternDefinition } from "../../contracts/definition.ts";
import {
  definePattern,
  type PatternAdvance,
  type PatternFault,
  type TurnEstimate,
} from "../../contracts/ports/pattern.ts";
import { count } from "../../foundation/count.ts";
import { crewOf } from "../primitives/shadows/crew.ts";
import { faultsOfBounds, faultsOfNames, memberNamed } from "../talk/find-members.ts";
import { seatsIn } from "../talk/layer-seats.ts";
import { type GivenAnswer, gather } from "../talk/layers.ts";
import { plainSignal } from "../talk/plain-answer.ts";
import { answeringOnly, runTalk, type TalkEnd, type TalkPattern } from "../talk/run-talk.ts";
import type { Talk } from "../talk/talk.ts";
import type { Role, TurnCall } from "../talk/talk-turn.ts";
import { renderConvention } from "./conventions/convention.ts";
import { mapperConvention, reducerConvention } from "./conventions/map-reduce-convention.ts";

const MAX_ITEMS = 1000;
const MAX_LABEL_CHARS = 200;

const block = z.strictObject({
  goal: z.string().min(1).optional().describe("What all is for. Default: the task."),
  items: z
    .array(z.string().min(1))
    .min(1)
    .max(MAX_ITEMS)
    .optional()
    .describe("What is looked at, one by one. Default: the lines of the goal."),
  map: z
    .string()
    .min(1)
    .optional()
    .describe("Whose copies look at one item each. Default: the first agent that does not reduce."),
  reduce: z
    .string()
    .min(1)
    .optional()
    .describe("Who makes one result of all. Default: the only lead, else the last agent."),
});

const pattern: TalkPattern = {
  members: answeringOnly,
  role: roleOf,
  metadata: (_definition, advances) => reportOf(advances),
  talk: mapAndReduce,
};

/** A copy of one agent for each item, all at once, and one agent that makes a single result of what they found. */
export const mapReducePattern = definePattern({
  name: "map-reduce",
  summary: "A copy of an agent looks at each item, and one makes a single result of all",
  block,
  goalKey: "goal",
  onFailure: "continue",
  order: "mode",
  members: pattern.members,
  metadata: pattern.metadata,
  check,
  turns,
  links: (definition) => {
    const { mapper, reducer } = seatsOf(definition);
    return [{ from: mapper, to: reducer, kind: "signal", label: "each item" }];
  },
  run: (context, definition) => runTalk(context, definition, pattern),
});

async function mapAndReduce(talk: Talk): Promise<TalkEnd> {
  const { definition } = talk;
  const { mapper, reducer } = seatsOf(definition);
  const items = await itemsFor(talk);
  const problem = problemOf(items);
  if (problem !== undefined) return { outcome: "failed", reason: problem };
  const mapped = items.map((item, index) => ({ item, id: copyName(mapper, index), index }));
  const template = talk.members.find(({ id }) => id === mapper);
  if (template === undefined) throw new Error(`agent "${mapper}" is not in the definition`);
  for (const { id } of mapped)
    await talk.team.admit({ ...template, id, name: id, copyOf: template.id });
  const answers: GivenAnswer[] = [];
  const byId = new Map(mapped.map((one) => [one.id, one]));
  const said = await talk.turns(
    mapped.map((one) => callOf(definition, { ...one, of: items.length })),
    {
      onSaid: (id, { status }) => {
        const { item = "", index = 0 } = byId.get(id) ?? {};
        const data = { item: clipped(item), place: index + 1, of: items.length, agent: id };
        talk.advance("mapped", { ...data, done: status === "said" });
        return false;
      },
    },
  );
  for (const { id: agent, item } of mapped) {
    const came = said.get(agent);
    if (came?.status === "said") answers.push({ agent, about: clipped(item), text: came.output });
  }
  const workers = mapped.map(({ id }) => id);
  return gather(
    talk,
    { gatherer: reducer, workers, role: (id) => roleOf(definition, id) },
    answers,
  );
}

async function itemsFor(talk: Talk): Promise<readonly string[]> {
  const { items } = block.parse(talk.definition.options);
  if (items !== undefined) return items;
  const lines = (await talk.goal()).split(/\r?\n/).map((line) => line.trim());
  return lines.filter((line) => line !== "");
}

function problemOf(items: readonly string[]): string | undefined {
  if (items.length === 0) return "there are no items: write them, or a goal with one in each line";
  return items.length > MAX_ITEMS
    ? `there are ${items.length} items, and ${MAX_ITEMS} at most are looked at`
    : undefined;
}

interface MappedItem {
  readonly id: string;
  readonly item: string;
  readonly index: number;
  readonly of: number;
}

function callOf(definition: PatternDefinition, { id, item, index, of }: MappedItem): TurnCall {
  return {
    agent: id,
    role: roleOf(definition, id),
    now: `Your item, number ${index + 1} of ${of}, is above. Do your part for it alone, and end with a line \`DONE: <what you found>\`.`,
    blocks: [{ label: `item ${index + 1}`, text: item }],
    demand: { kinds: ["done"], form: "DONE: <what you found>", plain: plainSignal("done") },
    announce: "none",
    isFresh: true,
  };
}

function copyName(agent: string, index: number): string {
  return `${agent}-${index + 1}`;
}

function clipped(item: string): string {
  return item.length > MAX_LABEL_CHARS ? `${item.slice(0, MAX_LABEL_CHARS).toWellFormed()}…` : item;
}

function seatsOf(definition: PatternDefinition): {
  readonly mapper: string;
  readonly reducer: string;
} {
  const { map, reduce } = block.parse(definition.options);
  const workers = map === undefined ? undefined : [map];
  const seats = seatsIn(definition, { workers, gatherer: reduce });
  return { mapper: seats.workers[0] ?? "", reducer: seats.gatherer };
}

function roleOf(definition: PatternDefinition, agent: string): Role {
  const { reducer, mapper } = seatsOf(definition);
  const convention = agent === reducer ? reducerConvention : mapperConvention;
  return {
    marker: "DONE",
    convention: (facts) => renderConvention(convention, { ...facts, mapper, reducer }),
  };
}

function turns({ options }: PatternDefinition): TurnEstimate {
  const { items } = block.parse(options);
  if (items === undefined)
    return { least: 2, most: MAX_ITEMS + 1, basis: "1 for each line of the goal + 1 that reduces" };
  const basis = `${count(items.length, "item")} + 1 that reduces`;
  return { least: items.length + 1, most: items.length + 1, basis };
}

function check(definition: PatternDefinition): readonly PatternFault[] {
  const { map, reduce, items } = block.parse(definition.options);
  const crew = crewOf(definition.agents);
  const faults = [
    ...faultsOfNames("map", map === undefined ? [] : [map], crew),
    ...faultsOfNames("reduce", reduce === undefined ? [] : [reduce], crew),
    ...faultsOfBounds(definition, { items }),
  ];
  if (faults.length > 0) return faults;
  const { mapper, reducer } = seatsOf(definition);
  if (mapper === "" || reducer === "")
    return [
      {
        problem: "map-reduce needs two agents",
        hint: "add one that looks at items, or one that reduces",
      },
    ];
  if (memberNamed(crew, mapper)?.id === reducer)
    return [
      {
        key: "reduce",
        problem: `${reducer} would reduce its own results`,
        hint: "name another agent",
      },
    ];
  const copies = copyName(mapper.toLowerCase(), 0).slice(0, -1);
  return crew
    .filter(
      ({ id }) => id.toLowerCase().startsWith(copies) && /^\d+$/.test(id.slice(copies.length)),
    )
    .map(({ id }) => ({ agent: id, problem: `copies of ${mapper} have such ids as ${id}` }));
}

const note = z.object({ item: z.string(), place: z.number(), done: z.boolean() });

function reportOf(advances: readonly PatternAdvance[]): ReturnType<TalkPattern["metadata"]> {
  const items = advances.flatMap(({ kind, data }) => (kind === "mapped" ? [note.parse(data)] : []));
  const open = items.filter(({ done }) => !done).sort((one, other) => one.place - other.place);
  return { items: items.length, missing: open.map(({ item }) => item) };
}
