import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { test } from 'node:test'
import { Webhook } from 'standardwebhooks'
import { makeSigningKey, sign } from './signature.ts'

// webhooks.md 5.4: keys, body and values as published there.
const K1 = 'whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8='
const K2 = 'whsec_ICEiIyQlJicoKSorLC0uLzAxMjM0NTY3ODk6Ozw9Pj8='
const E =
  '{"data":{"meta":{"event_type":"contract.created","organization_id":"0195c2d4-6f10-7c3a-9b51-2e8f4d7a1c60",' +
  '"event_id":"019cadd4-c134-7a0c-8e1f-27b9c3d45e60","occurred_at":"2026-03-02T09:15:27.412Z"},' +
  '"resource":[{"contract_id":"019cadd4-c133-7e52-8a36-5b0c9d2e7f14","worker_email":"zoe.brandt@example.org",' +
  '"status":"pending","created_at":"2026-03-02T09:15:27.412Z","type":"fixed_rate","country":"DE",' +
  '"title":"Backend – phase 2","external_id":null,"worker_id":"019c8b12-40a6-7f03-b2d8-91c5e6a7304d",' +
  '"start_date":"2026-04-01","end_date":null,"last_day":null}]},"timestamp":"2026-03-02T09:15:27.412Z"}'
const EVENT_ID = '019cadd4-c134-7a0c-8e1f-27b9c3d45e60'

const SERVICE_V1 = '52045e95bcbf97c994bd15a658004cbb0b2511bae0890de66a90c23967ffb541'
const SERVICE_V3 = '66f0a07b040b25fe40416a9e488d57e3f9372a5d17f3ea3f714d9c6f0eb572c4'
const STANDARD_V1 = 'v1,gblv6AARp5V9AL1VT2Hvogw+NrBu56YCTzBNQXBjDfk='
const STANDARD_V3 = 'v1,fU5wOFs1IQcgCmyrp1YqumKD1jz2JMFdqT94hYh3OT0='

const VECTORS = [
  { name: 'V1', keys: [K1], body: E, bytes: 598, timestamp_s: 1772442927, service: SERVICE_V1, standard: STANDARD_V1 },
  {
    name: 'V2: a later attempt changes only the second scheme',
    keys: [K1],
    body: E,
    bytes: 598,
    timestamp_s: 1772442987,
    service: SERVICE_V1,
    standard: 'v1,no++GFOJgZuBD6TqirOBw+5wCzl9QWwv2D3Ac+Enihk=',
  },
  { name: 'V3', keys: [K2], body: E, bytes: 598, timestamp_s: 1772442927, service: SERVICE_V3, standard: STANDARD_V3 },
  {
    name: 'V4: during a rotation both keys sign the second scheme, primary first',
    keys: [K2, K1],
    body: E,
    bytes: 598,
    timestamp_s: 1772442927,
    service: SERVICE_V3,
    standard: `${STANDARD_V3} ${STANDARD_V1}`,
  },
  {
    name: 'V5: the bytes are UTF-8',
    keys: [K1],
    body: '{"name":"Zoë 東京 € 😀"}',
    bytes: 31,
    timestamp_s: 1772442927,
    service: 'edef5fcda9577904ff2ff490a0814eb6d1148f42f8871397e2247e1301f8310e',
    standard: 'v1,Ql9WAVQVTuZYfjvnhp9ctSCL5CJUQ6OPj4JNRfrF+Mc=',
  },
  {
    name: 'V6',
    keys: [K1],
    body: '{}',
    bytes: 2,
    timestamp_s: 1772442927,
    service: '624dd75046d77b8d7353600de238c6515f73b9f734b00c47b57dc6a7062c804d',
    standard: 'v1,bTzzy/T+0VVh7wwSNH0HZPUbOpGPcZqzmUES25OFAdc=',
  },
  {
    name: 'V7: a text that is no key of ours signs the first scheme only',
    keys: ['test_signing_key'],
    body: '{"data":{"meta":{"event_type":"contract.created"}}}',
    bytes: 51,
    timestamp_s: 1772442927,
    service: 'dd4fe9f11245483bfd3dfae13ee703fc156f64d7e6e35da0d5d9fa28678a004f',
    standard: '',
  },
]

const labelled = (keys: string[]) => keys.map((key, index) => ({ label: `key_${index}`, key }))

for (const { name, keys, body, bytes, timestamp_s, service, standard } of VECTORS) {
  test(`signatures equal the published vector ${name}`, () => {
    const message = Buffer.from(body)
    assert.equal(message.length, bytes)
    assert.deepEqual(sign(message, labelled(keys), { event_id: EVENT_ID, timestamp_s }), {
      'x-service-signature': service,
      'x-service-hmac-label': 'key_0',
      'webhook-id': EVENT_ID,
      'webhook-timestamp': String(timestamp_s),
      'webhook-signature': standard,
    })
  })
}

test('the published wrong answers come from the mistakes they name, and are never what we send', () => {
  const body = Buffer.from(E)
  const decoded = Buffer.from(K1.slice(6), 'base64')
  const mistakes = {
    '16e1e14426492bdaa1bc2143527bbfa304c2d31d4498449d41de874f1f9dcd5d': createHmac('sha256', decoded)
      .update(`POST${E}`)
      .digest('hex'),
    a6bed969d007d2b2a6ef211a1ab019b5c4a93ea6f2a7a8d9f8c6959018c383e2: createHmac('sha256', K1).update(E).digest('hex'),
    'v1,3DbYDKOuMsB22ZqAzv8lJtuFAHi87hRgexaUOwzDAfY=': `v1,${createHmac('sha256', K1).update(`${EVENT_ID}.1772442927.${E}`).digest('base64')}`,
  }
  const sent: string[] = Object.values(sign(body, labelled([K1]), { event_id: EVENT_ID, timestamp_s: 1772442927 }))
  for (const [published, computed] of Object.entries(mistakes)) {
    assert.equal(computed, published)
    assert.ok(!sent.includes(published))
  }
})

test('a Standard Webhooks library verifies with either of two live keys and rejects any other', () => {
  const timestamp_s = Math.floor(Date.now() / 1000)
  const headers = { ...sign(Buffer.from(E), labelled([K2, K1]), { event_id: EVENT_ID, timestamp_s }) }
  for (const key of [K1, K2]) assert.deepEqual(new Webhook(key).verify(E, headers), JSON.parse(E))
  assert.throws(() => new Webhook(makeSigningKey()).verify(E, headers))
  assert.throws(() => new Webhook(K1).verify(E.replace('pending', 'active'), headers))
})

test('a signing key is whsec_ and the base64 of 32 bytes, 50 characters, different each time', () => {
  assert.equal(
    makeSigningKey((bytes) => Buffer.from(Array.from({ length: bytes }, (_, index) => index))),
    K1,
  )
  const keys = new Set(Array.from({ length: 100 }, () => makeSigningKey()))
  assert.equal(keys.size, 100)
  for (const key of keys) assert.match(key, /^whsec_[A-Za-z0-9+/]{43}=$/)
})

test('nothing is signed without a key', () => {
  assert.throws(() => sign(Buffer.from('{}'), [], { event_id: EVENT_ID, timestamp_s: 1 }))
})
