import assert from 'node:assert/strict'
import { glob, readFile } from 'node:fs/promises'
import { test } from 'node:test'

const root = new URL('../../', import.meta.url).pathname

/** Requests that the authorization server and the tool server must refuse; a dot at the end: several cases of that name. */
const refusals = `
  code.replay code.parallel code.expired code.other-client code.other-redirect code.survives
  pkce.missing pkce.plain pkce.no-method pkce.short pkce.verifier.
  redirect.mismatch redirect.unknown-client redirect.blocked redirect.silent
  iss.always iss.exact response.token response.mode request.object
  refresh.reuse refresh.window refresh.parallel refresh.expired refresh.other-client refresh.escalate refresh.narrow
  audience.rest-at-mcp audience.mcp-at-rest audience.org-at-mcp resource.unknown resource.origin
  bearer.refresh bearer.code bearer.query bearer.body bearer.basic bearer.long
  consent.csrf. consent.session consent.replay consent.frame consent.html
  register.scheme register.host register.field document.address document.answer client.auth assertion
  token.form token.grant introspect.closed revoke.foreign oracle.text leak.headers leak.logs host.injection
  mcp.origin mcp.host mcp.shape. mcp.revoked mcp.disabled tenant.handle rights.`

/** The habits of clients that people use, request by request, and what must happen. */
const interoperability = `
  claude-code.document claude-code.dynamic claude-code.race claude-web.reregister chatgpt.document
  vscode.document vscode.dynamic cursor.scheme codex.refresh resource.slash resource.case resource.filter
  metadata.root scope.all inspector.browser popup.opener sdk.v1 sdk.v2-legacy sdk.v2-modern`

test('every named refusal and every row of the interoperability table is a test of that name', async () => {
  const texts: string[] = []
  for await (const file of glob('{server,test}/**/{*.test,official-clients}.ts', {
    cwd: root,
    exclude: ['node_modules'],
  }))
    if (!file.endsWith('named-cases.test.ts')) texts.push(await readFile(`${root}${file}`, 'utf8'))
  // A title, or its first words in a table: behind a quotation mark, or after another name.
  const isTested = (name: string) => texts.some((text) => new RegExp(`['"\`, (]${RegExp.escape(name)}`).test(text))
  const names = `${refusals} ${interoperability}`.trim().split(/\s+/)
  assert.deepEqual(
    names.filter((name) => !isTested(name)),
    [],
  )
})
