import fc from "fast-check";
import { firstSeed } from "./seed.ts";

fc.configureGlobal({ seed: firstSeed() });

export { fc };
