import { toHex } from "../../../chain/encoding/hex.ts";
import { RPC, RpcError } from "../../../jsonrpc/rpcError.ts";
import { encodeBlock } from "../../block/assemble.ts";
import type { MinedBlock } from "../../block/minedBlock.ts";
import { encodeReceipt, encodeStored } from "../../block/stored.ts";
import { findBlock } from "../../findBlock.ts";
import { requiredBlockId } from "../../params/blockParams.ts";
import { expectAtMost, hashParam } from "../../params/params.ts";
import type { Method, Methods } from "../methods.ts";
import { rawTransaction } from "../transactions/transactionMethods.ts";

/** Methods that return consensus encodings. */
export const rawMethods: Methods = {
  debug_getRawBlock: ofBlock(({ header, raw, uncles }) => toHex(encodeBlock(header, raw, uncles))),
  debug_getRawHeader: ofBlock((block) => toHex(encodeStored(block).header)),
  debug_getRawReceipts: ofBlock(({ receipts }) => receipts.map((receipt) => toHex(encodeReceipt(receipt)))),
  debug_getRawTransaction: (context, params) => {
    expectAtMost(params, 1);
    return rawTransaction(context, hashParam(params, 0));
  },
};

function ofBlock(present: (block: MinedBlock) => unknown): Method {
  return async (context, params) => {
    expectAtMost(params, 1);
    const block = await findBlock(context, requiredBlockId(params, 0));
    if (block === undefined) throw new RpcError(RPC.server, "block not found");
    return present(block);
  };
}
