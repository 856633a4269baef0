import { Address } from "@ethereumjs/util";
import { createdAddress } from "../../chain/block/block.ts";
import type { AccessListEntry } from "../../chain/block/transaction.ts";
import type { Bytes } from "../../chain/encoding/bytes.ts";
import type { Hex } from "../../chain/encoding/hex.ts";
import { fromHex, quantity, toHex } from "../../chain/encoding/hex.ts";
import { uintFromBigInt } from "../../chain/encoding/uint.ts";
import { RPC, RpcError } from "../../jsonrpc/rpcError.ts";
import type { Context } from "../context.ts";
import { addressName, wordBytes } from "../evm/word.ts";
import type { BlockId } from "../params/blockParams.ts";
import { Pace } from "../state/pace.ts";
import type { ExecutionResult, Setting } from "./applyMessage.ts";
import { applyMessage } from "./applyMessage.ts";
import { authorities } from "./authorizations.ts";
import type { CallRequest } from "./callRequest.ts";
import { MessageRefused } from "./checkMessage.ts";
import { unpricedFor } from "./environment.ts";
import { failureWords } from "./failure.ts";
import type { Message } from "./message.ts";
import { expectChain, messageOf } from "./message.ts";
import type { Overrides } from "./setting.ts";
import { limitsOf, openSetting } from "./setting.ts";
import { observe } from "./trace/observe.ts";
import type { Step, Tracer } from "./trace/tracer.ts";

export interface AccessListResult {
  readonly accessList: readonly { readonly address: Hex; readonly storageKeys: readonly Hex[] }[];
  readonly gasUsed: Hex;
  readonly error?: string;
}

export async function createAccessList(
  context: Context,
  request: CallRequest,
  id: BlockId,
  overrides: Overrides,
): Promise<AccessListResult> {
  const limits = limitsOf(context);
  expectChain(request, context.chain.rules.chainId);
  const pace = await Pace.begin(limits.milliseconds);
  const opened = await openSetting(context, id, overrides);
  const message = messageOf(request, limits.gas, opened.environment.header.baseFeePerGas);
  const setting = { ...opened, environment: unpricedFor(opened.environment, message) };
  const excluded = await alwaysWarm(setting, message, context.chain.rules.chainId);
  let touched = new Touched(excluded, message.accessList);
  for (;;) {
    const accessList = touched.entries();
    const next = new Touched(excluded, accessList);
    const outcome = await attempt(setting, { ...message, accessList }, next, pace);
    // The list only grows, so equal size means a fixed point.
    if (next.size === touched.size) return present(accessList, outcome);
    touched = next;
  }
}

/** Omitted from the list: sender, recipient, precompiles and authorities are always warm. */
async function alwaysWarm({ machine }: Setting, message: Message, chainId: number): Promise<Set<Hex>> {
  const { from, to, nonce } = message;
  const next = nonce ?? (await machine.state.getAccount(from))?.nonce ?? 0n;
  const recipient = to?.bytes ?? createdAddress({ from: from.bytes, nonce: uintFromBigInt(next) });
  const excluded = new Set<Hex>([toHex(from.bytes), toHex(recipient)]);
  for (const address of machine.evm.precompiles.keys()) excluded.add(`0x${address}`);
  for await (const { authority } of authorities(message, BigInt(chainId))) excluded.add(toHex(authority.bytes));
  return excluded;
}

async function attempt(setting: Setting, message: Message, touched: Touched, pace: Pace): Promise<ExecutionResult> {
  const { machine } = setting;
  await machine.state.checkpoint();
  const stop = observe(machine, touched, pace);
  try {
    return await applyMessage(setting, message, { isCall: true });
  } catch (error) {
    if (!(error instanceof MessageRefused)) throw error;
    throw new RpcError(RPC.server, `failed to apply transaction: err: ${error.reason}`);
  } finally {
    stop();
    await machine.state.revert();
    machine.evm.journal.cleanJournal();
  }
}

function present(
  accessList: readonly AccessListEntry[],
  { gasUsed, error, runState }: ExecutionResult,
): AccessListResult {
  return {
    accessList: accessList.map(({ address, storageKeys }) => ({
      address: toHex(address),
      storageKeys: storageKeys.map(toHex),
    })),
    ...(error && { error: failureWords(error, runState) }),
    gasUsed: quantity(gasUsed),
  };
}

const SLOTS = new Set([0x54, 0x55]);
const ACCOUNTS = new Set([0x31, 0x3b, 0x3c, 0x3f, 0xff]);
const CALLS = new Set([0xf1, 0xf2, 0xf4, 0xfa]);

const STEP_WORK = 8;

class Touched implements Tracer {
  readonly opcodes = new Set([...SLOTS, ...ACCOUNTS, ...CALLS]);
  readonly #excluded: ReadonlySet<Hex>;
  readonly #accounts = new Map<Hex, Set<Hex>>();
  size = 0;

  constructor(excluded: ReadonlySet<Hex>, known: readonly AccessListEntry[]) {
    this.#excluded = excluded;
    for (const { address, storageKeys } of known) {
      this.#account(new Address(address));
      for (const key of storageKeys) this.#slot(new Address(address), key);
    }
  }

  step({ opcode, scope }: Step): number {
    const needed = CALLS.has(opcode) ? 5 : 1;
    if (scope.height < needed) return 1;
    if (SLOTS.has(opcode)) this.#slot(addressNamed(scope.address), wordBytes(scope.peek(0)));
    else this.#account(addressNamed(addressName(scope.peek(ACCOUNTS.has(opcode) ? 0 : 1))));
    return STEP_WORK;
  }

  entries(): AccessListEntry[] {
    return [...this.#accounts].map(([address, slots]) => ({
      address: fromHex(address),
      storageKeys: [...slots].map(fromHex),
    }));
  }

  result(): unknown {
    return this.entries();
  }

  #account(address: Address): void {
    if (!this.#excluded.has(toHex(address.bytes))) this.#slotsOf(address);
  }

  #slot(address: Address, key: Bytes): void {
    const slots = this.#slotsOf(address);
    if (!slots.has(toHex(key))) this.size++;
    slots.add(toHex(key));
  }

  #slotsOf(address: Address): Set<Hex> {
    const name = toHex(address.bytes);
    let slots = this.#accounts.get(name);
    if (slots === undefined) {
      slots = new Set();
      this.#accounts.set(name, slots);
      this.size++;
    }
    return slots;
  }
}

function addressNamed(digits: string): Address {
  return new Address(Buffer.from(digits, "hex"));
}
