import { test } from "vitest";
import { approvals } from "./statements/approvals.ts";
import { branches } from "./statements/branches.ts";
import { context } from "./statements/context.ts";
import { definition } from "./statements/definition.ts";
import { directory } from "./statements/directory.ts";
import { ends } from "./statements/ends.ts";
import { passing } from "./statements/passing.ts";
import { sideBySide } from "./statements/side-by-side.ts";
import { stepKeys } from "./statements/step-keys.ts";

// The table of what the source of step workflows says: each row names a statement, what decided where the source is
// of two minds or its code does not do what its text says, and shows that it holds.

test.for(definition)("of a workflow's file: $title [STP-1, STP-3, STP-13]", ({ check }) => check());

test.for(stepKeys)("of the keys of a step: $title [STP-2, STP-4, STP-15, STP-16]", ({ check }) =>
  check(),
);

test.for(context)("of the context: $title [STP-5, STP-10.answer, STP-17]", ({ check }) => check());

test.for(branches)(
  "of conditions and transforms: $title [STP-6, STP-9, STP-18, WF-5]",
  ({ check }) => check(),
);

test.for(sideBySide)("of parallel steps: $title [STP-7, STP-16]", ({ check }) => check());

test.for(approvals)("of approvals: $title [STP-8, STP-15]", ({ check }) => check());

test.for(ends)("of guards, failures and ends: $title [STP-3, STP-4, STP-18, ENG-11]", ({ check }) =>
  check(),
);

test.for(passing)("of passing data on: $title [STP-5, STP-12, WF-13]", ({ check }) => check());

test.for(directory)("of a directory of workflows: $title [STP-11, STP-12]", ({ check }) => check());
