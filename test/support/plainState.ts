import type { Hex } from "viem";
import { decodeAbiParameters, encodeFunctionData, parseAbi } from "viem";
import type { Ask, PlainChain } from "./plainChain.ts";
import { blocksOf } from "./plainChain.ts";

/** Metadata according to the token's contract. */
export interface ReportedToken {
  readonly name: string | null;
  readonly symbol: string | null;
  readonly decimals: string | null;
  readonly supply: string | null;
}

export interface PlainCreation {
  readonly creator: string;
  readonly hash: string;
  readonly input: string;
}

/** Reason of a failed transaction according to its trace. */
export interface PlainFailure {
  readonly error: string;
  readonly output: Hex;
}

/** A node's state after its newest block. Functions are absent, or return undefined, if the node cannot answer. */
export interface PlainState {
  balance(address: string): Promise<bigint>;
  code(address: string): Promise<string>;
  /** At a block. */
  codeAt?(address: string, number: number): Promise<string>;
  proxy(address: string): Promise<{ readonly type: string; readonly implementation: string } | null>;
  /** How a contract came to be that no transaction deployed itself. */
  creation(address: string): PlainCreation | undefined;
  failure(hash: string): PlainFailure | undefined;
  /** Undefined where it was never asked. */
  token(address: string): Promise<ReportedToken | undefined>;
  tokenBalance(token: string, holder: string, id?: bigint): Promise<bigint | undefined>;
  /** Owner of an id of an ERC-721 token; null if there is none. */
  owner?(token: string, id: bigint): Promise<string | null>;
  blobs(hash: string): Promise<readonly PlainBlob[]>;
  /** Number of pending transactions. */
  pending?(): Promise<number>;
}

export interface PlainBlob {
  readonly blob_data: string;
  readonly kzg_commitment: string;
  readonly kzg_proof: string;
}

const TOKEN = parseAbi([
  "function name() view returns (string)",
  "function symbol() view returns (string)",
  "function decimals() view returns (uint8)",
  "function totalSupply() view returns (uint256)",
]);
const BALANCES = parseAbi(["function balanceOf(address) view returns (uint256)"]);
const OWNERS = parseAbi(["function ownerOf(uint256) view returns (address)"]);
const ITEMS = parseAbi(["function balanceOf(address, uint256) view returns (uint256)"]);
const EIP_1967 = "0x360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbc";
const EIP_1167 = /^0x363d3d373d3d3d363d73([0-9a-f]{40})5af43d82803e903d91602b57fd5bf3$/;

interface Frame {
  readonly type: string;
  readonly from: string;
  readonly to?: string;
  readonly input: string;
  readonly output?: Hex;
  readonly error?: string;
  readonly calls?: readonly Frame[];
}

/** Traces by block hash and transaction hash. */
export type Traces = Map<string, Frame>;

/** Traces every transaction that was not, and asks for the rest when it is wanted. */
export async function readPlainState(ask: Ask, chain: PlainChain, traces: Traces = new Map()): Promise<PlainState> {
  const creations = new Map<string, PlainCreation>();
  const failures = new Map<string, PlainFailure>();
  for (const { block } of blocksOf(chain)) {
    for (const { hash } of block.transactions) {
      const key = `${block.hash} ${hash}`;
      const trace = traces.get(key) ?? (await ask<Frame>("debug_traceTransaction", hash, { tracer: "callTracer" }));
      traces.set(key, trace);
      if (trace.error !== undefined) failures.set(hash, { error: trace.error, output: trace.output ?? "0x" });
      else noteCreations(trace, hash, creations);
    }
  }
  return { ...askedState(ask), creation: (address) => creations.get(address), failure: (hash) => failures.get(hash) };
}

/** State that needs no trace. */
export function askedState(ask: Ask): Omit<PlainState, "creation" | "failure"> {
  const call = (to: string, data: Hex) => ask<Hex>("eth_call", { to, data }, "latest").catch(() => "0x" as Hex);
  const code = (address: string) => ask<string>("eth_getCode", address, "latest");
  return {
    code,
    codeAt: (address, number) => ask<string>("eth_getCode", address, `0x${number.toString(16)}`),
    pending: async () => Number((await ask<{ pending: Hex }>("txpool_status")).pending),
    balance: async (address) => BigInt(await ask<string>("eth_getBalance", address, "latest")),
    proxy: async (address) => {
      const [own, slot] = [await code(address), await ask<string>("eth_getStorageAt", address, EIP_1967, "latest")];
      const delegate = /^0xef0100([0-9a-f]{40})$/.exec(own) ?? undefined;
      if (delegate !== undefined) return { type: "eip7702", implementation: `0x${delegate[1]}` };
      const minimal = EIP_1167.exec(own);
      if (minimal !== null) return { type: "eip1167", implementation: `0x${minimal[1]}` };
      return BigInt(slot) === 0n ? null : { type: "eip1967", implementation: `0x${slot.slice(26)}` };
    },
    token: async (address) => {
      const reported = async (functionName: "name" | "symbol" | "decimals" | "totalSupply", type: string) => {
        const data = await call(address, encodeFunctionData({ abi: TOKEN, functionName }));
        return data === "0x" ? null : String(decodeAbiParameters([{ type }], data)[0]);
      };
      return {
        name: await reported("name", "string"),
        symbol: await reported("symbol", "string"),
        decimals: await reported("decimals", "uint8"),
        supply: await reported("totalSupply", "uint256"),
      };
    },
    tokenBalance: async (token, holder, id) => {
      const functionName = "balanceOf";
      const data =
        id === undefined
          ? encodeFunctionData({ abi: BALANCES, functionName, args: [holder as Hex] })
          : encodeFunctionData({ abi: ITEMS, functionName, args: [holder as Hex, id] });
      return BigInt(await call(token, data));
    },
    owner: async (token, id) => {
      const data = await call(token, encodeFunctionData({ abi: OWNERS, functionName: "ownerOf", args: [id] }));
      return data === "0x" ? null : `0x${data.slice(-40)}`;
    },
    blobs: async (hash) => {
      const { blobSidecar } = await ask<{ blobSidecar: Record<"blobs" | "commitments" | "proofs", string[]> }>(
        "eth_getBlobSidecarByTxHash",
        hash,
      );
      return blobSidecar.blobs.map((blob_data, at) => ({
        blob_data,
        kzg_commitment: blobSidecar.commitments[at]!,
        kzg_proof: blobSidecar.proofs[at]!,
      }));
    },
  };
}

function noteCreations(frame: Frame, hash: string, creations: Map<string, PlainCreation>): void {
  if (frame.error !== undefined) return;
  if (frame.type.startsWith("CREATE")) {
    creations.set(frame.to!.toLowerCase(), { creator: frame.from.toLowerCase(), hash, input: frame.input });
  }
  for (const call of frame.calls ?? []) noteCreations(call, hash, creations);
}
