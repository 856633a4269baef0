import { resolve } from "node:path";
import type { Settings } from "../config.ts";
import { storeUrlOf } from "../config.ts";
import type { Invocation } from "../invocation.ts";
import { invalid } from "../settingValues.ts";
import { describeUrl } from "../store/engine/databases.ts";
import { hasStore } from "../store/openStore.ts";

/** The network of a plain `--rpc` has no name. */
export interface Target {
  readonly name?: string;
  readonly settings: Settings;
}

export function networksToStart({ settings, networks }: Invocation): readonly Target[] {
  if (isUnnamed(settings)) return [{ settings }];
  for (const { name, settings: own } of networks) {
    if (own.rpc === undefined && own["chain-id"] === undefined) {
      throw invalid(`the network "${name}" needs a chain-id for a chain of its own, or the rpc of a node`);
    }
  }
  expectDistinct(networks, "serve on port", ({ host, port }) => (port === 0 ? undefined : `${port} of ${host}`));
  expectDistinct(networks, "keep their data in", ({ data }) => resolve(data));
  expectDistinct(networks, "keep their index in", (own) => {
    const store = describeUrl(storeUrlOf(own)).replace(/^sqlite:/, "");
    return store.startsWith("postgres") ? store : resolve(store);
  });
  return networks;
}

/** All networks, unless a port or a directory selects the unnamed one. */
export async function networksToShow({ settings, networks }: Invocation): Promise<readonly Target[]> {
  const ports = new Set(networks.map((network) => network.settings.port));
  const hasNone = (await withIndex(networks)).length === 0;
  const isOne =
    isUnnamed(settings) || ports.size < networks.length || (hasNone && (await hasStore(storeUrlOf(settings))));
  return isOne && settings.network === undefined ? [{ settings }] : networks;
}

export async function indexToRead({ settings, networks }: Invocation): Promise<Target> {
  const [chosen] = networks;
  if (settings.network !== undefined && chosen !== undefined) return chosen;
  const [found, ...others] = await withIndex(networks);
  if (isUnnamed(settings) || found === undefined || (await hasStore(storeUrlOf(settings)))) return { settings };
  if (others.length === 0) return found;
  const names = [found, ...others].map(({ name }) => name);
  throw invalid(
    `there are several networks in ${describeUrl(storeUrlOf(settings))}; choose one with --network: ${names.join(", ")}`,
  );
}

/** All networks, and the unnamed one if it has an index. */
export async function networksToInform({ settings, networks }: Invocation): Promise<readonly Target[]> {
  if (settings.network !== undefined) return networks;
  if (isUnnamed(settings)) return [{ settings }];
  if (!(await hasStore(storeUrlOf(settings)))) return networks;
  return (await withIndex(networks)).length > 0 ? [...networks, { settings }] : [{ settings }];
}

function isUnnamed({ rpc, network }: Settings): boolean {
  return rpc !== undefined && network === undefined;
}

async function withIndex(networks: readonly Target[]): Promise<readonly Target[]> {
  const has = await Promise.all(networks.map(({ settings }) => hasStore(storeUrlOf(settings))));
  return networks.filter((_, at) => has[at]);
}

function expectDistinct(
  networks: readonly Target[],
  what: string,
  placeOf: (settings: Settings) => string | undefined,
): void {
  const taken = new Map<string, string>();
  for (const { name, settings } of networks) {
    const place = placeOf(settings);
    const other = place === undefined ? undefined : taken.get(place);
    if (other !== undefined) {
      throw invalid(
        `the networks "${other}" and "${name}" would both ${what} ${place}: pick one with --network, or set it for each in the configuration file`,
      );
    }
    if (place !== undefined) taken.set(place, name!);
  }
}
