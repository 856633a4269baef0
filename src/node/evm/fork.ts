import type { Common } from "@ethereumjs/common";

export interface Fork {
  readonly gas: GasSchedule;
  readonly chainId: bigint;
  /** EIP-7702. */
  readonly delegates: boolean;
  /** EIP-6780. */
  readonly keepsDestroyed: boolean;
  /** EIP-3541: code must not begin with 0xef. */
  readonly refusesReserved: boolean;
  /** EIP-4399. */
  readonly hasRandao: boolean;
}

interface GasSchedule {
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
  readonly maxCodeSize: number;
  readonly maxInitCodeSize: number;
}

/** SSTORE costs and refunds (EIP-2200 with EIP-2929 and EIP-3529). */
interface StoreGas {
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
    maxCodeSize: param("maxCodeSize"),
    maxInitCodeSize: limitsInitCode ? param("maxInitCodeSize") : Number.POSITIVE_INFINITY,
  };
}
