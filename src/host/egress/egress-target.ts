import { isIPv4, isIPv6 } from "node:net";

/** A host with a port, spelled in the one way in which two of them can be compared. */
export interface EgressTarget {
  /** In lower case, without a dot at its end; an address in its shortest form, without brackets. */
  readonly host: string;
  readonly port: number;
  readonly isAddress: boolean;
}

/** What an entry of an allow-list stands for; `isSuffix`: every name below `host`, not `host` itself. */
export interface EgressRule extends EgressTarget {
  readonly isSuffix: boolean;
}

const DEFAULT_PORT = 443;
const MAX_PORT = 65_535;
const MAX_TARGET_CHARS = 262;
const MAX_NAME_CHARS = 253;
const TARGET = /^(?:\[([0-9a-f:.]+)\]|([a-z0-9._-]+)):([0-9]{1,5})$/i;
const LABEL = /^[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?$/;
// Resolvers take `1`, `0x7f.1` and `2130706433` for addresses.
const NUMBER = /^(?:[0-9]+|0x[0-9a-f]*)$/;
const SCHEME_PORTS: ReadonlyMap<string, number> = new Map([
  ["http:", 80],
  ["https:", 443],
  ["ws:", 80],
  ["wss:", 443],
]);

/** Reads `host:port`; undefined for anything that a parser elsewhere could read in another way. */
export function parseTarget(text: string): EgressTarget | undefined {
  if (text.length > MAX_TARGET_CHARS) return undefined;
  const [, bracketed, plain = "", digits] = TARGET.exec(text) ?? [];
  const port = Number(digits);
  if (!(port >= 1 && port <= MAX_PORT)) return undefined;
  const host = bracketed === undefined ? toHost(plain.toLowerCase()) : toAddress(bracketed);
  if (host === undefined) return undefined;
  return { host, port, isAddress: bracketed !== undefined || isIPv4(host) };
}

/** Reads `host`, `host:port`, `*.suffix`, an address or a URL; the port is 443 where none is said. */
export function parseRule(text: string): EgressRule | undefined {
  if (text.includes("://")) return ofUrl(text);
  const isSuffix = text.startsWith("*.");
  const rest = isSuffix ? text.slice(2) : text;
  const isBare = isIPv6(rest);
  const hasPort = !isBare && /:[0-9]+$/.test(rest);
  const host = isBare ? `[${rest}]` : rest;
  const target = parseTarget(hasPort ? host : `${host}:${DEFAULT_PORT}`);
  if (target === undefined) return undefined;
  // All of `*.com` is no list; who wants everything says so in another way.
  if (isSuffix && (target.isAddress || !target.host.includes("."))) return undefined;
  return { ...target, isSuffix };
}

/** The text that `parseTarget` reads. */
export function targetText({ host, port }: Omit<EgressTarget, "isAddress">): string {
  return `${host.includes(":") ? `[${host}]` : host}:${port}`;
}

function ofUrl(text: string): EgressRule | undefined {
  const { protocol = "", hostname = "", port = "" } = URL.parse(text) ?? {};
  const known = SCHEME_PORTS.get(protocol);
  if (known === undefined) return undefined;
  const target = parseTarget(`${hostname}:${port === "" ? known : port}`);
  return target === undefined ? undefined : { ...target, isSuffix: false };
}

function toHost(text: string): string | undefined {
  if (isIPv4(text)) return text;
  const name = text.endsWith(".") ? text.slice(0, -1) : text;
  const labels = name.split(".");
  if (name.length > MAX_NAME_CHARS || NUMBER.test(labels.at(-1) ?? "")) return undefined;
  return labels.every((label) => LABEL.test(label)) ? name : undefined;
}

function toAddress(text: string): string | undefined {
  if (!isIPv6(text)) return undefined;
  return URL.parse(`http://[${text}]/`)?.hostname.slice(1, -1);
}
