import type { ConformanceCase } from "../conformance-case.ts";
import { brokenModelCases } from "./broken-model.ts";
import { endedProgramCases } from "./ended-program.ts";
import { endedTurnCases } from "./ended-turn.ts";
import { isolationCases } from "./isolation.ts";
import { permissionCases } from "./permissions.ts";
import { sessionCases } from "./sessions.ts";
import { toolCases } from "./tools.ts";
import { turnCases } from "./turns.ts";

/** All that is expected of a real agent, the simplest first. */
export const conformanceCases: readonly ConformanceCase[] = [
  ...turnCases,
  ...sessionCases,
  ...toolCases,
  ...permissionCases,
  ...endedTurnCases,
  ...endedProgramCases,
  ...brokenModelCases,
  ...isolationCases,
];
