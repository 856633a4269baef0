import type { Socket } from "node:net";

export interface Connection {
  readonly uid: number;
  readonly inode: string;
}

const IPV6_LOOPBACK = "00000000000000000000000001000000";
const IPV4_MAPPED = "0000000000000000FFFF0000";

/** The kernel prints each 32-bit word in host byte order, little-endian on every supported platform. */
function isLoopbackEndpoint(endpoint: string): boolean {
  const [address = ""] = endpoint.split(":");
  return address === IPV6_LOOPBACK || /^(0{16}FFFF0000)?[0-9A-F]{6}7F$/.test(address);
}

const ESTABLISHED = "01";
const CLOSE_WAIT = "08";

export function findConnection(sockets: string, socket: Socket): Connection | undefined {
  const { remoteAddress, remotePort, localAddress, localPort } = socket;
  const remotes = spellings(localAddress, localPort);
  for (const [at, local] of spellings(remoteAddress, remotePort).entries()) {
    for (const { state, uid, inode } of entriesWith(sockets, `: ${local} ${remotes[at]} `)) {
      if (state === ESTABLISHED || state === CLOSE_WAIT) return { uid: Number(uid), inode };
    }
  }
  return undefined;
}

/** The end of a listener's remote endpoint, and its state. */
const LISTENER = ":0000 0A ";

/** Inodes of sockets that listen on a non-loopback address. */
export function readPublicListeners(sockets: string): Set<string> {
  const found = new Set<string>();
  for (const { local, inode } of entriesWith(sockets, LISTENER)) if (!isLoopbackEndpoint(local)) found.add(inode);
  return found;
}

/** Searches the text, which may have many thousand lines, instead of splitting it. */
function* entriesWith(sockets: string, text: string) {
  for (let at = sockets.indexOf(text); at >= 0; at = sockets.indexOf(text, at + 1)) {
    const end = sockets.indexOf("\n", at);
    const line = sockets.slice(sockets.lastIndexOf("\n", at) + 1, end < 0 ? undefined : end);
    const [, local = "", , state = "", , , , uid = "", , inode = ""] = line.trim().split(/\s+/, 10);
    yield { local, state, uid, inode };
  }
}

/** An IPv4 client may use an IPv6 socket with a mapped address. */
function spellings(address = "", port = 0): string[] {
  const hexPort = port.toString(16).toUpperCase().padStart(4, "0");
  if (address === "::1") return [`${IPV6_LOOPBACK}:${hexPort}`];
  const octets = address.replace(/^::ffff:/i, "").split(".");
  const hex = octets.map((octet) => Number(octet).toString(16).toUpperCase().padStart(2, "0")).reverse();
  return [`${hex.join("")}:${hexPort}`, `${IPV4_MAPPED}${hex.join("")}:${hexPort}`];
}
