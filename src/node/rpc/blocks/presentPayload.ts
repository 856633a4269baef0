import { withdrawalJson } from "../../../chain/block/json.ts";
import type { Sidecar } from "../../../chain/block/sidecar.ts";
import { quantity, toHex, uintToHex } from "../../../chain/encoding/hex.ts";
import type { Wire } from "../../../chain/encoding/wire.ts";
import { defined, itemAt } from "../../../std/values.ts";
import type { MinedBlock } from "../../block/minedBlock.ts";
import { tipsOf } from "../fees/tips.ts";

/** Engine API form with block value and blobs bundle. */
export function presentPayload(block: MinedBlock, sidecars: readonly Sidecar[]): Wire {
  return {
    executionPayload: presentExecution(block),
    blockValue: quantity(earned(block)),
    blobsBundle: {
      commitments: sidecars.flatMap(({ commitments }) => commitments.map(toHex)),
      proofs: sidecars.flatMap(({ proofs }) => proofs.map(toHex)),
      blobs: sidecars.flatMap(({ blobs }) => blobs.map(toHex)),
    },
    executionRequests: (block.requests ?? []).map(toHex),
    shouldOverrideBuilder: false,
  };
}

function presentExecution({ header, raw }: MinedBlock): Wire {
  return {
    parentHash: toHex(header.parentHash),
    feeRecipient: toHex(header.miner),
    stateRoot: toHex(header.stateRoot),
    receiptsRoot: toHex(header.receiptsRoot),
    logsBloom: toHex(header.logsBloom),
    prevRandao: toHex(header.mixHash),
    blockNumber: quantity(header.number),
    gasLimit: uintToHex(header.gasLimit),
    gasUsed: quantity(header.gasUsed),
    timestamp: quantity(header.timestamp),
    extraData: toHex(header.extraData),
    baseFeePerGas: uintToHex(defined(header.baseFeePerGas)),
    blockHash: toHex(header.hash),
    transactions: raw.map(toHex),
    ...(header.withdrawals && { withdrawals: header.withdrawals.map(withdrawalJson) }),
    ...(header.blobGasUsed !== undefined && { blobGasUsed: quantity(header.blobGasUsed) }),
    ...(header.excessBlobGas && { excessBlobGas: uintToHex(header.excessBlobGas) }),
  };
}

function earned(block: MinedBlock): bigint {
  let value = 0n;
  for (const [index, tip] of tipsOf(block).entries()) value += tip * BigInt(itemAt(block.receipts, index).gasUsed);
  return value;
}
