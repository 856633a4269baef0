import { isObject } from "../std/values.ts";

/** Returns the problem with a value at a path, or undefined. */
type Form = (value: unknown, path: string) => string | undefined;

const QUANTITY = /^0x(0|[1-9a-f][0-9a-f]{0,63})$/i;
const PADDED = /^0x[0-9a-f]{1,64}$/i;
// A capturing group would overflow the stack on megabytes.
const DATA = /^0x(?:[0-9a-f]{2})*$/i;

const matching =
  (pattern: RegExp): Form =>
  (value, path) =>
    typeof value === "string" && pattern.test(value) ? undefined : path;

const quantity = matching(QUANTITY);
const padded = matching(PADDED);
const data = matching(DATA);
const ratio: Form = (value, path) => (typeof value === "number" && value >= 0 ? undefined : path);

/** Nodes may omit missing values or return null. */
const orNull =
  (form: Form): Form =>
  (value, path) =>
    value === undefined || value === null ? undefined : form(value, path);

const listOf =
  (form: Form): Form =>
  (value, path) => {
    if (!Array.isArray(value)) return path;
    for (const entry of value) {
      const problem = form(entry, path);
      if (problem !== undefined) return problem;
    }
    return undefined;
  };

/** Ignores unlisted fields. */
function fieldsOf(forms: Readonly<Record<string, Form>>): Form {
  const entries = Object.entries(forms).map(([name, form]) => [name, orNull(form)] as const);
  return (value, path) => {
    if (!isObject(value)) return path;
    for (const [name, form] of entries) {
      const problem = form(value[name], path === "" ? name : `${path}.${name}`);
      if (problem !== undefined) return problem;
    }
    return undefined;
  };
}

const quantities = (names: string) => Object.fromEntries(names.split(/\s+/).map((name) => [name, quantity]));

const orHash =
  (form: Form): Form =>
  (value, path) =>
    typeof value === "string" ? data(value, path) : form(value, path);

const place = quantities("blockNumber transactionIndex");
const log = fieldsOf({ ...place, logIndex: quantity, data });
const transaction = fieldsOf({
  ...place,
  ...quantities("type nonce gas value gasPrice maxFeePerGas maxPriorityFeePerGas maxFeePerBlobGas chainId"),
  ...{ v: padded, r: padded, s: padded, yParity: padded, input: data },
});
const receipt = fieldsOf({
  ...place,
  ...quantities("type status cumulativeGasUsed gasUsed effectiveGasPrice blobGasUsed blobGasPrice"),
  logs: listOf(log),
});
const block = fieldsOf({
  ...quantities("number gasLimit gasUsed timestamp difficulty totalDifficulty size"),
  ...quantities("baseFeePerGas blobGasUsed excessBlobGas"),
  extraData: data,
  transactions: listOf(orHash(transaction)),
  withdrawals: listOf(fieldsOf(quantities("index validatorIndex amount"))),
});
const simulatedCall = fieldsOf({ ...quantities("status gasUsed maxUsedGas"), returnData: data, logs: listOf(log) });
const simulatedCalls = fieldsOf({ calls: listOf(simulatedCall) });
const simulatedBlock: Form = (value, path) => block(value, path) ?? simulatedCalls(value, path);
const syncProgress = fieldsOf(quantities("startingBlock currentBlock highestBlock"));
const syncing: Form = (value, path) => (value === false ? undefined : syncProgress(value, path));
const account = fieldsOf(quantities("balance nonce"));
const feeHistory = fieldsOf({
  oldestBlock: quantity,
  baseFeePerGas: listOf(quantity),
  baseFeePerBlobGas: listOf(quantity),
  gasUsedRatio: listOf(ratio),
  blobGasUsedRatio: listOf(ratio),
  reward: listOf(orNull(listOf(quantity))),
});

const BLOCK_PARTS = ["ByNumber", "ByHash"] as const;
const all = (form: Form, names: readonly string[]) => names.map((name) => [name, form] as const);

/** Result schemas of the execution API specification. */
const FORMS: ReadonlyMap<string, Form> = new Map([
  ...all(quantity, ["eth_blockNumber", "eth_gasPrice", "eth_maxPriorityFeePerGas", "eth_baseFee", "eth_blobBaseFee"]),
  ...all(quantity, ["eth_getBalance", "eth_getTransactionCount", "eth_estimateGas", "eth_hashrate", "net_peerCount"]),
  ...BLOCK_PARTS.flatMap((part) => all(orNull(quantity), [`eth_getBlockTransactionCount${part}`])),
  ...all(orNull(quantity), ["eth_getUncleCountByBlockNumber", "eth_getUncleCountByBlockHash"]),
  ...all(data, ["eth_getCode", "eth_call"]),
  ...all(matching(/^0x[0-9a-f]{0,64}$/i), ["eth_getStorageAt"]),
  ...all(orNull(block), [...BLOCK_PARTS.map((part) => `eth_getBlock${part}`)]),
  ...all(orNull(block), ["eth_getUncleByBlockNumberAndIndex", "eth_getUncleByBlockHashAndIndex"]),
  ...all(orNull(transaction), ["eth_getTransactionByHash", "eth_getTransactionBySenderAndNonce"]),
  ...all(orNull(transaction), ["eth_getTransactionByBlockNumberAndIndex", "eth_getTransactionByBlockHashAndIndex"]),
  ...all(orNull(receipt), ["eth_getTransactionReceipt"]),
  ...all(orNull(listOf(receipt)), ["eth_getBlockReceipts"]),
  ...all(listOf(orHash(log)), ["eth_getLogs", "eth_getFilterLogs", "eth_getFilterChanges"]),
  ...all(orNull(feeHistory), ["eth_feeHistory"]),
  ...all(orNull(account), ["eth_getProof", "eth_getAccount", "eth_getAccountInfo"]),
  ...all(fieldsOf(quantities("gasUsed")), ["eth_createAccessList"]),
  ...all(listOf(simulatedBlock), ["eth_simulateV1"]),
  ...all(syncing, ["eth_syncing"]),
]);

/** Undefined if the result is well-formed or its method has no schema. */
export function resultProblem(method: string, result: unknown): string | undefined {
  const path = FORMS.get(method)?.(result, "");
  if (path === undefined) return undefined;
  return `a malformed result of ${method}${path === "" ? "" : `: ${path}`}`;
}
