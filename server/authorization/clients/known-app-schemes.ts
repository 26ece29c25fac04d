/**
 * Schemes without a dot by which apps are sent back that people use with tool servers, and where each is documented or
 * was seen in use. RFC 8252 §7.1 asks an app for a scheme with its domain name; these took one before they knew.
 */
export const knownAppSchemes: Readonly<Record<string, string>> = {
  claude: 'https://github.com/RevenueCat/ai-toolkit/issues/58',
  cursor: 'https://github.com/modelcontextprotocol/python-sdk/pull/895',
  goose: 'https://github.com/aaif-goose/goose/issues/5107',
  raycast: 'https://developers.raycast.com/api-reference/oauth',
  vscode: 'https://code.visualstudio.com/api/references/vscode-api#window.registerUriHandler',
  'vscode-insiders': 'https://code.visualstudio.com/api/references/vscode-api#env.uriScheme',
  vscodium: 'https://github.com/VSCodium/vscodium/blob/master/prepare_vscode.sh',
  warp: 'https://github.com/warpdotdev/warp/blob/master/app/src/uri/mod.rs',
  windsurf: 'https://docs.windsurf.com/windsurf/cascade/mcp',
  zed: 'https://github.com/zed-industries/zed/blob/main/crates/zed/src/zed/open_listener.rs',
}
