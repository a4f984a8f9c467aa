import { ID_PATTERN } from "../../foundation/ids.ts";
import { idDuplicate, idInvalid } from "../checks/errors.ts";
import { type LocatedText, textAt } from "../checks/file-view.ts";
import { stepIdReserved } from "./errors.ts";
import type { StepView } from "./step-view.ts";
import type { StepsCheck } from "./steps-check.ts";

/** Names under which a step finds something else than the data of steps (STP-5). */
export const RESERVED_STEP_IDS: ReadonlySet<string> = new Set([
  ...["input", "context", "errors", "item", "index"],
]);

/** Checks the ids of the workflow and its steps: their form, and that each name means one thing. */
export function checkStepIds(check: StepsCheck): void {
  const { view, report } = check;
  const name = textAt(view.root, "id");
  if (name !== undefined && !ID_PATTERN.test(name.text))
    report(idInvalid({ what: "the id of a workflow", id: name.text }), name.node);
  const seen = new Map<string, StepView>();
  for (const step of view.all) {
    const { id, idRange } = step;
    if (id === undefined) continue;
    checkName(check, { text: id, range: idRange, what: "the id of a step" });
    const first = seen.get(id);
    if (first === undefined) seen.set(id, step);
    else
      report(idDuplicate({ what: "steps", id, other: id }), idRange, {
        related: [{ range: first.idRange, label: "the first one" }],
      });
  }
  for (const step of view.all) {
    const output = textAt(step.node, "output");
    if (output !== undefined) checkOutput(check, { step, output, owner: seen.get(output.text) });
  }
}

interface CheckedName {
  readonly text: string;
  readonly range: StepView["idRange"];
  readonly what: string;
}

function checkName({ report }: StepsCheck, { text, range, what }: CheckedName): void {
  if (!ID_PATTERN.test(text)) report(idInvalid({ what, id: text }), range);
  else if (RESERVED_STEP_IDS.has(text)) report(stepIdReserved({ what, id: text }), range);
}

interface CheckedOutput {
  readonly step: StepView;
  readonly output: LocatedText;
  /** The step whose id it is. */
  readonly owner: StepView | undefined;
}

/** Several steps may have one output name: then the last one that ran counts. */
function checkOutput(check: StepsCheck, { step, output, owner }: CheckedOutput): void {
  const { text, node } = output;
  checkName(check, { text, range: node, what: "the output of a step" });
  if (owner === undefined || owner === step) return;
  check.report(idDuplicate({ what: "steps or outputs", id: text, other: text }), node, {
    related: [{ range: owner.idRange, label: "the step" }],
  });
}
