import type { UrlRefusalCode } from '#outbound/url-rules.ts'

/** A named url case of webhooks.md section 7: a url, and the refusals that are right for it. */
export interface UrlCase {
  name: string
  url: string
  expected: readonly UrlRefusalCode[]
}

const table = (name: string, expected: UrlRefusalCode | UrlRefusalCode[], urls: readonly string[]): UrlCase[] =>
  urls.map((url) => ({ name, url, expected: [expected].flat() }))

const v4 = (addresses: readonly string[]) => addresses.map((address) => `https://${address}/hook`)

/** The own API host of the policy under which the cases are judged. */
export const OWN_HOST = 'api.stint.example'

/** First and last address of every closed block that section 7 names, and the single addresses. */
export const CLOSED_IPV4: readonly string[] = [
  ...['10.0.0.0', '10.255.255.255', '172.16.0.0', '172.31.255.255', '192.168.0.0', '192.168.255.255'],
  ...['169.254.0.0', '169.254.255.255', '100.64.0.0', '100.127.255.255', '198.18.0.0', '198.19.255.255'],
  ...['224.0.0.0', '239.255.255.255', '240.0.0.0', '255.255.255.254', '192.0.2.0', '192.0.2.255'],
  ...['100.100.100.200', '192.0.0.192', '255.255.255.255', '0.0.0.0', '127.0.0.0', '127.255.255.255'],
]

/** Neighbours of closed blocks: they must pass. */
export const OPEN_IPV4: readonly string[] = [
  ...['172.15.255.255', '172.32.0.0', '100.63.255.255', '100.128.0.0', '198.17.255.255', '198.20.0.0'],
  ...['9.255.255.255', '11.0.0.0', '223.255.255.255', '126.255.255.255', '128.0.0.0', '1.0.0.0'],
]

export const CLOSED_IPV6: readonly string[] = [
  ...['::1', '::', '::ffff:127.0.0.1', '::ffff:a9fe:a9fe', 'fe80::1', 'fc00::1', 'fd00:ec2::254', 'ff02::1'],
  ...['64:ff9b::7f00:1', '2001:db8::1', '2002:7f00:1::', '2001::1', '2001:20::1', '3fff::1', '::7f00:1', 'fec0::1'],
  ...['5f00::1', '100::1', '4000::1'],
]

export const OPEN_IPV6: readonly string[] = ['2606:4700::1111', '2a00:1450:4001::1', '2620:4f:8000::1', '2003::1']

/** Cases marked for POST and PATCH only: no such url reaches an attempt. */
export const TEXT_CASES: readonly UrlCase[] = [
  ...table('url.text', 'url_invalid', [
    'https://12\n7.0.0.1/',
    'https://good.example/\t',
    'https://local\u00adhost/',
    'https://good.example/a%00b',
    'https://xn--a.example/',
    'https://256.256.256.256/',
    'https://1.2.3.4.5/',
    'https://good.example/a b',
    'https://good.example\\@evil.example/',
    'https://good.example/%zz',
    'https:///good.example/',
    'https://',
    '',
    `https://${'a'.repeat(64)}.example/`,
    'https://good..example/',
  ]),
  ...table('url.authority', 'url_credentials', [
    'https://user:pw@169.254.169.254/',
    'https://good.example@127.0.0.1/',
    'https://@good.example/',
  ]),
  ...table('url.authority', 'url_fragment', ['https://127.0.0.1#@good.example/', 'https://good.example/#']),
  ...table('url.scheme', 'url_not_https', [
    'http://good.example/',
    'file:///etc/passwd',
    'gopher://good.example/',
    'data:text/plain,x',
    'ftp://good.example/',
    'javascript:alert(1)',
    'ws://good.example/',
  ]),
  ...table('url.port', 'url_port_forbidden', [
    ...[0, 22, 25, 80, 5432, 6379, 1023, 10080, 27017, 11211].map((port) => `https://good.example:${port}/`),
  ]),
  ...table('url.port', 'url_invalid', ['https://good.example:65536/']),
  ...table('url.length', 'url_invalid', [urlOf(2_049)]),
]

/** Cases that also hold for an attempt. */
export const HOST_CASES: readonly UrlCase[] = [
  ...table('url.v4.notation', 'url_address_forbidden', [
    'https://2130706433/',
    'https://0x7f000001/',
    'https://0x7f.1/',
    'https://0177.0.0.1/',
    'https://127.1/',
    'https://0/',
    'https://127%2e0%2e0%2e1/',
    'https://127.0.0.1./',
  ]),
  ...table('url.v4.range', 'url_address_forbidden', v4(CLOSED_IPV4)),
  ...table('url.v6', 'url_address_forbidden', [...CLOSED_IPV6.map((address) => `https://[${address}]/`)]),
  ...table('url.v6', 'url_invalid', ['https://[fe80::1%25eth0]/']),
  ...table(
    'url.name',
    'url_host_forbidden',
    [
      ...['localhost', 'localhost.', 'intranet', 'metadata.internal', 'printer.local', 'db.default.svc', 'LOCALHOST'],
      ...['a.localhost', 'router.home.arpa', 'x.onion', 'good.example.'],
    ].map((name) => `https://${name}/`),
  ),
  ...table(
    'url.name',
    'url_own_host',
    [OWN_HOST, `${OWN_HOST}:8443`, 'API.stint.example', `${OWN_HOST}.`].map((host) => `https://${host}/`),
  ),
]

export const ALLOWED_URLS: readonly string[] = [
  'https://good.example/',
  'HTTPS://GOOD.example/hook?a=b&c=%20d',
  'https://good.example:8443/hook',
  'https://good.example:443/',
  'https://xn--mnchen-3ya.example/',
  'https://127.0.0.1.good.example/',
  'https://my-localhost.example/',
  urlOf(2_048),
  ...v4(OPEN_IPV4),
  ...OPEN_IPV6.map((address) => `https://[${address}]/`),
]

function urlOf(bytes: number): string {
  return 'https://good.example/'.padEnd(bytes, 'a')
}
