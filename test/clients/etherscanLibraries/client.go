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
	results := map[string]any{}
	record := func(name string, value any, err error) {
		if err != nil {
			value = "error: " + err.Error()
		}
		results[name] = value
	}

	balance, err := client.AccountBalance(of.Address)
	record("balance", text(balance), err)
	balances, err := client.MultiAccountBalance(of.Address, of.Nobody)
	record("balances", len(balances), err)
	transactions, err := client.NormalTxByAddress(of.Address, nil, nil, 1, 100, false)
	record("transactions", mapped(transactions, func(tx etherscan.NormalTx) string { return tx.Hash }), err)
	internal, err := client.InternalTxByAddress(of.Address, nil, nil, 1, 100, false)
	record("internal", mapped(internal, func(tx etherscan.InternalTx) string { return tx.Hash }), err)
	_, err = client.NormalTxByAddress(of.Nobody, nil, nil, 1, 100, false)
	record("noTransactions", nil, err)
	_, err = client.InternalTxByAddress(of.Nobody, nil, nil, 1, 100, false)
	record("noInternal", nil, err)
	coins, err := client.ERC20Transfers(&of.Coin, nil, nil, nil, 1, 100, false)
	record("coins", mapped(coins, func(one etherscan.ERC20Transfer) string { return fmt.Sprint(one.Hash, one.TokenDecimal) }), err)
	pictures, err := client.ERC721Transfers(&of.Picture, nil, nil, nil, 1, 100, false)
	record("pictures", mapped(pictures, func(one etherscan.ERC721Transfer) string { return fmt.Sprint(one.Hash, one.TokenDecimal) }), err)
	tokenBalance, err := client.TokenBalance(of.Coin, of.Address)
	record("tokenBalance", text(tokenBalance), err)
	supply, err := client.TokenTotalSupply(of.Coin)
	record("tokenSupply", text(supply), err)
	block, err := client.BlockNumber(of.Timestamp, "before")
	record("blockByTime", block, err)
	reward, err := client.BlockReward(1)
	record("rewardedBlock", reward.BlockNumber, err)
	logs, err := client.GetLogs(0, 1000000, of.Coin, of.Topic)
	record("logs", len(logs), err)
	status, err := client.ReceiptStatus(of.Transaction)
	record("receiptStatus", status, err)
	execution, err := client.ExecutionStatus(of.Transaction)
	record("isError", execution.IsError, err)
	_, err = client.ContractABI(of.Coin)
	record("abi", nil, err)
	_, err = client.EtherLatestPrice()
	record("price", true, err)
	oracle, err := client.GasOracle()
	record("gasBlock", oracle.LastBlock, err)
	json.NewEncoder(os.Stdout).Encode(results)
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
