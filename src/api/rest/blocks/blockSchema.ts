import { Type } from "../../openapi/type.ts";
import {
  always,
  anything,
  arrayOf,
  as,
  count,
  decimal,
  fields,
  hash,
  hex,
  nullToday,
  number,
  orNull,
  record,
  time,
} from "../../openapi/values.ts";
import { AddressSchema } from "../addresses/addressSchema.ts";

export const BlockSchema = record("Block", {
  height: count("the number of the block"),
  hash: hash("its hash"),
  parent_hash: hash("the hash of the parent block"),
  timestamp: orNull(time("its timestamp")),
  type: always("block", "always `block`: uncles and reorged blocks are not stored"),
  miner: as(AddressSchema, "the [address](#address) of the miner in the header"),
  size: orNull(count("its size in bytes; null if the node does not report it")),
  nonce: hex("8 bytes as hex"),
  state_root: hash("the root of the state after the block"),
  extra_data: hex("what the miner wrote"),
  difficulty: decimal("difficulty"),
  total_difficulty: orNull(decimal("total difficulty; null if the node does not report it")),
  gas_used: decimal("gas used"),
  gas_limit: decimal("gas limit"),
  gas_used_percentage: number("gas used as a percentage of the gas limit"),
  gas_target_percentage: number(
    "how far gas used is above or below the gas target, which is half of the limit, in percent",
  ),
  transactions_count: count("transactions in the block"),
  transaction_count: count("same as `transactions_count`"),
  tx_count: count("same as `transactions_count`"),
  transaction_fees: decimal("fees paid by all senders for gas, without `burnt_blob_fees`"),
  tx_fees: decimal("same as `transaction_fees`"),
  base_fee_per_gas: orNull(decimal("base fee; null before EIP-1559")),
  burnt_fees: orNull(decimal("base fee times gas used; null before EIP-1559")),
  burnt_fees_percentage: orNull(
    number("burnt fees as a percentage of the transaction fees; null if there are no fees"),
  ),
  priority_fee: orNull(decimal("transaction fees minus burnt fees; null before EIP-1559")),
  blob_transactions_count: count("transactions of type 3"),
  blob_gas_used: orNull(decimal("blob gas; null before EIP-4844")),
  excess_blob_gas: orNull(decimal("as in the header; null before EIP-4844")),
  blob_gas_price: orNull(
    decimal(
      "the blob gas price that its blobs paid; without blobs, the price computed from the excess blob gas and `--blob-update-fraction`",
    ),
  ),
  burnt_blob_fees: decimal("blob fees of the block, 0 without blobs"),
  internal_transactions_count: orNull(count("internal transactions; null if the block is not traced")),
  rewards: arrayOf(
    fields("a reward", { type: always("Miner Reward", "always `Miner Reward`"), reward: decimal("its amount in wei") }),
    "what the miner got: `--block-reward`, and of the fees what was not burnt; empty for the first block",
  ),
  uncles_hashes: arrayOf(fields("an uncle", { hash: hash("its hash") }), "objects with the `hash` of each uncle"),
  withdrawals_count: orNull(count("withdrawals; null before EIP-4895")),
  beacon_deposits_count: nullToday("deposits to the beacon chain are not counted"),
  confirmations: count(
    "1 for the newest known block, 2 for its parent, and so on; 0 if the node has [replaced](operations.md#reorgs) it",
  ),
  is_pending_update: always(false, "always false"),
  extra: Type.Optional(anything("these fields as the node sent them")),
  extra_omitted: Type.Optional(count("how many more the node sent that are [too large](integrity.md#sizes) to keep")),
});

export const CountdownSchema = record("Countdown", {
  current_block: count("the highest known block"),
  countdown_block: count("the block that was asked for"),
  remaining_blocks: count("how many blocks are between them, with the one that was asked for"),
  estimated_time_in_sec: number("seconds until it is mined, at the pace of the newest blocks"),
});

export const WithdrawalSchema = record("Withdrawal", {
  index: count("its number on the chain"),
  validator_index: count("the validator whose deposit it is of"),
  receiver: as(AddressSchema, "the [address](#address) that gets it"),
  amount: decimal("its amount in wei"),
  block_number: count("the block that paid it"),
  timestamp: orNull(time("the timestamp of that block")),
});
