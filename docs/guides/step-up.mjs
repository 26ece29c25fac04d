/**
 * For programs built on version 1 of the TypeScript SDK (`@modelcontextprotocol/sdk`). When a tool needs a scope that the
 * connection lacks, that SDK refreshes its tokens, which widens nothing, repeats the call and gives up. Without a refresh
 * token it asks the user instead. So it is kept from it, from the challenge until the browser is opened: no token is
 * deleted, and a user who says no goes on with what the connection has. What it holds already is asked for again with
 * what it lacks, since new tokens have nothing but what was asked.
 *
 *     new StreamableHTTPClientTransport(url, withStepUp(provider))
 */
export function withStepUp(provider, send = fetch) {
  let needs_scope = false
  const { tokens, redirectToAuthorization } = provider
  provider.tokens = async () => {
    const held = await tokens.call(provider)
    return needs_scope && held ? { ...held, refresh_token: undefined } : held
  }
  provider.redirectToAuthorization = async (url) => {
    const held = needs_scope ? (await tokens.call(provider))?.scope : undefined
    needs_scope = false
    const scopes = [held, url.searchParams.get('scope')].flatMap((text) => text?.split(' ') ?? [])
    if (held) url.searchParams.set('scope', [...new Set(scopes)].join(' '))
    await redirectToAuthorization.call(provider, url)
  }
  return {
    authProvider: provider,
    fetch: async (url, init) => {
      const answer = await send(url, init)
      if (answer.headers.get('www-authenticate')?.includes('error="insufficient_scope"')) needs_scope = true
      return answer
    },
  }
}
