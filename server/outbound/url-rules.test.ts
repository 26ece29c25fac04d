import assert from 'node:assert/strict'
import { hostname, networkInterfaces } from 'node:os'
import { test } from 'node:test'
import { ALLOWED_URLS, HOST_CASES, OWN_HOST, TEXT_CASES } from '#test/url-cases.ts'
import { type EgressSettings, egressPolicy } from './address-rules.ts'
import { checkUrl, type UrlRefusalCode } from './url-rules.ts'

const policy = egressPolicy({ own_hosts: [OWN_HOST] })

function codeOf(url: string, settings: EgressSettings): UrlRefusalCode | 'allowed' {
  const outcome = checkUrl(url, egressPolicy(settings))
  return 'code' in outcome ? outcome.code : 'allowed'
}

for (const { name, url, expected } of [...TEXT_CASES, ...HOST_CASES])
  test(`${name}: ${JSON.stringify(url.slice(0, 60))} is refused as ${expected.join(' or ')}`, () => {
    const outcome = checkUrl(url, policy)
    assert.ok('code' in outcome, `${url} passed`)
    assert.ok(expected.includes(outcome.code), `${outcome.code}: ${outcome.detail}`)
    assert.match(outcome.detail, /^[a-z].{5,200}[^.]$/i)
  })

for (const url of ALLOWED_URLS)
  test(`${url.slice(0, 60)} passes`, () => {
    const outcome = checkUrl(url, policy)
    assert.ok(outcome instanceof URL, JSON.stringify(outcome))
  })

const LOOPBACK = { allowed_networks: ['127.0.0.0/8'] }
const HTTP = { allow_loopback_http: true }
/** A service on port 8443 of a machine with receivers. */
const SHARED = {
  allowed_networks: ['0.0.0.0/0', '::/0'],
  allowed_hosts: ['a.localhost', hostname()],
  own_ports: new Set([8443]),
}
const LOOPBACK_NAMES = [
  ...['127.0.0.1', '127.8.9.10', '0x7f.1', '2130706433', '[::1]', '[0:0:0:0:0:0:0:1]', '[::ffff:127.0.0.1]'],
  ...['localhost', 'LocalHost', 'a.localhost', hostname()],
]
const INTERFACES = Object.values(networkInterfaces())
  .flatMap((list) => list ?? [])
  .map(({ address, family }) => (family === 'IPv6' ? `[${address}]` : address))

const SETTING_CASES: { name: string; url: string; settings: EgressSettings; expected: UrlRefusalCode | 'allowed' }[] = [
  ...[
    { name: 'an opened network admits its literals', url: 'https://127.0.0.1:9444/', expected: 'allowed' as const },
    {
      name: 'an opened loopback network admits localhost',
      url: 'https://localhost:9444/',
      expected: 'allowed' as const,
    },
    { name: 'but no other single label', url: 'https://intranet/', expected: 'url_host_forbidden' as const },
    { name: 'nor other names below localhost', url: 'https://a.localhost/', expected: 'url_host_forbidden' as const },
    { name: 'nor other networks', url: 'https://10.0.0.1/', expected: 'url_address_forbidden' as const },
    { name: 'nor the other family', url: 'https://[::1]/', expected: 'url_address_forbidden' as const },
    { name: 'nor a forbidden port', url: 'https://localhost:6379/', expected: 'url_port_forbidden' as const },
  ].map((row) => ({ ...row, settings: LOOPBACK })),
  {
    name: '::1 alone opens loopback too',
    url: 'https://localhost/',
    settings: { allowed_networks: ['::1'] },
    expected: 'allowed',
  },
  {
    name: 'another network does not admit localhost',
    url: 'https://localhost/',
    settings: { allowed_networks: ['10.0.0.0/8'] },
    expected: 'url_host_forbidden',
  },
  {
    name: 'a listed name passes, whatever its suffix',
    url: 'https://Hook.Internal/',
    settings: { allowed_hosts: ['hook.internal'] },
    expected: 'allowed',
  },
  {
    name: 'a listed name stays bound to the ports',
    url: 'https://hook.internal:25/',
    settings: { allowed_hosts: ['hook.internal'] },
    expected: 'url_port_forbidden',
  },
  {
    name: 'a listed port passes',
    url: 'https://good.example:444/',
    settings: { allowed_ports: '443-444' },
    expected: 'allowed',
  },
  {
    name: 'an unlisted port does not',
    url: 'https://good.example:8443/',
    settings: { allowed_ports: '443' },
    expected: 'url_port_forbidden',
  },
  {
    name: 'no setting opens a port of the fixed list',
    url: 'https://good.example:5432/',
    settings: { allowed_ports: '1-65535' },
    expected: 'url_port_forbidden',
  },
  ...['http://localhost:80/', 'http://127.0.0.1:8080/', 'http://[::1]:8080/'].map((url) => ({
    name: 'plain http to loopback passes with its setting',
    url,
    settings: HTTP,
    expected: 'allowed' as const,
  })),
  ...['http://good.example/', 'http://10.0.0.1/', 'http://8.8.8.8/', 'http://a.localhost/'].map((url) => ({
    name: 'plain http to anything else does not',
    url,
    settings: { ...HTTP, allowed_networks: ['10.0.0.0/8'] },
    expected: 'url_not_https' as const,
  })),
  {
    name: 'plain http keeps away from the ports of U3',
    url: 'http://localhost:6379/',
    settings: HTTP,
    expected: 'url_port_forbidden',
  },
  {
    name: 'the setting for plain http does not open https to loopback',
    url: 'https://localhost/',
    settings: HTTP,
    expected: 'url_host_forbidden',
  },
  ...[...LOOPBACK_NAMES, ...INTERFACES].map((host) => ({
    name: 'an own port is refused under every name of this machine, whatever is opened',
    url: `https://${host}:8443/`,
    settings: SHARED,
    expected: 'url_own_host' as const,
  })),
  ...LOOPBACK_NAMES.map((host) => ({
    name: 'a receiver may share our machine, on a port of its own',
    url: `https://${host}:9444/`,
    settings: SHARED,
    expected: 'allowed' as const,
  })),
]

for (const { name, url, settings, expected } of SETTING_CASES)
  test(`${name}: ${url} is ${expected}`, () => assert.equal(codeOf(url, settings), expected))

test('the parsed url carries host, port and path as the request will use them', () => {
  const url = checkUrl('HTTPS://Good.Example:8443/a/../b?c=d', policy)
  assert.ok(url instanceof URL)
  assert.equal(url.host, 'good.example:8443')
  assert.equal(url.pathname + url.search, '/b?c=d')
})

for (const ports of ['', '0', '443-', '70000', '2000-1000', 'https', '443;8443'])
  test(`the port setting ${JSON.stringify(ports)} stops the start`, () => {
    assert.throws(() => egressPolicy({ allowed_ports: ports }), /which is neither a port nor a range/)
  })
