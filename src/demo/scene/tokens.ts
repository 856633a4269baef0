import { defined } from "../../std/values.ts";
import type { Actors } from "../actors.ts";
import type { Artifacts } from "../artifacts.ts";
import type { DeployedToken, TokenKind } from "./addresses.ts";
import { amountOf } from "./amounts.ts";
import type { Plan } from "./plan.ts";
import type { SceneSpec, TokenSpec } from "./spec.ts";

const TREASURY = 100;

export interface Tokens {
  readonly wrapped: DeployedToken;
  readonly stables: readonly DeployedToken[];
  readonly tokens: readonly DeployedToken[];
  readonly deflating: DeployedToken;
  readonly copy: DeployedToken;
}

export function planTokens(plan: Plan, spec: SceneSpec, { builder, copyist, people }: Actors, code: Artifacts): Tokens {
  const place = (token: TokenSpec, kind: TokenKind, deployer = builder): DeployedToken => {
    const address =
      kind === "wrapped"
        ? plan.deploy(deployer, code.WETH9, [])
        : kind === "deflating"
          ? plan.deploy(deployer, code.DeflatingERC20, ["uint256"], amountOf(token, TREASURY * spec.purse))
          : plan.deploy(
              deployer,
              code.Token,
              ["string", "string", "uint8"],
              token.name,
              token.symbol,
              BigInt(token.decimals),
            );
    return { ...token, address, kind };
  };
  const wrapped = place(spec.wrapped, "wrapped");
  const stables = spec.stables.map((token) => place(token, "token"));
  const tokens = spec.tokens.map((token) => place(token, "token"));
  const deflating = place(spec.deflating, "deflating");
  const original = defined(spec.tokens.find(({ symbol }) => symbol === spec.copied));
  const copy = place({ ...original, decimals: 18, price: original.price / 100n }, "token", copyist);
  for (const token of [...stables, ...tokens]) {
    const mint = (to: string, dollars: number) =>
      plan.call(builder, token.address, 90_000, "mint(address,uint256)", to, amountOf(token, dollars));
    mint(builder.address, TREASURY * spec.purse);
    for (const { address } of people) mint(address, spec.purse);
    plan.endBlock();
  }
  const send = (to: string) =>
    plan.call(
      builder,
      deflating.address,
      120_000,
      "transfer(address,uint256)",
      to,
      amountOf(deflating, spec.purse / 10),
    );
  for (const { address } of people) send(address);
  plan.endBlock();
  plan.call(copyist, copy.address, 90_000, "mint(address,uint256)", copyist.address, amountOf(copy, spec.purse));
  plan.endBlock();
  return { wrapped, stables, tokens, deflating, copy };
}
