const NAMES = new Map<number, string>();

function nameRange(first: number, names: string): void {
  for (const [index, name] of names.trim().split(/\s+/).entries()) if (name !== "-") NAMES.set(first + index, name);
}

nameRange(0x00, "STOP ADD MUL SUB DIV SDIV MOD SMOD ADDMOD MULMOD EXP SIGNEXTEND");
nameRange(0x10, "LT GT SLT SGT EQ ISZERO AND OR XOR NOT BYTE SHL SHR SAR CLZ");
nameRange(0x20, "KECCAK256");
nameRange(
  0x30,
  `ADDRESS BALANCE ORIGIN CALLER CALLVALUE CALLDATALOAD CALLDATASIZE CALLDATACOPY CODESIZE CODECOPY GASPRICE EXTCODESIZE
   EXTCODECOPY RETURNDATASIZE RETURNDATACOPY EXTCODEHASH`,
);
nameRange(
  0x40,
  "BLOCKHASH COINBASE TIMESTAMP NUMBER DIFFICULTY GASLIMIT CHAINID SELFBALANCE BASEFEE BLOBHASH BLOBBASEFEE",
);
nameRange(0x50, "POP MLOAD MSTORE MSTORE8 SLOAD SSTORE JUMP JUMPI PC MSIZE GAS JUMPDEST TLOAD TSTORE MCOPY PUSH0");
for (let i = 1; i <= 32; i++) NAMES.set(0x5f + i, `PUSH${i}`);
for (let i = 1; i <= 16; i++) NAMES.set(0x7f + i, `DUP${i}`).set(0x8f + i, `SWAP${i}`);
nameRange(0xa0, "LOG0 LOG1 LOG2 LOG3 LOG4");
nameRange(0xf0, "CREATE CALL CALLCODE RETURN DELEGATECALL CREATE2 - - - - STATICCALL - - REVERT INVALID SELFDESTRUCT");

export function opcodeName(opcode: number): string {
  return NAMES.get(opcode) ?? `opcode 0x${opcode.toString(16)} not defined`;
}

interface Demand {
  readonly takes: number;
  readonly puts: number;
}

const DEMANDS = new Map<number, Demand>();

/** Each pair of digits is pops and pushes. */
function demandRange(first: number, demands: string): void {
  for (const [index, demand] of demands.trim().split(/\s+/).entries()) {
    DEMANDS.set(first + index, { takes: Number(demand[0]), puts: Number(demand[1]) });
  }
}

demandRange(0x00, "00 21 21 21 21 21 21 21 31 31 21 21");
demandRange(0x10, "21 21 21 21 21 11 21 21 21 11 21 21 21 21 11");
demandRange(0x20, "21");
demandRange(0x30, "01 11 01 01 01 11 01 30 01 30 01 11 40 01 30 11");
demandRange(0x40, "11 01 01 01 01 01 01 01 01 11 01");
demandRange(0x50, "10 11 20 20 11 20 10 20 01 01 01 00 11 20 30 01");
for (let i = 1; i <= 32; i++) DEMANDS.set(0x5f + i, { takes: 0, puts: 1 });
for (let i = 1; i <= 16; i++) {
  DEMANDS.set(0x7f + i, { takes: i, puts: i + 1 });
  DEMANDS.set(0x8f + i, { takes: i + 1, puts: i + 1 });
}
demandRange(0xa0, "20 30 40 50 60");
demandRange(0xf0, "31 71 71 20 61 41");
demandRange(0xfa, "61");
demandRange(0xfd, "20 00 10");

export const STACK_LIMIT = 1024;

export function demandOf(opcode: number): Demand | undefined {
  return DEMANDS.get(opcode);
}

/** geth's stack error, if any. */
export function stackFault(opcode: number, words: number): string | undefined {
  const demand = DEMANDS.get(opcode);
  if (demand === undefined) return undefined;
  if (words < demand.takes) return `stack underflow (${words} <=> ${demand.takes})`;
  const max = STACK_LIMIT + demand.takes - demand.puts;
  return words > max ? `stack limit reached ${words} (${max})` : undefined;
}
