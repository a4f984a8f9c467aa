import { writeFileSync } from "node:fs";
import { expect } from "vitest";
import { scriptText } from "../../model-server/script.ts";
import type { ConformanceCase } from "../conformance-case.ts";
import { beginTurn, takeTurn } from "../played-turn.ts";
import { commandThat, fileAppears, modelIsAsked } from "../tool-script.ts";

/** Programs that end when nobody asked them to. */
export const endedProgramCases: readonly ConformanceCase[] = [
  {
    key: "crash",
    name: "a program that is killed in the middle of a tool loses its session, not its memory [AGT-7.crash, T8]",
    run: async (bench) => {
      const session = await bench.open();
      await takeTurn(session, scriptText({ text: "before the crash" }));
      const running = scriptText({ calls: [{ shell: commandThat(bench) }] }, { text: "never" });
      const turn = beginTurn(session, running, { turn: 2 });
      await fileAppears(bench, "started");
      const programs = (await bench.living()).filter(({ parent }) => parent === process.pid);
      expect(programs).not.toEqual([]);
      for (const { pid } of programs) process.kill(pid, "SIGKILL");
      const { end } = await turn.over;
      expect(end).toMatchObject({ type: "error", sessionLost: true });
      expect(end.type === "error" && end.error.retryable).toBe(true);
      await session.close();
      expect(await bench.living()).toEqual([]);

      const { resume } = session;
      const resumed = await bench.open(resume === undefined ? {} : { resume });
      const next = await takeTurn(resumed, scriptText({ text: "after it" }), { turn: 3 });
      expect(next.end).toEqual({ type: "stop", reason: "end_turn", text: "after it" });
      const replies =
        bench
          .asked()
          .at(-1)
          ?.entries.filter(({ kind }) => kind === "reply") ?? [];
      expect(replies.map(({ text }) => text).join("\n")).toContain("before the crash");
    },
  },
  {
    key: "exit",
    name: "a program that exits with 0 in the middle of a turn has not completed it [AGT-2, AGT-7.crash]",
    run: async (bench) => {
      const session = await bench.open({
        wrap: (program) => leaving(bench.fileAt("leave"), program),
      });
      const turn = beginTurn(session, scriptText({ text: "never", ending: "hang" }));
      await modelIsAsked(bench);
      writeFileSync(bench.fileAt("leave"), "");
      expect((await turn.over).end).toMatchObject({
        type: "error",
        sessionLost: true,
        error: { code: "BACKEND_EXITED", retryable: true },
      });
    },
  },
];

/** The program, with pipes of its own, that is gone with exit code 0 once a file is there. */
function leaving(
  file: string,
  program: readonly [string, ...string[]],
): readonly [string, ...string[]] {
  const code = `
    const { existsSync } = require("node:fs");
    const [program, ...args] = process.argv.slice(1);
    const child = require("node:child_process").spawn(program, args, { stdio: "inherit" });
    child.on("exit", (code) => process.exit(code ?? 1));
    setInterval(() => {
      if (!existsSync(${JSON.stringify(file)})) return;
      child.removeAllListeners("exit");
      child.once("exit", () => process.exit(0));
      child.kill("SIGKILL");
    }, 20);`;
  return [process.execPath, "-e", code, "--", ...program];
}
