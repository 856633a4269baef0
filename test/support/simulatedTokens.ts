import type { PlainToken } from "./plainLedger.ts";
import { plainLedger } from "./plainLedger.ts";
import type { Random } from "./random.ts";
import type { ContractAnswer } from "./simulatedCalls.ts";
import type { SimulatedChain } from "./simulatedChain.ts";
import { RpcError } from "./simulatedMethods.ts";

export type Method = "name" | "symbol" | "decimals" | "totalSupply" | "balanceOf";

/** A token contract: answers a method with a result as `eth_call` gives it, throws, or never answers. */
export type TokenContract = (method: Method, holder: string) => unknown;

const METHODS: Record<string, Method> = {
  "0x06fdde03": "name",
  "0x95d89b41": "symbol",
  "0x313ce567": "decimals",
  "0x18160ddd": "totalSupply",
  "0x70a08231": "balanceOf",
};

/** The contracts of a node: accounts that are no token answer nothing. */
export function contractsOf(tokens: ReadonlyMap<string, TokenContract>): ContractAnswer {
  return (to, data) => {
    const [method, contract] = [METHODS[data.slice(0, 10)], tokens.get(to)];
    return method === undefined || contract === undefined ? "0x" : contract(method, `0x${data.slice(-40)}`);
  };
}

export const wordOf = (value: bigint | number) => BigInt.asUintN(256, BigInt(value)).toString(16).padStart(64, "0");

export function encodeText(text: string | Uint8Array): string {
  const bytes = Buffer.from(text);
  const padding = "0".repeat((64 - ((bytes.length * 2) % 64)) % 64);
  return `0x${wordOf(32)}${wordOf(bytes.length)}${bytes.toString("hex")}${padding}`;
}

export const NAMES = { name: "Honest Token", symbol: "HON", decimals: 18 };

const ledgers = new WeakMap<SimulatedChain, { hash: string; tokens: Map<string, PlainToken> }>();

function ledgerAtHead(chain: SimulatedChain): Map<string, PlainToken> {
  const known = ledgers.get(chain);
  if (known?.hash === chain.head.hash) return known.tokens;
  const tokens = plainLedger(chain);
  ledgers.set(chain, { hash: chain.head.hash, tokens });
  return tokens;
}

/** A token that reports the sums of its transfers, modified by `report`. */
export function ledgerToken(
  chain: SimulatedChain,
  address: string,
  report: (amount: bigint, holder: string | undefined) => bigint = (amount) => amount,
): TokenContract {
  const ledger = () => ledgerAtHead(chain).get(address);
  return (method, holder) => {
    if (method === "name" || method === "symbol") return encodeText(NAMES[method]);
    if (method === "decimals") return `0x${wordOf(NAMES.decimals)}`;
    if (method === "totalSupply") return `0x${wordOf(report(ledger()?.supply ?? 0n, undefined))}`;
    const balance = ledger()?.balances.get(holder) ?? 0n;
    return `0x${wordOf(report(balance < 0n ? 0n : balance, holder))}`;
  };
}

const revert = (code: number, message: string) => (): never => {
  throw new RpcError(code, message);
};
const always = (result: unknown) => () => result;
const text = (value: string | Uint8Array) => always(encodeText(value));
const hang = () => new Promise<never>(() => {});

/** Contracts of a simulated node, including those that make calls fail. */
export const HOSTILE: Readonly<Record<string, (random: Random) => TokenContract>> = {
  reverts: () => revert(3, "execution reverted"),
  "reverts with the words of a node in trouble": () => revert(3, "execution reverted: header not found, timeout, busy"),
  "runs out of gas": () => revert(-32000, "out of gas"),
  "has an invalid opcode": () => revert(-32000, "invalid opcode: INVALID"),
  "answers nothing": () => always("0x"),
  "has names of 100 kB": () => text("long ".repeat(20_000)),
  "returns more than is read": () => always(`0x${"20".repeat(200_000)}`),
  "is not UTF-8": (random) => text(Uint8Array.of(0xff, 0xfe, 0xc0, ...random.bytes(40))),
  "has NUL and other controls": () => text("\0\x1b[31mred\x07\r\n\0"),
  "steers direction": () => text("\u202egnp.exe\u2066\u200f"),
  "is invisible": () => text("\u200b\u200d\ufeff\u2060"),
  "has decimals 255": () => always(`0x${wordOf(255)}`),
  "has decimals of 32 bytes": () => always(`0x${"ff".repeat(32)}`),
  "has offsets outside": (random) => always(`0x${wordOf(random.int(2 ** 31))}${wordOf(2n ** 255n)}`),
  "has a length outside": () => always(`0x${wordOf(32)}${wordOf(2 ** 31)}${"41".repeat(32)}`),
  "returns half a word": (random) => always(`0x${Buffer.from(random.bytes(17)).toString("hex")}`),
  "returns anything": (random) => () => `0x${Buffer.from(random.bytes(random.int(300))).toString("hex")}`,
  "changes its answers": (random) => () => encodeText(`Name ${random.int(1_000_000)}`),
};

export const UNANSWERABLE: typeof HOSTILE = {
  "keeps the node from answering": () => hang,
  "is given up by the node": () => revert(-32000, "execution aborted (timeout = 5s)"),
  "makes it send a number": () => always(7),
  "makes it send null": () => always(null),
  "makes it send odd hex": () => always("0x123"),
  "makes it send no hex": () => always("0xnothing"),
  "makes it send an object": () => always({ data: "0x" }),
};
