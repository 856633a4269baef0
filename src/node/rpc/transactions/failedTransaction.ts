import type { Bytes } from "../../../chain/encoding/bytes.ts";
import { fromHex, toHex } from "../../../chain/encoding/hex.ts";
import { RPC, RpcError } from "../../../jsonrpc/rpcError.ts";
import { revertReason } from "../../call/failure.ts";
import type { CallFrame } from "../../call/trace/callTracer.ts";
import { traceTransaction } from "../../call/trace/traceBlock.ts";
import { readTraceConfig } from "../../call/trace/traceConfig.ts";
import { currentCaller } from "../../caller.ts";
import type { DevelopmentContext } from "../../context.ts";

/** Throws the failure of a mined transaction to clients that expect it, such as hardhat. */
export async function throwIfFailed({ chain }: DevelopmentContext, hash: Bytes): Promise<void> {
  if (currentCaller()?.isHardhat !== true) return;
  const place = chain.transaction(hash);
  if (place === undefined || place.block.receipts[place.position]?.status !== 0) return;
  const wire = { tracer: "callTracer", tracerConfig: { onlyTopCall: true } };
  const config = readTraceConfig(wire, 0, chain.rules.chainId);
  const trace = (await traceTransaction(chain, place.block, place.position, config)) as CallFrame;
  throw hardhatFailure(trace.error ?? "execution reverted", fromHex(trace.output ?? "0x"), hash);
}

const EXCEPTION = "VM Exception while processing transaction:";

/** In the form of hardhat's node; `error` is geth's message. */
function hardhatFailure(error: string, output: Bytes, hash: Bytes): RpcError {
  if (error === "execution reverted") return new RpcError(RPC.reverted, revertWords(output), toHex(output));
  if (/out of gas/.test(error)) {
    const message = "Transaction ran out of gas";
    return new RpcError(RPC.server, message, { message, txHash: toHex(hash), data: "0x" });
  }
  const words = error.startsWith("invalid opcode") ? "invalid opcode" : error;
  return new RpcError(RPC.reverted, `${EXCEPTION} ${words}`, toHex(output));
}

const PANIC = "4e487b71";

function revertWords(output: Bytes): string {
  if (output.length === 0) return "Transaction reverted without a reason string";
  const data = Buffer.from(output).toString("hex");
  if (data.startsWith(PANIC) && output.length === 36) {
    const code = BigInt(`0x${data.slice(8)}`).toString(16);
    return `${EXCEPTION} reverted with panic code 0x${code} (${PANICS[code] ?? "Unknown panic code"})`;
  }
  const reason = revertReason(output);
  if (reason !== undefined) return `${EXCEPTION} reverted with reason string '${reason}'`;
  return `${EXCEPTION} reverted with an unrecognized custom error (return data: 0x${data})`;
}

/** Hardhat's names of panic codes. */
const PANICS: Readonly<Record<string, string>> = {
  "1": "Assertion error",
  "11": "Arithmetic operation overflowed outside of an unchecked block",
  "12": "Division or modulo division by zero",
  "21": "Tried to convert a value into an enum, but the value was too big or negative",
  "22": "Incorrectly encoded storage byte array",
  "31": ".pop() was called on an empty array",
  "32": "Array accessed at an out-of-bounds or negative index",
  "41": "Too much memory was allocated, or an array was created that is too large",
  "51": "Called a zero-initialized variable of internal function type",
};
