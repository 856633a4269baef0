/** The paths under /api/v2, as the specification writes them (section 4.1). */
export const SPECIFIED_PATHS = [
  "/stats",
  "/main-page/blocks",
  "/main-page/transactions",
  "/blocks/{number}",
  "/transactions/{hash}",
  "/transactions/{hash}/logs",
  "/addresses/{address}",
  "/addresses/{address}/transactions",
  "/addresses/{address}/token-balances",
  "/addresses/{address}/logs",
  "/smart-contracts/{address}",
  "/tokens/{address}",
  "/tokens/{address}/holders",
  "/search?q={query}",
] as const;
