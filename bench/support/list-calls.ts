const version = '2026-07-28'
const _meta = {
  'io.modelcontextprotocol/protocolVersion': version,
  'io.modelcontextprotocol/clientInfo': { name: 'bench', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {},
}
const accept = 'application/json, text/event-stream'

/** The call of `list_contracts` as a client of either era sends it. */
export function listCalls(rows: number) {
  const params = { name: 'list_contracts', arguments: { limit: rows } }
  const call = (more: object) =>
    JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { ...params, ...more } })
  return {
    '2025-11-25': { body: call({}), headers: { accept, 'mcp-protocol-version': '2025-11-25' } },
    [version]: {
      body: call({ _meta }),
      headers: { accept, 'mcp-protocol-version': version, 'mcp-method': 'tools/call', 'mcp-name': params.name },
    },
  }
}
