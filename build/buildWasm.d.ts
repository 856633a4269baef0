export interface WasmModule {
  readonly source: string;
  readonly target: string;
  readonly name: string;
}
export const WASM_MODULES: readonly WasmModule[];
export function compileWasm(module: WasmModule): Promise<string>;
export function writeWasm(): Promise<void>;
