import type { Bytes } from "../../chain/encoding/bytes.ts";
import { toHex } from "../../chain/encoding/hex.ts";
import { WireReader } from "../../chain/encoding/wire.ts";
import type { DeployedContract } from "../../verify/verifier.ts";
import { findContract } from "../accounts/account.ts";
import type { QueryContext } from "../context.ts";

/** At the node's head if it is not indexed yet. Undefined without code. */
export async function readDeployedContract(
  context: QueryContext,
  address: Bytes,
): Promise<DeployedContract | undefined> {
  const contract = await findContract(context, address);
  const indexed = contract?.account?.code;
  const isIndexed = indexed !== undefined && indexed.length > 0;
  const code = isIndexed ? indexed : await readNewestCode(context, address);
  if (code === undefined || code.length === 0) return undefined;
  const creation = contract?.creation;
  if (creation === undefined) return { code, creation: undefined, isIndexed };
  const { creator, transaction, input } = creation;
  const sender = toHex(creator);
  return { code, creation: { input: input && toHex(input), transaction: toHex(transaction), sender }, isIndexed };
}

/** The cached head may be a second old, and the contract newer. */
async function readNewestCode({ node }: QueryContext, address: Bytes): Promise<Bytes | undefined> {
  return node && new WireReader().code(await node.readThrough.newestCode(address));
}
