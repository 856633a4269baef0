import { buildProgram } from "../build/buildProgram.js";

/** `npm run bench -- NAME [options]`: each benchmark prints ratios against a bound taken in the same run. */
const BENCHMARKS: Readonly<Record<string, () => Promise<{ run: (args: string[]) => Promise<void> }>>> = {
  ingest: () => import("./ingest.ts"),
  growth: () => import("./growth.ts"),
  tokens: () => import("./tokens.ts"),
  node: () => import("./node.ts"),
  calls: () => import("./calls.ts"),
  rest: () => import("./rest.ts"),
  action: () => import("./action.ts"),
  exchange: () => import("./exchange.ts"),
  traces: () => import("./traces.ts"),
  rpc: () => import("./rpc.ts"),
  search: () => import("./search.ts"),
  hostile: () => import("./hostile.ts"),
  overload: () => import("./overload.ts"),
  verify: () => import("./verify.ts"),
  web: () => import("./web.ts"),
  idle: () => import("./idle.ts"),
  footprint: () => import("./footprint.ts"),
  long: () => import("./long.ts"),
  peers: () => import("./peers.ts"),
  postgres: () => import("./postgres.ts"),
};

const [name = "", ...args] = process.argv.slice(2);
await buildProgram("dist");
const benchmark = BENCHMARKS[name];
if (benchmark === undefined) {
  console.error(`usage: npm run bench -- NAME, with NAME one of: ${Object.keys(BENCHMARKS).join(", ")}`);
  process.exitCode = 1;
} else {
  await (await benchmark()).run(args);
}
