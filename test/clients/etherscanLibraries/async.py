"""Asks one chain with aioetherscan, and prints what it understood as JSON."""

import asyncio
import json
import sys

from aioetherscan import Client
from aioetherscan.exceptions import EtherscanClientApiError, EtherscanClientProxyError
from asyncio_throttle import Throttler

of = json.loads(sys.argv[1])
results = {}


async def record(name, answer, present=lambda value: value):
    try:
        results[name] = present(await answer)
    except EtherscanClientApiError as error:
        results[name] = f"error: {error.result if isinstance(error.result, str) else error.message}"
    except EtherscanClientProxyError as error:
        results[name] = f"error {error.code}: {error.message}"
    except Exception as error:
        results[name] = f"error: {type(error).__name__} {error}"


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
    await record("balance", client.account.balance(of["address"]))
    await record("balances", client.account.balances([of["address"], of["nobody"]]), len)
    await record("transactions", client.account.normal_txs(of["address"], sort="asc"), hashes)
    await record("internal", client.account.internal_txs(of["address"], sort="asc"), hashes)
    await record("noTransactions", client.account.normal_txs(of["nobody"]))
    await record("noInternal", client.account.internal_txs(of["nobody"]))
    await record("coins", client.account.token_transfers(contract_address=of["coin"], sort="asc"), decimals)
    pictures = client.account.token_transfers(contract_address=of["picture"], sort="asc", token_standard="erc721")
    await record("pictures", pictures, decimals)
    await record("tokenBalance", client.token.account_balance(of["address"], of["coin"]))
    await record("tokenSupply", client.token.total_supply(of["coin"]))
    await record("blockByTime", client.block.block_number_by_ts(of["timestamp"], "before"), int)
    await record("rewardedBlock", client.block.block_reward(1), lambda row: int(row["blockNumber"]))
    await record("logs", client.logs.get_logs(address=of["coin"], topics={0: of["topic"]}), len)
    await record("receiptStatus", client.transaction.tx_receipt_status(of["transaction"]), lambda row: int(row["status"]))
    await record("isError", client.transaction.contract_execution_status(of["transaction"]), lambda row: int(row["isError"]))
    await record("abi", client.contract.contract_abi(of["coin"]))
    await record("isVerified", client.extra.contract.is_contract(of["coin"]))
    await record("noCreation", client.contract.contract_creation([of["nobody"]]))
    await record("noBlocks", client.account.mined_blocks(of["nobody"]))
    await record("creations", client.contract.contract_creation([of["coin"], of["picture"]]), len)
    await record("price", client.stats.eth_price(), lambda row: float(row["ethusd"]) >= 0)
    await record("gasBlock", client.gas_tracker.gas_oracle(), lambda row: int(row["LastBlock"]))
    await record("proxyGasPrice", client.proxy.gas_price(), lambda price: int(price, 16) >= 0)
    await record("proxyBlock", client.proxy.block_number(), lambda number: int(number, 16))
    await record("proxyTransaction", client.proxy.tx_by_hash(of["transaction"]), lambda row: row["hash"])
    other = open_client(of["otherChain"])
    await record("otherChain", other.proxy.block_number())
    for each in (client, other):
        await each.close()
    print(json.dumps(results))


asyncio.run(main())
