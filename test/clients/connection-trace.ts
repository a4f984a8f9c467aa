import { existsSync, readFileSync } from "node:fs";
import { has } from "../machine.ts";

/** Sees every address that a program and its children connect to, where strace is installed. */
export interface ConnectionTrace {
  /** Stands before the program; empty without strace. */
  readonly prefix: readonly string[];
  /** Addresses of the internet so far, each once: `127.0.0.1:80`, `::1:80`. */
  addresses(): readonly string[];
}

const CONNECT_PATTERN =
  /connect\(\d+, \{sa_family=AF_INET6?, sin6?_port=htons\((\d+)\).*?(?:inet_addr\(|inet_pton\(AF_INET6, )"([^"]+)"/g;

/** A trace that is written to a file. */
export function traceConnections(file: string): ConnectionTrace {
  // Only the traced calls stop the program, so that it runs at about its own speed.
  const flags = ["-f", "--seccomp-bpf", "-qq", "-e", "trace=connect", "-e", "signal=none"];
  return {
    prefix: has("strace") ? ["strace", ...flags, "-o", file, "--"] : [],
    addresses: () => {
      const text = existsSync(file) ? readFileSync(file, "utf8") : "";
      const found = [...text.matchAll(CONNECT_PATTERN)].map(([, port, host]) => `${host}:${port}`);
      return [...new Set(found)].toSorted();
    },
  };
}
