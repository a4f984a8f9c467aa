import { expect, onTestFinished, test } from "vitest";
import { openChat } from "../../e2e/chat-terminal.ts";
import { has } from "../../machine.ts";
import { restorePlace } from "./place.ts";
import { CHAT } from "./situations.ts";
import { factsOf, nameOf, readLedger } from "./stopped-run.ts";

test.skipIf(!has("tmux"))(
  "a chat that an earlier version was killed in goes on: what was said is there, and is answered [P3, ENG-16, CHAT-2]",
  async () => {
    const [stop] = CHAT.stops;
    const place = restorePlace(`${CHAT.name}.${stop?.name}`, CHAT.name);
    onTestFinished(place.release);
    const { run } = factsOf(CHAT).stopped[stop?.name ?? ""] ?? {};
    const { terminal, say } = await openChat(["--resume", run ?? ""], {
      cwd: place.project,
      env: place.env,
    });
    await terminal.seen(new RegExp(`^> ${CHAT.says}$`));
    await terminal.seen(/I have heard you/);
    say("/end");
    await terminal.seen(/^run_\w+ is completed$/);
    // It was killed while the agent worked on it, so that the agent is asked once more, and then no more.
    expect(readLedger(place.root).map(nameOf)).toEqual(["heard", "heard"]);
  },
);
