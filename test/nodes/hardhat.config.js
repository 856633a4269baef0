// biome-ignore lint/style/noDefaultExport: hardhat wants it
export default {};
