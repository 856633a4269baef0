import { readdirSync, readFileSync, readlinkSync, statSync } from "node:fs";
import { readFile } from "node:fs/promises";
import type { Socket } from "node:net";
import { Turn } from "../../std/async.ts";

/** The process at the other end of a TCP connection over loopback, as Linux shows it in /proc. */
export interface PeerProcess {
  readonly uid: number;
  /** Undefined if the process is not visible: another user's, or in another PID namespace. */
  readonly pid: number | undefined;
  /** True if the process or its parent listens on a non-loopback address. */
  readonly isServer: boolean;
}

/** Finds the owner of the client side of a connection. Undefined if the system does not expose it. */
export async function findPeerProcess(socket: Socket): Promise<PeerProcess | undefined> {
  const turn = new Turn();
  const { sockets, socketsOf } = await nextReading();
  const peer = sockets && findConnection(sockets.connections, socket);
  if (sockets === undefined || peer === undefined) return undefined;
  const pid = await findHolder(peer, socketsOf, turn);
  return { uid: peer.uid, pid, isServer: pid !== undefined && isServer(pid, socketsOf, sockets.publicListeners) };
}

type SocketsOf = (pid: number) => Set<string>;

/** One consistent scan of /proc. */
interface Reading {
  readonly sockets: SocketTable | undefined;
  readonly socketsOf: SocketsOf;
}

let reading: Promise<Reading> | undefined;
let next: Promise<Reading> | undefined;

/** Connections that arrive during a scan share the next one: the current scan may predate them. */
function nextReading(): Promise<Reading> {
  if (reading === undefined) return beginReading();
  next ??= reading.then(beginReading, beginReading);
  return next;
}

function beginReading(): Promise<Reading> {
  next = undefined;
  const begun = read().finally(() => {
    if (reading === begun) reading = undefined;
  });
  reading = begun;
  return begun;
}

async function read(): Promise<Reading> {
  const held = new Map<number, Set<string>>();
  const sockets = await readSockets(new Turn());
  const socketsOf = (pid: number) => {
    const found = held.get(pid) ?? readSocketsOf(pid);
    held.set(pid, found);
    return found;
  };
  return { sockets, socketsOf };
}

interface Connection {
  readonly uid: number;
  readonly inode: string;
}

interface SocketTable {
  /** Keyed by local and remote endpoint as spelled in /proc/net/tcp. */
  readonly connections: ReadonlyMap<string, Connection>;
  /** Inodes of sockets that listen on a non-loopback address. */
  readonly publicListeners: ReadonlySet<string>;
}

const ESTABLISHED = "01";
const CLOSE_WAIT = "08";
const LISTEN = "0A";
const LINE_BATCH_SIZE = 500;

async function readSockets(turn: Turn): Promise<SocketTable | undefined> {
  const tables = await Promise.all(["tcp", "tcp6"].map((name) => readFile(`/proc/net/${name}`, "latin1").catch(none)));
  if (tables.every((table) => table === undefined)) return undefined;
  const connections = new Map<string, Connection>();
  const publicListeners = new Set<string>();
  for (const [at, line] of tables.join("\n").split("\n").entries()) {
    const [, local = "", remote = "", state, , , , uid, , inode = ""] = line.trim().split(/\s+/, 10);
    if (state === LISTEN && !isLoopbackEndpoint(local)) publicListeners.add(inode);
    else if (state === ESTABLISHED || state === CLOSE_WAIT)
      connections.set(`${local} ${remote}`, { uid: Number(uid), inode });
    if (at % LINE_BATCH_SIZE === 0) await turn.yieldToEventLoop();
  }
  return { connections, publicListeners };
}

const none = () => undefined;

const IPV6_LOOPBACK = "00000000000000000000000001000000";
const IPV4_MAPPED = "0000000000000000FFFF0000";

/** The kernel prints each 32-bit word in host byte order, little-endian on every supported platform. */
function isLoopbackEndpoint(endpoint: string): boolean {
  const [address = ""] = endpoint.split(":");
  return address === IPV6_LOOPBACK || /^(0{16}FFFF0000)?[0-9A-F]{6}7F$/.test(address);
}

function findConnection(connections: SocketTable["connections"], socket: Socket): Connection | undefined {
  const { remoteAddress, remotePort, localAddress, localPort } = socket;
  const remotes = spellings(localAddress, localPort);
  return spellings(remoteAddress, remotePort)
    .map((local, at) => connections.get(`${local} ${remotes[at]}`))
    .find((found) => found !== undefined);
}

/** An IPv4 client may use an IPv6 socket with a mapped address. */
function spellings(address = "", port = 0): string[] {
  const hexPort = port.toString(16).toUpperCase().padStart(4, "0");
  if (address === "::1") return [`${IPV6_LOOPBACK}:${hexPort}`];
  const octets = address.replace(/^::ffff:/i, "").split(".");
  const hex = octets.map((octet) => Number(octet).toString(16).toUpperCase().padStart(2, "0")).reverse();
  return [`${hex.join("")}:${hexPort}`, `${IPV4_MAPPED}${hex.join("")}:${hexPort}`];
}

/** Search order: recently found processes first, then the newest, since most clients have just started. */
const recent: number[] = [process.pid];
const MAX_RECENT = 8;

async function findHolder({ uid, inode }: Connection, socketsOf: SocketsOf, turn: Turn): Promise<number | undefined> {
  const pids = readdirSync("/proc").flatMap((name) => (/^\d+$/.test(name) ? [Number(name)] : []));
  pids.sort((one, other) => other - one);
  for (const pid of new Set([...recent, ...pids])) {
    if (ownerOf(pid) === uid && socketsOf(pid).has(inode)) {
      recent.splice(0, MAX_RECENT, ...new Set([process.pid, pid, ...recent].slice(0, MAX_RECENT)));
      return pid;
    }
    await turn.yieldToEventLoop();
  }
  return undefined;
}

function ownerOf(pid: number): number | undefined {
  return statSync(`/proc/${pid}`, { throwIfNoEntry: false })?.uid;
}

/** Empty for a process that has ended or that we may not inspect. */
function readSocketsOf(pid: number): Set<string> {
  const found = new Set<string>();
  for (const fd of attempt(() => readdirSync(`/proc/${pid}/fd`)) ?? []) {
    const target = attempt(() => readlinkSync(`/proc/${pid}/fd/${fd}`));
    const inode = target && /^socket:\[(\d+)\]$/.exec(target)?.[1];
    if (inode) found.add(inode);
  }
  return found;
}

function isServer(pid: number, socketsOf: SocketsOf, publicListeners: ReadonlySet<string>): boolean {
  const listens = (each: number) => !socketsOf(each).isDisjointFrom(publicListeners);
  const parent = parentOf(pid);
  if (listens(pid)) return true;
  return parent !== undefined && parent !== process.pid && isSameProgram(pid, parent) && listens(parent);
}

/** Server workers may leave listening to the parent process. */
function parentOf(pid: number): number | undefined {
  const status = attempt(() => readFileSync(`/proc/${pid}/status`, "latin1"));
  const parent = status && /^PPid:\s+(\d+)$/m.exec(status)?.[1];
  return parent ? Number(parent) : undefined;
}

function isSameProgram(one: number, other: number): boolean {
  const [program, otherProgram] = [one, other].map((pid) => attempt(() => readlinkSync(`/proc/${pid}/exe`)));
  return program !== undefined && program === otherProgram;
}

function attempt<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}
