import type { SimulatedBlock } from "./simulatedChain.ts";

/** Traces of a simulated chain: every third transaction makes a call with value and a creation. */
export function simulatedTrace({ block, receipts }: SimulatedBlock, index: number, tracer: unknown): object {
  const { from, to, value, input, gas, hash } = block.transactions[index]!;
  if (tracer === "prestateTracer") {
    return { pre: { [from]: { balance: "0x64", nonce: 1 } }, post: { [from]: { balance: "0x5a", nonce: 2 } } };
  }
  const { gasUsed } = receipts[index]!;
  if (tracer === "flatCallTracer") {
    const action = { callType: "call", from, to: to ?? undefined, value, gas, input };
    return [{ type: "call", action, result: { gasUsed, output: "0x" }, subtraces: 0, traceAddress: [] }];
  }
  const inner = { from: to ?? from, gas: "0x5208", gasUsed: "0x10", input: "0x" };
  const calls = [
    { ...inner, type: "CALL", to: from, value: "0x7" },
    { ...inner, type: "CREATE2", to: `0x${hash.slice(26)}`, value: "0x0" },
  ];
  const top = { type: to === null ? "CREATE" : "CALL", from, value, input, gas, gasUsed };
  return { ...top, to: to ?? undefined, ...(index % 3 === 0 && { calls }) };
}
