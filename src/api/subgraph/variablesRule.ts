import type { ASTVisitor, GraphQLType, ValidationContext } from "graphql";
import {
  GraphQLError,
  getNamedType,
  isListType,
  isNonNullType,
  specifiedRules,
  typeFromAST,
  VariablesInAllowedPositionRule,
} from "graphql";

/** Types whose values graph-node takes for each other's. */
const LIKE: Readonly<Record<string, readonly string[]>> = {
  ID: ["String", "Bytes"],
  String: ["ID", "Bytes"],
  Bytes: ["ID", "String"],
  BigInt: ["Int", "ID", "String"],
  BigDecimal: ["Int", "Float", "String", "BigInt"],
};

/** Null is refused where a value is needed, when it is used. */
function isAllowed(given: GraphQLType, wanted: GraphQLType): boolean {
  if (isNonNullType(given)) return isAllowed(given.ofType, wanted);
  if (isNonNullType(wanted)) return isAllowed(given, wanted.ofType);
  if (isListType(given) || isListType(wanted)) {
    return isListType(given) && isListType(wanted) && isAllowed(given.ofType, wanted.ofType);
  }
  return given.name === wanted.name || (LIKE[wanted.name]?.includes(given.name) ?? false);
}

/** Published queries declare variables as any of these types. */
function variablesRule(context: ValidationContext): ASTVisitor {
  return {
    OperationDefinition: {
      leave: (operation) => {
        const declared = new Map(operation.variableDefinitions?.map((one) => [one.variable.name.value, one]));
        for (const { node, type } of context.getRecursiveVariableUsages(operation)) {
          const definition = declared.get(node.name.value);
          const given = definition && typeFromAST(context.getSchema(), definition.type);
          if (!given || !type || isAllowed(given, type)) continue;
          const message = `Variable "$${node.name.value}" is of type ${given}, and used as ${getNamedType(type)}.`;
          context.reportError(new GraphQLError(message, { nodes: [node] }));
        }
      },
    },
  };
}

export const VALIDATION_RULES = specifiedRules.map((rule) =>
  rule === VariablesInAllowedPositionRule ? variablesRule : rule,
);
