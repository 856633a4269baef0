import type { Bytes } from "../encoding/bytes.ts";
import { isZero } from "../encoding/bytes.ts";
import type { Hex } from "../encoding/hex.ts";
import { fromHex, toHex } from "../encoding/hex.ts";

export type ProxyType =
  | "eip1167"
  | "minimal_proxy"
  | "clone_with_immutable_arguments"
  | "eip7702"
  | "eip1967"
  | "eip1967_beacon"
  | "eip1822"
  | "eip1967_oz"
  | "master_copy";

export interface ProxyContract {
  readonly type: ProxyType;
  /** Implementation addresses; empty if only the beacon knows. */
  readonly implementations: readonly Bytes[];
  /** Its `implementation()` returns the implementation. */
  readonly beacon?: Bytes;
}

/** Storage words by slot, 32 bytes each. */
type Slots = ReadonlyMap<Hex, Bytes>;

/** Implementation slots in order of precedence. */
const SLOTS = [
  // keccak256("eip1967.proxy.implementation") - 1
  ["eip1967", "0x360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbc"],
  // keccak256("eip1967.proxy.beacon") - 1
  ["eip1967_beacon", "0xa3f0ad74e5423aebfd80d3ef4346578335a9a72aeaee59ff6cb3582b35133d50"],
  // keccak256("PROXIABLE")
  ["eip1822", "0xc5f16f0fcc639fa48a6947836d9850f504798523bf8c9a3a87d5876cf622bcf7"],
  // keccak256("org.zeppelinos.proxy.implementation")
  ["eip1967_oz", "0x7050c9e0f4ca769c69bd3a8ef740bc37934f8e2c036e5a723fd8ee048ed3f8c3"],
] as const satisfies readonly (readonly [ProxyType, Hex])[];

const FIRST_SLOT: Hex = `0x${"0".repeat(64)}`;

/** All slots that `proxyOf` may read. */
export const PROXY_SLOTS: readonly Hex[] = [...SLOTS.map(([, slot]) => slot), FIRST_SLOT];

/** Slots needed to classify this code; empty if it is no proxy or contains its target. */
export function proxySlots(code: Bytes): readonly Hex[] {
  if (byCode(code) !== undefined || !delegates(code)) return [];
  return isSafeProxy(code) ? PROXY_SLOTS : PROXY_SLOTS.slice(0, -1);
}

/** Undefined if the contract is not a known kind of proxy. */
export function proxyOf(code: Bytes, slots: Slots): ProxyContract | undefined {
  const proxy = byCode(code);
  if (proxy !== undefined || !delegates(code)) return proxy;
  for (const [type, slot] of SLOTS) {
    const address = addressIn(slots.get(slot));
    if (address === undefined) continue;
    return type === "eip1967_beacon"
      ? { type, implementations: [], beacon: address }
      : { type, implementations: [address] };
  }
  const master = isSafeProxy(code) ? addressIn(slots.get(FIRST_SLOT)) : undefined;
  return master && { type: "master_copy", implementations: [master] };
}

/** Undefined unless the word is exactly one address. */
function addressIn(word: Bytes | undefined): Bytes | undefined {
  if (word === undefined || word.length !== 32 || !isZero(word.subarray(0, 12))) return undefined;
  return isZero(word) ? undefined : word.subarray(12);
}

const A = "([0-9a-f]{40})";
const N = "[0-9a-f]{4}";

/** Complete programs that forward every call. Some clones append arguments. */
const PROGRAMS: readonly (readonly [ProxyType, RegExp])[] = [
  ["eip7702", new RegExp(`^ef0100${A}$`)],
  ["eip1167", new RegExp(`^363d3d373d3d3d363d73${A}5af43d82803e903d91602b57fd5bf3$`)],
  // OpenZeppelin's and Solady's newer clones with arguments
  ["clone_with_immutable_arguments", new RegExp(`^363d3d373d3d3d363d73${A}5af43d82803e903d91602b57fd5bf3`)],
  // 0age, which Solady and Solmate use too
  ["minimal_proxy", new RegExp(`^3d3d3d3d363d3d37363d73${A}5af43d3d93803e602a57fd5bf3`)],
  // EIP-7511, then Solady's, both with PUSH0
  ["minimal_proxy", new RegExp(`^365f5f375f5f365f73${A}5af43d5f5f3e5f3d91602a57fd5bf3`)],
  ["minimal_proxy", new RegExp(`^5f5f365f5f37365f73${A}5af43d5f5f3e6029573d5ffd5b3d5ff3`)],
  // Vyper, and its first versions
  ["minimal_proxy", new RegExp(`^366000600037611000600036600073${A}5af4602c57600080fd5b6110006000f3`)],
  ["minimal_proxy", new RegExp(`^366000600037611000600036600073${A}5af41558576110006000f3`)],
  // One that emits an event when it is paid
  [
    "minimal_proxy",
    new RegExp(
      `^36603057343d52307f830d2d700a97af574b186c80d40429385d24241565b08a7c559ba283a964d9b160203da23d3df35b3d3d3d3d363d3d37363d73${A}5af43d3d93803e605b57fd5bf3`,
    ),
  ],
  // Clones with immutable arguments: the usual ones, the first ones, Sudoswap's, Solady's and Splits'
  [
    "clone_with_immutable_arguments",
    new RegExp(`^3d3d3d3d363d3d3761${N}603736393661${N}013d73${A}5af43d3d93803e603557fd5bf3`),
  ],
  [
    "clone_with_immutable_arguments",
    new RegExp(`^363d3d3761${N}603836393d3d3d3661${N}013d73${A}5af43d82803e903d91603657fd5bf3`),
  ],
  [
    "clone_with_immutable_arguments",
    new RegExp(`^3d3d3d3d363d3d37605160353639366051013d73${A}5af43d3d93803e603357fd5bf3`),
  ],
  [
    "clone_with_immutable_arguments",
    new RegExp(
      `^36602c57343d527f9e4ac34f21c619cefc926c8bd93b54bf5a39c7ab2127a895af1cc0691d7e3dff593da1005b363d3d373d3d3d3d61${N}806062363936013d73${A}5af43d3d93803e606057fd5bf3`,
    ),
  ],
  [
    "clone_with_immutable_arguments",
    new RegExp(
      `^36602f57343d527f9e4ac34f21c619cefc926c8bd93b54bf5a39c7ab2127a895af1cc0691d7e3dff60203da13d3df35b3d3d3d3d363d3d3761${N}606736393661${N}013d73${A}5af43d3d93803e606557fd5bf3`,
    ),
  ],
];

/** Covers the address in the longest program. */
const PROGRAM_SIZE = 160;

function byCode(code: Bytes): ProxyContract | undefined {
  const isWhole = code.length <= PROGRAM_SIZE;
  const text = toHex(code.subarray(0, PROGRAM_SIZE)).slice(2) + (isWhole ? "" : "…");
  for (const [type, program] of PROGRAMS) {
    const [, address] = program.exec(text) ?? [];
    if (address !== undefined) return { type, implementations: [fromHex(`0x${address}`)] };
  }
  return byShortAddress(text);
}

/** EIP-1167 with a shortened address: leading zeros are omitted, which shortens the push and the jump. */
function byShortAddress(text: string): ProxyContract | undefined {
  const found = /^363d3d373d3d3d363d([67][0-9a-f])([0-9a-f]*)5af43d82803e903d9160([0-9a-f]{2})57fd5bf3$/.exec(text);
  const [, push, address, jump] = found ?? [];
  if (push === undefined || address === undefined || jump === undefined) return undefined;
  const size = Number.parseInt(push, 16) - 0x5f;
  if (size > 20 || address.length !== size * 2 || Number.parseInt(jump, 16) !== 0x17 + size) return undefined;
  return { type: "eip1167", implementations: [fromHex(`0x${address.padStart(40, "0")}`)] };
}

const DELEGATECALL = 0xf4;
const CALLCODE = 0xf2;
const PUSH1 = 0x60;
const PUSH32 = 0x7f;

/** Whether the code contains DELEGATECALL. False positives from data only cost a storage read. */
function delegates(code: Bytes): boolean {
  for (let at = 0; at < code.length; at++) {
    const opcode = code[at]!;
    if (opcode === DELEGATECALL || opcode === CALLCODE) return true;
    if (opcode >= PUSH1 && opcode <= PUSH32) at += opcode - PUSH1 + 1;
  }
  return false;
}

/** Loads an address from slot 0 first, as all Safe proxies compiled before 0.8 do. */
const SAFE_START = `0x608060405273${"ff".repeat(20)}60005416`;
const MASTER_COPY = Buffer.from("a619486e", "hex");
const MAX_SAFE_LENGTH = 512;

/** Newer Safe proxies answer `masterCopy()` themselves in a tiny program. */
function isSafeProxy(code: Bytes): boolean {
  if (toHex(code.subarray(0, 30)).startsWith(SAFE_START)) return true;
  return code.length <= MAX_SAFE_LENGTH && Buffer.from(code.buffer, code.byteOffset, code.length).includes(MASTER_COPY);
}
