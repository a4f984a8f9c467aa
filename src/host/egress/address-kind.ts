import { BlockList, isIPv4, isIPv6 } from "node:net";

/** Where an address leads: into the internet, to this machine, into a network around it, or nowhere of these. */
export type AddressKind = "public" | "loopback" | "private" | "special";

const LOOPBACK: readonly string[] = ["127.0.0.0/8", "::1/128"];

/** Networks that people run themselves: reachable only where an address of them is named. */
const PRIVATE: readonly string[] = [
  ...["10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16"],
  // Shared by the customers of a provider (RFC 6598), and used by overlays of machines.
  "100.64.0.0/10",
  // Unique local addresses.
  "fc00::/7",
];

/** What is never an agent's business, with the services that clouds offer to their machines. */
const SPECIAL: readonly string[] = [
  // This network, link-local with the metadata of clouds, multicast, reserved and broadcast.
  ...["0.0.0.0/8", "169.254.0.0/16", "224.0.0.0/4", "240.0.0.0/4"],
  // Protocol assignments, examples, relays of 6to4, measurements.
  ...["192.0.0.0/24", "192.0.2.0/24", "198.51.100.0/24", "203.0.113.0/24"],
  ...["192.88.99.0/24", "198.18.0.0/15"],
  // The agent of Azure and the metadata of Alibaba's cloud.
  ...["168.63.129.16/32", "100.100.100.200/32"],
  // They carry an address of version 4 that nobody would look at: Teredo, 6to4.
  ...["2001::/32", "2002::/16"],
  // Examples, benchmarks, identifiers that are no addresses.
  ...["2001:db8::/32", "3fff::/20", "2001:2::/48", "2001:10::/28", "2001:20::/28"],
];

// All else of version 6 is mapped, compatible, translated, link-local, multicast or not given to anybody.
const GLOBAL_UNICAST: readonly string[] = ["2000::/3"];

type Family = "ipv4" | "ipv6";
type NetworkLists = { readonly [family in Family]: BlockList };

interface Networks {
  readonly loopback: NetworkLists;
  readonly private: NetworkLists;
  readonly special: NetworkLists;
  readonly globalUnicast: NetworkLists;
}

// Made with the first address: most runs ask for none.
let known: Networks | undefined;

/** The kind of an address in its usual form; `special` for what is no address. */
export function addressKind(address: string): AddressKind {
  const family = familyOf(address);
  if (family === undefined) return "special";
  known ??= readNetworks();
  const { loopback, private: inner, special, globalUnicast } = known;
  const isIn = (lists: NetworkLists) => lists[family].check(address, family);
  if (isIn(special)) return "special";
  if (isIn(loopback)) return "loopback";
  if (isIn(inner)) return "private";
  return family === "ipv4" || isIn(globalUnicast) ? "public" : "special";
}

function readNetworks(): Networks {
  return {
    loopback: toLists(LOOPBACK),
    private: toLists(PRIVATE),
    special: toLists(SPECIAL),
    globalUnicast: toLists(GLOBAL_UNICAST),
  };
}

/** By family: one list of both would find a mapped address by the rules of the one inside of it. */
function toLists(networks: readonly string[]): NetworkLists {
  const lists = { ipv4: new BlockList(), ipv6: new BlockList() };
  for (const network of networks) {
    const [address = "", prefix = ""] = network.split("/");
    const family = familyOf(address);
    if (family !== undefined) lists[family].addSubnet(address, Number(prefix), family);
  }
  return lists;
}

function familyOf(address: string): Family | undefined {
  if (isIPv4(address)) return "ipv4";
  // A zone says on which interface: whoever writes one does not mean the internet.
  return isIPv6(address) && !address.includes("%") ? "ipv6" : undefined;
}
