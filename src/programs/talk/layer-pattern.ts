import type { PatternDefinition } from "../../contracts/definition.ts";
import { definePattern, type Pattern } from "../../contracts/ports/pattern.ts";
import { count } from "../../foundation/count.ts";
import { renderConvention } from "../patterns/conventions/convention.ts";
import {
  layerGathererConvention,
  layerWorkerConvention,
} from "../patterns/conventions/layers-convention.ts";
import { faultsOfBounds } from "./find-members.ts";
import type { LayerKind } from "./layer-kind.ts";
import { faultsOfSeats, seatsIn } from "./layer-seats.ts";
import { answerInLayers, type LayerPlan, layerReport } from "./layers.ts";
import { answeringOnly, runTalk, type TalkPattern } from "./run-talk.ts";

/** Declares such a pattern. */
export function toLayerPattern(kind: LayerKind): Pattern {
  const planOf = (definition: PatternDefinition) => toPlan(kind, definition);
  const pattern: TalkPattern = {
    members: answeringOnly,
    role: (definition, agent) => planOf(definition).role(agent),
    metadata: (_definition, advances) => layerReport(advances),
    talk: (talk) => answerInLayers(talk, planOf(talk.definition)),
  };
  const { name, summary, block, keys } = kind;
  return definePattern({
    ...{ name, summary, block },
    goalKey: "goal",
    onFailure: "continue",
    order: "mode",
    members: pattern.members,
    metadata: pattern.metadata,
    check: (definition) => {
      const given = kind.read(definition.options);
      return [
        ...faultsOfSeats(definition, given, keys),
        ...faultsOfBounds(definition, { layers: given.layers }),
      ];
    },
    turns: (definition) => {
      const { workers, layers } = planOf(definition);
      const turns = workers.length * layers + 1;
      const basis = `${count(workers.length, "agent")}${layers === 1 ? "" : ` x ${layers} layers`} + 1 that gathers`;
      return { least: workers.length + 1, most: turns, basis };
    },
    links: (definition) => {
      const { workers, gatherer } = planOf(definition);
      return workers.map((from) => ({ from, to: gatherer, kind: "signal" as const }));
    },
    run: (context, definition) => runTalk(context, definition, pattern),
  });
}

function toPlan(kind: LayerKind, definition: PatternDefinition): LayerPlan {
  const given = kind.read(definition.options);
  const seats = { ...seatsIn(definition, given), layers: given.layers ?? kind.defaultLayers };
  const conventionOf = (agent: string) =>
    agent === seats.gatherer ? layerGathererConvention : layerWorkerConvention;
  return {
    ...seats,
    role: (agent) => ({
      marker: "DONE",
      convention: (facts) => renderConvention(conventionOf(agent), { ...facts, ...seats }),
    }),
  };
}
