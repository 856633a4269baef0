import fc from "fast-check";
import { firstSeed } from "./seed.ts";

fc.configureGlobal({ seed: firstSeed() });

export { fc };

/** How many random inputs a property is tried with, unless ORIEL_CASES says. */
export const runs = (usual: number) => ({ numRuns: Number(process.env.ORIEL_CASES ?? usual) });
