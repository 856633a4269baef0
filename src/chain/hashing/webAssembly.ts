/** The part of WebAssembly that is used; its types are in the library of browsers only. */
interface WebAssemblyApi {
  readonly Module: new (code: Uint8Array) => object;
  readonly Instance: new (module: object) => { readonly exports: object };
  readonly RuntimeError: new () => Error;
}

export const wasm = (globalThis as unknown as { readonly WebAssembly: WebAssemblyApi }).WebAssembly;
