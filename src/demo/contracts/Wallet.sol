// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// Holds coins and tokens for its owner and makes calls for them. It stands behind clones and proxies, and an account
/// that delegates to it (EIP-7702) makes several calls in one transaction.
contract Wallet {
    struct Call {
        address to;
        uint256 value;
        bytes data;
    }

    address public owner;

    event Opened(address indexed owner);
    event Received(address indexed from, uint256 value);
    event Called(address indexed to, uint256 value, bytes4 selector);

    error AlreadyOpened(address owner);
    error NotOwner(address caller);
    error CallFailed(uint256 index, bytes reason);

    modifier onlyOwner() {
        if (msg.sender != owner && msg.sender != address(this)) revert NotOwner(msg.sender);
        _;
    }

    receive() external payable {
        emit Received(msg.sender, msg.value);
    }

    function open(address owner_) external {
        if (owner != address(0)) revert AlreadyOpened(owner);
        owner = owner_;
        emit Opened(owner_);
    }

    function execute(Call[] calldata calls) external payable onlyOwner {
        for (uint256 i = 0; i < calls.length; i++) {
            Call calldata each = calls[i];
            (bool isDone, bytes memory result) = each.to.call{value: each.value}(each.data);
            if (!isDone) revert CallFailed(i, result);
            emit Called(each.to, each.value, each.data.length < 4 ? bytes4(0) : bytes4(each.data));
        }
    }
}
