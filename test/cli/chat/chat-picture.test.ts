import { expect, test } from "vitest";
import { EMPTY_INPUT } from "../../../src/cli/chat/chat-input.ts";
import { chatPicture } from "../../../src/cli/chat/chat-picture.ts";
import { UNICODE_GLYPHS } from "../../../src/cli/terminal/glyphs.ts";
import { createPaint } from "../../../src/cli/terminal/paint.ts";
import { createLiveStyle } from "../../../src/cli/view/live/live-style.ts";
import type { InboxItem } from "../../../src/fold/state/inbox-state.ts";
import { emptyRunState } from "../../../src/fold/state/run-state.ts";

const style = createLiveStyle(UNICODE_GLYPHS, createPaint(false));

function permission(command: string): InboxItem {
  return {
    ...{ kind: "permission", id: "prm_1", agent: "a", turn: 1, tool: "Bash", input: { command } },
    ...{ text: "Bash", createdAt: 0, seq: 1, step: undefined, expiresAt: undefined },
    known: undefined,
  };
}

function picture(item: InboxItem): readonly string[] {
  return chatPicture(
    {
      ...{ state: emptyRunState("run_a"), input: EMPTY_INPUT, addressee: "a", working: [], item },
      ...{ others: [], size: { columns: 60, rows: 24 } },
    },
    style,
  );
}

test("who is asked for a permission sees all lines of the call, or how many she does not see [T12]", () => {
  const short = picture(permission("make\nrm -rf build")).join("\n");
  expect(short).toContain("rm -rf build");
  expect(short).not.toContain("/inbox shows all");
  const command = Array.from({ length: 20 }, (_, index) => `step-${index}`).join("\n");
  const long = picture(permission(command));
  expect(long.join("\n")).toMatch(/\d+ more lines: \/inbox shows all of it/);
  for (const line of long) expect(line.length).toBeLessThan(60);
});
