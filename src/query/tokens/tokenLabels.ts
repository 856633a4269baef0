import type { TokenLabel } from "../../store/stages/tokens/tables/tokenLabels.ts";
import { TOKEN_LABELS } from "../../store/stages/tokens/tables/tokenLabels.ts";

/** All labels. */
export const LABELS = Object.keys(TOKEN_LABELS) as readonly TokenLabel[];
