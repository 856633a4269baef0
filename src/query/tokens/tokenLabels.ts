import type { TokenLabel } from "../../store/tokens/observe/tokenLabels.ts";
import { TOKEN_LABELS } from "../../store/tokens/observe/tokenLabels.ts";

/** All labels that a token may have. */
export const LABELS = Object.keys(TOKEN_LABELS) as readonly TokenLabel[];
