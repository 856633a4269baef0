/** Index of the block parameter of state methods. */
export const STATE_METHODS: Readonly<Record<string, number>> = {
  eth_getBalance: 1,
  eth_getTransactionCount: 1,
  eth_getCode: 1,
  eth_getStorageValues: 1,
  eth_getAccount: 1,
  eth_getAccountInfo: 1,
  eth_call: 1,
  eth_getStorageAt: 2,
  eth_getProof: 2,
};

export function isStateMethod(method: string): boolean {
  return Object.hasOwn(STATE_METHODS, method);
}
