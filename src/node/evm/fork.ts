import type { Common } from "@ethereumjs/common";

/** What is particular to a fork. */
export interface Fork {
  readonly gas: GasSchedule;
  readonly chainId: bigint;
  /** Accounts can have the code of others run for them (EIP-7702). */
  readonly delegates: boolean;
  /** Only what was created in the same transaction can be destroyed (EIP-6780). */
  readonly keepsDestroyed: boolean;
  /** No code may begin with 0xef (EIP-3541). */
  readonly refusesReserved: boolean;
  /** Blocks have a random value in place of a difficulty (EIP-4399). */
  readonly hasRandao: boolean;
}

/** What the rules charge and allow, as numbers. */
export interface GasSchedule {
  readonly coldAccount: number;
  readonly coldSlot: number;
  readonly warmRead: number;
  readonly keccakWord: number;
  readonly copyWord: number;
  readonly expByte: number;
  readonly logTopic: number;
  readonly logByte: number;
  readonly callValue: number;
  readonly newAccount: number;
  readonly stipend: number;
  readonly initCodeWord: number;
  readonly codeByte: number;
  readonly destructionRefund: number;
  readonly store: StoreGas;
  readonly mostCode: number;
  readonly mostInitCode: number;
}

/** What SSTORE costs and gives back (EIP-2200 as EIP-2929 and EIP-3529 changed it). */
export interface StoreGas {
  /** There must be more left than this. */
  readonly sentry: number;
  readonly init: number;
  readonly clean: number;
  readonly dirty: number;
  readonly reset: number;
  readonly clearRefund: number;
}

export function forkOf(common: Common): Fork {
  return {
    gas: gasScheduleOf(common),
    chainId: common.chainId(),
    delegates: common.isActivatedEIP(7702),
    keepsDestroyed: common.isActivatedEIP(6780),
    refusesReserved: common.isActivatedEIP(3541),
    hasRandao: common.isActivatedEIP(4399),
  };
}

function gasScheduleOf(common: Common): GasSchedule {
  const param = (name: string) => Number(common.param(name));
  const limitsInitCode = common.isActivatedEIP(3860);
  return {
    coldAccount: param("coldaccountaccessGas"),
    coldSlot: param("coldsloadGas"),
    warmRead: param("warmstoragereadGas"),
    keccakWord: param("keccak256WordGas"),
    copyWord: param("copyGas"),
    expByte: param("expByteGas"),
    logTopic: param("logTopicGas"),
    logByte: param("logDataGas"),
    callValue: param("callValueTransferGas"),
    newAccount: param("callNewAccountGas"),
    stipend: param("callStipendGas"),
    initCodeWord: limitsInitCode ? param("initCodeWordGas") : 0,
    codeByte: param("createDataGas"),
    destructionRefund: param("selfdestructRefundGas"),
    store: {
      sentry: param("sstoreSentryEIP2200Gas"),
      init: param("sstoreInitEIP2200Gas"),
      clean: param("sstoreCleanEIP2200Gas"),
      dirty: param("sstoreDirtyEIP2200Gas"),
      reset: param("sstoreResetGas"),
      clearRefund: param("sstoreClearRefundEIP2200Gas"),
    },
    mostCode: param("maxCodeSize"),
    mostInitCode: limitsInitCode ? param("maxInitCodeSize") : Number.POSITIVE_INFINITY,
  };
}
