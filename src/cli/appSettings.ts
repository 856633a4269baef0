import type { FastifyBaseLogger } from "fastify";
import { devMethodsOf } from "../api/rpc/trust.ts";
import type { DevMethods, FundedAccount, WebSettings } from "../api/settings.ts";
import type { Settings } from "../config.ts";
import { readAccessToken } from "./accessToken.ts";
import type { Target } from "./networks.ts";
import { VERSION } from "./version.ts";

interface Process {
  readonly logger: FastifyBaseLogger;
  readonly targets: readonly Target[];
}

/** Who may use non-public methods of an embedded chain. */
export interface Access {
  readonly devMethods: DevMethods;
  /** The setting that decided; undefined for the default. */
  readonly reason: "--dev-methods" | "--public" | "--trust-proxy" | undefined;
}

export function accessOf(settings: Settings): Access {
  const { "dev-methods": devMethods, "trust-proxy": trustProxy, public: isPublic } = settings;
  const reason = devMethods !== undefined ? "--dev-methods" : isPublic ? "--public" : trustProxy && "--trust-proxy";
  return { devMethods: devMethodsOf({ devMethods, trustProxy, isPublic }), reason };
}

/** Units per second for clients on other machines. */
const RATE_LIMIT = 100;

function isLoopback(host: string): boolean {
  return host === "localhost" || host === "::1" || /^127(\.\d+){3}$/.test(host);
}

type Accounts = Promise<readonly FundedAccount[]> | undefined;

export function appSettings(settings: Settings, chainId: number, { logger, targets }: Process, accounts: Accounts) {
  return {
    version: VERSION,
    chainId,
    chainName: settings["chain-name"] ?? `Chain ${chainId}`,
    blobUpdateFraction: settings["blob-update-fraction"],
    blockReward: settings["block-reward"],
    compat: settings.compat,
    trustProxy: settings["trust-proxy"],
    devMethods: settings["dev-methods"],
    isPublic: settings.public,
    accessToken: accessOf(settings).devMethods === "loopback" ? readAccessToken(settings.data) : undefined,
    rateLimit: settings["rate-limit"] ?? (isLoopback(settings.host) && !settings.public ? 0 : RATE_LIMIT),
    web: settings.web ? webSettings(settings, targets, accounts) : undefined,
    logger,
  };
}

function webSettings(settings: Settings, targets: readonly Target[], accounts: Accounts): WebSettings {
  const others = targets.flatMap(({ name, settings: { port, "chain-name": title } }) =>
    name === undefined || port === 0 || port === settings.port ? [] : [{ name, title: title ?? name, port }],
  );
  return { coin: settings.coin, isTestnet: settings.testnet, others, accounts: accounts && (() => accounts) };
}
