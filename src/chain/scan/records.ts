/** Layout of the records, in bytes. The WebAssembly in wasm/ writes them and src/chain/scan/ reads them. */

/** Numbers are 8 bytes. A field is the offset of its bytes; `slots` are an offset and a length, or a count. */
export const HEADER_SIZE = 192;
export const H_NUMBER = 0;
export const H_GAS_USED = 8;
export const H_TIMESTAMP = 16;
export const H_BYTES = 24;
export const H_BLOB_GAS = 32;
export const H_HASH = 40;
export const H_PARENT = 44;
export const H_SHA3_UNCLES = 48;
export const H_MINER = 52;
export const H_STATE_ROOT = 56;
export const H_TX_ROOT = 60;
export const H_RECEIPTS_ROOT = 64;
export const H_BLOOM = 68;
export const H_MIX_HASH = 72;
export const H_NONCE = 76;
export const H_WITHDRAWALS_ROOT = 80;
export const H_BEACON_ROOT = 84;
export const H_REQUESTS = 88;
export const H_DIFFICULTY = 92;
export const H_GAS_LIMIT = 100;
export const H_EXTRA_DATA = 108;
export const H_BASE_FEE = 116;
export const H_EXCESS_BLOB_GAS = 124;
export const H_TOTAL_DIFFICULTY = 132;
export const H_UNCLES = 140;
export const H_WITHDRAWALS = 148;
export const H_HAS_BLOB_GAS = 156;
export const H_TRANSACTIONS = 160;
export const H_TX_BYTES = 164;
export const H_RECEIPTS = 168;
export const H_LOGS = 172;
export const H_VERIFIED = 176;

export const TX_SIZE = 176;
export const T_TYPE = 0;
export const T_HASH = 8;
export const T_FROM = 12;
export const T_TO = 16;
export const T_NONCE = 20;
export const T_GAS = 28;
export const T_VALUE = 36;
export const T_INPUT = 44;
export const T_GAS_PRICE = 52;
export const T_MAX_FEE = 60;
export const T_TIP = 68;
export const T_MAX_BLOB_FEE = 76;
export const T_CHAIN_ID = 84;
export const T_V = 92;
export const T_R = 100;
export const T_S = 108;
export const T_PARITY = 116;
export const T_ACCESS = 124;
export const T_BLOB_HASHES = 132;
export const T_AUTHORIZATIONS = 140;
export const T_BLOCK_HASH = 148;
/** NaN where the node sent none. */
export const T_BLOCK_NUMBER = 152;
export const T_TIMESTAMP = 160;
export const T_INDEX = 168;

export const RECEIPT_SIZE = 80;
export const R_TYPE = 0;
/** 0, 1, or 2 for a root. */
export const R_STATUS = 4;
export const R_FROM = 8;
export const R_TO = 12;
export const R_CONTRACT = 16;
export const R_BLOOM = 20;
export const R_ROOT = 24;
export const R_HAS_BLOB_GAS = 28;
export const R_CUMULATIVE = 32;
export const R_GAS_USED = 40;
export const R_BLOB_GAS = 48;
export const R_PRICE = 56;
export const R_BLOB_PRICE = 64;
export const R_FIRST_LOG = 72;
export const R_LOGS = 76;

export const LOG_SIZE = 32;
export const L_ADDRESS = 0;
export const L_TOPICS = 4;
export const L_TOPIC_COUNT = 8;
export const L_DATA = 12;
export const L_DATA_LENGTH = 16;
export const L_INDEX = 24;

/** Among the fields: the length of the whole entry comes first. */
export const AUTHORIZATION_SIZE = 48;
export const A_BYTES = 0;
export const A_ADDRESS = 4;
export const A_CHAIN_ID = 8;
export const A_NONCE = 16;
export const A_PARITY = 24;
export const A_R = 32;
export const A_S = 40;

export const WITHDRAWAL_SIZE = 32;
export const W_BYTES = 0;
export const W_ADDRESS = 4;
export const W_INDEX = 8;
export const W_VALIDATOR = 16;
export const W_AMOUNT = 24;

/** An address and a count of storage keys, which follow. */
export const ACCESS_SIZE = 24;
