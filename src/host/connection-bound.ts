import { closeSync, openSync, readFileSync } from "node:fs";
import type { Socket } from "node:net";
import { isShortage } from "../foundation/shortage.ts";

// Owns how many connections a door has open.
// D1: connections never take the descriptors that runs need for journals, logs and programs.
// D2: whoever was let in and is not being served makes room for whoever comes, the one first who was not for longest;
//     whoever is being served is never hung up on.

/** The connections of one door. */
export interface ConnectionBound {
  /** Counts a connection in; false when there was no room and it was hung up on. */
  admit(socket: Socket): boolean;
  /** Says that a request of a connection is being served, until what is returned is called. */
  serve(socket: Socket): () => void;
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
  // In the order in which they were let in or served last.
  const idle = new Set<Socket>();
  const served = new Map<Socket, number>();
  const makeRoom = () => {
    const [longest] = idle;
    if (longest === undefined) return false;
    open.delete(longest);
    idle.delete(longest);
    longest.destroy();
    return true;
  };
  const leave = (socket: Socket) => {
    open.delete(socket);
    idle.delete(socket);
    served.delete(socket);
  };
  const done = (socket: Socket) => {
    const left = (served.get(socket) ?? 1) - 1;
    if (left > 0) served.set(socket, left);
    else served.delete(socket);
    if (left === 0 && open.has(socket)) idle.add(socket);
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
      idle.add(socket);
      socket.on("close", () => leave(socket));
      return true;
    },
    serve: (socket) => {
      idle.delete(socket);
      served.set(socket, (served.get(socket) ?? 0) + 1);
      let isServed = true;
      return () => {
        if (isServed) done(socket);
        isServed = false;
      };
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
