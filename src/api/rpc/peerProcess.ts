import { readdirSync, readFileSync, readlinkSync, statSync } from "node:fs";
import { readFile } from "node:fs/promises";
import type { Socket } from "node:net";
import { Turn } from "../../std/async.ts";
import type { Connection } from "./socketTable.ts";
import { findConnection, readPublicListeners } from "./socketTable.ts";

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
  const reading = await nextReading();
  const peer = findConnection(reading.sockets, socket);
  if (peer === undefined) return undefined;
  const pid = await findHolder(peer, reading);
  return { uid: peer.uid, pid, isServer: pid !== undefined && isServer(pid, reading) };
}

/** One consistent scan of /proc; what is beyond the table of sockets is read on demand. */
interface Reading {
  /** Lines of /proc/net/tcp and tcp6. */
  readonly sockets: string;
  /** The newest first, since most clients have just started. */
  readonly pids: () => readonly number[];
  readonly ownerOf: (pid: number) => number | undefined;
  readonly socketsOf: (pid: number) => ReadonlySet<string>;
  /** Inodes of sockets that listen on a non-loopback address. */
  readonly publicListeners: () => ReadonlySet<string>;
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
  const tables = await Promise.all(["tcp", "tcp6"].map((name) => readFile(`/proc/net/${name}`, "latin1").catch(none)));
  const sockets = tables.join("\n");
  return {
    sockets,
    pids: once(readPids),
    ownerOf: remembered(ownerOf),
    socketsOf: remembered(readSocketsOf),
    publicListeners: once(() => readPublicListeners(sockets)),
  };
}

function once<T>(read: () => T): () => T {
  let found: { readonly value: T } | undefined;
  return () => {
    found ??= { value: read() };
    return found.value;
  };
}

function remembered<T>(read: (pid: number) => T): (pid: number) => T {
  const known = new Map<number, T>();
  return (pid) => {
    if (!known.has(pid)) known.set(pid, read(pid));
    return known.get(pid) as T;
  };
}

const none = () => undefined;

/** Recently found processes, which are searched first. */
const recent: number[] = [];
const MAX_RECENT = 8;

async function findHolder({ uid, inode }: Connection, reading: Reading): Promise<number | undefined> {
  const turn = new Turn();
  for (const pid of candidates(reading)) {
    if (reading.ownerOf(pid) === uid && reading.socketsOf(pid).has(inode)) {
      recent.splice(0, MAX_RECENT, ...new Set([pid, ...recent].slice(0, MAX_RECENT)));
      return pid;
    }
    await turn.yieldToEventLoop();
  }
  return undefined;
}

function* candidates({ pids }: Reading): Generator<number> {
  yield* [...recent, process.pid];
  yield* pids();
}

function readPids(): number[] {
  const pids = readdirSync("/proc").flatMap((name) => (/^\d+$/.test(name) ? [Number(name)] : []));
  return pids.sort((one, other) => other - one);
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

function isServer(pid: number, { socketsOf, publicListeners }: Reading): boolean {
  const listens = (each: number) => !socketsOf(each).isDisjointFrom(publicListeners());
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
