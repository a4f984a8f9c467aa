import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { createRecordingClient } from "../../../../src/testing/turn-request.ts";
import { has } from "../../../machine.ts";
import { traceConnections } from "../../connection-trace.ts";
import { scriptText } from "../../model-server/script.ts";
import type { ConformanceCase } from "../conformance-case.ts";
import { obeyed, writeHostileRepository } from "../hostile-repository.ts";
import { takeTurn } from "../played-turn.ts";

const COMMAND = "echo seen";
const WORKS = scriptText({ calls: [{ shell: COMMAND }] }, { text: "it said $RESULT" });

/** What agents get from the machine and its user, and leave there. */
export const isolationCases: readonly ConformanceCase[] = [
  {
    key: "hostile",
    name: "what a repository configures for the program has no effect before it is trusted [SEC-1, T6]",
    run: async (bench) => {
      writeHostileRepository(bench);
      if (bench.fixture.refusesUntrusted === true) {
        await expect(bench.open()).rejects.toMatchObject({ code: "BACKEND_PROJECT_UNTRUSTED" });
        expect(obeyed(bench)).toEqual([]);
        return;
      }
      const client = createRecordingClient();
      const { end } = await takeTurn(await bench.open(), WORKS, { client });
      expect(end).toMatchObject({ type: "stop", reason: "end_turn" });
      expect(end.text).toContain("seen");
      expect(obeyed(bench)).toEqual([]);
      // Its rules of what is allowed are no rules here.
      expect(client.calls).toMatchObject([{ method: "requestPermission" }]);
    },
  },
  {
    key: "home",
    name: "an agent with a key leaves the home of the user and the project as they were [AGT-14, MCP-5]",
    run: async (bench) => {
      const session = await bench.open();
      const { end } = await takeTurn(session, WORKS);
      await session.close();
      expect(end).toMatchObject({ type: "stop", reason: "end_turn" });
      expect(readdirSync(bench.home)).toEqual([]);
      expect(readdirSync(bench.cwd)).toEqual([".git"]);
      const { env } = bench.request();
      expect(bench.createBackend().signIn?.(env)).toMatchObject({ by: "key" });
    },
  },
  {
    key: "login",
    name: "a stored login is used where it lies: neither copied nor changed, and as isolated [AGT-14, SEC-1]",
    run: async (bench) => {
      const { login } = bench.fixture;
      if (login === undefined) throw new Error("a client without a login says so in `cannot`");
      const file = login.write(bench);
      const stored = readFileSync(file, "utf8");
      if (bench.fixture.refusesUntrusted !== true) writeHostileRepository(bench);
      const { env } = bench.request({ signedInBy: "login" });
      expect(bench.createBackend().signIn?.(env)).toMatchObject({ by: "login" });
      const first = await bench.open({ signedInBy: "login" });
      expect((await takeTurn(first, WORKS)).end.text).toContain("seen");
      const { resume } = first;
      await first.close();
      const further = resume === undefined ? {} : { resume };
      const second = await bench.open({ signedInBy: "login", ...further });
      const { end } = await takeTurn(second, scriptText({ text: "again" }), { turn: 2 });
      expect(end).toEqual({ type: "stop", reason: "end_turn", text: "again" });
      await second.close();
      expect(readFileSync(file, "utf8")).toBe(stored);
      expect(bench.filesWith(login.secret)).toEqual([file]);
      expect(obeyed(bench)).toEqual([]);
    },
  },
  {
    key: "addresses",
    name: "an agent talks to its model and to no other address [SEC-1]",
    run: async (bench) => {
      if (!has("strace")) bench.skip("without strace nobody sees what it connects to");
      const trace = traceConnections(join(bench.root, "connections.txt"));
      const [first = "", ...rest] = trace.prefix;
      const wrap = (program: readonly string[]) => [first, ...rest, ...program] as const;
      const session = await bench.open({ wrap });
      const { end } = await takeTurn(session, WORKS);
      await session.close();
      expect(end).toMatchObject({ type: "stop", reason: "end_turn" });
      expect(trace.addresses()).not.toEqual([]);
      expect(trace.addresses().filter((address) => !/^(127\.|::1:)/.test(address))).toEqual([]);
    },
  },
];
