import assert from 'node:assert/strict'
import { test } from 'node:test'
import { loadConfig } from '#boot/config.ts'
import { type Begun, welcome } from './welcome.ts'

const demo = {
  organization_id: '019cadd4-c134-7a0c-8e1f-27b9c3d45e60',
  token: `stint_test_org_${'x'.repeat(49)}`,
  email: 'nora@harbour.example',
  password: 'sixteen letters.',
}

interface Start {
  ca_file?: string | null
  has_console?: boolean
  settings?: Record<string, string>
  begun?: Partial<Begun>
}

function bannerOf({ ca_file = '/srv/data/tls/ca.pem', has_console = true, settings = {}, begun = {} }: Start = {}) {
  const running = {
    origin: 'https://localhost:8443',
    ca_file,
    management_port: 9443,
    certificate_faults: [],
    service: { has_console },
  }
  const rest = { demo: undefined, demo_file: '/srv/data/demo-credentials', set_up_file: null, is_terminal: false }
  return welcome(running, loadConfig(settings), { ...rest, ...begun })
}

test('secrets of the demo are shown on a terminal; elsewhere the file that holds them is named', () => {
  const shown = bannerOf({ begun: { demo, is_terminal: true } })
  assert.ok(shown.includes(demo.token) && shown.includes(demo.password))
  const logged = bannerOf({ begun: { demo } })
  assert.ok(!logged.includes(demo.token) && !logged.includes(demo.password))
  assert.match(logged, /^ {2}\. \/srv\/data\/demo-credentials\n {2}curl .*"Authorization: Bearer \$STINT_TOKEN"/m)
})

test('the printed call shows few rows and survives a folder with blanks in its name', () => {
  const banner = bannerOf({ ca_file: "/home/o'hara/my data/tls/ca.pem", begun: { demo } })
  assert.match(
    banner,
    /^ {2}curl --cacert '\/home\/o'\\''hara\/my data\/tls\/ca\.pem' .*'https:\S+contracts\?limit=3'$/m,
  )
  assert.doesNotMatch(bannerOf({ ca_file: null }), /cacert|Trust/)
})

test('the printed commands act on the data of this service, and their tokens see pay', () => {
  const commands = (settings: Record<string, string>, begun: Partial<Begun>) =>
    bannerOf({ settings, begun }).match(/(STINT_DATA_DIR=\S+( data')? )?npx stint \w+ \w+/g)
  const first: Partial<Begun> = { set_up_file: '/srv/data/set-up-link' }
  assert.deepEqual(commands({}, first), ['npx stint admin create', 'npx stint token create'])
  assert.deepEqual(commands({ STINT_DATA_DIR: './data' }, first), ['npx stint admin create', 'npx stint token create'])
  for (const [begun, last] of [
    [first, 'create'],
    [{ demo: null }, 'reset'],
    [{}, 'none'],
  ] as const) {
    const made = commands({ STINT_DATA_DIR: '/srv/my data' }, begun) ?? []
    assert.equal(made.length, last === 'none' ? 1 : 2)
    for (const command of made) assert.match(command, /^STINT_DATA_DIR='\/srv\/my data' npx stint /)
    if (last !== 'none') assert.match(bannerOf({ begun }), /--scopes all --sensitive all\)$/m)
  }
})

test('only what is there is printed', () => {
  const worker = bannerOf({ settings: { STINT_ROLES: 'worker' } })
  assert.doesNotMatch(worker, /https:|curl|Console/)
  assert.match(worker, /http:\/\/127\.0\.0\.1:9443\/health\/ready/)
  assert.doesNotMatch(bannerOf({ has_console: false }), /Console/)
  assert.match(bannerOf({ settings: { STINT_AUTH_URL: 'https://login.stint.example' } }), /Console +https:\/\/login\./)
})
