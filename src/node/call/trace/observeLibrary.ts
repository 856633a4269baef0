import type { EVM, EVMResult } from "@ethereumjs/evm";
import type { Address } from "@ethereumjs/util";
import { createAddressFromBigInt, setLengthLeft } from "@ethereumjs/util";
import { EMPTY } from "../../../chain/encoding/bytes.ts";
import { uintFromBigInt } from "../../../chain/encoding/uint.ts";
import { defined, itemAt } from "../../../std/values.ts";
import type { Instruction, RunState } from "../../machine/instructions.ts";
import { instruct, instructionsOf, paced } from "../../machine/instructions.ts";
import type { Machine } from "../../machine/machine.ts";
import type { Pace } from "../../state/pace.ts";
import { failureWords } from "../failure.ts";
import { LibraryScope, watchSteps } from "./steps.ts";
import type { EmittedLog, Frame, FrameType, Tracer } from "./tracer.ts";
import { CALL_TYPES } from "./tracer.ts";

const STOP = 0x00;
const SELFDESTRUCT = 0xff;
const LOG0 = 0xa0;

type LibraryMessage = Parameters<Parameters<EVM["events"]["on"]>[1]>[0];

/** Attaches a tracer to the library's loop. Returns a function that detaches it. */
export function observeLibrary(machine: Machine, tracer: Tracer, pace: Pace): () => void {
  const { events } = machine.evm;
  const observer = new Observer(tracer);
  const plain = paced(instructionsOf(machine), pace);
  let instructions = plain.map((instruction, opcode) => observer.wrap(instruction, opcode));
  if (tracer.step !== undefined) instructions = watchSteps(instructions, tracer, pace);
  const before = (message: LibraryMessage) => observer.enter(message as unknown as Entering);
  const after = (result: EVMResult) => observer.exit(result);
  instruct(machine, instructions);
  events.on("beforeMessage", before as never);
  events.on("afterMessage", after as never);
  return () => {
    events.off("beforeMessage", before as never);
    events.off("afterMessage", after as never);
    instruct(machine, plain);
  };
}

interface Entering {
  readonly caller: Address;
  readonly to: Address | undefined;
  readonly codeAddress: Address;
  readonly data: Uint8Array;
  readonly gasLimit: bigint;
  readonly value: bigint;
  readonly depth: number;
}

class Observer {
  readonly #tracer: Tracer;
  readonly #frames: Frame[] = [];
  #entered = 0;
  #type: FrameType | undefined;

  constructor(tracer: Tracer) {
    this.#tracer = tracer;
  }

  wrap(instruction: Instruction, opcode: number): Instruction {
    const type = CALL_TYPES[opcode];
    const { opHandler } = instruction;
    const changed = (opHandler: (runState: RunState, run: () => unknown) => Promise<void>): Instruction => ({
      ...instruction,
      opcodeInfo: { ...instruction.opcodeInfo, isAsync: true },
      opHandler: ((runState, common) =>
        opHandler(runState, () => instruction.opHandler(runState, common))) as typeof instruction.opHandler,
    });
    if (opHandler === undefined) return instruction;
    if (type !== undefined) return changed((runState, run) => this.#call(type, runState, run));
    if (opcode === SELFDESTRUCT) return changed((runState, run) => this.#selfdestruct(runState, run));
    if (opcode >= LOG0 && opcode <= LOG0 + 4 && this.#tracer.log !== undefined) {
      return changed((runState, run) => this.#log(opcode - LOG0, runState, run));
    }
    return instruction;
  }

  enter(message: Entering): void {
    const type = this.#type ?? (message.to === undefined ? "CREATE" : "CALL");
    const isBorrowing = type === "DELEGATECALL" || type === "CALLCODE";
    const frame: Frame = {
      type,
      from: (isBorrowing ? message.to : undefined) ?? message.caller,
      to: isBorrowing ? message.codeAddress : message.to,
      input: message.data,
      gas: message.gasLimit,
      value: type === "STATICCALL" ? undefined : message.value,
      depth: message.depth,
    };
    this.#type = undefined;
    this.#entered++;
    this.#frames.push(frame);
    this.#tracer.enter?.(frame);
  }

  exit({ execResult, createdAddress }: EVMResult): void {
    const frame = defined(this.#frames.pop());
    const { exceptionError, runState, returnValue, executionGasUsed } = execResult;
    if (exceptionError === undefined && runState !== undefined) this.#fallOffTheEnd(runState as never, frame);
    const error = exceptionError && failureWords(exceptionError, runState);
    this.#tracer.exit?.(frame, { output: returnValue, gasUsed: executionGasUsed, error, createdAddress });
  }

  /** geth reports an implicit STOP past the end of the code. */
  #fallOffTheEnd(runState: RunState, { depth }: Frame): void {
    const { programCounter, code, opCode } = runState;
    const hasEnded = opCode === STOP || opCode === 0xf3 || opCode === SELFDESTRUCT;
    if (this.#tracer.step === undefined || code === undefined || programCounter < code.length || hasEnded) return;
    if (this.#tracer.opcodes !== undefined && !this.#tracer.opcodes.has(STOP)) return;
    this.#tracer.step({
      opcode: STOP,
      programCounter,
      gas: Number(runState.gasLeft),
      cost: 0,
      depth: depth + 1,
      scope: new LibraryScope(runState, Number(runState.memoryWordCount)),
      error: undefined,
    });
  }

  /** The library skips calls that are too deep or unfunded; geth enters and fails them. */
  async #call(type: FrameType, runState: RunState, run: () => unknown): Promise<void> {
    const entered = this.#entered;
    const attempt = attemptOf(type, runState);
    this.#type = type;
    await run();
    this.#type = undefined;
    if (this.#entered !== entered) return;
    const isTooDeep = runState.env.depth >= 1024;
    const error = isTooDeep ? "max call depth exceeded" : "insufficient balance for transfer";
    this.#tracer.enter?.(attempt);
    this.#tracer.exit?.(attempt, { output: EMPTY, gasUsed: 0n, error, createdAddress: undefined });
  }

  async #selfdestruct(runState: RunState, run: () => unknown): Promise<void> {
    const from = runState.env.address;
    const account = await runState.stateManager.getAccount(from);
    const frame: Frame = {
      type: "SELFDESTRUCT",
      from,
      to: addressOf(itemAt(runState.stack.peek(1), 0)),
      input: EMPTY,
      gas: 0n,
      value: account?.balance ?? 0n,
      depth: runState.env.depth + 1,
    };
    try {
      await run();
    } finally {
      this.#tracer.enter?.(frame);
      this.#tracer.exit?.(frame, { output: EMPTY, gasUsed: 0n, error: undefined, createdAddress: undefined });
    }
  }

  async #log(topicCount: number, runState: RunState, run: () => unknown): Promise<void> {
    const [offset = 0n, length = 0n, ...topics] = runState.stack.peek(topicCount + 2);
    const log: EmittedLog = {
      address: runState.env.address,
      topics: topics.map((topic) => setLengthLeft(uintFromBigInt(topic), 32)),
      data: length === 0n ? EMPTY : runState.memory.read(Number(offset), Number(length)),
    };
    await run();
    this.#tracer.log?.(log);
  }
}

const STIPEND = 2300n;

function attemptOf(type: FrameType, { stack, memory, env, messageGasLimit = 0n }: RunState): Frame {
  const words = stack.peek(Math.min(stack.length, 7));
  const isCreation = type === "CREATE" || type === "CREATE2";
  const hasValue = isCreation || type === "CALL" || type === "CALLCODE";
  const value = isCreation
    ? itemAt(words, 0)
    : hasValue
      ? itemAt(words, 2)
      : type === "STATICCALL"
        ? undefined
        : env.callValue;
  const [offset, length] = isCreation
    ? [itemAt(words, 1), itemAt(words, 2)]
    : hasValue
      ? [itemAt(words, 3), itemAt(words, 4)]
      : [itemAt(words, 2), itemAt(words, 3)];
  return {
    type,
    from: env.address,
    to: isCreation ? undefined : addressOf(itemAt(words, 1)),
    input: length === 0n ? EMPTY : memory.read(Number(offset), Number(length)),
    gas: hasValue && !isCreation && value !== 0n ? messageGasLimit + STIPEND : messageGasLimit,
    value,
    depth: env.depth + 1,
  };
}

function addressOf(word: bigint): Address {
  return createAddressFromBigInt(BigInt.asUintN(160, word));
}
