import { toHex } from "../../../chain/encoding/hex.ts";
import type { Beginning, Frame, Tracer } from "./tracer.ts";

const CALLS = new Set(["CALL", "CALLCODE", "DELEGATECALL", "STATICCALL"]);

export class FourByteTracer implements Tracer {
  readonly #counts = new Map<string, number>();
  #isPrecompile: Beginning["isPrecompile"] = () => false;

  begin({ isPrecompile }: Beginning): void {
    this.#isPrecompile = isPrecompile;
  }

  enter({ type, to, input, depth }: Frame): void {
    if (input.length < 4) return;
    if (depth > 0 && (!CALLS.has(type) || to === undefined || this.#isPrecompile(to))) return;
    const key = `${toHex(input.subarray(0, 4))}-${input.length - 4}`;
    this.#counts.set(key, (this.#counts.get(key) ?? 0) + 1);
  }

  result(): unknown {
    return Object.fromEntries(this.#counts);
  }
}
