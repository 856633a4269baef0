import { promisify } from "node:util";
import { gunzip, gzip } from "node:zlib";
import type { Bytes } from "../../../../chain/encoding/bytes.ts";
import { ChainError } from "../../../../chain/error.ts";
import { isObject } from "../../../../std/values.ts";
import type { MinedBlock } from "../../../block/minedBlock.ts";
import type { Chain } from "../../../chain.ts";
import { invalidParams } from "../../../params/params.ts";
import { retryOnReorg } from "../../../retryOnReorg.ts";
import type { Rules } from "../../../rules.ts";
import { Pace, READ_TIME } from "../../../state/pace.ts";
import type { DumpedAccount } from "./accounts.ts";
import { readAccounts, writeAccounts } from "./accounts.ts";
import { readHistoricalStates, writeHistoricalStates } from "./historicalStates.ts";
import { JsonText, MAX_STATE_BYTES, TooLarge } from "./jsonText.ts";
import { readBlocks } from "./readBlocks.ts";
import { writeBlocks, writeEnvironment } from "./writeBlocks.ts";

const compress = promisify(gzip);
const decompress = promisify(gunzip);

/**
 * Accounts, blocks and transactions in anvil's format, gzipped JSON, with `hasStates` the states after past blocks too.
 * Without it, blocks that exceed the size limit are omitted.
 */
export async function encodeDump(chain: Chain, hasStates: boolean): Promise<Bytes> {
  const pace = new Pace(READ_TIME);
  const text = await retryOnReorg(chain, () => {
    const { head } = chain;
    const work = async () => {
      const accounts = new JsonText();
      await writeAccounts(accounts, chain.walkAfter(head), pace);
      const history = await writeHistory(chain, head, accounts.length, hasStates, pace);
      return `${history}"accounts":${accounts}}`;
    };
    return { to: head.header.number, work };
  });
  return await compress(text);
}

const NO_HISTORY = '{"block":null,"best_block_number":null,"blocks":[],"transactions":[],"historical_states":null,';

async function writeHistory(
  chain: Chain,
  head: MinedBlock,
  used: number,
  hasStates: boolean,
  pace: Pace,
): Promise<string> {
  const text = new JsonText(used);
  const { number } = head.header;
  try {
    text.add(`{"block":${writeEnvironment(head, chain.rules.at(head.header))},"best_block_number":${number},`);
    await writeBlocks(text, chain, number, pace);
    text.add(',"historical_states":');
    if (hasStates) await writeHistoricalStates(text, chain, number, pace);
    else text.add("null");
    text.add(",");
  } catch (error) {
    if (hasStates || !(error instanceof TooLarge)) throw error;
    return NO_HISTORY;
  }
  return text.toString();
}

interface Dump {
  readonly accounts: Iterable<DumpedAccount>;
  /** From genesis to the head, or empty. */
  readonly blocks: readonly MinedBlock[];
  /** The accounts after a block, by block hash. */
  readonly states: ReadonlyMap<string, Iterable<DumpedAccount>>;
}

/** Reads a dump, gzipped or plain. */
export async function decodeDump(bytes: Bytes, rules: Rules): Promise<Dump> {
  const state = parse(await textOf(bytes));
  if (!isObject(state) || !isObject(state.accounts)) throw invalidParams("invalid state: it has no accounts");
  try {
    return {
      accounts: readAccounts(state.accounts),
      blocks: await readBlocks(state, rules, new Pace(READ_TIME)),
      states: readHistoricalStates(state.historical_states),
    };
  } catch (error) {
    if (!(error instanceof ChainError)) throw error;
    throw invalidParams(`invalid state: ${error.message}`);
  }
}

async function textOf(bytes: Bytes): Promise<string> {
  const isCompressed = bytes[0] === 0x1f && bytes[1] === 0x8b;
  if (!isCompressed) return Buffer.from(bytes).toString();
  try {
    return (await decompress(bytes, { maxOutputLength: MAX_STATE_BYTES })).toString();
  } catch {
    throw invalidParams(`invalid state: it cannot be decompressed to at most ${MAX_STATE_BYTES} bytes`);
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw invalidParams("invalid state: it is not JSON");
  }
}
