import type { Address } from "@ethereumjs/util";
import { Address as LibraryAddress } from "@ethereumjs/util";
import type { Hex } from "../../../chain/encoding/hex.ts";
import { fromHex } from "../../../chain/encoding/hex.ts";
import type { Wire } from "../../../chain/encoding/wire.ts";
import { defined } from "../../../std/values.ts";
import type { CallFrame } from "./callTracer.ts";
import { CallTracer } from "./callTracer.ts";
import type { Beginning, Frame, FrameEnd, Tracer, TransactionLocation } from "./tracer.ts";

interface FlatCallTracerOptions {
  readonly includePrecompiles: boolean;
  readonly convertParityErrors: boolean;
}

/** For calls outside a block. */
const NOWHERE: TransactionLocation = { blockHash: null, blockNumber: 0, transactionHash: null, transactionPosition: 0 };

export class FlatCallTracer implements Tracer {
  readonly #options: FlatCallTracerOptions;
  readonly #calls = new CallTracer({ onlyTopCall: false, withLog: false });
  #place = NOWHERE;
  #isPrecompile: (address: Address) => boolean = () => false;

  constructor(options: FlatCallTracerOptions) {
    this.#options = options;
  }

  begin(beginning: Beginning): void {
    this.#place = beginning.place ?? NOWHERE;
    this.#isPrecompile = beginning.isPrecompile;
    this.#calls.begin(beginning);
  }

  enter(frame: Frame): void {
    this.#calls.enter(frame);
  }

  exit(frame: Frame, end: FrameEnd): void {
    this.#calls.exit(frame, end);
  }

  end(gasUsed: bigint): void {
    this.#calls.end(gasUsed);
  }

  result(): unknown {
    const top = this.#calls.result();
    return top === undefined ? [] : this.#flatten(top, []);
  }

  #flatten(call: CallFrame, path: readonly number[]): Wire[] {
    const inner = (call.calls ?? []).filter((one) => this.#isShown(one));
    return [
      this.#present(call, inner.length, path),
      ...inner.flatMap((one, index) => this.#flatten(one, [...path, index])),
    ];
  }

  #isShown({ type, to }: CallFrame): boolean {
    if (this.#options.includePrecompiles || (type !== "CALL" && type !== "STATICCALL")) return true;
    return !this.#isPrecompile(new LibraryAddress(fromHex(defined(to))));
  }

  #present(call: CallFrame, subtraces: number, traceAddress: readonly number[]): Wire {
    const { error, type } = call;
    const result = error === undefined || error === "execution reverted" ? resultOf(call) : undefined;
    const parityError =
      error !== undefined && this.#options.convertParityErrors ? (PARITY_ERRORS[error] ?? error) : error;
    return {
      action: actionOf(call),
      ...this.#place,
      ...(parityError !== undefined && { error: parityError }),
      ...(result && { result }),
      subtraces,
      traceAddress,
      type: isCreation(type) ? "create" : type === "SELFDESTRUCT" ? "suicide" : "call",
    };
  }
}

const isCreation = (type: string) => type === "CREATE" || type === "CREATE2";

function actionOf({ type, from, to, gas, input, value = "0x0" }: CallFrame): Wire {
  if (type === "SELFDESTRUCT") return { address: from, balance: value, refundAddress: to };
  if (isCreation(type)) return { creationMethod: type.toLowerCase(), from, gas, init: input, value };
  return { callType: type.toLowerCase(), from, gas, input, to, value };
}

function resultOf({ type, to, gasUsed, output = "0x", error }: CallFrame): Wire | undefined {
  if (type === "SELFDESTRUCT") return undefined;
  if (!isCreation(type)) return { gasUsed, output };
  const address: Hex | undefined = error === undefined ? to : undefined;
  return { ...(address && { address }), code: output, gasUsed };
}

/** Parity's messages by geth's. */
const PARITY_ERRORS: Readonly<Record<string, string>> = {
  "contract creation code storage out of gas": "Out of gas",
  "out of gas": "Out of gas",
  "gas uint64 overflow": "Out of gas",
  "max code size exceeded": "Out of gas",
  "invalid jump destination": "Bad jump destination",
  "execution reverted": "Reverted",
  "return data out of bounds": "Out of bounds",
  "stack limit reached 1024 (1023)": "Out of stack",
  "precompiled failed": "Built-in failed",
  "invalid input length": "Built-in failed",
};
