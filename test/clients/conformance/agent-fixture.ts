import type { AgentSpec } from "../../../src/contracts/agent.ts";
import type { AgentBackend } from "../../../src/contracts/backend.ts";
import type { Clock } from "../../../src/foundation/clock.ts";
import type { ProcessHost } from "../../../src/host/host.ts";
import type { ClientName } from "../pinned-clients.ts";
import type { ConformanceKey } from "./conformance-case.ts";

// How a command line joins the suite of real agents:
//
// 1. Its exact version gets an entry in pinned-clients.ts, and its name a place in TESTED of
//    install-clients.ts.
// 2. A file here, named for the client, exports one AgentFixture: how its backend is made, and which
//    variables send it to the scripted model and to no other address.
// 3. Its test file, such as claude.test.ts, hands that to testConformance of suite.ts. A file each, so that
//    clients are tested at the same time and can be tested alone: `npm run test:clients -- conformance/claude`.
//
// All that is alike for all clients (directories, sessions, turns, looking at processes) is the work of
// bench.ts. What a client cannot do at all is named in `cannot` with the reason; these cases are reported
// as skipped with it, and so never as passed. A case that merely fails is a bug of the backend.

/** Where a client runs. */
export interface FixturePlaces {
  /** Base URL of the scripted model: the only address that the client may be told. */
  readonly modelUrl: string;
  /** HOME of the person who runs Troupe, empty at first. */
  readonly home: string;
}

/** What the backend of a client is made of. */
export interface BackendParts extends FixturePlaces {
  /** For `command` in the settings of the backend: the installed program with its first arguments. */
  readonly program: readonly [string, ...string[]];
  readonly host: ProcessHost;
  readonly clock: Clock;
}

/** A real client under test. */
export interface AgentFixture {
  readonly client: ClientName;
  createBackend(parts: BackendParts): AgentBackend;
  /** Signed in by a key: what `AgentBackend.passes` lets through, with the address of the model. */
  keyEnv(places: FixturePlaces): { readonly [name: string]: string };
  /** Signed in by a stored login instead. Absent: `cannot` says why under `login`. */
  readonly login?: FixtureLogin;
  /** What agents of this client need beside that, such as `model`. */
  readonly spec?: Pick<AgentSpec, "model" | "settings">;
  /** Longer than other clients, in one that is slow to start or to give up. */
  readonly patience?: FixturePatience;
  /** It does not start in a project that configures it, until that is trusted. */
  readonly refusesUntrusted?: true;
  /** Cases that the client cannot have, with the reason in words. */
  readonly cannot: { readonly [key in ConformanceKey]?: string };
}

/** How long a client may take. */
export interface FixturePatience {
  /** For one case. */
  readonly caseMs: number;
  /** From a prompt to the error, when its model fails. */
  readonly failureMs: number;
}

/** A login as the client itself would have stored it, with secrets that are made up. */
export interface FixtureLogin {
  /** Writes it below `home`; returns the file that holds the secret. */
  write(places: FixturePlaces): string;
  /** A secret text in that file. */
  readonly secret: string;
  /** Sends the client to the model, without any key. */
  env(places: FixturePlaces): { readonly [name: string]: string };
}
