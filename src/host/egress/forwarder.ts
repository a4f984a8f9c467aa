import { dirname, extname, join } from "node:path";
import { packageFile } from "../../foundation/package-file.ts";
import { sandboxUnavailable } from "../system/errors.ts";
import { addressKind } from "./address-kind.ts";
import { type EgressTarget, parseTarget, targetText } from "./egress-target.ts";
import { type EgressReach, isLocalName } from "./judge-target.ts";

/** A confined program behind the forwarder that is its network. */
export interface ForwardedProgram {
  readonly file: string;
  readonly args: readonly string[];
  /** Paths that have to be readable inside, absolute. */
  readonly readable: readonly string[];
  /** Variables that the forwarder itself must not see; it hands them on. */
  readonly unset: readonly string[];
}

/** What is to be put behind a forwarder. */
export interface ForwardRequest {
  /** Absolute file of the program. */
  readonly file: string;
  readonly args: readonly string[];
  readonly env: { readonly [name: string]: string };
}

const PROXY_PORT = 3128;
const FIRST_OPEN_PORT = 1024;

/**
 * How a program is started behind a forwarder: local addresses keep their port inside, all else goes by a proxy.
 * Raises HOST_SANDBOX_UNAVAILABLE for a local port that nobody inside may listen on.
 */
export function behindForwarder(
  { file, args, env }: ForwardRequest,
  reach: EgressReach,
): ForwardedProgram {
  // Beside this file: a source, a built module or a part of the bundled command.
  const script = join(import.meta.dirname, `forwarder-main${extname(import.meta.filename)}`);
  const doors = doorsOf(reach);
  const ports = new Set(doors.map(({ port }) => port));
  let proxyPort = PROXY_PORT;
  while (ports.has(proxyPort)) proxyPort += 1;
  const { NODE_OPTIONS: nodeOptions = "" } = env;
  const own = [String(proxyPort), doors.map(targetText).join(","), nodeOptions];
  return {
    file: process.execPath,
    args: [script, ...own, file, ...args],
    readable: [process.execPath, dirname(script), packageFile("package.json")],
    unset: ["NODE_OPTIONS"],
  };
}

function doorsOf({ local }: EgressReach): readonly EgressTarget[] {
  const doors = local
    .map(parseTarget)
    .filter((target) => target !== undefined)
    .filter(({ host }) => isLocalName(host) || addressKind(host) === "loopback");
  const closed = doors.find(({ port }) => port < FIRST_OPEN_PORT);
  if (closed !== undefined) {
    const reason = `${targetText(closed)} cannot be reached from a sandbox: its port is below ${FIRST_OPEN_PORT}`;
    throw sandboxUnavailable({ reason });
  }
  const named = new Set(doors.filter(({ host }) => isLocalName(host)).map(({ port }) => port));
  // What is called localhost is listened for under both addresses that this may mean.
  return doors.filter(({ host, port }) => isLocalName(host) || !named.has(port) || !isUsual(host));
}

function isUsual(host: string): boolean {
  return host === "127.0.0.1" || host === "::1";
}
