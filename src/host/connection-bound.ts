import { closeSync, openSync, readFileSync } from "node:fs";
import type { Socket } from "node:net";
import { isShortage } from "../foundation/shortage.ts";

// Owns how many connections a door has open.
// D1: connections never take the descriptors that runs need for journals, logs and programs.
// D2: whoever has said nothing yet makes room for whoever comes; whoever is being served is never hung up on.

/** The connections of one door. */
export interface ConnectionBound {
  /** Counts a connection in; false when there was no room and it was hung up on. */
  admit(socket: Socket): boolean;
  /** Those that are open. */
  all(): Iterable<Socket>;
}

/** The most connections of one door, and above which number of a descriptor it lets nobody new in. */
export interface DoorLimits {
  readonly maxConnections: number;
  readonly highestDescriptor: number;
}

const MAX_CONNECTIONS = 256;
// Where the system does not say how many files may be open, most allow more.
const USUAL_DESCRIPTORS = 1024;
const DOORS_SHARE = 4;

/** Bounds the connections of a door; limits that are not given are those of this process. */
export function boundConnections(limits: DoorLimits = limitsOfProcess()): ConnectionBound {
  const open = new Set<Socket>();
  const makeRoom = () => {
    for (const socket of open) {
      if (socket.bytesRead > 0) continue;
      open.delete(socket);
      socket.destroy();
      return true;
    }
    return false;
  };
  return {
    admit: (socket) => {
      // A client that goes away needs no answer.
      socket.on("error", () => socket.destroy());
      const isFull = open.size >= limits.maxConnections || isShort(limits.highestDescriptor);
      if (isFull && !makeRoom()) {
        socket.destroy();
        return false;
      }
      open.add(socket);
      socket.on("close", () => open.delete(socket));
      return true;
    },
    all: () => open,
  };
}

/** Connections get at most three quarters of what may be open, and one door a quarter. */
export function limitsOfProcess(): DoorLimits {
  const descriptors = descriptorLimit();
  return {
    maxConnections: Math.min(MAX_CONNECTIONS, Math.floor(descriptors / DOORS_SHARE)),
    highestDescriptor: Math.floor((descriptors * 3) / DOORS_SHARE),
  };
}

function descriptorLimit(): number {
  try {
    const soft = /^Max open files +(\d+)/m.exec(readFileSync("/proc/self/limits", "utf8"))?.[1];
    return soft === undefined ? USUAL_DESCRIPTORS : Number(soft);
  } catch {
    return USUAL_DESCRIPTORS;
  }
}

/** The system hands out the lowest number that is free, so a new one tells how many are taken. */
function isShort(highest: number): boolean {
  try {
    const descriptor = openSync("/dev/null", "r");
    closeSync(descriptor);
    return descriptor > highest;
  } catch (error) {
    return isShortage(error);
  }
}
