/** A permit of a token as wallets are asked to sign it, with a nested type and an array. */
export function PERMIT(chainId: number) {
  return {
    domain: { name: "Real Token", version: "1", chainId, verifyingContract: `0x${"11".repeat(20)}` },
    types: {
      Person: [
        { name: "name", type: "string" },
        { name: "wallet", type: "address" },
      ],
      Permit: [
        { name: "owner", type: "Person" },
        { name: "spenders", type: "address[]" },
        { name: "value", type: "uint256" },
        { name: "isFinal", type: "bool" },
        { name: "note", type: "bytes" },
      ],
    },
    primaryType: "Permit",
    message: {
      owner: { name: "Zoë", wallet: `0x${"22".repeat(20)}` },
      spenders: [`0x${"33".repeat(20)}`, `0x${"44".repeat(20)}`],
      value: 2n ** 200n,
      isFinal: true,
      note: "0x00ff",
    },
  } as const;
}
