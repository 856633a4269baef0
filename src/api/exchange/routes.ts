import { POOL_ROUTES } from "./poolRoutes.ts";
import { QUOTE_ROUTES } from "./quoteRoutes.ts";
import type { ExchangeRoute } from "./route.ts";
import { TOKEN_ROUTES } from "./tokenRoutes.ts";
import { USER_ROUTES } from "./userRoutes.ts";

export const EXCHANGE_ROUTES: readonly ExchangeRoute[] = [
  ...POOL_ROUTES,
  ...TOKEN_ROUTES,
  ...QUOTE_ROUTES,
  ...USER_ROUTES,
];
