import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isAddressedTo, isLoopbackOrigin, ownHostNames } from './request-target.ts'

const names = ownHostNames(['https://stint.example', 'https://login.stint.example:8443'], '0.0.0.0')

test('a request is addressed to us by the name of one of our origins, with any port', () => {
  for (const host of ['stint.example', 'STINT.example', 'stint.example:443', 'login.stint.example']) {
    assert.ok(isAddressedTo(names, host), host)
  }
})

test('any other name, and what only looks like ours, is not ours', () => {
  const others = ['', 'evil.example', 'stint.example.evil.example', 'user@stint.example', 'stint.example/x', 'a b', '[']
  for (const host of [...others, 'localhost', 'evil.example?stint.example', 'evil\\@stint.example']) {
    assert.equal(isAddressedTo(names, host), false, host)
  }
})

test('the names of loopback are ours only while the service listens there', () => {
  for (const listens_on of ['127.0.0.1', 'localhost', '::1', '127.0.0.2']) {
    const own = ownHostNames(['https://localhost:8443'], listens_on)
    for (const host of ['localhost:8443', '127.0.0.1:1', '[::1]:8443']) assert.ok(isAddressedTo(own, host), host)
  }
  assert.equal(isAddressedTo(ownHostNames(['https://stint.example'], '::'), 'localhost'), false)
})

test('loopback origins have any port and no path', () => {
  for (const origin of ['http://localhost:6274', 'https://127.0.0.1', 'http://[::1]:1'])
    assert.ok(isLoopbackOrigin(origin))
  for (const origin of ['null', 'http://localhost.evil.example', 'ftp://localhost', 'http://localhost/', 'localhost']) {
    assert.equal(isLoopbackOrigin(origin), false, origin)
  }
})
