"""Asks one chain with aioetherscan, and prints what it understood as JSON."""

import asyncio
import json
import sys

from aioetherscan import Client
from aioetherscan.exceptions import EtherscanClientApiError, EtherscanClientProxyError
from asyncio_throttle import Throttler

of = json.loads(sys.argv[1])
told = {}


async def tell(name, answer, present=lambda value: value):
    try:
        told[name] = present(await answer)
    except EtherscanClientApiError as error:
        told[name] = f"error: {error.message}"
    except EtherscanClientProxyError as error:
        told[name] = f"error {error.code}: {error.message}"
    except Exception as error:
        told[name] = f"error: {type(error).__name__} {error}"


def hashes(rows):
    return [row["hash"] for row in rows]


def decimals(rows):
    return [row["hash"] + str(int(row["tokenDecimal"])) for row in rows]


def open_client(url):
    client = Client("any", throttler=Throttler(rate_limit=1000))
    # It knows a fixed list of networks.
    client._url_builder.API_URL = url
    return client


async def main():
    client = open_client(of["url"])
    await tell("balance", client.account.balance(of["address"]))
    await tell("balances", client.account.balances([of["address"], of["nobody"]]), len)
    await tell("transactions", client.account.normal_txs(of["address"], sort="asc"), hashes)
    await tell("internal", client.account.internal_txs(of["address"], sort="asc"), hashes)
    await tell("noTransactions", client.account.normal_txs(of["nobody"]))
    await tell("noInternal", client.account.internal_txs(of["nobody"]))
    await tell("coins", client.account.token_transfers(contract_address=of["coin"], sort="asc"), decimals)
    pictures = client.account.token_transfers(contract_address=of["picture"], sort="asc", token_standard="erc721")
    await tell("pictures", pictures, decimals)
    await tell("tokenBalance", client.token.account_balance(of["address"], of["coin"]))
    await tell("tokenSupply", client.token.total_supply(of["coin"]))
    await tell("blockByTime", client.block.block_number_by_ts(of["timestamp"], "before"), int)
    await tell("rewardedBlock", client.block.block_reward(1), lambda row: int(row["blockNumber"]))
    await tell("logs", client.logs.get_logs(address=of["coin"], topics={0: of["topic"]}), len)
    await tell("receiptStatus", client.transaction.tx_receipt_status(of["transaction"]), lambda row: int(row["status"]))
    await tell("isError", client.transaction.contract_execution_status(of["transaction"]), lambda row: int(row["isError"]))
    await tell("abi", client.contract.contract_abi(of["coin"]))
    await tell("creations", client.contract.contract_creation([of["coin"], of["picture"]]), len)
    await tell("price", client.stats.eth_price(), lambda row: float(row["ethusd"]) >= 0)
    await tell("gasBlock", client.gas_tracker.gas_oracle(), lambda row: int(row["LastBlock"]))
    await tell("proxyGasPrice", client.proxy.gas_price(), lambda price: int(price, 16) >= 0)
    await tell("proxyBlock", client.proxy.block_number(), lambda number: int(number, 16))
    await tell("proxyTransaction", client.proxy.tx_by_hash(of["transaction"]), lambda row: row["hash"])
    other = open_client(of["otherChain"])
    await tell("otherChain", other.proxy.block_number())
    for each in (client, other):
        await each.close()
    print(json.dumps(told))


asyncio.run(main())
