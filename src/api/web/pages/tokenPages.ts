import type { WebRoute } from "../context.ts";
import { serveTokens } from "./tokenListPage.ts";
import { serveToken } from "./tokenPage.ts";

export const TOKEN_PAGES: readonly WebRoute[] = [
  { path: "/tokens", serve: serveTokens },
  { path: "/token/:address", serve: serveToken },
];
