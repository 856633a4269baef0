import { decodeLeading } from "../../chain/abi/decode.ts";
import { parseSignature } from "../../chain/abi/parseSignature.ts";
import type { Signature } from "../../chain/abi/signature.ts";
import { selectorOf, typesOf } from "../../chain/abi/signature.ts";
import type { AbiValue } from "../../chain/abi/value.ts";
import type { Bytes } from "../../chain/encoding/bytes.ts";
import { toHex } from "../../chain/encoding/hex.ts";
import type { BatchPart } from "./action.ts";

interface InnerCall {
  readonly to: Bytes;
  readonly value: bigint;
  readonly data: Bytes;
}

interface BatchForm {
  readonly signature: Signature;
  readonly callsOf: (values: readonly AbiValue[], contract: Bytes) => readonly InnerCall[];
}

/** Functions whose argument is a list of calls: of Uniswap, Multicall3, and smart accounts. */
const FORMS: ReadonlyMap<string, BatchForm> = new Map(
  (
    [
      ["multicall(bytes[])", ([calls], contract) => ownCalls(calls, contract)],
      ["multicall(uint256,bytes[])", ([, calls], contract) => ownCalls(calls, contract)],
      ["multicall(bytes32,bytes[])", ([, calls], contract) => ownCalls(calls, contract)],
      ["aggregate((address,bytes)[])", ([calls]) => listed(calls, ([to, data]) => [to, 0n, data])],
      ["blockAndAggregate((address,bytes)[])", ([calls]) => listed(calls, ([to, data]) => [to, 0n, data])],
      ["tryAggregate(bool,(address,bytes)[])", ([, calls]) => listed(calls, ([to, data]) => [to, 0n, data])],
      ["tryBlockAndAggregate(bool,(address,bytes)[])", ([, calls]) => listed(calls, ([to, data]) => [to, 0n, data])],
      ["aggregate3((address,bool,bytes)[])", ([calls]) => listed(calls, ([to, , data]) => [to, 0n, data])],
      [
        "aggregate3Value((address,bool,uint256,bytes)[])",
        ([calls]) => listed(calls, ([to, , value, data]) => [to, value, data]),
      ],
      ["execute((address,uint256,bytes)[])", ([calls]) => listed(calls, ([to, value, data]) => [to, value, data])],
      ["executeBatch((address,uint256,bytes)[])", ([calls]) => listed(calls, ([to, value, data]) => [to, value, data])],
    ] satisfies [string, BatchForm["callsOf"]][]
  ).map(([text, callsOf]) => {
    const signature = parseSignature(text);
    return [selectorOf(signature), { signature, callsOf }];
  }),
);

/** Longer inputs and lists are not taken apart. */
const MAX_INPUT = 32_768;
export const MAX_PARTS = 50;

/** The calls inside a call, at most 50; empty if it is no known batch or its arguments do not decode. */
export function readBatch(
  input: Bytes,
  contract: Bytes,
  nameOf: (input: Bytes) => string | undefined,
): readonly BatchPart[] {
  if (input.length < 4 || input.length > MAX_INPUT) return [];
  const form = FORMS.get(toHex(input.subarray(0, 4)));
  const decoded = form && decodeLeading(typesOf(form.signature), input.subarray(4));
  if (form === undefined || decoded === undefined) return [];
  return form
    .callsOf(decoded.values, contract)
    .slice(0, MAX_PARTS)
    .map(({ to, value, data }) => ({
      to,
      value,
      method: data.length < 4 ? undefined : (nameOf(data) ?? data.subarray(0, 4)),
    }));
}

const ownCalls = (calls: AbiValue | undefined, to: Bytes): InnerCall[] =>
  (calls as readonly Bytes[]).map((data) => ({ to, value: 0n, data }));

type Tuple = readonly AbiValue[];

function listed(
  calls: AbiValue | undefined,
  read: (call: Tuple) => readonly (AbiValue | undefined)[],
): readonly InnerCall[] {
  return (calls as readonly Tuple[]).map((call) => {
    const [to, value, data] = read(call) as [Bytes, bigint, Bytes];
    return { to, value, data };
  });
}
