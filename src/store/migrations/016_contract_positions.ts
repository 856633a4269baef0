/** Contracts in the order of their deployments. */
export const contractPositions = (): string[] => ["CREATE INDEX contract_position ON contract (position)"];
