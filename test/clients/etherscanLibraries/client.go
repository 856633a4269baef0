// Asks one chain with github.com/nanmu42/etherscan-api, and prints what it understood as JSON.
package main

import (
	"encoding/json"
	"fmt"
	"os"
	"time"

	etherscan "github.com/nanmu42/etherscan-api"
)

type subject struct {
	URL, Address, Nobody, Coin, Picture, Transaction, Topic string
	Timestamp                                               int64
}

func main() {
	var of subject
	if err := json.Unmarshal([]byte(os.Args[1]), &of); err != nil {
		panic(err)
	}
	client := etherscan.NewCustomized(etherscan.Customization{Timeout: 20 * time.Second, Key: "any", BaseURL: of.URL + "&"})
	told := map[string]any{}
	tell := func(name string, value any, err error) {
		if err != nil {
			value = "error: " + err.Error()
		}
		told[name] = value
	}

	balance, err := client.AccountBalance(of.Address)
	tell("balance", text(balance), err)
	balances, err := client.MultiAccountBalance(of.Address, of.Nobody)
	tell("balances", len(balances), err)
	transactions, err := client.NormalTxByAddress(of.Address, nil, nil, 1, 100, false)
	tell("transactions", mapped(transactions, func(tx etherscan.NormalTx) string { return tx.Hash }), err)
	internal, err := client.InternalTxByAddress(of.Address, nil, nil, 1, 100, false)
	tell("internal", mapped(internal, func(tx etherscan.InternalTx) string { return tx.Hash }), err)
	_, err = client.NormalTxByAddress(of.Nobody, nil, nil, 1, 100, false)
	tell("noTransactions", nil, err)
	_, err = client.InternalTxByAddress(of.Nobody, nil, nil, 1, 100, false)
	tell("noInternal", nil, err)
	coins, err := client.ERC20Transfers(&of.Coin, nil, nil, nil, 1, 100, false)
	tell("coins", mapped(coins, func(one etherscan.ERC20Transfer) string { return fmt.Sprint(one.Hash, one.TokenDecimal) }), err)
	pictures, err := client.ERC721Transfers(&of.Picture, nil, nil, nil, 1, 100, false)
	tell("pictures", mapped(pictures, func(one etherscan.ERC721Transfer) string { return fmt.Sprint(one.Hash, one.TokenDecimal) }), err)
	tokenBalance, err := client.TokenBalance(of.Coin, of.Address)
	tell("tokenBalance", text(tokenBalance), err)
	supply, err := client.TokenTotalSupply(of.Coin)
	tell("tokenSupply", text(supply), err)
	block, err := client.BlockNumber(of.Timestamp, "before")
	tell("blockByTime", block, err)
	reward, err := client.BlockReward(1)
	tell("rewardedBlock", reward.BlockNumber, err)
	logs, err := client.GetLogs(0, 1000000, of.Coin, of.Topic)
	tell("logs", len(logs), err)
	status, err := client.ReceiptStatus(of.Transaction)
	tell("receiptStatus", status, err)
	execution, err := client.ExecutionStatus(of.Transaction)
	tell("isError", execution.IsError, err)
	_, err = client.ContractABI(of.Coin)
	tell("abi", nil, err)
	_, err = client.EtherLatestPrice()
	tell("price", true, err)
	oracle, err := client.GasOracle()
	tell("gasBlock", oracle.LastBlock, err)
	json.NewEncoder(os.Stdout).Encode(told)
}

func text(value *etherscan.BigInt) string {
	if value == nil {
		return ""
	}
	return value.Int().String()
}

func mapped[T any](items []T, text func(T) string) []string {
	texts := []string{}
	for _, item := range items {
		texts = append(texts, text(item))
	}
	return texts
}
