import type { Common } from "@ethereumjs/common";
import type { EVMOpts, EVMResult, EVMRunCallOpts, ExecResult, PrecompileFunc } from "@ethereumjs/evm";
import { EVM, EVMError, getOpcodesForHF } from "@ethereumjs/evm";
import { Address, generateAddress } from "@ethereumjs/util";
import type { Bytes } from "../../chain/encoding/bytes.ts";
import { EMPTY } from "../../chain/encoding/bytes.ts";
import { uintFromBigInt } from "../../chain/encoding/uint.ts";
import { defined } from "../../std/values.ts";
import type { Pace } from "../state/pace.ts";
import type { WorldState } from "../state/worldState.ts";
import { setNonce } from "./balances.ts";
import type { Ended } from "./execution.ts";
import { Execution, InexactGas } from "./execution.ts";
import type { ExecutionContext, OnCodeless, Precompiles } from "./executionContext.ts";
import type { Call, Frame } from "./frame.ts";
import { returnStack } from "./frame.ts";
import type { InstructionTable } from "./instructionTable.ts";
import { instructionTableOf } from "./instructionTable.ts";
import { runToEnd } from "./interpret.ts";
import { Journal } from "./journal.ts";
import type { Watcher } from "./watcher.ts";
import { bigintOf, wordOf } from "./word.ts";

const CREATE = 0xf0;
const CALL = 0xf1;

const ZERO = "0".repeat(40);

const RARE = [
  ...(["message", "code", "depth", "isCompiled", "isStatic", "salt", "skipBalance", "delegatecall"] as const),
  ...(["selfdestruct", "createdAddresses", "accessWitness"] as const),
];

const opcodes = new WeakMap<Common, ReturnType<typeof getOpcodesForHF>>();

type RunPrecompile = (code: PrecompileFunc, data: Bytes, gasLimit: bigint) => ExecResult | Promise<ExecResult>;

/**
 * Extends the library's EVM: calls run in our own interpreter under rules it supports. Transactions, blocks,
 * precompiles and errors are the library's.
 */
export class NodeEvm extends EVM {
  readonly #state: WorldState;
  readonly #journal: Journal;
  readonly #table: InstructionTable | undefined;
  readonly #precompiles: Precompiles;
  pace: Pace | undefined;
  onCodeless: OnCodeless | undefined;
  /** Of the calls that run here. */
  watcher: Watcher | undefined;
  /** Before the library runs a call itself. */
  beforeLibrary: (() => void) | undefined;
  /** Whether the library runs all calls. */
  usesLibrary = false;

  constructor(options: EVMOpts, state: WorldState) {
    super(options);
    this.#state = state;
    this.#journal = new Journal(state, this.common);
    this.journal = this.#journal as unknown as EVM["journal"];
    this.#table = instructionTableOf(this.common);
    const run = this as unknown as { runPrecompile: RunPrecompile };
    this.#precompiles = {
      has: (address) => this.precompiles.has(address),
      run: (address, data, gas) => run.runPrecompile(defined(this.precompiles.get(address)), data, BigInt(gas)),
    };
  }

  /** The library rebuilds its table per machine, which takes longer than a call. */
  override getActiveOpcodes(): ReturnType<EVM["getActiveOpcodes"]> {
    let known = opcodes.get(this.common);
    if (known === undefined) {
      known = getOpcodesForHF(this.common);
      opcodes.set(this.common, known);
    }
    this._opcodes = known.opcodes;
    this._dynamicGasHandlers = known.dynamicGasHandlers;
    this._handlers = known.handlers;
    this._opcodeMap = known.opcodeMap;
    return known.opcodes;
  }

  get isOwn(): boolean {
    return this.#table !== undefined && !this.usesLibrary;
  }

  override async runCall(options: EVMRunCallOpts): Promise<EVMResult> {
    const { gasLimit = 0xffffffn } = options;
    const table = this.#table;
    const isRare = options.block === undefined || RARE.some((name) => options[name] !== undefined);
    if (table === undefined || this.usesLibrary || isRare) return this.#runInLibrary(options);
    const turn = this.pace?.begin();
    if (turn !== undefined) await turn;
    if (gasLimit <= Number.MAX_SAFE_INTEGER) return this.#run(options, Number(gasLimit), table);
    // A watcher would see another gas than there is.
    const result = this.watcher === undefined ? await this.#tryWithLess(options, table) : undefined;
    return result ?? this.#runInLibrary(options);
  }

  #runInLibrary(options: EVMRunCallOpts): Promise<EVMResult> {
    this.beforeLibrary?.();
    return super.runCall(options);
  }

  /** With as much gas as a number holds, more than a call can use. Undefined if the result depends on how much it is. */
  async #tryWithLess(options: EVMRunCallOpts, table: InstructionTable): Promise<EVMResult | undefined> {
    this.#journal.open();
    try {
      const result = await this.#run(options, Number.MAX_SAFE_INTEGER, table);
      const error = result.execResult.exceptionError?.error;
      if (error !== undefined && error !== EVMError.errorMessages.REVERT) throw new InexactGas();
      this.#journal.keep();
      return result;
    } catch (error) {
      this.#journal.takeBack();
      if (error instanceof InexactGas) return undefined;
      throw error;
    }
  }

  async #run(options: EVMRunCallOpts, gas: number, table: InstructionTable): Promise<EVMResult> {
    const call = this.#callOf(options, gas);
    const execution = new Execution(this.#around(options, call, table), gas < Number.MAX_SAFE_INTEGER);
    try {
      const ended = await runToEnd(execution, table, call);
      const result = resultOf(execution, call, ended);
      returnStack(ended.frame.stack);
      return result;
    } catch (error) {
      execution.abandon();
      throw error;
    }
  }

  #callOf({ caller, to, data = EMPTY, value = 0n, skipNonceIncrement }: EVMRunCallOpts, gas: number): Call {
    const from = caller === undefined ? ZERO : nameOf(caller);
    if (skipNonceIncrement !== true) {
      this.#journal.touch(from);
      setNonce({ state: this.#state, journal: this.#journal }, from, this.#nonceOf(from) + 1n);
    }
    const isCreation = to === undefined;
    const address = isCreation ? this.#nextAddress(from) : nameOf(to);
    const parties = { caller: from, address, codeAddress: address, value: wordOf(value), movesValue: true };
    const input = isCreation ? { initCode: data, data: EMPTY } : { initCode: EMPTY, data };
    const opcode = isCreation ? CREATE : CALL;
    return { opcode, ...parties, ...input, isCreation, gas, isStatic: false, depth: 0 };
  }

  #nextAddress(creator: string): string {
    const nonce = uintFromBigInt(BigInt.asUintN(64, this.#nonceOf(creator) - 1n));
    return Buffer.from(generateAddress(Buffer.from(creator, "hex"), nonce)).toString("hex");
  }

  #nonceOf(address: string): bigint {
    return this.#state.accountAt(address)?.nonce ?? 0n;
  }

  #around(options: EVMRunCallOpts, { caller }: Call, { fork }: InstructionTable): ExecutionContext {
    return {
      state: this.#state,
      journal: this.#journal,
      fork,
      precompiles: this.#precompiles,
      header: defined(options.block).header,
      origin: options.origin === undefined ? caller : nameOf(options.origin),
      gasPrice: options.gasPrice ?? 0n,
      blobHashes: options.blobVersionedHashes ?? [],
      blockHash: async (number) => (await this.blockchain.getBlock(Number(number))).hash(),
      pace: this.pace,
      onCodeless: this.onCodeless,
      watcher: this.watcher,
    };
  }
}

function resultOf(execution: Execution, call: Call, { frame, output, error }: Ended): EVMResult {
  const execResult: ExecResult = {
    returnValue: output,
    executionGasUsed: BigInt(call.gas - frame.gas),
    gasRefund: error === undefined ? BigInt(execution.refund) : 0n,
    logs: execution.logs,
    selfdestruct: execution.destroyed as Map<`0x${string}`, `0x${string}`>,
    createdAddresses: execution.created as Set<`0x${string}`>,
    ...(error && { exceptionError: error }),
    ...(error && frame.program.code.length > 0 && { runState: haltedState(frame) }),
  };
  return { execResult, ...(call.isCreation && { createdAddress: new Address(Buffer.from(call.address, "hex")) }) };
}

/** Machine state at the end, for the error message. */
export function haltedState(frame: Frame): NonNullable<ExecResult["runState"]> {
  const { height, program, programCounter, returnData } = frame;
  const highest = Array.from({ length: Math.min(height, 3) }, (_, distance) => bigintOf(frame.peek(distance)));
  const stack = { length: height, peek: (count: number) => highest.slice(0, count) };
  const state = { code: program.code, programCounter, stack, returnBytes: returnData };
  return state as unknown as NonNullable<ExecResult["runState"]>;
}

function nameOf({ bytes }: Address): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString("hex");
}
