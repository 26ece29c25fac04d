import assert from 'node:assert/strict'
import { test } from 'node:test'
import { faultOfRedirectUri, knownAppSchemes, matchesRedirectUri, redirectTarget } from './redirect-uri.ts'

const taken: [name: string, uri: string][] = [
  ['claude-code.dynamic', 'http://localhost:49152/callback'],
  ['claude-web.reregister', 'https://claude.ai/api/mcp/auth_callback'],
  ['chatgpt.document', 'https://chatgpt.com/connector/oauth/a1B2c3'],
  ['vscode.dynamic', 'https://vscode.dev/redirect'],
  ['vscode.dynamic', 'https://insiders.vscode.dev/redirect'],
  ['vscode.dynamic', 'http://127.0.0.1/'],
  ['vscode.dynamic', 'http://127.0.0.1:33418/'],
  ['cursor.scheme', 'cursor://anysphere.cursor-mcp/oauth/callback'],
  ['loopback without a path', 'http://127.0.0.1'],
  ['loopback of IPv6', 'http://[::1]:8000/cb?x=1'],
  ['a scheme of its own', 'com.example.app:/oauth2redirect'],
  ['a scheme of its own and a name', 'com.example.app://oauth/callback'],
  ['raycast.scheme', 'raycast://oauth?package_name=Extension'],
  ['warp.scheme', 'warp://mcp/oauth2callback'],
  ['vscode.scheme', 'vscode-insiders://publisher.extension/callback'],
  ['a query', 'https://app.example/cb?tenant=1'],
  ['a port', 'https://app.example:8443/cb'],
]
for (const [name, uri] of taken) {
  test(`${name}: ${uri} can be registered and is matched by itself`, () => {
    assert.equal(faultOfRedirectUri(uri), null)
    assert.ok(matchesRedirectUri([uri], uri))
  })
}

const schemes = [
  'javascript:alert(1)',
  'data:text/html,x',
  'vbscript:x',
  'blob:https://app.example/1',
  'file:///etc/passwd',
]
  .concat([
    'filesystem:https://app.example/1',
    'about:blank',
    'view-source:https://app.example',
    'intent://x/#Intent;end',
  ])
  .concat([
    'content://x/y',
    'jar:https://app.example!/',
    'ws://app.example',
    'wss://app.example',
    'ftp://app.example/x',
  ])
  .concat(['mailto:a@app.example', 'tel:+1', 'sms:+1', 'chrome://settings', 'chrome-extension://abc/x'])
  .concat([
    'JavaScript:alert(1)',
    'jAvAsCrIpT://x/',
    ' javascript:alert(1)',
    '\tjavascript:alert(1)',
    'java\nscript://x',
  ])
  .concat([
    'javascript://app.example/%0aalert(1)',
    'HTTPS://app.example/cb',
    'Cursor://x/y',
    '1app://x/y',
    '://x/y',
    'app',
  ])
  .concat(['com.app:', 'com.app:x', 'com.app://', 'com.app:///x', 'cursor:', 'cursor:x', 'urn:ietf:wg:oauth:2.0:oob'])
  // On no list of ours: what opens a program without a dot in its scheme is nobody's to be sent a code to.
  .concat(['myapp://x/y', 'myapp:/x', 'ms-msdt:/id', 'search-ms://x', 'ssh://host/x', 'smb://host/x', 'git://host/x'])
  .concat(['x-apple.://x', '.app://x', 'ldap://host/x', 'steam://run/1', 'constructor://x/y', 'android-app://com.x/y'])
for (const uri of schemes) {
  test(`register.scheme: ${JSON.stringify(uri)} is refused`, () => assert.notEqual(faultOfRedirectUri(uri), null))
}

const hosts = [
  'http://app.example/cb',
  'http://localhost.evil.example/',
  'http://127.0.0.1.evil.example/',
  'http://127.0.0.2/',
]
  .concat([
    'http://127.1/',
    'http://0x7f000001/',
    'http://[::ffff:127.0.0.1]/',
    'http://localhost./',
    'http://LOCALHOST/',
  ])
  .concat([
    'http://localhost:99999/',
    'http://localhost:/',
    'http://localhost@evil.example/',
    'http://evil.example@localhost/',
  ])
  .concat(['https://user:pass@app.example/cb', 'https://@app.example/cb', 'com.app://user@host/x'])
  .concat(['https://app.example\\@evil.example', 'https:\\\\app.example/cb', 'https:/app.example', 'https:app.example'])
  .concat([
    'https:///app.example',
    'https://',
    'https://app.example/cb#x',
    'https://app.example/cb#',
    'https://*.example/cb',
  ])
  .concat([
    'https://app.example/*',
    'https://app.example/c b',
    'https://app.example/\u0000',
    'https://app.example/\u202ex',
  ])
  .concat([
    'https://ex ample.org',
    'https://app.example/%zz',
    'https://app.example/%',
    'https://[::1',
    '',
    'https://exämple.org',
  ])
  .concat([`https://app.example/${'a'.repeat(2_029)}`])
for (const uri of hosts) {
  test(`register.host: ${JSON.stringify(uri).slice(0, 60)} is refused`, () =>
    assert.notEqual(faultOfRedirectUri(uri), null))
}

test('2,048 characters are accepted', () => {
  assert.equal(faultOfRedirectUri(`https://app.example/${'a'.repeat(2_028)}`), null)
})

const free: [registered: string, sent: string][] = [
  ['http://127.0.0.1/callback', 'http://127.0.0.1:49152/callback'],
  ['http://localhost/callback', 'http://localhost:1/callback'],
  ['http://127.0.0.1:33418/', 'http://127.0.0.1:40000/'],
  ['http://127.0.0.1', 'http://127.0.0.1:5/'],
  ['http://[::1]/cb?a=b', 'http://[::1]:8000/cb?a=b'],
]
for (const [registered, sent] of free) {
  test(`the port of a loopback address is free: ${sent} is ${registered}`, () =>
    assert.ok(matchesRedirectUri(['https://app.example/cb', registered], sent)))
}

const mismatches: [registered: string, sent: string][] = [
  ['https://app.example/cb', 'https://app.example/cb/'],
  ['https://app.example/cb', 'https://app.example/cb?x=1'],
  ['https://app.example/cb', 'https://user@app.example/cb'],
  ['https://app.example/cb', 'https://app.example@evil.example/cb'],
  ['https://app.example/cb', 'https://app.example/cb#f'],
  ['https://app.example/cb', 'https://app.example/%63b'],
  ['https://app.example/cb', 'https://APP.example/cb'],
  ['https://app.example/cb', 'https://app.example:443/cb'],
  ['https://app.example:8443/cb', 'https://app.example:9443/cb'],
  ['https://app.example/cb', 'https://app.example/cb/../cb'],
  ['https://app.example/cb', 'https://app.example.evil.example/cb'],
  ['https://app.example/cb', 'http://app.example/cb'],
  ['http://127.0.0.1/cb', 'https://127.0.0.1/cb'],
  ['http://127.0.0.1/cb', 'http://localhost/cb'],
  ['http://127.0.0.1/cb', 'http://[::1]/cb'],
  ['http://127.0.0.1/cb', 'http://127.0.0.1/other'],
  ['http://127.0.0.1/cb', 'http://127.0.0.1/cb?x=1'],
  ['http://127.0.0.1/cb?x=1', 'http://127.0.0.1:5/cb'],
  ['http://127.0.0.1/cb', 'http://127.0.0.1:99999/cb'],
  ['http://127.0.0.1/cb', 'http://127.0.0.1:5@evil.example/cb'],
  ['cursor://anysphere.cursor-mcp/cb', 'cursor://evil/cb'],
  ['https://app.example/cb', ''],
]
for (const [registered, sent] of mismatches) {
  test(`redirect.mismatch: ${sent} is not ${registered}`, () =>
    assert.equal(matchesRedirectUri([registered], sent), false))
}

test('every known app scheme says where it is documented', () => {
  for (const [scheme, source] of Object.entries(knownAppSchemes)) {
    assert.match(scheme, /^[a-z][a-z-]+$/)
    assert.match(source, /^https:\/\//)
    assert.equal(faultOfRedirectUri(`${scheme}://callback/path`), null)
  }
})

test('the consent page is told where a redirect leads', () => {
  assert.deepEqual(redirectTarget('https://app.example:8443/cb'), {
    host: 'app.example:8443',
    is_loopback: false,
    is_private_scheme: false,
  })
  assert.deepEqual(redirectTarget('http://[::1]:5/cb'), {
    host: '[::1]:5',
    is_loopback: true,
    is_private_scheme: false,
  })
  assert.deepEqual(redirectTarget('cursor://a/b'), { host: 'cursor', is_loopback: false, is_private_scheme: true })
})
