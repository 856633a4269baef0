import { quantity } from "../../src/chain/encoding/hex.ts";

/** Wrong data of a node: a head that is too low or too high, or altered records. */
export type NodeLie =
  | { readonly kind: "lag"; readonly blocks: number }
  | { readonly kind: "head"; readonly blocks: number }
  | { readonly kind: "header" }
  | { readonly kind: "receipt" }
  | { readonly kind: "log" }
  | { readonly kind: "balance" };

interface Asked {
  readonly method: string;
  readonly params: readonly unknown[];
}

interface Answer {
  readonly result?: unknown;
  readonly error?: unknown;
}

type Ask = (method: string, params: readonly unknown[]) => Promise<Answer>;
type Fields = Record<string, unknown>;

export async function lieAbout(lie: NodeLie, call: Asked, ask: Ask): Promise<Answer> {
  if (lie.kind === "lag") return lagBehind(lie.blocks, call, ask);
  const { result, error } = await ask(call.method, call.params);
  if (error !== undefined || result === null) return { result, error };
  if (lie.kind === "head") return { result: raiseHead(lie.blocks, call, result) };
  if (lie.kind === "balance") return { result: call.method === "eth_getBalance" ? "0x1" : result };
  if (lie.kind === "header") return { result: isBlock(call) ? { ...(result as Fields), stateRoot: OTHER } : result };
  return { result: alterLogs(lie.kind, call, result) };
}

const OTHER = `0x${"5a".repeat(32)}`;

function isBlock({ method }: Asked): boolean {
  return method === "eth_getBlockByNumber" || method === "eth_getBlockByHash";
}

function raiseHead(blocks: number, { method, params }: Asked, result: unknown): unknown {
  const raised = (number: unknown) => quantity(Number(number) + blocks);
  if (method === "eth_blockNumber") return raised(result);
  const isLatest = method === "eth_getBlockByNumber" && (params[0] === "latest" || params[0] === "pending");
  return isLatest ? { ...(result as Fields), number: raised((result as Fields).number) } : result;
}

function alterLogs(kind: "receipt" | "log", { method }: Asked, result: unknown): unknown {
  if (method === "eth_getTransactionReceipt") return alterReceipt(kind, result as Fields);
  if (method === "eth_getBlockReceipts") return (result as Fields[]).map((receipt) => alterReceipt(kind, receipt));
  if (method === "eth_getLogs" && kind === "log") return (result as Fields[]).map(alterLog);
  return result;
}

function alterReceipt(kind: "receipt" | "log", receipt: Fields): Fields {
  if (kind === "log") return { ...receipt, logs: (receipt.logs as Fields[]).map(alterLog) };
  return { ...receipt, status: receipt.status === "0x1" ? "0x0" : "0x1" };
}

function alterLog(log: Fields): Fields {
  return { ...log, data: `${String(log.data)}${"07".repeat(32)}` };
}

/** As if the newest blocks were not there yet. */
async function lagBehind(blocks: number, { method, params }: Asked, ask: Ask): Promise<Answer> {
  const head = Math.max(0, Number((await ask("eth_blockNumber", [])).result) - blocks);
  if (method === "eth_blockNumber") return { result: quantity(head) };
  const atHead = params.map((param) => (param === "latest" || param === "pending" ? quantity(head) : param));
  const { result, error } = await ask(method, atHead);
  const shown = (Array.isArray(result) ? result[0] : result) as Fields | null | undefined;
  const number = shown?.blockNumber ?? (isBlock({ method, params }) ? shown?.number : undefined);
  const isAbove = number !== undefined && number !== null && Number(number) > head;
  return isAbove ? { result: method === "eth_getLogs" ? [] : null } : { result, error };
}
