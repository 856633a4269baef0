import { toHex } from "../../../chain/encoding/hex.ts";
import { ChainError } from "../../../chain/error.ts";
import type { Context } from "../../../query/context.ts";
import type { Shape } from "../../openapi/values.ts";
import { notFound } from "../errors.ts";
import { parseAddress } from "../params.ts";
import { presentProxy, readAccount, readCreation, readState } from "../../../query/accounts/account.ts";
import type { ContractSchema } from "./accountSchema.ts";

/** The contract at an address (specification, section 4.1): for one without verified source, its bytecode. */
export async function serveContract(context: Context, text: string): Promise<Shape<typeof ContractSchema>> {
  const address = parseAddress(text);
  const { store } = context;
  const indexed = await store.read((session) => readAccount(session, address));
  const state = await readState(context, address, indexed.range);
  const code = state.account?.code;
  const isKnown = indexed.kinds.get(address)?.isContract === true;
  if (!isKnown && code === undefined && context.readThrough !== undefined && indexed.range !== undefined) {
    throw new ChainError("upstream_unavailable", "the node does not say whether there is a contract");
  }
  if (!isKnown && (code === undefined || code.length === 0)) throw notFound();
  const creation = await readCreation(context, address, indexed, state);
  return {
    ...presentProxy(state),
    conflicting_implementations: null,
    deployed_bytecode: code === undefined ? null : toHex(code),
    creation_bytecode: creation?.input === undefined ? null : toHex(creation.input),
    creation_status: creation?.status ?? null,
  };
}
