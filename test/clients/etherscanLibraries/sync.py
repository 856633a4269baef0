"""Asks one chain with etherscan-python, and prints what it understood as JSON."""

import json
import sys

from etherscan import Etherscan
from etherscan.enums.fields_enum import FieldsEnum

of = json.loads(sys.argv[1])
# It knows a fixed list of networks.
FieldsEnum.PREFIX = of["url"] + "&"
client = Etherscan("any")
results = {}


def record(name, ask, present=lambda value: value):
    try:
        results[name] = present(ask())
    except AssertionError as error:
        result, _, message = str(error).rpartition(" -- ")
        results[name] = "error: " + (result if message == "NOTOK" else message)
    except Exception as error:
        results[name] = f"error: {type(error).__name__} {error}"


def hashes(rows):
    return [row["hash"] for row in rows]


def decimals(rows):
    return [row["hash"] + str(int(row["tokenDecimal"])) for row in rows]


LAST = 99999999
record("balance", lambda: client.get_eth_balance(of["address"]))
record("balances", lambda: client.get_eth_balance_multiple([of["address"], of["nobody"]]), len)
record("transactions", lambda: client.get_normal_txs_by_address(of["address"], 0, LAST, "asc"), hashes)
record("internal", lambda: client.get_internal_txs_by_address(of["address"], 0, LAST, "asc"), hashes)
record("noTransactions", lambda: client.get_normal_txs_by_address(of["nobody"], 0, LAST, "asc"))
record("noInternal", lambda: client.get_internal_txs_by_address(of["nobody"], 0, LAST, "asc"))
record("coins", lambda: client.get_erc20_token_transfer_events_by_contract_address_paginated(of["coin"], 1, 100, "asc"), decimals)
record("pictures", lambda: client.get_erc721_token_transfer_events_by_contract_address_paginated(of["picture"], 1, 100, "asc"), decimals)
record("tokenBalance", lambda: client.get_acc_balance_by_token_and_contract_address(of["coin"], of["address"]))
record("tokenSupply", lambda: client.get_total_supply_by_contract_address(of["coin"]))
record("blockByTime", lambda: client.get_block_number_by_timestamp(of["timestamp"], "before"), int)
record("rewardedBlock", lambda: client.get_block_reward_by_block_number(1), lambda row: int(row["blockNumber"]))
record("receiptStatus", lambda: client.get_tx_receipt_status(of["transaction"]), lambda row: int(row["status"]))
record("isError", lambda: client.get_contract_execution_status(of["transaction"]), lambda row: int(row["isError"]))
record("abi", lambda: client.get_contract_abi(of["coin"]))
record("price", lambda: client.get_eth_last_price(), lambda row: float(row["ethusd"]) >= 0)
record("gasBlock", lambda: client.get_gas_oracle(), lambda row: int(row["LastBlock"]))
record("proxyGasPrice", lambda: client.get_proxy_gas_price(), lambda price: int(price, 16) >= 0)
record("proxyBlock", lambda: client.get_proxy_block_number(), lambda number: int(number, 16))
record("proxyTransaction", lambda: client.get_proxy_transaction_by_hash(of["transaction"]), lambda row: row["hash"])
print(json.dumps(results))
