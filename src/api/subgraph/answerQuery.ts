import type { DocumentNode, ExecutionResult, FormattedExecutionResult } from "graphql";
import { execute, GraphQLError, getOperationAST, getVariableValues, OperationTypeNode, parse, validate } from "graphql";
import { ChainError } from "../../chain/error.ts";
import type { QueryContext } from "../../query/context.ts";
import type { SubgraphKind } from "../../query/subgraph/subgraphMarket.ts";
import { readSubgraph } from "../../query/subgraph/subgraphState.ts";
import { checkSize } from "./checkDocument.ts";
import { openContext } from "./context.ts";
import { MAX_TOKENS } from "./limits.ts";
import { schemaOf } from "./schema.ts";
import { VALIDATION_RULES } from "./variablesRule.ts";

export interface SubgraphRequest {
  readonly query: string;
  readonly variables: Readonly<Record<string, unknown>> | undefined;
  readonly operationName: string | undefined;
}

const MAX_ERRORS = 10;

/** In GraphQL's own form. Throws what is not the query's fault. */
export async function answerQuery(
  network: QueryContext,
  kind: SubgraphKind,
  request: SubgraphRequest,
): Promise<FormattedExecutionResult> {
  try {
    const document = checkQuery(kind, request);
    return Array.isArray(document) ? refuse(document) : await answer(network, kind, document, request);
  } catch (error) {
    if (error instanceof GraphQLError) return refuse([error]);
    // Of thousands of brackets or variables inside each other.
    if (error instanceof RangeError && /call stack/.test(error.message)) {
      return refuse([new GraphQLError("the query is too deep")]);
    }
    throw error;
  }
}

/** The document, or what is wrong with it. */
function checkQuery(
  kind: SubgraphKind,
  { query, operationName, variables = {} }: SubgraphRequest,
): DocumentNode | GraphQLError[] {
  const document = parse(query, { maxTokens: MAX_TOKENS });
  const excess = checkSize(document);
  if (excess !== undefined) return [excess];
  const schema = schemaOf(kind);
  const faults = validate(schema, document, VALIDATION_RULES, { maxErrors: MAX_ERRORS });
  if (faults.length > 0) return [...faults];
  const operation = getOperationAST(document, operationName);
  if (!operation) return [new GraphQLError("`operationName` must name one of the operations of the query")];
  if (operation.operation !== OperationTypeNode.QUERY) return [new GraphQLError("only queries are answered")];
  const { variableDefinitions = [] } = operation;
  const { errors = [] } = getVariableValues(schema, variableDefinitions, variables, { maxErrors: MAX_ERRORS });
  return errors.length > 0 ? [...errors] : document;
}

function answer(
  network: QueryContext,
  kind: SubgraphKind,
  document: DocumentNode,
  { variables, operationName }: SubgraphRequest,
): Promise<FormattedExecutionResult> {
  const schema = schemaOf(kind);
  return readSubgraph(network, kind, async (state) => {
    const contextValue = openContext(state);
    return present(await execute({ schema, document, variableValues: variables, operationName, contextValue }));
  });
}

const refuse = (errors: readonly GraphQLError[]): FormattedExecutionResult => ({ errors: errors.map(presentError) });

function present({ data, errors = [] }: ExecutionResult): FormattedExecutionResult {
  for (const { originalError } of errors) {
    const isRequest = originalError === undefined || originalError instanceof GraphQLError || isLimit(originalError);
    if (!isRequest) throw originalError;
  }
  if (errors.length === 0) return { data: data ?? null };
  return { data: data ?? null, errors: errors.slice(0, MAX_ERRORS).map(presentError) };
}

const isLimit = (error: Error): boolean => error instanceof ChainError && error.code === "limit_exceeded";

function presentError({ message, locations, path }: GraphQLError) {
  return { message, ...(locations && { locations }), ...(path && { path }) };
}
